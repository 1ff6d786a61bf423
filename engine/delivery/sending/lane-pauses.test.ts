import { expect, test } from 'vitest'
import { manualClock } from '../../clock/manual-clock.ts'
import { LanePauses } from './lane-pauses.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'n' }

test('a pause ends by time, and at once when its pipeline changes', async () => {
  const clock = manualClock(0)
  const pauses = new LanePauses(clock)
  const { signal } = new AbortController()
  expect(await clock.advanceUntil(pauses.wait(LANE, 30_000, signal))).toBe(false)
  const endedMs = clock.monotonicMs()
  expect(endedMs).toBeGreaterThanOrEqual(30_000)
  const paused = pauses.wait(LANE, 30_000, signal)
  pauses.end('other')
  pauses.end('p')
  expect(await paused).toBe(true)
  expect(clock.monotonicMs()).toBe(endedMs)
})
