import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { finish } from '../steps.ts'
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
