import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { TickSender } from './tick-sender.ts'

test('a deadline that no record has reached gets one tick, shortly after it has passed', async () => {
  const clock = manualClock()
  const ticks: unknown[] = []
  const sender = new TickSender(clock, async body => ticks.push(body))
  const fold = { timeMs: 10_000, deadlineMs: 10_300 }
  sender.noteTime(fold)
  clock.advance(304)
  expect(await sender.sendDue(fold)).toBe(false)
  clock.advance(1)
  expect(await sender.sendDue(fold)).toBe(true)
  expect(ticks).toEqual([{ 'weir.Tick': { deadlineMs: 10_300 } }])
  clock.advance(1_000)
  expect(await sender.sendDue(fold)).toBe(false)
})

test('time on the log counts from the record that showed it', async () => {
  const clock = manualClock()
  const sender = new TickSender(clock, async () => undefined)
  sender.noteTime({ timeMs: 10_000, deadlineMs: 11_000 })
  clock.advance(900)
  const fold = { timeMs: 10_800, deadlineMs: 11_000 }
  sender.noteTime(fold)
  expect(sender.untilDueMs(fold)).toBe(205)
})
