import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('event-to-metric')
const valid = {
  metric_name: 'm',
  metric_kind: 'absolute',
  metric_type: 'counter',
  value: { value_type: 'field', value: '.v' },
}
const tag = { name: 't', value_type: 'value', value: 'x' }
const PATTERN = 'must match pattern'

test.each<[string, JsonObject]>([
  [`/metric_name ${PATTERN} "^[a-zA-Z][a-zA-Z0-9_:]*$"`, { metric_name: '' }],
  [`/metric_name ${PATTERN} "^[a-zA-Z][a-zA-Z0-9_:]*$"`, { metric_name: '9lives' }],
  ['/metric_name must NOT have more than 128 characters', { metric_name: 'x'.repeat(129) }],
  [
    '/metric_kind must be equal to one of the allowed values: incremental, absolute',
    { metric_kind: 'relative' },
  ],
  [
    '/metric_type must be equal to one of the allowed values: counter, sum, gauge',
    { metric_type: 'histogram' },
  ],
  ['/value must be object', { value: 5 }],
  [
    '/value/value_type must be equal to one of the allowed values: field, value',
    { value: { value_type: 'none', value: 5 } },
  ],
  ["/value must have required property 'value'", { value: { value_type: 'value' } }],
  ['/value/value must be number', { value: { value_type: 'value', value: '5' } }],
  ['/value/value must be number', { value: { value_type: 'value', value: null } }],
  ['/value/value must be string', { value: { value_type: 'field', value: 5 } }],
  ['/value/value must be string', { value: { value_type: 'field', value: null } }],
  ['/value/value Must be a valid data access syntax', { value: { value_type: 'field', value: 'v' } }],
  ["/value must NOT have additional properties: 'x'", { value: { ...valid.value, x: 1 } }],
  [
    '/namespace/value_type must be equal to one of the allowed values: none, field, value',
    { namespace: { value_type: 'all' } },
  ],
  ["/namespace must have required property 'value'", { namespace: { value_type: 'field' } }],
  ["/namespace must have required property 'value'", { namespace: { value_type: 'value' } }],
  ['/namespace/value must be string', { namespace: { value_type: 'value', value: 5 } }],
  ['/namespace/value Must be a valid data access syntax', { namespace: { value_type: 'field', value: 'n' } }],
  ['/tags must NOT have more than 10 items', { tags: Array.from({ length: 11 }, () => tag) }],
  [`/tags/0/name ${PATTERN} "^[a-zA-Z][a-zA-Z0-9_]*$"`, { tags: [{ ...tag, name: 'no:colon' }] }],
  ['/tags/0/name must NOT have more than 128 characters', { tags: [{ ...tag, name: 'x'.repeat(129) }] }],
  ['/tags/0/value must NOT have fewer than 1 characters', { tags: [{ ...tag, value: '' }] }],
  ['/tags/1/value Must be a valid data access syntax', { tags: [tag, { ...tag, value_type: 'field' }] }],
  ["/tags/0 must have required property 'value'", { tags: [{ name: 't', value_type: 'field' }] }],
])('%s', (problem, change) => {
  expect(problems({ ...valid, ...change })).toEqual([problem])
})

test.each<JsonObject>([
  { metric_name: `a${':'.repeat(127)}` },
  { metric_kind: 'incremental', metric_type: 'gauge' },
  { value: { value_type: 'value', value: 500_000_000 } },
  { value: { value_type: 'value', value: 9_007_199_254_740_993n } },
  { namespace: { value_type: 'field', value: '.n' } },
  { namespace: { value_type: 'none', value: '' } },
  { tags: Array.from({ length: 10 }, () => ({ ...tag, name: 'x'.repeat(128) })) },
  { tags: [{ name: 't', value_type: 'field', value: 'metadata.query.site' }] },
])('%o reads back as it was sent', change => {
  expect(stored({ ...valid, ...change })).toEqual({
    namespace: { value_type: 'none' },
    ...valid,
    ...change,
  })
})

test('four members are required', () => {
  expect(problems({})).toEqual(Object.keys(valid).map(member => ` must have required property '${member}'`))
})
