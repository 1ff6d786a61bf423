import { expect, test } from 'vitest'
import { withBoundedLoops } from './bounded-loops.ts'

test('an unknown form of loop in code from Ajv is noticed, not left without a bound', () => {
  expect(() => withBoundedLoops('for(const item of data){vErrors.push(item)}')).toThrow(
    'Ajv generates a loop that nobody has bounded: for(const item of data){',
  )
  expect(withBoundedLoops('for(let i0=0; i0<len0; i0++){}')).toContain('errors-before_i0<1000')
  expect(withBoundedLoops('for(const key0 in data){}')).toContain('if(errors-before_key0>=1000)break;')
  expect(withBoundedLoops('for(let i0=_errs1; i0<errors; i0++){}')).toBe(
    'for(let i0=_errs1; i0<errors; i0++){}',
  )
})
