import { expect, test } from 'vitest'
import { BEYOND_BUDGET, freeMeter } from './cost-meter.ts'
import { MatchingSpace } from './matching-space.ts'
import { compileRegularExpression } from './regular-expression.ts'

test('the memory of a match that costs too much is used again', () => {
  const space = MatchingSpace.take(5_000)
  space.giveBack(space.lastPlace)
  const meter = freeMeter()
  meter.begin(0)
  const dear = compileRegularExpression('[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]')
  expect(() => meter.matches(dear, 'a1'.repeat(1_000))).toThrow(BEYOND_BUDGET)
  expect(MatchingSpace.take(5_000)).toBe(space)
  expect(MatchingSpace.take(5_000)).not.toBe(space)
})
