import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_QUERY_BYTES, MAX_QUERY_NESTING, parseQuery } from './parse-query.ts'
import { QuerySyntaxError } from './query-syntax-error.ts'
import type { Tree } from './syntax-tree.ts'

/** A tree on one line: operands of `and` joined by blanks, of `or` by bars, negations with an exclamation mark. */
function shown(query: string): string {
  return show(parseQuery(query))
}

type AnyLeaf = Exclude<Parameters<typeof showLeaf>[0], never>

function show(tree: Tree<AnyLeaf>): string {
  switch (tree.kind) {
    case 'and':
      return `(${tree.operands.map(show).join(' ')})`
    case 'or':
      return `(${tree.operands.map(show).join('|')})`
    case 'not':
      return `!${show(tree.operand)}`
    default:
      return showLeaf(tree)
  }
}

function showLeaf(
  leaf:
    | { readonly kind: 'all' | 'present' }
    | { readonly kind: 'text'; readonly operator: string; readonly text: string }
    | { readonly kind: 'comparison'; readonly operator: string; readonly texts: readonly string[] }
    | { readonly kind: 'field'; readonly name: string; readonly test: Tree<AnyTest> },
): string {
  switch (leaf.kind) {
    case 'all':
    case 'present':
      return '*'
    case 'text':
      return `${leaf.operator}<${leaf.text}>`
    case 'comparison':
      return `${leaf.operator}<${leaf.texts.join('><')}>`
    case 'field':
      return `${leaf.name}:${show(leaf.test)}`
  }
}
type AnyTest =
  | { readonly kind: 'present' }
  | { readonly kind: 'comparison'; readonly operator: string; readonly texts: readonly string[] }

describe('a query is parsed by the grammar', () => {
  test.each([
    ['', '*'],
    [' \n\t', '*'],
    ['*', '*'],
    ['_account:*', '_account:*'],
    ['a', '<a>'],
    ['a b', '(<a> <b>)'],
    ['a AND b', '(<a> <b>)'],
    ['a\nAND\tb', '(<a> <b>)'],
    ['me myself OR I', '(<me> (<myself>|<I>))'],
    ['a OR b AND c OR d', '((<a>|<b>) (<c>|<d>))'],
    ['a -b OR c', '(<a> (!<b>|<c>))'],
    ['(a AND b) OR c', '((<a> <b>)|<c>)'],
    ['(a)(b)', '(<a> <b>)'],
    ['( a )', '<a>'],
    ['a or b and c not d', '(<a> <or> <b> <and> <c> <not> <d>)'],
    ['NOT a', '!<a>'],
    ['NOT (a b)', '!(<a> <b>)'],
    ['-(a OR b)', '!(<a>|<b>)'],
    ['-"a b"', '!<a b>'],
    ['-*', '!*'],
    ['--a', '!<-a>'],
    ['NOT -a', '!<-a>'],
    ['foo-bar', '<foo-bar>'],
    ['a-', '<a->'],
    ['ANDROID NOTE ORDER', '(<ANDROID> <NOTE> <ORDER>)'],
    ['"AND"', '<AND>'],
    ['=a ==b ===c', '(=<a> ==<b> ===<c>)'],
    ['====a', '===<=a>'],
    ['="a b" ===\'c d\'', '(=<a b> ===<c d>)'],
    ['=http://x', '=<http://x>'],
    ['>=5', '<>=5>'],
    ['"a b"c', '(<a b> <c>)'],
    ['a"b"', '(<a> <b>)'],
    ["don't", "<don't>"],
    ["'a b'", '<a b>'],
    ['"a \\"b\\" \\\\ \\\' \\d"', '<a "b" \\ \' \\d>'],
    ["'it\\'s \"x\"'", '<it\'s "x">'],
    ['""', '<>'],
    ['"response:"', '<response:>'],
    ['error*', '<error>'],
    ['a*b', '<a*b>'],
    ['**', '<*>'],
    ['=*', '=<*>'],
    ['"a*"', '<a*>'],
    ['%VARIABLE%', '<%VARIABLE%>'],
    ['[a,b]', '<[a,b]>'],
  ])('%s', (query, tree) => {
    expect(shown(query)).toBe(tree)
  })
})

describe('fields are parsed by the grammar', () => {
  test.each([
    ['f:v', 'f:<v>'],
    ['f:*', 'f:*'],
    ['f:v*', 'f:<v>'],
    ['f:*v', 'f:<*v>'],
    ['f:"a b"', 'f:<a b>'],
    ["f:'a b'", 'f:<a b>'],
    ['f:=v f:==v f:===v', '(f:=<v> f:==<v> f:===<v>)'],
    ['f:>1 f:>=1 f:<1 f:<=1', '(f:><1> f:>=<1> f:<<1> f:<=<1>)'],
    ['f:>-1', 'f:><-1>'],
    ['f:-v', 'f:!<v>'],
    ['-f:v', '!f:<v>'],
    ['f:--v', 'f:!<-v>'],
    ['f:-(debug OR trace)', 'f:!(<debug>|<trace>)'],
    ['f:(>=400 <500 -404)', 'f:(>=<400> <<500> !<404>)'],
    ['f:(>100 AND <= 503)', 'f:(><100> <=<503>)'],
    ['f:(a OR (b c))', 'f:(<a>|(<b> <c>))'],
    ['f:(a OR b c)', 'f:((<a>|<b>) <c>)'],
    ['f:(NOT a)', 'f:!<a>'],
    ['f:(* -a)', 'f:(* !<a>)'],
    ['f:(a:b)', 'f:<a:b>'],
    ['f:[a,b]', 'f:<a><b>'],
    ['f:[a, b]', 'f:<a>< b>'],
    ['f:===[a,b]', 'f:===<a><b>'],
    ['f:-[a,b]', 'f:!<a><b>'],
    ['f:["a",(b)]', 'f:<"a"><(b)>'],
    ['f:[a b]c', '(f:<a b> <c>)'],
    ['f:([a])', 'f:<[a]>'],
    ['f:>[a', 'f:><[a>'],
    ['time:12:30', 'time:<12:30>'],
    ['a.b.c:1', 'a.b.c:<1>'],
    ['f:a(b)', '(f:<a> <b>)'],
    ['f:a"b"', '(f:<a> <b>)'],
    ['OR:5', 'OR:<5>'],
    ['f:OR', 'f:<OR>'],
    ['source:node1 AND (file:/var/log/syslog OR ERROR)', '(source:<node1> (file:</var/log/syslog>|<ERROR>))'],
  ])('%s', (query, tree) => {
    expect(shown(query)).toBe(tree)
  })
})

describe('text outside the grammar is refused with its place', () => {
  test.each([
    ['"a', '"query" has an unbalanced quote at character 1'],
    ["a 'b", '"query" has an unbalanced quote at character 3'],
    ['f:"a', '"query" has an unbalanced quote at character 3'],
    ['"a\\"', '"query" has an unbalanced quote at character 1'],
    ['(a', '"query" has an unbalanced parenthesis at character 1'],
    ['a)', '"query" has an unbalanced parenthesis at character 2'],
    ['a ) b', '"query" has an unbalanced parenthesis at character 3'],
    ['(', '"query" has an unbalanced parenthesis at character 1'],
    ['f:(a', '"query" has an unbalanced parenthesis at character 3'],
    [')', '"query" has an unbalanced parenthesis at character 1'],
    ['()', '"query" has an empty group at character 2'],
    ['a ( )', '"query" has an empty group at character 5'],
    ['f:()', '"query" has an empty group at character 4'],
    ['a AND', '"query" has a dangling AND at character 3'],
    ['AND a', '"query" has a dangling AND at character 1'],
    ['a AND AND b', '"query" has a dangling AND at character 7'],
    ['a OR', '"query" has a dangling OR at character 3'],
    ['OR', '"query" has a dangling OR at character 1'],
    ['a OR OR b', '"query" has a dangling OR at character 6'],
    ['(a OR) b', '"query" has a dangling OR at character 4'],
    ['NOT', '"query" has a dangling NOT at character 1'],
    ['a NOT', '"query" has a dangling NOT at character 3'],
    ['NOT NOT a', '"query" has a dangling NOT at character 5'],
    ['-NOT a', '"query" has a dangling NOT at character 2'],
    ['-', '"query" has a dangling "-" at character 2'],
    ['a - b', '"query" has a dangling "-" at character 4'],
    ['(-)', '"query" has a dangling "-" at character 3'],
    ['=', '"query" has a dangling "=" at character 2'],
    ['=== a', '"query" has a dangling "===" at character 4'],
    ['f:', '"query" has no value for field "f" at character 3'],
    ['f: a', '"query" has no value for field "f" at character 3'],
    ['(f:)', '"query" has no value for field "f" at character 4'],
    ['f:-', '"query" has a dangling "-" at character 4'],
    ['f:>', '"query" has a dangling ">" at character 4'],
    ['f:>= 5', '"query" has a dangling ">=" at character 5'],
    ['f:(>)', '"query" has a dangling ">" at character 5'],
    ['f:(a OR)', '"query" has a dangling OR at character 6'],
    [':a', '"query" has a ":" without a field name at character 1'],
    ['f:[a', '"query" has an unbalanced bracket at character 3'],
    ['f:[]', '"query" has a list with an empty element at character 3'],
    ['f:[a,]', '"query" has a list with an empty element at character 3'],
  ])('%s', (query, message) => {
    expect(() => parseQuery(query)).toThrow(message)
  })
})

describe('bounds', () => {
  test('the longest query is accepted, and one more byte is refused', () => {
    expect(shown('a'.repeat(MAX_QUERY_BYTES))).toHaveLength(MAX_QUERY_BYTES + 2)
    expect(() => parseQuery('a'.repeat(MAX_QUERY_BYTES + 1))).toThrow('must not be longer than 8192 bytes')
    expect(() => parseQuery('ä'.repeat(MAX_QUERY_BYTES / 2 + 1))).toThrow('must not be longer')
    expect(() => parseQuery('a '.repeat(500_000))).toThrow('must not be longer')
  })

  test('the deepest nesting is accepted, and one more level is refused', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}a${')'.repeat(levels)}`
    expect(shown(nested(MAX_QUERY_NESTING))).toBe('<a>')
    expect(() => parseQuery(nested(MAX_QUERY_NESTING + 1))).toThrow('is nested too deep')
    expect(() => parseQuery('('.repeat(10_000))).toThrow(QuerySyntaxError)
    expect(() => parseQuery(`f:${nested(MAX_QUERY_NESTING + 1)}`)).toThrow('is nested too deep')
    expect(shown(`${nested(MAX_QUERY_NESTING)} ${nested(MAX_QUERY_NESTING)}`)).toBe('(<a> <a>)')
  })

  test('any text is either parsed or refused by a QuerySyntaxError', () => {
    const pieces = fc.constantFrom(
      'a',
      ' ',
      '(',
      ')',
      '"',
      "'",
      '-',
      '=',
      '>',
      ':',
      '[',
      ']',
      ',',
      '*',
      'AND',
      'OR',
      'NOT',
      '\\',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map(some => some.join('')),
    )
    fc.assert(
      fc.property(texts, text => {
        try {
          parseQuery(text)
        } catch (error) {
          expect(error).toBeInstanceOf(QuerySyntaxError)
          expect((error as QuerySyntaxError).message).toMatch(/^"query" /)
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('text that is not Unicode is read as in the store', () => {
    expect(shown('a\ud800b')).toBe('<a\ufffdb>')
  })
})
