import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('flatten-fields')

test.each<[string, JsonObject]>([
  ['/fields/0 Must be a valid data access syntax', { fields: ['10'] }],
  ['/fields must be array', { fields: '.a' }],
  ['/options/delimiter must NOT have fewer than 1 characters', { options: { delimiter: '' } }],
  ['/options/delimiter must NOT have more than 1 characters', { options: { delimiter: '__' } }],
  ['/options/delimiter must be string', { options: { delimiter: 1 } }],
  ["/options must NOT have additional properties: 'x'", { options: { x: 1 } }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('a list that was sent empty stays, and any character is allowed', () => {
  expect(stored({ fields: [], options: {} })).toEqual({ fields: [], options: { delimiter: '_' } })
  expect(stored({ options: { delimiter: '😀' } })).toEqual({ fields: [], options: { delimiter: '😀' } })
})
