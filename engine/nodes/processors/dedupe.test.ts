import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems } = transformOptions('dedupe')
const fields = ['.a']

test.each<[string, JsonObject]>([
  [" must have required property 'fields'", {}],
  ['/fields must NOT have fewer than 1 items', { fields: [] }],
  ['/fields/0 Must be a valid data access syntax', { fields: ['not-a-valid-field'] }],
  ['/number_of_events must be >= 2', { fields, number_of_events: 1 }],
  ['/number_of_events must be <= 5000', { fields, number_of_events: 5001 }],
  ['/number_of_events must be integer', { fields, number_of_events: 2.5 }],
  [
    '/comparison_type must be equal to one of the allowed values: Match, Ignore',
    { fields, comparison_type: 'match' },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test.each([2, 5000])('%d events can be remembered', number_of_events => {
  expect(problems({ fields, number_of_events })).toEqual([])
})
