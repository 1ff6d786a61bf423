import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { jsonBytes, textFormBytes } from './json-size.ts'
import { textForm } from './json-text.ts'

test('the size of a value is that of its text form', () => {
  const text = fc.string({ unit: 'binary' })
  const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.string({
        unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', '\u007f', '\ud800', '\udc00', 'é', '\u2028'),
      }),
      fc.double(),
      fc.integer(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, sample => {
      expect(textFormBytes(sample)).toBe(Buffer.byteLength(textForm(sample)))
    }),
    { numRuns: 500 },
  )
})

test('each UTF-16 unit counts as its JSON text, alone and in a pair', () => {
  const wrong: string[] = []
  for (let unit = 0; unit <= 0xffff; unit++)
    for (const text of [String.fromCharCode(unit), String.fromCharCode(unit, 0xde00)])
      if (jsonBytes(text) !== Buffer.byteLength(JSON.stringify(text))) wrong.push(unit.toString(16))
  expect(wrong).toEqual([])
})
