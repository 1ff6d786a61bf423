import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { finish } from '../../steps.ts'
import { sample } from './sample.ts'

const { problems, stored } = transformOptions('sample')
const leaf = { field: '.my_field', str_operator: 'contains', value: 'my text' }

test.each<[string, JsonObject]>([
  ['/rate must be >= 2', { rate: 1 }],
  ['/rate must be <= 10000', { rate: 10_001 }],
  ['/rate must be integer', { rate: 2.5 }],
  ['/always_include must be object', { always_include: 'x' }],
  ["/always_include must have required property 'field'", { always_include: { str_operator: 'exists' } }],
  ["/always_include must have required property 'str_operator'", { always_include: { field: '.a' } }],
  ['/always_include/field Must be a valid data access syntax', { always_include: { ...leaf, field: 'a' } }],
  ['/always_include/value Value must be a number', { always_include: { ...leaf, str_operator: 'greater' } }],
  [
    "/always_include must have required property 'value'",
    { always_include: { field: '.a', str_operator: 'equal' } },
  ],
  [
    '/always_include/str_operator must be equal to one of the allowed values',
    { always_include: { ...leaf, str_operator: 'percent_change_less', value: 1 } },
  ],
  ['/always_include/case_sensitive must be boolean', { always_include: { ...leaf, case_sensitive: null } }],
  ["/always_include must NOT have additional properties: 'x'", { always_include: { ...leaf, x: 1 } }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('a tree is not a comparison', () => {
  expect(problems({ always_include: { expressions: [leaf] } })).toContain(
    "/always_include must NOT have additional properties: 'expressions'",
  )
})

test.each([2, 10_000])('1 of %d can pass', rate => {
  expect(problems({ rate })).toEqual([])
})

test('text operators distinguish cases by default, and other operators do not mention cases', () => {
  const included = (always_include: JsonObject) => stored({ always_include }).always_include
  expect(included(leaf)).toEqual({ ...leaf, negate: false, case_sensitive: true })
  const folded = { ...leaf, str_operator: 'starts_with', case_sensitive: false }
  expect(included(folded)).toEqual({ ...folded, negate: false })
  const numeric = { field: '.n', str_operator: 'greater', value: 122 }
  expect(included(numeric)).toEqual({ ...numeric, negate: false })
})

test('an operator without operand is stored without a value, unless one was sent', () => {
  const included = (always_include: JsonObject) => stored({ always_include }).always_include
  const exists = { field: '.my_field', str_operator: 'exists', negate: true }
  expect(included(exists)).toEqual(exists)
  expect(included({ ...exists, value: '' })).toEqual({ ...exists, value: '' })
})

test('another rate begins anew, and another comparison goes on counting', () => {
  const leaf = { field: '.a', str_operator: 'exists' }
  const keeps = (before: object, after: object) => sample.state?.keeps(before as never, after as never)
  expect(keeps({ rate: 3 }, { rate: 3, always_include: leaf })).toBe(true)
  expect(keeps({}, { rate: 10 })).toBe(true)
  expect(keeps({ rate: 3 }, { rate: 4 })).toBe(false)
})

test.each([[[]], [[1, 0, 0]], [[2, 0, 0, 0, 0]]])('bytes that are not a snapshot are refused: %j', bytes => {
  expect(() => finish(sample.state?.restore(Uint8Array.from(bytes)) as never)).toThrow(RangeError)
})
