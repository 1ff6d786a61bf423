import { expect, test } from 'vitest'
import { ERROR_CODES, errorLevel, errorMessage } from './errors.ts'

test('a root that never came and a delivery that is tried again are warnings, all others errors', () => {
  const warnings = Object.keys(ERROR_CODES).filter(code => errorLevel(code) === 'warning')
  expect(warnings).toEqual(['E_TRACE_NO_ROOT', 'E_DELIVERY_RETRYING'])
})

test('the meaning of a code that every node can report does not speak of expressions', () => {
  // Most nodes that report it have none.
  expect(errorMessage('E_EXPRESSION_COST', {})).toMatch(
    /^The event takes more work than is free .* quarantine at the node\.$/,
  )
  expect(errorMessage('E_EXPRESSION_COST', {})).not.toContain('expression')
})
