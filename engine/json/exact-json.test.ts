import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { isJsonObject, type JsonObject, NumberText } from '../../schemas/json.ts'
import { compactText, drawnSpelling, drawnValue, spelledText } from '../../test/support/drawn-json.ts'
import { bigIntegerText } from '../query-language/number-text.ts'
import { canonicalJson } from './canonical-json.ts'
import { parseExactJson } from './exact-json.ts'
import { textFormBytes } from './json-size.ts'
import { exactJsonText, jsonText, keptJsonText, parseKeptJson } from './json-text.ts'
import { orderedObject, withMember, withoutMember, withValues } from './ordered-object.ts'

describe('sent JSON', () => {
  test.each([
    ['keys that look like indexes', '{"b":1,"7":{"10":1,"9":2},"a":3}'],
    ['a number beyond a double', '{"a":1e400,"b":[-1E+999]}'],
    ['an index behind an escape', '{"b":1,"\\u0037":2}'],
    ['a member named __proto__ beside them', '{"b":1,"__proto__":{"7":1},"7":2}'],
    ['keys that begin with a mark', '{"#7":1,"##":2,"%":3,"%0a00":4,"7":5}'],
    ['keys that need an escape', '{"#":1,"\\\\":2,"\\"":3,"\\n":4,"\\u0001":5,"7":6}'],
  ])('%s', (_what, text) => {
    expect(jsonText(parseExactJson(text))).toBe(text.replace('\\u0037', '7'))
  })

  test('is printed in its order with its numbers, in any spelling, and has the counted number of bytes', () => {
    fc.assert(
      fc.property(drawnValue, drawnSpelling, (value, spelling) => {
        const text = compactText(value)
        const parsed = parseExactJson(spelledText(value, spelling))
        expect(jsonText(parsed)).toBe(text)
        expect(jsonText(parseExactJson(text))).toBe(text)
        if (typeof parsed !== 'string') expect(textFormBytes(parsed)).toBe(Buffer.byteLength(text))
        for (const kept of [exactJsonText(parsed), keptJsonText(parsed)])
          expect(jsonText(parseExactJson(kept))).toBe(text)
        expect(canonicalJson(parseExactJson(canonicalJson(parsed)))).toBe(canonicalJson(parsed))
      }),
      { numRuns: 1_000 },
    )
  })

  test('a number beyond a double is not an object, and is its text where a text is needed', () => {
    const value = parseExactJson('1e400')
    expect(value).toEqual(new NumberText('1e400'))
    expect(isJsonObject(value)).toBe(false)
    expect(`${value}`).toBe('1e400')
    expect(jsonText({ a: value, b: 2n ** 70n })).toBe('{"a":1e400,"b":1180591620717411303424}')
  })

  test('an integer of 308 digits is a number, one of 309 nines its text', () => {
    const [within, beyond] = ['9'.repeat(308), '9'.repeat(309)]
    expect(parseExactJson(`[${within},-${within},${beyond},-${beyond}]`)).toEqual([
      ...[BigInt(within), -BigInt(within)],
      ...[new NumberText(beyond), new NumberText(`-${beyond}`)],
    ])
    // The limit itself is the largest double, which has 309 digits.
    const largest = BigInt(Number.MAX_VALUE)
    expect(parseExactJson(`${largest}`)).toBe(largest)
    const keys = `{"b":${within},"7":${beyond}}`
    expect(jsonText(parseExactJson(keys))).toBe(keys)
  })

  test('no bigint has more digits than a double can represent, however long a number is', () => {
    const made = vi.spyOn(globalThis, 'BigInt')
    const digits = '9'.repeat(1_900_000)
    const text = `{"n":${digits},"7":[-${digits},12345678901234567890]}`
    for (const print of [jsonText, exactJsonText, keptJsonText])
      expect(print(parseExactJson(text)) === text).toBe(true)
    expect(() => parseKeptJson(text)).toThrow('too large')
    expect(bigIntegerText(digits) === digits).toBe(true)
    const lengths = made.mock.calls.map(([sent]) => String(sent).length)
    made.mockRestore()
    expect(Math.max(...lengths)).toBe(20)
  })

  test.each([
    ['an integer of 19 digits', '"a":1234567890123456789'],
    ['a key with an escape beside one', '"\\\\":-1234567890123456789'],
    ['a number beyond a double beside one', '"a":1e400,"b":1234567890123456789'],
    ['a negative zero beside one', '"a":-0,"b":1234567890123456789'],
  ])('%s: no function is called for each value, which took over a second for 1.9 MB', (_what, member) => {
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    const text = `{"n":[1,2],${member}}`
    const value = parseExactJson(text)
    expect(jsonText(value)).toBe(text.replace('-0', '0'))
    expect(exactJsonText(value)).toBe(text)
    const given = [...parse.mock.calls, ...stringify.mock.calls].map(([, each]) => typeof each)
    vi.restoreAllMocks()
    expect(given.length).toBeGreaterThan(2)
    expect(given).not.toContain('function')
  })

  test('only objects with such keys are not plain', () => {
    const prototypeTricks = parseExactJson('{"b":{"x":1},"07":2,"4294967295":3,"a":1e400}') as JsonObject
    // A wrapped object cannot be cloned.
    expect(() => structuredClone({ ...prototypeTricks, a: 0 })).not.toThrow()
    expect(() => structuredClone(parseExactJson('{"7":{},"a":1}'))).not.toThrow()
  })
})

describe('an object whose keys JavaScript would move', () => {
  const object = orderedObject([
    ['b', 1],
    ['7', 2],
    ['b', 3],
    ['1', 4],
  ])

  test('lists them in their order by every method', () => {
    const listed: string[] = []
    for (const key in object) listed.push(key)
    for (const keys of [listed, Object.keys(object), Object.entries(object).map(([key]) => key)])
      expect(keys).toEqual(['b', '7', '1'])
    expect([object.b, object['7'], object.x]).toEqual([3, 2, undefined])
    expect(Object.hasOwn(object, '7')).toBe(true)
    expect(Object.hasOwn(object, 'x')).toBe(false)
  })

  test('can be copied with one member more, another value or one less', () => {
    expect(jsonText(withMember(object, '0', 5))).toBe('{"b":3,"7":2,"1":4,"0":5}')
    expect(jsonText(withMember(object, '7', 5))).toBe('{"b":3,"7":5,"1":4}')
    expect(jsonText(withMember({ a: 1 }, '7', 5))).toBe('{"a":1,"7":5}')
    const changes = [['1', 9]] as const
    expect(jsonText(withValues(object, changes))).toBe('{"b":3,"7":2,"1":9}')
    expect(jsonText(withValues({ b: 3, 1: 2 }, changes))).toBe('{"1":9,"b":3}')
    const withPrototype = parseExactJson('{"b":3,"__proto__":2}') as JsonObject
    expect(jsonText(withValues(withPrototype, [['__proto__', 9]]))).toBe('{"b":3,"__proto__":9}')
    expect(jsonText(withoutMember(object, 'b'))).toBe('{"7":2,"1":4}')
    expect(jsonText(withoutMember(object, '7'))).toBe('{"b":3,"1":4}')
    expect(jsonText(object)).toBe('{"b":3,"7":2,"1":4}')
  })

  test('keeps the order when it is changed', () => {
    const changed = orderedObject([
      ['b', 1],
      ['7', 2],
    ])
    changed['5'] = 3
    changed.b = 4
    expect(jsonText(changed)).toBe('{"b":4,"7":2,"5":3}')
    delete changed['7']
    expect(jsonText(changed)).toBe('{"b":4,"5":3}')
  })
})
