import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../query-language/parse-query.ts'
import { textOf } from './condition.ts'
import { compilePrefilter, NO_PREFILTER, type Prefilter } from './prefilter.ts'
import { SqlConstants } from './sql-constants.ts'

function prefilter(query: string): Prefilter {
  return compilePrefilter(parseQuery(query), new SqlConstants(), 'lines')
}

const texts = (conditions: Prefilter['conditions']) => conditions.map(textOf).join()

/** The columns that each condition reads, in the order of the conditions. */
function columnsRead(query: string): string[][] {
  return prefilter(query).conditions.map(condition =>
    [
      ...new Set(
        [...textOf(condition).matchAll(/\bl\.(\w+(?:\.\w+)?)/g)].map(([, column]) => column as string),
      ),
    ].sort(),
  )
}

const TEXTS = ['app', 'env', 'extra', 'file', 'host', 'level', 'line', 'meta', 'tags']
const NUMBERS = ['number_fields.keys', 'number_fields.values', 'text_fields.keys']

describe('the prefilter', () => {
  test('seeks a term without the fields, whose texts are in the line', () => {
    expect(columnsRead('error')).toEqual([TEXTS])
  })

  test('seeks a number without the texts of fields', () => {
    expect(columnsRead('duration:>=500')).toEqual([NUMBERS])
  })

  test('has names before numbers, and numbers before texts, in any written order', () => {
    expect(columnsRead('error duration:>=500 app:nginx')).toEqual([['app'], NUMBERS, TEXTS])
  })

  test('shares reads between the terms of one OR', () => {
    expect(columnsRead('error OR failed OR app:nginx')).toEqual([TEXTS])
    expect(texts(prefilter('error OR failed').conditions)).toContain('multiSearchAny(lower(l.line)')
  })

  test('reads an object with a new text only for terms that only that text may have', () => {
    const looksForObjects = (query: string) => texts(prefilter(query).conditions).includes('countSubstrings')
    expect(looksForObjects('1000')).toBe(true)
    expect(looksForObjects('"a: 1"')).toBe(true)
    expect(looksForObjects('error')).toBe(false)
  })

  test('lets lines with any escape pass only for terms with a character that has one of its own', () => {
    const anyEscape = (query: string) =>
      texts(prefilter(query).conditions).includes(String.raw`position(l.line, '\\') > 0`)
    expect(anyEscape('error')).toBe(false)
    for (const query of ['a/b', String.raw`"say \"no\""`, String.raw`"a\\b"`])
      expect(anyEscape(query), query).toBe(true)
  })

  test.each([
    ['a negation', '-error'],
    ['an alternative of which one may be anything', 'error OR -failed'],
    ['every line', ''],
    ['every text', '""'],
    ['text that empty objects have', '"{}"'],
    ['what must be made first', '_logtype:json'],
  ])('is empty for %s', (_title, query) => {
    expect(prefilter(query)).toEqual(NO_PREFILTER)
  })
})

describe('the word index', () => {
  const indexed = (query: string) => prefilter(query).indexed.length

  test.each([
    '==checkout',
    '===Checkout',
    'trace:==4bf92f3577b3',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'a ==checkout',
    '==checkout OR ==payments',
    'trace:[f81d-7dec-11,f81d-7ded-11]',
  ])('%s', query => {
    expect(indexed(query)).toBe(1)
  })

  test.each([
    ['a beginning of words', 'checkout'],
    ['an alternative that it does not know', '==checkout OR payments'],
    ['a negation', '-==checkout'],
    ['a number of a field, which has other forms', 'status:==4040'],
    ['a member in a column of words, which takes less time to read', 'app:==checkout'],
    ['addresses, which terms do not look at', 'ip:==10.0.25.1234'],
    ['a comparison', 'a:>1'],
    [
      'more than is worth looking up',
      Array.from({ length: 17 }, (_, index) => `==checkout${index}`).join(' OR '),
    ],
  ])('%s does not use it', (_title, query) => {
    expect(indexed(query)).toBe(0)
  })

  test('a term that is not part of larger words needs one lookup, and any other term two', () => {
    expect(texts(prefilter('"a checkout b"').indexed)).not.toContain(' OR ')
    expect(texts(prefilter('==checkout').indexed)).toContain(' OR ')
  })
})
