import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { LoopTurns } from '../../engine/turns/loop-turns.ts'
import { restsBetween } from './replay-rests.ts'

test('forty works at once kept other work waiting for all of them, and one turn of one of them comes before it', async () => {
  const clock = manualClock()
  const turns = new LoopTurns(clock)
  let working = 40
  const work = async () => {
    const rest = restsBetween(turns)
    for (let part = 0; part < 10; part++) {
      clock.advance(1)
      await rest()
    }
    working--
  }
  const works = Promise.all(Array.from({ length: 40 }, work))
  await setImmediate() // Each work begins with a part of its own.
  let longestMs = 0
  while (working > 0) {
    const fromMs = clock.monotonicMs()
    await setImmediate()
    longestMs = Math.max(longestMs, clock.monotonicMs() - fromMs)
  }
  await works
  expect(longestMs).toBeLessThanOrEqual(2)
})

test('a work that nobody waits for any more ends at its next rest', async () => {
  const gone = new AbortController()
  const rest = restsBetween(new LoopTurns(manualClock()), gone.signal)
  await rest()
  gone.abort(new Error('gone'))
  await expect(rest()).rejects.toThrow('gone')
})
