import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { oddMembers } from '../../../test/support/odd-values.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { mapFields } from './map-fields.ts'

const { problems } = transformOptions('map-fields')
const mapping = { source_field: '.a', target_field: '.b' }

test.each<[string, JsonObject]>([
  [" must have required property 'mappings'", {}],
  ['/mappings must NOT have fewer than 1 items', { mappings: [] }],
  ['/mappings/0 must be object', { mappings: ['.a'] }],
  [
    '/mappings/1/source_field Must be a valid data access syntax',
    { mappings: [mapping, { ...mapping, source_field: 'invalid' }] },
  ],
  [
    '/mappings/0/target_field Must be a valid data access syntax',
    { mappings: [{ ...mapping, target_field: '' }] },
  ],
  ["/mappings/0 must have required property 'target_field'", { mappings: [{ source_field: '.a' }] }],
  ['/mappings/0/drop_source must be boolean', { mappings: [{ ...mapping, drop_source: null }] }],
  ['/mappings/0/overwrite_target must be boolean', { mappings: [{ ...mapping, overwrite_target: 1 }] }],
  ["/mappings/0 must NOT have additional properties: 'x'", { mappings: [{ ...mapping, x: 1 }] }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

const { after, cost, errors } = running(mapFields)
const move = (source_field: string, target_field: string, options: object = {}) => ({
  mappings: [{ source_field, target_field, overwrite_target: true, drop_source: true, ...options }],
})

test('members of any name and order stay as they were sent', () => {
  const copy = { source_field: '."7"', target_field: '.zz', overwrite_target: true }
  expect(after({ mappings: [copy] }, oddMembers(0))).toBe(oddMembers(9007199254740993n))
  expect(after(move('.a', '.__proto__'), '{"a":1}')).toBe('{"__proto__":1}')
  expect(after(move('.a', '.__proto__.b'), '{"a":1}')).toBe('{"__proto__":{"b":1}}')
})

test('an element of an array moves after its gap is closed', () => {
  expect(after(move('.l[0]', '.l[2]'), '{"l":[1,2,3]}')).toBe('{"l":[2,3,1]}')
})

test('an index of 1000 is written, and the next one refuses its mapping', () => {
  expect((after(move('.a', '.l[1000]'), { a: 1 }) as { l: unknown[] }).l).toHaveLength(1001)
  expect(after(move('.a', '.l[1001]'), { a: 1 })).toEqual({ a: 1 })
  expect(errors(move('.a', '.l[1001]'), { a: 1 })).toEqual([['E_NOT_FOUND', '.l[1001]']])
})

test('metadata take only an object as a whole', () => {
  expect(errors(move('.a', 'metadata'), { a: {} })).toEqual([])
  expect(errors(move('.a', 'metadata'), { a: [] })).toEqual([['E_NOT_FOUND', 'metadata']])
})

test('a mapping that would nest values deeper than they can be printed is refused', () => {
  const path = (levels: number) => '.a'.repeat(levels)
  expect(errors(move('.x', path(255)), { x: [] })).toEqual([])
  expect(errors(move('.x', path(256)), { x: [] })).toEqual([['E_NOT_FOUND', path(256)]])
  expect(errors(move('.x', path(100_000)), { x: 1 })).toEqual([['E_NOT_FOUND', path(100_000)]])
})

test('copies of copies cost their text, so that they cannot fill the memory', () => {
  const doubling = Array.from({ length: 100 }, (_, index) => ({
    source_field: '.',
    target_field: `.copy${index}`,
  }))
  expect(cost({ mappings: doubling }, { a: 'text' })).toBe('too much')
  expect(cost({ mappings: doubling.slice(0, 2) }, { a: 'text' })).toBe(0)
  const again = Array.from({ length: 1_000 }, (_, index) => ({
    source_field: '.a',
    target_field: `.b${index}`,
  }))
  expect(cost({ mappings: again }, { a: 'x'.repeat(1_000) })).toBe('too much')
})

test('long arrays cost their elements before they are made', () => {
  const mappings = Array.from({ length: 200 }, (_, index) => ({
    source_field: '.a',
    target_field: `.b${index}[1000]`,
  }))
  expect(cost({ mappings }, { a: 1 })).toBe('too much')
})
