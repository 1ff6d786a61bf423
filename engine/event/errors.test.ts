import { expect, test } from 'vitest'
import { ERROR_CODES, errorLevel } from './errors.ts'

test('a root that never came and a delivery that is tried again are warnings, all others errors', () => {
  const warnings = Object.keys(ERROR_CODES).filter(code => errorLevel(code) === 'warning')
  expect(warnings).toEqual(['E_TRACE_NO_ROOT', 'E_DELIVERY_RETRYING'])
})
