import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('metrics-tag-cardinality-limit')
const value_limit = 50
const names = (count: number) => Array.from({ length: count }, () => 'x')

test.each<[string, JsonObject]>([
  [" must have required property 'value_limit'", {}],
  ['/value_limit must be >= 1', { value_limit: 0 }],
  ['/value_limit must be integer', { value_limit: 1.5 }],
  ['/value_limit must be <= 500', { value_limit: 501 }],
  ['/value_limit must be <= 500', { value_limit: 501, mode: 'exact' }],
  ['/value_limit must be <= 5000', { value_limit: 5001, mode: 'probabilistic' }],
  ['/value_limit must be <= 5000', { value_limit: 5001, mode: 'probabalistic' }],
  [
    '/action must be equal to one of the allowed values: drop_event, drop_tag',
    { value_limit, action: 'nope' },
  ],
  [
    '/mode must be equal to one of the allowed values: exact, probabilistic, probabalistic',
    { value_limit, mode: 'nope' },
  ],
  ['/tags must NOT have more than 10 items', { value_limit, tags: names(11) }],
  ['/tags/0 must NOT have fewer than 1 characters', { value_limit, tags: [''] }],
  ['/tags/0 must NOT have more than 100 characters', { value_limit, tags: ['x'.repeat(101)] }],
  ['/exclude_tags must NOT have more than 10 items', { value_limit, exclude_tags: names(11) }],
  ['/exclude_tags/0 must NOT have fewer than 1 characters', { value_limit, exclude_tags: [''] }],
  [
    '/exclude_tags/0 must NOT have more than 100 characters',
    { value_limit, exclude_tags: ['x'.repeat(101)] },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test.each<JsonObject>([
  { value_limit: 1 },
  { value_limit: 500 },
  { value_limit: 5000, mode: 'probabilistic' },
  { value_limit, tags: names(10), exclude_tags: ['x'.repeat(100)] },
  { value_limit, tags: ['not-a-path'] },
])('%j is accepted', config => {
  expect(problems(config)).toEqual([])
})

test('the other spelling of probabilistic is returned as sent', () => {
  expect(stored({ value_limit, mode: 'probabalistic' }).mode).toBe('probabalistic')
})
