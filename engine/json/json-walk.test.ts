import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import { parseExactJson } from './exact-json.ts'
import { jsonText } from './json-text.ts'
import { JsonWalk, MEMBER, memberAt } from './json-walk.ts'
import { keysOf } from './ordered-object.ts'

const LEVELS = 128
const walk = new JsonWalk()

/** A text between others, as a row of a column is. */
const between = (text: string) => Buffer.from(`{"x":"${text}"}`)

const memberOf = (text: string, key: string) =>
  memberAt(between(text), walk.places, 0, walk.members * MEMBER.numbers, key)

function walked(text: string): number {
  const bytes = between(text)
  const end = bytes.length - 2
  const behind = walk.value(bytes, 6, end, LEVELS)
  return behind === end ? behind : -1
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

function assertAgrees(text: string): void {
  const value = parsed(text)
  const behind = walked(text)
  expect(behind >= 0, text).toBe(value !== undefined)
  if (value === undefined) return
  const size = walk.compactBytes
  if (size !== undefined) expect(size, text).toBe(Buffer.byteLength(jsonText(value)))
  if (walk.isCompact) expect(between(text).toString('utf8', walk.start, walk.end)).toBe(jsonText(value))
  if (!isJsonObject(value) || walk.members < 0) return
  expect(walk.members, text).toBe([...keysOf(value)].length)
  for (const key of keysOf(value)) {
    if (!/^[ -~]*$/.test(key)) continue
    const member = memberOf(text, key)
    expect(member, `${key} of ${text}`).toBeGreaterThanOrEqual(0)
    const { places } = walk
    const [start, end] = [places[member + MEMBER.valueStart], places[member + MEMBER.valueEnd]]
    const source = between(text).toString('utf8', start, end)
    expect(parseExactJson(source)).toEqual(value[key])
    expect(places[member + MEMBER.isPlain] === 1, source).toBe(
      typeof value[key] === 'string' && !source.includes('\\'),
    )
  }
}

test.each([
  ['1', 0],
  ['"a:b{[,"', 0],
  ['[1,2,"x"]', 1],
  ['{}', 1],
  ['{"a":1,"b":[{"c":[]},{}]}', 8],
  ['[1e3,1.50,12345678901234567,-0.5,7]', 4],
])(
  'arrays, objects, members and numbers that are printed in another way, of %s, are counted',
  (text, parts) => {
    walked(text)
    expect(walk.parts).toBe(parts)
  },
)

test('the printed size of many numbers took ten times as long as the walk: only a parse finds it', () => {
  const numbers = (count: number) => `[${Array(count).fill('1e2').join()}]`
  walked(numbers(1_000))
  expect(walk.compactBytes).toBe(4_001)
  walked(numbers(1_001))
  expect(walk.compactBytes).toBeUndefined()
  expect(walk.isCompact).toBe(false)
})

test('a valid value that is cut off at any place reaches the limit, and a damaged one does not', () => {
  const text = '{"a":[true,null,-1.5e3,"x\\n\\u00e9\\ud83d\\ude00"],"b":{}}'
  const bytes = Buffer.from(text)
  expect([walk.value(bytes, 0, bytes.length, LEVELS), walk.isCutOff]).toEqual([bytes.length, false])
  for (let limit = 0; limit < bytes.length; limit++)
    expect([limit, walk.value(bytes, 0, limit, LEVELS), walk.isCutOff]).toEqual([limit, -1, true])
  for (const damaged of ['{"a":tru}', '{"a":"\\x"}', '{"a" 1}', '["\\u12g4"]', '{"a":1}}', '[-]']) {
    walked(damaged)
    expect([damaged, walk.isCutOff]).toEqual([damaged, false])
  }
})

describe('a walk and a parse agree about', () => {
  test.each([
    '{}',
    '[]',
    ' { "a" : [ 1 , 2 ] , "b" : { } } ',
    '{"a":1.50,"b":-0,"c":0.000001,"d":0.0000001,"e":1e3,"f":1E400,"g":-0.5,"h":123456789012345678}',
    '{"a":12345678901234.5,"b":1234567890123456.5,"c":0.1234567890123456,"d":100,"e":1.0}',
    '{"t":"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\ud800\\u0000\\u000a\\"\\/\\\\\\b\\f\\n\\r\\t\\u0022\\u005c"}',
    '{"é":"€😀\u007f\u2028"}',
    '["\\ud800\\u0041","\\ud83d\\ud83d\\ude00","\\udc00"]',
    '"text"',
    'true',
    'null',
    '-1',
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '01',
    '1.',
    '.5',
    '-',
    '1e',
    '1e+',
    '+1',
    'tru',
    'truex',
    'nul',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12"',
    '"a\nb"',
    '"',
    '{"a":1}{"b":2}',
    '{"a":1} x',
    "{'a':1}",
    '\u00a0{}',
  ])('%j', assertAgrees)

  test('drawn values, however they are spelt', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('a', 'é', '"', '\\', '/', '\n', '\u0000', '😀', '\ud800', '\udc00'),
      }),
    )
    const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.integer({ min: -99999, max: 99999 }).map(number => number / 1000),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    const spelling = fc.constantFrom<(printed: string) => string>(
      printed => printed,
      printed => JSON.stringify(JSON.parse(printed), null, 1),
      printed => printed.replaceAll('/', '\\/'),
      printed =>
        printed.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    )
    fc.assert(
      fc.property(value, spelling, (sample, spell) => assertAgrees(spell(jsonText(sample)))),
      { numRuns: 3_000 },
    )
  })

  test('texts that were damaged in one place', () => {
    const text = '{"a":[1,-2.5e3,true,null,"x\\u00e9\\n"],"b":{"c":"","d":[]},"e":false}'
    const character = fc.constantFrom(...'{}[]",:\\ 0159.eE+-tfnu\u0001a')
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(2), character, (at, removed, added) =>
        assertAgrees(text.slice(0, at) + added + text.slice(at + removed)),
      ),
      { numRuns: 5_000 },
    )
  })
})

test('the size of a text whose keys are equal, or may be equal, is not known', () => {
  for (const text of ['{"a":1,"a":2}', '{"x":{"a":1,"b":2,"a":3}}', '{"\\u0061":1,"a":2}']) {
    expect(walked(text)).toBeGreaterThan(0)
    expect(walk.compactBytes).toBeUndefined()
  }
  const distinct = '{"a":{"a":1},"b":[{"a":1},{"a":1}]}'
  expect(walked(distinct)).toBeGreaterThan(0)
  expect(walk.compactBytes).toBe(35)
  expect(memberOf(distinct, 'b')).toBe(MEMBER.numbers)
  expect(memberOf(distinct, 'c')).toBeLessThan(0)
})

test('most texts that a program prints are known to be compact', () => {
  for (const text of ['{"a":1,"b":[-2.5,true,null,"\\n\\"\\\\é"],"c":{}}', '[]', '"x"', ' 0 '])
    expect([walked(text) > 0, walk.isCompact]).toEqual([true, true])
  for (const text of ['[1 ]', '{"a": 1}', '1.0', '-0', '"\\/"', '"\\u0000"', '"\\ud800"', '{"a":1,"a":1}'])
    expect([walked(text) > 0, walk.isCompact]).toEqual([true, false])
})

test('positions of members are kept up to a number, and keys are compared up to a number', () => {
  const object = (keys: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, key])))
  expect([walked(object(128)) > 0, walk.members]).toEqual([true, 128])
  expect([walked(object(129)) > 0, walk.members < 0, walk.compactBytes]).toEqual([
    true,
    true,
    object(129).length,
  ])
  expect([walked(object(1_025)) > 0, walk.compactBytes]).toEqual([true, undefined])
})

test('128 levels are JSON, 129 are not, and no depth exhausts the stack', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect([walked(nested(128)) > 0, walk.isTooDeep]).toEqual([true, false])
  expect([walked(nested(129)) > 0, walk.isTooDeep]).toEqual([false, true])
  expect([walked('[{"a":'.repeat(100_000)) > 0, walk.isTooDeep]).toEqual([false, true])
  expect([walked(`[}${nested(129)}`) > 0, walk.isTooDeep]).toEqual([false, false])
})
