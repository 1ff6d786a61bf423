import { expect, test } from 'vitest'
import { RecordYield } from './record-yield.ts'

test('parts are counted up to the limit, and a split that exceeds it counts nothing', () => {
  const made = new RecordYield(10, 100)
  expect([made.takeParts(8), made.takeParts(3), made.takeParts(2), made.takeParts(1)]).toEqual([
    ...[true, false, true, false],
  ])
})

test('parts and growth share the limit of bytes, and a message that does not grow is free', () => {
  const made = new RecordYield(10, 100)
  made.notePart(60)
  expect([made.takeGrowth(41), made.takeGrowth(-5), made.takeGrowth(40), made.takeGrowth(1)]).toEqual([
    ...[false, true, true, false],
  ])
  expect(made.takeParts(1)).toBe(false)
})

test('another record begins at nothing, and the same one goes on', () => {
  const made = new RecordYield(2, 100)
  expect([made.of(7n).takeParts(2), made.of(7n).takeParts(1), made.of(8n).takeParts(1)]).toEqual([
    ...[true, false, true],
  ])
})
