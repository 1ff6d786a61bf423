import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { finish } from '../steps.ts'
import { jsonText, jsonTextInSteps } from './json-text.ts'

test('a document that is printed in steps has the text that it has at once, whatever the depth', () => {
  const document = {
    'a "key"': [1, -0, [null, 2n ** 64n], { b: undefined, c: 'x\n' }],
    empty: [{}, []],
    none: undefined,
    text: 'é',
    number: 10n ** 30n,
  } as unknown as JsonValue
  for (let depth = 0; depth < 6; depth++)
    expect(finish(jsonTextInSteps(document, depth))).toBe(jsonText(document))
})

test('a long document is printed with a pause after each member', () => {
  const steps = jsonTextInSteps({ list: Array(1_000).fill({ a: 1 }) }, 2)
  let pauses = 0
  while (!steps.next().done) pauses++
  expect(pauses).toBe(1_001)
})
