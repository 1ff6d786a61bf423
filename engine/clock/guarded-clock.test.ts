import { expect, test } from 'vitest'
import { HOUR_MS } from '../times/duration.ts'
import { guardedClock } from './guarded-clock.ts'
import { manualClock } from './manual-clock.ts'

test('a jump of more than an hour is accepted only after it has lasted 60 s', () => {
  const machine = manualClock(1_000_000)
  const clock = guardedClock(machine)
  machine.setWall(1_000_000 + HOUR_MS + 1)
  expect(clock.wallMs()).toBe(1_000_000)
  machine.advance(59_999)
  expect(clock.wallMs()).toBe(1_059_999)
  machine.advance(1)
  expect(clock.wallMs()).toBe(1_000_000 + HOUR_MS + 1 + 60_000)
})

test('a jump that is reversed within the minute has no effect', () => {
  const machine = manualClock(1_000_000)
  const clock = guardedClock(machine)
  machine.setWall(1_000_000 + 24 * HOUR_MS)
  expect(clock.wallMs()).toBe(1_000_000)
  machine.setWall(1_000_005)
  expect(clock.wallMs()).toBe(1_000_005)
})

test('a jump of exactly an hour, and any step back, are accepted at once', () => {
  const machine = manualClock(1_000_000)
  const clock = guardedClock(machine)
  machine.setWall(1_000_000 + HOUR_MS)
  expect(clock.wallMs()).toBe(1_000_000 + HOUR_MS)
  machine.setWall(5_000)
  expect(clock.wallMs()).toBe(5_000)
})

test('time that also passed on the monotonic clock is not a jump', () => {
  const machine = manualClock(1_000_000)
  const clock = guardedClock(machine)
  machine.advance(30 * HOUR_MS)
  expect(clock.wallMs()).toBe(1_000_000 + 30 * HOUR_MS)
})
