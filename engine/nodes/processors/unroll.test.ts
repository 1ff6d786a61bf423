import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems } = transformOptions('unroll')

test.each<[string, JsonObject]>([
  [" must have required property 'field'", {}],
  ['/field Must be a valid data access syntax', { field: 'items' }],
  ['/field Must be a valid data access syntax', { field: '' }],
  ['/field must be string', { field: 1 }],
  ['/values_only must be boolean', { field: '.items', values_only: 'false' }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})
