import { expect, test } from 'vitest'
import { BEHAVIOUR, FIFTH_BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { MAX_ROWS_PER_RECORD } from '../../schemas/log/position.ts'
import { FoldMoment } from './fold-moment.ts'

test('the highest behaviour that a record has carried is in force, unless this program does not know it', () => {
  const moment = new FoldMoment()
  expect(moment.bringIntoForce(FOURTH_BEHAVIOUR)).toBe(true)
  expect(moment.isExact).toBe(false)
  expect([moment.bringIntoForce(FIFTH_BEHAVIOUR), moment.bringIntoForce(1)]).toEqual([true, true])
  expect([moment.isExact, moment.behaviour]).toEqual([true, FIFTH_BEHAVIOUR])
  expect([moment.bringIntoForce(BEHAVIOUR), moment.bringIntoForce(BEHAVIOUR + 1)]).toEqual([true, false])
  expect(moment.behaviour).toBe(BEHAVIOUR)
})

test('each result of a record has a row of its own, and the next record begins again', () => {
  const moment = new FoldMoment()
  moment.enter(7n, 1_000, 0)
  expect([moment.nextRow(), moment.nextPosition(), moment.nextRow()]).toEqual([0, { offset: 7n, row: 1 }, 2])
  moment.enter(8n, 2_000, 0)
  expect([moment.timeMs, moment.nextPosition()]).toEqual([2_000, { offset: 8n, row: 0 }])
})

test('a record has a maximum number of rows, counted from its first', () => {
  const moment = new FoldMoment()
  moment.enter(7n, 0, 5)
  expect(moment.isBeyondRecord(MAX_ROWS_PER_RECORD + 4)).toBe(false)
  expect(moment.isBeyondRecord(MAX_ROWS_PER_RECORD + 5)).toBe(true)
})
