import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { Event } from '../event/event.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { simpleLowerCase } from '../expressions/lower-case.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { checkCondition, checkLeaf, compileCondition, compileLeaf, type Leaf } from './condition.ts'
import { OPERATOR_NAMES, operatorNamed } from './operators.ts'

const HUGE = new NumberText('1e400')
const [NINES_308, NINES_309] = ['9'.repeat(308), '9'.repeat(309)]

function eventOf(message: JsonValue): Event {
  return Event.of(message, {}, '2031-03-09T08:15:30.250Z')
}

/** Result of a leaf, followed by the codes that it reported. */
function judge(leaf: Leaf, message: JsonValue): [boolean, ...string[]] {
  const { problems } = checkLeaf(leaf as unknown as JsonObject)
  expect(problems).toEqual([])
  const reported: string[] = []
  const predicate = compileLeaf(leaf, (code, { field }) => reported.push(`${code} ${field}`), UNMETERED)
  return [predicate(eventOf(message)), ...reported]
}

/** The message with such a number, in the form that an event has. */
const read = (number: string) => parseExactJson(`{"v":${number}}`)

const leaf = (field: string, operator: string, value?: string | number, more: Partial<Leaf> = {}): Leaf => ({
  field,
  str_operator: operator,
  ...(value === undefined ? {} : { value }),
  ...more,
})

describe('the table of components, section 3.5', () => {
  const message = { level: 'Warn', code: '503' }
  test.each<[Leaf, ...[boolean, ...string[]]]>([
    [leaf('.level', 'equal', 'warn'), true],
    [leaf('.level', 'equal', 'warn', { case_sensitive: true }), false],
    [leaf('.code', 'equal', 503), true],
    [leaf('.code', 'greater', 500), false, 'E_COMPARE_COERCION_FAILED .code'],
    [leaf('.code', 'less', 500, { negate: true }), true, 'E_COMPARE_COERCION_FAILED .code'],
    [leaf('.region', 'contains', 'eu'), false, 'E_NOT_FOUND .region'],
  ])('%j', (expression, ...expected) => {
    expect(judge(expression, message)).toEqual(expected)
  })
})

describe('operators', () => {
  test.each<[string, string, string | number | undefined, JsonValue, ...[boolean, ...string[]]]>([
    ['exists is true for null', 'exists', '', { v: null }, true],
    ['exists is false when missing', 'exists', '', {}, false],
    ['not_exists', 'not_exists', undefined, {}, true],
    ['10 equals 10.0', 'equal', 10, { v: 10.0 }, true],
    ['10 equals "10"', 'equal', 10, { v: '10' }, true],
    ['10 is not "10.0"', 'equal', 10, { v: '10.0' }, false],
    ['"10" equals 10', 'equal', '10', { v: 10 }, true],
    ['"10.0" is not 10', 'equal', '10.0', { v: 10 }, false],
    ['"true" equals true', 'equal', 'true', { v: true }, true],
    ['"TRUE" equals true, as case does not count', 'equal', 'TRUE', { v: true }, true],
    ['null equals nothing, without error', 'equal', 'null', { v: null }, false],
    ['an object is not a scalar', 'equal', 'x', { v: {} }, false, 'E_COMPARE_COERCION_FAILED .v'],
    ['not_equal of an array', 'not_equal', 'x', { v: [] }, true, 'E_COMPARE_COERCION_FAILED .v'],
    ['not_equal of nothing', 'not_equal', 'debug', {}, true, 'E_NOT_FOUND .v'],
    ['equal keeps all digits of big integers', 'equal', '9007199254740993', { v: 9007199254740993n }, true],
    ['equal tells big integers apart', 'equal', 9007199254740992, { v: 9007199254740993n }, false],
    ['equal knows a number beyond doubles by its text', 'equal', '1e400', { v: HUGE }, true],
    ['equal tells numbers beyond doubles apart', 'equal', '1e401', { v: HUGE }, false],
    [
      'a number beyond doubles has no order',
      'greater',
      5,
      { v: HUGE },
      false,
      'E_COMPARE_COERCION_FAILED .v',
    ],
    ['nor by less', 'less_or_equal', 5, { v: HUGE }, false, 'E_COMPARE_COERCION_FAILED .v'],
    ['308 digits have an order', 'greater', 5, read(NINES_308), true],
    ['309 nines have none', 'greater', 5, read(NINES_309), false, 'E_COMPARE_COERCION_FAILED .v'],
    ['308 digits equal their text', 'equal', NINES_308, read(NINES_308), true],
    ['309 nines equal their text', 'equal', NINES_309, read(NINES_309), true],
    ['309 digits are distinguished', 'equal', NINES_309, read(`${NINES_308}8`), false],
    ['it is a number', 'is_number', undefined, { v: HUGE }, true],
    ['it is not an object', 'is_object', undefined, { v: HUGE }, false],
    ['it contains no text', 'contains', '1', { v: HUGE }, false, 'E_COMPARE_BAD_TYPE .v'],
    ['greater', 'greater', 71.5, { v: 71.6 }, true],
    ['greater is false for the same', 'greater', 71.5, { v: 71.5 }, false],
    ['greater_or_equal holds for the same', 'greater_or_equal', 71.5, { v: 71.5 }, true],
    ['less with a decimal text as operand', 'less', '300', { v: 299 }, true],
    ['less_or_equal', 'less_or_equal', 3, { v: 3 }, true],
    ['less of a boolean', 'less', 3, { v: true }, false, 'E_COMPARE_BAD_TYPE .v'],
    ['less of null', 'less', 3, { v: null }, false, 'E_COMPARE_BAD_TYPE .v'],
    ['less of a missing field', 'less', 3, {}, false, 'E_NOT_FOUND .v'],
    ['contains ignores case', 'contains', 'EU', { v: 'region-eu' }, true],
    ['contains takes the text of a number', 'contains', 5, { v: 'a5' }, true],
    ['contains of a number', 'contains', '5', { v: 5 }, false, 'E_COMPARE_BAD_TYPE .v'],
    ['starts_with', 'starts_with', 'Re', { v: 'region' }, true],
    ['ends_with', 'ends_with', 'ON', { v: 'region' }, true],
    ['not_contains of a number', 'not_contains', '5', { v: 5 }, true, 'E_COMPARE_BAD_TYPE .v'],
    ['contains with a dotted capital I', 'contains', 'İ', { v: 'iz' }, true],
    ['equal with a sigma at the end of a word', 'equal', 'ΟΔΟΣ', { v: 'οδοσ' }, true],
    ['regex_match anywhere, case aside', 'regex_match', 'st.tus=5\\d\\d', { v: 'x STATUS=503 y' }, true],
    ['not_regex_match of older clients', 'not_regex_match', '^a', { v: 'ba' }, true],
    ['regex_match of null', 'regex_match', 'a', { v: null }, false, 'E_COMPARE_BAD_TYPE .v'],
    ['CIDR, inside', 'is_ip_in_cidr_range', '10.1.0.0/16', { v: '10.1.255.255' }, true],
    ['CIDR, just outside', 'is_ip_in_cidr_range', '10.1.0.0/16', { v: '10.2.0.0' }, false],
    [
      'CIDR, host bits of the block do not count',
      'is_ip_in_cidr_range',
      '10.1.9.9/15',
      { v: '10.0.0.1' },
      true,
    ],
    [
      'CIDR, the second of several',
      'is_ip_in_cidr_range',
      '1.1.1.1, 2001:db8::/32',
      { v: '2001:db8:1::5' },
      true,
    ],
    ['CIDR, plain address', 'is_ip_in_cidr_range', '::1', { v: '0:0:0:0:0:0:0:1' }, true],
    ['CIDR /0 of IPv4 holds no IPv6', 'is_ip_in_cidr_range', '0.0.0.0/0', { v: '::ffff:1.2.3.4' }, false],
    ['CIDR /0 of IPv6 holds no IPv4', 'is_ip_in_cidr_range', '::/0', { v: '1.2.3.4' }, false],
    [
      'CIDR, a mapped address is IPv6',
      'is_ip_in_cidr_range',
      '::ffff:1.2.3.0/120',
      { v: '::ffff:1.2.3.4' },
      true,
    ],
    ['CIDR of no address', 'is_ip_in_cidr_range', '::/0', { v: '1.2.3' }, false, 'E_COMPARE_BAD_CIDR .v'],
    [
      'CIDR of a leading zero',
      'is_ip_in_cidr_range',
      '1.2.3.4',
      { v: '1.2.3.04' },
      false,
      'E_COMPARE_BAD_CIDR .v',
    ],
    ['CIDR of a number', 'is_ip_in_cidr_range', '::/0', { v: 5 }, false, 'E_COMPARE_BAD_TYPE .v'],
    ['a numeric string is not a number', 'is_number', '', { v: '5' }, false],
    ['a big integer is a number', 'is_number', '', { v: 9007199254740993n }, true],
    ['an array is not an object', 'is_object', '', { v: [] }, false],
    ['null is not an object', 'is_object', '', { v: null }, false],
    ['is_null of nothing', 'is_null', '', {}, true],
    ['is_empty of ""', 'is_empty', '', { v: '' }, true],
    ['is_empty of {}', 'is_empty', '', { v: {} }, true],
    ['is_empty of []', 'is_empty', '', { v: [] }, true],
    ['null is not empty', 'is_empty', '', { v: null }, false],
    ['nothing is not empty, without error', 'is_empty', '', {}, false],
    ['is_boolean', 'is_boolean', '', { v: false }, true],
    ['is_string of nothing, without error', 'is_string', '', {}, false],
  ])('%s', (_title, operator, value, message, ...expected) => {
    expect(judge(leaf('.v', operator, value), message)).toEqual(expected)
  })

  const gauge = { name: 'queue_depth', kind: 'absolute', value: { type: 'gauge', value: 17 } }
  test.each<[JsonValue, boolean]>([
    [gauge, true],
    [{ ...gauge, namespace: 'bakery', tags: { oven: '4' }, time: { interval_ms: 10 }, extra: 1 }, true],
    [{ ...gauge, tags: { oven: 4 } }, false],
    [{ ...gauge, kind: 'relative' }, false],
    [{ ...gauge, time: { interval_ms: 0 } }, false],
    [{ ...gauge, value: { value: 17 } }, false],
    [{ ...gauge, value: { type: 'toString', value: 17 } }, false],
    [{ ...gauge, value: { type: 'set', value: { values: ['a'] } } }, true],
    [
      {
        ...gauge,
        value: {
          type: 'distribution',
          value: { samples: [{ value: 1, rate: 2 ** 32 }], statistic: 'summary' },
        },
      },
      false,
    ],
    [
      {
        ...gauge,
        value: { type: 'histogram', value: { buckets: [{ upper_limit: 1, count: 0 }], count: 0, sum: 0 } },
      },
      true,
    ],
    ['text', false],
  ])('is_metric of %j', (message, expected) => {
    expect(judge(leaf('.', 'is_metric', ''), message)).toEqual([expected])
  })
})

test('the beginning and the end of a text are compared as in the whole text in lower case', () => {
  const text = fc
    .array(fc.constantFrom('a', 'A', 'Σ', 'İ', '𐐀', '𐐨', '\ud801', '\udc00', '\udc28'))
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(text, text, (value, operand) => {
      const sought = simpleLowerCase(operand)
      const whole = simpleLowerCase(value)
      expect(judge(leaf('.v', 'starts_with', operand), { v: value })).toEqual([whole.startsWith(sought)])
      expect(judge(leaf('.v', 'ends_with', operand), { v: value })).toEqual([whole.endsWith(sought)])
    }),
  )
})

describe('trees', () => {
  test('a guard prevents the leaves behind it from reporting', () => {
    const reported: string[] = []
    const guarded = (operation: 'AND' | 'OR', first: string) =>
      compileCondition(
        {
          logical_operation: operation,
          expressions: [leaf('.x', first), leaf('.x', 'contains', 'y'), leaf('.z', 'equal', 1)],
        },
        code => reported.push(code),
        UNMETERED,
      )
    expect(guarded('AND', 'exists')(eventOf({}))).toBe(false)
    expect(guarded('OR', 'not_exists')(eventOf({}))).toBe(true)
    expect(reported).toEqual([])
    expect(guarded('OR', 'exists')(eventOf({}))).toBe(false)
    expect(reported).toEqual(['E_NOT_FOUND', 'E_NOT_FOUND'])
  })

  test('a tree means the same as its plain evaluation', () => {
    type Tree = { all: Tree[] } | { any: Tree[] } | { flag: string; negate: boolean }
    const { tree } = fc.letrec<{ tree: Tree }>(tie => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.record({ flag: fc.constantFrom('a', 'b', 'c'), negate: fc.boolean() }),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(all => ({ all })),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(any => ({ any })),
      ),
    }))
    const wire = (node: Tree): JsonObject => {
      if ('all' in node) return { logical_operation: 'AND', expressions: node.all.map(wire) }
      if ('any' in node) return { logical_operation: 'OR', expressions: node.any.map(wire) }
      return { field: `.${node.flag}`, str_operator: 'exists', negate: node.negate }
    }
    const plain = (node: Tree, flags: readonly string[]): boolean => {
      if ('all' in node) return node.all.every(child => plain(child, flags))
      if ('any' in node) return node.any.some(child => plain(child, flags))
      return flags.includes(node.flag) !== node.negate
    }
    fc.assert(
      fc.property(tree, fc.subarray(['a', 'b', 'c']), (node, flags) => {
        const condition = { expressions: [wire(node)] }
        expect(checkCondition(condition).problems).toEqual([])
        const predicate = compileCondition(condition, () => {}, UNMETERED)
        expect(predicate(eventOf(Object.fromEntries(flags.map(flag => [flag, 1]))))).toBe(plain(node, flags))
      }),
    )
  })
})

describe('checking', () => {
  const nested = (levels: number): JsonObject =>
    levels === 0
      ? { expressions: [{ field: '.a', str_operator: 'exists' }] }
      : { expressions: [nested(levels - 1)] }

  test('defaults are added, and nothing else', () => {
    expect(
      checkCondition({
        expressions: [
          { field: '.a', str_operator: 'equal', value: '300' },
          { expressions: [{ field: '.b', str_operator: 'exists', value: '' }] },
        ],
      }).stored,
    ).toEqual({
      logical_operation: 'AND',
      expressions: [
        { field: '.a', str_operator: 'equal', value: '300', negate: false },
        {
          logical_operation: 'AND',
          expressions: [{ field: '.b', str_operator: 'exists', value: '', negate: false }],
        },
      ],
    })
  })

  test('the sent condition is not changed', () => {
    const sent = nested(1)
    checkCondition(sent)
    expect(sent).toEqual(nested(1))
  })

  test('six levels below the root are accepted, a seventh is refused', () => {
    expect(checkCondition(nested(6)).problems).toEqual([])
    expect(checkCondition(nested(7)).problems).toEqual([
      { instancePath: '/expressions/0'.repeat(7), message: 'must NOT be nested more than 6 levels deep' },
    ])
  })

  test('all findings are reported at once, each at its place', () => {
    const { problems } = checkCondition({
      logical_operation: 'XOR',
      surplus: 1,
      expressions: [
        { field: 'not-a-path', str_operator: 'equal', value: true },
        { field: '.a', str_operator: 'near', value: 1 },
        { field: '.a', str_operator: 'greater', value: 'much', negate: 'yes' },
        { str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/33' },
        { field: '.a', str_operator: 'regex_match', value: '(?=a)' },
        { field: '.a', str_operator: 'percent_change_less', value: 5 },
        { field: '.a', str_operator: 'contains' },
        { expressions: [] },
        'text',
      ],
    } as unknown as JsonObject)
    expect(problems.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([
      " must NOT have additional properties: 'surplus'",
      '/logical_operation must be equal to one of the allowed values',
      '/expressions/0/field Must be a valid data access syntax',
      '/expressions/0/value Value must be a string or a number',
      '/expressions/1/str_operator must be equal to one of the allowed values',
      '/expressions/2/negate must be boolean',
      '/expressions/2/value Value must be a number',
      "/expressions/3 must have required property 'field'",
      '/expressions/3/value Must be a valid CIDR block or IP address',
      '/expressions/4/value Must be a valid regular expression: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      '/expressions/5/str_operator must be equal to one of the allowed values',
      "/expressions/6 must have required property 'value'",
      '/expressions/7/expressions must NOT have fewer than 1 items',
      '/expressions/8 must be object',
    ])
  })

  test('a leaf in place of the tree is refused', () => {
    expect(checkCondition({ field: '.a', str_operator: 'exists' }).problems).toContainEqual({
      instancePath: '',
      message: "must have required property 'expressions'",
    })
    expect(checkCondition(undefined).problems).toEqual([{ instancePath: '', message: 'must be object' }])
  })

  test.each(['300', '-1', '+2', '0.5', '.5', '5.', '1e3', 12, -0.25])('%j is a number', value => {
    expect(checkLeaf({ field: '.a', str_operator: 'less', value }).problems).toEqual([])
  })

  test.each(['', ' 1', '1 ', '0x10', '1,5', 'NaN', 'Infinity', '1e999', null, true])(
    '%j is not a number',
    value => {
      expect(checkLeaf({ field: '.a', str_operator: 'less', value }).problems).toEqual([
        { instancePath: '/value', message: 'Value must be a number' },
      ])
    },
  )

  test('change operators are accepted where they have a meaning', () => {
    const change = { field: '.a', str_operator: 'value_change_greater', value: 5 }
    const plain = { field: '.a', str_operator: 'greater', value: 5 }
    expect(checkLeaf(change, { change: 'both' }).problems).toEqual([])
    expect(checkLeaf(plain, { change: 'both' }).problems).toEqual([])
    expect(checkLeaf(change, { change: 'only' }).problems).toEqual([])
    expect(checkLeaf(plain, { change: 'only' }).problems).toHaveLength(1)
  })

  test('every accepted operator compiles, and judges any value without throwing', () => {
    const operands = { none: '', number: 5, scalar: 'a', expression: 'a+', blocks: '::/0' }
    fc.assert(
      fc.property(fc.constantFrom(...OPERATOR_NAMES), fc.jsonValue(), (name, value) => {
        const operator = operatorNamed(name)
        if (operator === undefined || operator.change) return
        const found = judge(leaf('.v', name, operands[operator.operand]), { v: value as JsonValue })
        expect(found.length).toBeLessThanOrEqual(2)
      }),
    )
  })
})

describe('regular expressions', () => {
  const matches = (value: string, text: string, caseSensitive = true) =>
    judge(leaf('.', 'regex_match', value, { case_sensitive: caseSensitive }), text)[0]

  test.each([
    ['(?P<n>a)b', 'ab'],
    ['(?<n>a)b', 'ab'],
    ['(?x) a b # comment\n c[ #]', 'abc#'],
    ['(?ix)A\\ B', 'a b'],
    ['a b(?x) c', 'a bc'],
    ['(?x: a (?-x: b) ) c', 'a b c'],
    ['\\x{1F600}', '😀'],
    ['^.$', '😀'],
    ['\\p{Greek}', 'λ'],
    ['(?s)a.b', 'a\nb'],
    ['(?m)^b$', 'a\nb\nc'],
  ])('%s matches %j', (source, text) => {
    expect(matches(source, text)).toBe(true)
  })

  test.each(['(a', '(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '(?>a)', 'a++', 'a{1001}', 'a'.repeat(4097)])(
    '%s is refused when saved',
    source => {
      expect(checkLeaf({ field: '.a', str_operator: 'regex_match', value: source }).problems).toHaveLength(1)
    },
  )

  test('an expression whose repeats multiply beyond the bound is refused when saved', () => {
    const problemsOf = (value: string) =>
      checkLeaf({ field: '.a', str_operator: 'regex_match', value }).problems
    expect(problemsOf('a[ab]{1,1000}')).toEqual([])
    expect(problemsOf('(?:word|other){1,200}')).toEqual([])
    expect(problemsOf('(?:a|b|ab|ba){900}')).toEqual([
      { instancePath: '/value', message: 'Must be a valid regular expression: it is too large' },
    ])
  })

  test('a literal is found in the same places as by the full engine', () => {
    const texts = fc.string({ unit: fc.constantFrom('k', 'K', '\u212a', 's', 'ſ', 'i', 'İ', 'a', '-') })
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('k', 's', 'I', 'a', '-'), minLength: 1, maxLength: 3 }),
        texts,
        (word, text) => {
          for (const caseSensitive of [true, false])
            expect(matches(word, text, caseSensitive)).toBe(matches(`(?:${word})`, text, caseSensitive))
        },
      ),
    )
  })

  test('an expression that would stall a backtracking engine answers at once', () => {
    const start = performance.now()
    expect(matches('^(a+)+$', `${'a'.repeat(16_000)}!`)).toBe(false)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
