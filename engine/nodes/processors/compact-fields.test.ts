import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { nested, oddMembers } from '../../../test/support/odd-values.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { compactFields } from './compact-fields.ts'

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

const { after, cost } = running(compactFields)

test('arrays that are nested deeper than the stack, or very many of them, are compacted', () => {
  const whole = { fields: ['.'] }
  expect(after(whole, nested(100_000))).toEqual([])
  expect(after(whole, Array(100_000).fill([]))).toEqual([])
  expect(after(whole, { a: [1, ...Array(100_000).fill({})] })).toEqual({ a: [1] })
})

test('members of any name and order stay as they were sent', () => {
  expect(after({ fields: ['.'] }, oddMembers(['x', null]))).toBe(oddMembers(['x']))
})

test('an event without empty values is the same event', () => {
  const { process, event } = running(compactFields).compiled(
    { fields: ['.', '.a'] },
    { a: [0, { b: false }] },
  )
  expect(process(event, undefined, 0)).toBe(event)
})

test('a long list of fields costs its walks through the event', () => {
  const message = { a: Array(5_000).fill({ b: 1 }) }
  expect(cost({ fields: ['.', '.'] }, message)).toBe(0)
  expect(cost({ fields: Array(100).fill('.') }, message)).toBe('too much')
})
