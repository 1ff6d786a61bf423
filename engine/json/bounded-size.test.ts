import { expect, test } from 'vitest'
import { type JsonValue, NumberText } from '../../schemas/json.ts'
import { boundedJsonBytes } from './bounded-size.ts'
import { parseExactJson } from './exact-json.ts'
import { jsonBytes } from './json-size.ts'

const VALUES: readonly JsonValue[] = [
  ...['', 'é"\n', 12.5, 2n ** 70n, true, null, new NumberText('1e400'), [], {}],
  ...[[1, 'x', []], { a: 1, 'é"': [null, { b: {} }], c: 'text' }],
  parseExactJson('{"b":[1],"7":{"a":"x"}}'),
]

test('a value has its size up to the bound, and a size above the bound beyond it', () => {
  for (const value of VALUES) {
    const size = jsonBytes(value)
    expect(boundedJsonBytes(value, size)).toBe(size)
    for (let most = 0; most < size; most++) expect(boundedJsonBytes(value, most)).toBeGreaterThan(most)
  }
})

test('a value beyond the bound is not walked to its end', () => {
  let read = 0
  const counted = (value: JsonValue) => ({
    get a() {
      read++
      return value
    },
  })
  const long: JsonValue = Array.from({ length: 1_000 }, () => counted('text'))
  const deep = { list: long, a: long, b: counted(1) } as JsonValue
  expect(boundedJsonBytes(deep, 100)).toBeGreaterThan(100)
  expect(read).toBeLessThan(10)
})
