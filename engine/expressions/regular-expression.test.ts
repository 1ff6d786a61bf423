import { RE2JS } from 're2js'
import { afterEach, expect, test, vi } from 'vitest'
import { compileRegularExpression, regularExpressionProblem } from './regular-expression.ts'

/** An expression that no other code in this process has built. */
const DEAR = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]7?7?7?'

afterEach(() => vi.restoreAllMocks())

test('an expression is not built for a check, but once, when it is first matched', () => {
  const building = vi.spyOn(RE2JS, 'compile')
  expect(regularExpressionProblem(DEAR)).toBe(undefined)
  const expression = compileRegularExpression(DEAR)
  expect(building).toHaveBeenCalledTimes(0)
  expect(expression.test('xxxx')).toBe(false)
  expect(expression.test('baaaez')).toBe(true)
  expect(compileRegularExpression(DEAR).test('baaaez')).toBe(true)
  expect(building).toHaveBeenCalledTimes(1)
  expect(compileRegularExpression(DEAR, { ignoreCase: true }).test('BAAAEZ')).toBe(true)
  expect(building).toHaveBeenCalledTimes(2)
})

test.each([
  ['a{0,1000}b{0,1000}c{0,499}', undefined],
  ['(?:a|ab){1000}', undefined],
  ['a{0,1000}b{0,1000}c{0,500}', 'Must be a valid regular expression: it is too large'],
  ['(?:a{1,30}){0,90}', expect.stringContaining('Must be a valid regular expression: ')],
  ['a(', expect.stringContaining('Must be a valid regular expression: ')],
  ['(?=a)', expect.stringContaining('Must be a valid regular expression: ')],
  ['a{1001}', expect.stringContaining('Must be a valid regular expression: ')],
  ['a'.repeat(4_097), 'must NOT have more than 4096 characters'],
])('%.40s has the same result in the check as in building: %s', (source, problem) => {
  expect(regularExpressionProblem(source)).toEqual(problem)
})
