import { expect, test } from 'vitest'
import { type JsonObject, type JsonValue, NumberText } from '../../../schemas/json.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { isMetric } from '../../event/metric.ts'
import { eventToMetric } from './event-to-metric.ts'

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

const { after, errors, cost } = running(eventToMetric)
const numberOf = (v: JsonValue) => (after(valid, { v }) as { value: { value: unknown } }).value.value

test.each<[string, JsonValue, unknown]>([
  ['digits', '12', 12],
  ['blanks around it', ' \t\r\n-0.5e1 ', -5],
  ['more digits than a double has', '9007199254740993', 9007199254740993n],
  ['a large integer', -18446744073709551616n, -18446744073709551616n],
])('a value may be %s', (_what, v, number) => {
  expect(numberOf(v)).toBe(number)
  expect(isMetric(after(valid, { v }) as JsonValue)).toBe(true)
})

test.each<[string, JsonValue]>([
  ['a blank', ' '],
  ['an empty text', ''],
  ['hexadecimal digits', '0x10'],
  ['a leading zero', '007'],
  ['a sign before a number', '+1'],
  ['a fraction without digits', '1.'],
  ['a number in a no-break space', '\u00a01'],
  ['a number beyond a double', '1e400'],
  ['such a number that is not a text', new NumberText('1e400')],
  ['null', null],
  ['an object', {}],
  ['a list', [1]],
])('%s is not a value', (_what, v) => {
  expect(errors(valid, { v })).toEqual([['E_EVENT_TO_METRIC_FAILED', '.v']])
})

test('tags with long texts cost their length', () => {
  const tags = Array.from({ length: 10 }, (_, index) => ({
    ...tag,
    name: `t${index}`,
    value_type: 'field',
    value: '.s',
  }))
  expect(cost({ ...valid, tags }, { v: 1, s: 'x'.repeat(100) })).toBe(0)
  expect(cost({ ...valid, tags }, { v: 1, s: 'x'.repeat(100_000) })).toBe('too much')
})
