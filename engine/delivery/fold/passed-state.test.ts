import { expect, test } from 'vitest'
import { PassedPositions } from '../../fold/spread/passed-positions.ts'
import { passedOf, passedState } from './passed-state.ts'

test('positions come back from a checkpoint', () => {
  const passed = new PassedPositions([['weir.ingest 0', { offset: 2n ** 39n, row: 7 }]])
  expect([...passedOf(passedState(passed))]).toEqual([...passed])
})
