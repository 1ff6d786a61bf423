import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { nested, oddMembers } from '../../../test/support/odd-values.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { flattenFields } from './flatten-fields.ts'

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

const { after, cost } = running(flattenFields)

test('arrays that are nested deeper than the stack, or very many of them, become one level', () => {
  expect(after({}, nested(100_000))).toEqual([])
  expect(after({}, Array(100_000).fill([1]))).toEqual(Array(100_000).fill(1))
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))
  expect(Object.keys(after({ fields: ['.a'] }, { a: wide }) as object)).toHaveLength(100_000)
})

test('members of any name and order stay as they were sent, in the place of their object', () => {
  expect(after({ fields: ['.zz'] }, oddMembers({ 5: 1, __proto: 2 }))).toBe(
    oddMembers({ 5: 1, __proto: 2 }).replace('"zz":{"5":1,"__proto":2}', '"zz_5":1,"zz___proto":2'),
  )
  expect(
    after({}, '{"x":{"__proto__":{"7":1}},"constructor":{"a":2n53}}'.replace('2n53', '9007199254740993')),
  ).toBe('{"x___proto___7":1,"constructor_a":9007199254740993}')
})

test.each([
  ['a later sibling', '{"a":{"b":1},"x":0,"a_b":2}', '{"a_b":1,"x":0}'],
  ['an earlier sibling', '{"a_b":2,"x":0,"a":{"b":1}}', '{"x":0,"a_b":1}'],
  ['another leaf', '{"a":{"b_c":1,"b":{"c":2}}}', '{"a_b_c":2}'],
])('a flattened value wins over %s of the same name', (_what, sent, flat) => {
  expect(after({}, sent)).toBe(flat)
  expect(after({ fields: ['.a'] }, sent)).toBe(flat)
})

test('an event that is flat already is the same event', () => {
  const { process, event } = running(flattenFields).compiled({}, { a: [0, { b: false }] })
  expect(process(event, undefined, 0)).toBe(event)
})

test('names that become far longer than the event cost too much before they are made', () => {
  let deep: object = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]))
  for (let level = 0; level < 100; level++) deep = { ['x'.repeat(1_000)]: deep }
  expect(cost({}, deep as never)).toBe('too much')
  expect(cost({}, { a: { b: 1 } })).toBe(0)
})

test('a long list of fields costs its walks through the event', () => {
  const message = { a: Array(50_000).fill([1]) }
  expect(cost({ fields: ['.a', '.a'] }, message)).toBe(0)
  expect(cost({ fields: Array(100).fill('.a') }, message)).toBe('too much')
})
