import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { drawnSpelling, drawnValue, spelledText } from '../../test/support/drawn-json.ts'
import { finish } from '../steps.ts'
import { parseExactJson } from './exact-json.ts'
import { printingJson } from './json-printing.ts'
import { jsonText } from './json-text.ts'

test.each(['', '  '])('the text does not depend on its pieces, indented by "%s"', step => {
  const value = fc.object({
    maxDepth: 4,
    values: [fc.string(), fc.integer(), fc.bigInt(), fc.constant(undefined)],
  })
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 100 }), (given, atOnce) => {
      const object = withoutUndefined(given) as JsonObject
      const printed = finish(printingJson(object, { step, atOnce }))
      expect(printed).toBe(finish(printingJson(object, { step, atOnce: Infinity })))
      if (step === '') expect(printed).toBe(jsonText(object))
    }),
    { numRuns: 500 },
  )
})

test('the text of a parsed value is that of jsonText, in pieces of any size', () => {
  fc.assert(
    fc.property(drawnValue, drawnSpelling, fc.integer({ min: 1, max: 60 }), (value, spelling, atOnce) => {
      const parsed = parseExactJson(spelledText(value, spelling))
      expect(finish(printingJson(parsed, { atOnce }))).toBe(jsonText(parsed))
    }),
    { numRuns: 2_000 },
  )
  const halves = fc.string({
    unit: fc.constantFrom('\ud83d', '\ude00', '😀', 'a', '"'),
    maxLength: 30,
    size: 'max',
  })
  fc.assert(
    fc.property(halves, fc.integer({ min: 1, max: 9 }), (text, atOnce) => {
      expect(finish(printingJson([text], { atOnce }))).toBe(jsonText([text]))
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['a million numbers', Array(1_000_000).fill(1), 300],
  ['a text of a million quotes', '"'.repeat(1_000_000), 50],
])('%s are printed in few pieces, and none of them is long', (_what, value, least) => {
  const stringify = vi.spyOn(JSON, 'stringify')
  const steps = printingJson([value])
  let count = 0
  while (!steps.next().done) count++
  const lengths = stringify.mock.results.map(result => (result.value as string).length)
  stringify.mockRestore()
  expect(Math.max(...lengths)).toBeLessThan(50_000)
  expect(count).toBeGreaterThan(least)
  expect(count).toBeLessThan(4 * least)
})

test('absent members are left out, and an empty collection has no line of its own', () => {
  const value = { a: undefined, b: [], c: {}, d: [{}] }
  expect(finish(printingJson(value, { atOnce: 1 }))).toBe(JSON.stringify(value))
  expect(finish(printingJson(value, { step: '  ', atOnce: 9 }))).toBe(JSON.stringify(value, null, 2))
})

test('a long value is printed in many steps', () => {
  const steps = printingJson({ list: Array(10_000).fill({ a: 'text', b: ['text'] }) })
  let count = 0
  while (!steps.next().done) count++
  expect(count).toBeGreaterThan(20)
})

/** A list of JSON has no absent elements. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(element => withoutUndefined(element) ?? null)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutUndefined(member)]))
}
