import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('compact-fields')

test.each<[string, JsonObject]>([
  [" must have required property 'fields'", {}],
  ['/fields must NOT have fewer than 1 items', { fields: [] }],
  ['/fields must be array', { fields: '.a' }],
  ['/fields/1 Must be a valid data access syntax', { fields: ['.a', 'not-a-valid-field'] }],
  ['/fields/0 must be string', { fields: [5] }],
  ['/options must be object', { fields: ['.a'], options: [] }],
  ['/options/compact_array must be boolean', { fields: ['.a'], options: { compact_array: 'yes' } }],
  ['/options/compact_object must be boolean', { fields: ['.a'], options: { compact_object: null } }],
  ["/options must NOT have additional properties: 'x'", { fields: ['.a'], options: { x: true } }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('both switches are in the stored options, whatever was sent', () => {
  const on = { compact_array: true, compact_object: true }
  expect(stored({ fields: ['.a'], options: {} })).toEqual({ fields: ['.a'], options: on })
  expect(stored({ fields: ['.a'], options: { compact_array: false } })).toEqual({
    fields: ['.a'],
    options: { compact_array: false, compact_object: true },
  })
})
