import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { type DrawnValue, drawnSpelling, spelledText } from '../../test/support/drawn-json.ts'
import { parseKeySafe } from './key-safe-json.ts'

describe('a key that is sent with an escape has its own name, even after a different key', () => {
  test.each([
    ['a path that ends in a tab', '{"a1":1,"C:\\\\":0}', '{"a1":1,"C:\\t":2}', 'C:\t'],
    ['a quote', '{"a2":1,"\\\\":0}', '{"a2":1,"\\"":2}', '"'],
    ['a letter in hexadecimal digits', '{"a3":1,"\\\\":0}', '{"a3":1,"\\u0061":2}', 'a'],
    ['an escape in the middle', '{"a4":1,"a\\\\u":0}', '{"a4":1,"a\\u0062c":2}', 'abc'],
    ['two backslashes', '{"a5":1,"\\\\\\\\t":0}', '{"a5":1,"\\\\tm":2}', '\\tm'],
    ['a blank before the colon', '{"a6":1,"\\\\":0}', '{"a6":1,"\\n"\t\r\n :2}', '\n'],
    ['text of two bytes a character', '{"a7":1,"\\\\":0}', '{"a7":"中","\\n":2}', '\n'],
    ['a half pair', '{"a8":1,"\\\\":0}', '{"a8":1,"\\ud800":2}', '\ud800'],
    ['beside values with escapes', '{"a9":1,"\\\\":0}', '{"a9":"\\\\\\":","\\n":2}', '\n'],
  ])('%s', (_what, before, text, key) => {
    JSON.parse(before)
    expect(Object.keys(parseKeySafe(text) as object)[1]).toBe(key)
    expect(Object.keys(parseKeySafe(text, value => value) as object)[1]).toBe(key)
    expect((parseKeySafe(`[[${text}]]`) as JsonObject[][])[0]?.[0]?.[key]).toBe(2)
  })

  test('in ten thousand random texts', () => {
    const keys = [
      '\\',
      '"',
      '\n',
      'a',
      '\\\\',
      '\\u',
      '\\"',
      '#',
      '%',
      '%5c00',
      '7',
      '__proto__',
      '',
      '中',
      '\u0001',
    ]
    const atom = fc
      .constantFrom('1', 'null', '{}', '[]', '1.5e300')
      .map(text => ({ atom: { sent: text, compact: text } }))
    const { object } = fc.letrec<{ object: DrawnValue }>(tie => ({
      object: fc
        .uniqueArray(
          fc.tuple(
            fc.constantFrom(...keys),
            fc.oneof(
              { depthSize: 'small', withCrossShrink: true },
              atom,
              fc.constantFrom(...keys).map(text => ({ text })),
              fc.array(tie('object'), { maxLength: 2 }).map(elements => ({ elements })),
              tie('object'),
            ),
          ),
          { maxLength: 4, selector: ([key]) => key },
        )
        .map(members => ({ members })),
    }))
    fc.assert(
      fc.property(object, drawnSpelling, (value, spelling) => {
        const text = spelledText(value, spelling)
        const expected = JSON.stringify(standsFor(value))
        expect(JSON.stringify(parseKeySafe(text))).toBe(expected)
        expect(JSON.stringify(parseKeySafe(text, part => part))).toBe(expected)
      }),
      { numRuns: 10_000, seed: 20_260_607 },
    )
  })
})

test('of a key that occurs twice, with an escape and without, the last value counts', () => {
  expect(parseKeySafe('{"a":1,"\\u0062":2,"\\u0061":3}')).toEqual({ a: 3, b: 2 })
  expect(Object.keys(parseKeySafe('{"\\u0061":1,"b":2,"a":3}') as object)).toEqual(['a', 'b'])
  expect(parseKeySafe('{"\\n":1,"\\u000a":2,"\\u000A":3}')).toEqual({ '\n': 3 })
})

test('the reviver gets values with their spelling', () => {
  const text = '{"\\n":[1.0,{"a":"\\u0061","b":-0}],"c":1e2}'
  expect(parseKeySafe(text, (part, source) => (typeof part === 'number' ? `${source}` : part))).toEqual({
    '\n': ['1.0', { a: 'a', b: '-0' }],
    c: '1e2',
  })
})

test('a refusal names the place in the sent text', () => {
  for (const text of [
    '{"\\n":1,',
    '{"\\n":1,"a":x}',
    '{"\\x":1}',
    '{"\\n"',
    '"\\',
    '\\',
    '{"a\\":1}',
    '"\\"":',
  ])
    expect(() => parseKeySafe(text)).toThrow(refusalOf(text))
})

function refusalOf(text: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`${text} is valid`)
}

function standsFor(value: DrawnValue): JsonValue {
  if ('atom' in value) return JSON.parse(value.atom.sent) as JsonValue
  if ('text' in value) return value.text
  if ('elements' in value) return value.elements.map(standsFor)
  return Object.fromEntries(value.members.map(([key, member]) => [key, standsFor(member)]))
}
