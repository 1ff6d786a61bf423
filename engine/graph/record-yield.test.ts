import { expect, test } from 'vitest'
import { RecordYield } from './record-yield.ts'

/** Counts parts if there is room for them. */
function takes(made: RecordYield, count: number, bytes = 0): boolean {
  const hasRoom = made.hasRoomFor(count, bytes)
  if (hasRoom) made.takeParts(count, bytes)
  return hasRoom
}

test('parts are counted up to the limit, and a split that exceeds it counts nothing', () => {
  const made = new RecordYield(10, 100)
  expect([takes(made, 8), takes(made, 3), takes(made, 2), takes(made, 1)]).toEqual([
    ...[true, false, true, false],
  ])
})

test('parts and growth share the limit of bytes, and a message that does not grow is free', () => {
  const made = new RecordYield(10, 100)
  expect([takes(made, 2, 101), takes(made, 2, 60)]).toEqual([false, true])
  made.notePart(60)
  expect([made.takeGrowth(41), made.takeGrowth(-5), made.takeGrowth(40), made.takeGrowth(1)]).toEqual([
    ...[false, true, true, false],
  ])
  expect([takes(made, 1, 1), takes(made, 1)]).toEqual([false, true])
})

test('before the fourteenth behaviour the bytes of parts count when they are made, and the last split may exceed the limit', () => {
  const made = new RecordYield(10, 100)
  made.countsAhead = false
  expect(takes(made, 2, 101)).toBe(true)
  made.notePart(60)
  expect([made.takeGrowth(41), takes(made, 1, 50)]).toEqual([false, true])
  made.notePart(40)
  expect(takes(made, 1)).toBe(false)
})

test('another record begins at nothing, and the same one goes on', () => {
  const made = new RecordYield(2, 100)
  expect([takes(made.of(7n), 2), takes(made.of(7n), 1), takes(made.of(8n), 1)]).toEqual([
    ...[true, false, true],
  ])
})
