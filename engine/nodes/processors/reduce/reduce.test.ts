import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('reduce')
const conditional = { expressions: [{ field: '.status', str_operator: 'equal', value: 400 }] }
const date = { field: '.at', format: '%F' }
const merge = { field: '.a', strategy: 'array' }
const LONG = `.${'x'.repeat(200)}`

test.each<[string, JsonObject]>([
  ['/duration_ms must be >= 1', { duration_ms: 0 }],
  ['/duration_ms must be <= 7200000', { duration_ms: 7_200_001 }],
  ['/duration_ms must be integer', { duration_ms: '1' }],
  ['/max_events must be >= 1', { max_events: 0 }],
  ['/group_by/0 Must be a valid data access syntax', { group_by: ['a'] }],
  ['/date_formats must NOT have fewer than 1 items', { date_formats: [] }],
  [
    '/date_formats/0/field must be a root-level field, such as .a',
    { date_formats: [{ ...date, field: '.a.b' }] },
  ],
  ['/date_formats/0/field Must be a valid data access syntax', { date_formats: [{ ...date, field: '' }] }],
  [
    '/date_formats/0/field must NOT have more than 200 characters',
    { date_formats: [{ ...date, field: LONG }] },
  ],
  [
    '/date_formats/0/format must NOT have fewer than 1 characters',
    { date_formats: [{ ...date, format: '' }] },
  ],
  [
    '/date_formats/0/format must NOT have more than 200 characters',
    { date_formats: [{ ...date, format: 'x'.repeat(201) }] },
  ],
  ["/date_formats/0 must have required property 'format'", { date_formats: [{ field: '.at' }] }],
  [
    '/date_formats/1/format must be a valid time format, and "%H:%M" is not: it has no date',
    { date_formats: [date, { ...date, format: '%H:%M' }] },
  ],
  ['/merge_strategies must NOT have fewer than 1 items', { merge_strategies: [] }],
  [
    '/merge_strategies/0/field must NOT have more than 200 characters',
    { merge_strategies: [{ ...merge, field: LONG }] },
  ],
  [
    '/merge_strategies/0/strategy must be equal to one of the allowed values: array, shortest_array, longest_array, flat_unique, concat, concat_newline, concat_raw, discard, retain, min, max, sum',
    { merge_strategies: [{ ...merge, strategy: 'avg' }] },
  ],
  [
    '/flush_condition/when must be equal to one of the allowed values: starts_when, ends_when',
    { flush_condition: { when: 'now', conditional } },
  ],
  ["/flush_condition must have required property 'conditional'", { flush_condition: { when: 'ends_when' } }],
  [
    '/flush_condition/conditional/expressions/0/str_operator must be equal to one of the allowed values',
    {
      flush_condition: {
        when: 'ends_when',
        conditional: { expressions: [{ field: '.a', str_operator: 'value_change_less', value: 1 }] },
      },
    },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test.each(['.a.b', '.', '.list[0]', '[0]', 'metadata.a', 'timestamp'])(
  '%s is not a root-level field',
  field => {
    expect(problems({ merge_strategies: [{ ...merge, field }] })).toEqual([
      '/merge_strategies/0/field must be a root-level field, such as .a',
    ])
  },
)

test.each<JsonObject>([
  { duration_ms: 1, max_events: 1 },
  { duration_ms: 7_200_000 },
  { date_formats: [{ field: LONG.slice(0, 200), format: `%F${'x'.repeat(198)}` }] },
  {
    merge_strategies: [merge, { field: '."a.b"', strategy: 'sum' }, { field: 'message.a', strategy: 'min' }],
  },
  { group_by: [] },
])('%j is accepted', config => {
  expect(problems(config)).toEqual([])
})

test('lists that were not sent are absent', () => {
  expect(stored({})).toEqual({ duration_ms: 30_000 })
})
