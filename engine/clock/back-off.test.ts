import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { BackOff } from './back-off.ts'
import { manualClock } from './manual-clock.ts'

const BOUNDS = { firstMs: 50, longestMs: 300 }

function pausesOf(backOff: BackOff, count: number): number[] {
  return Array.from({ length: count }, () => backOff.nextMs())
}

test('each pause is twice the one before, and none is longer than the longest', () => {
  expect(pausesOf(new BackOff(manualClock(), BOUNDS), 6)).toEqual([50, 100, 200, 300, 300, 300])
})

test('after a success the pauses begin again', () => {
  const backOff = new BackOff(manualClock(), BOUNDS)
  pausesOf(backOff, 4)
  backOff.reset()
  expect(pausesOf(backOff, 2)).toEqual([50, 100])
})

test('with entropy a pause is between half and all of its length, and varies', () => {
  const seeds = Array.from({ length: 50 }, (_, seed) => seededEntropy(seed))
  const firsts = seeds.map(entropy => new BackOff(manualClock(), BOUNDS, entropy).nextMs())
  expect(firsts.every(ms => ms >= 25 && ms < 50)).toBe(true)
  expect(new Set(firsts).size).toBeGreaterThan(40)
  const backOff = new BackOff(manualClock(), BOUNDS, seededEntropy(1))
  const eighth = pausesOf(backOff, 8).at(-1) as number
  expect([eighth >= 150, eighth < 300]).toEqual([true, true])
})

test('a pause ends with its time or with the signal', async () => {
  const clock = manualClock()
  const backOff = new BackOff(clock, BOUNDS)
  let isOver = false
  const pausing = backOff.pause().then(() => {
    isOver = true
  })
  clock.advance(49)
  await setImmediate()
  expect(isOver).toBe(false)
  clock.advance(1)
  await pausing
  expect(isOver).toBe(true)

  const stop = new AbortController()
  const stopped = backOff.pause(stop.signal)
  stop.abort()
  await stopped
})

test('a call is repeated until it succeeds, fails for good, or the signal is aborted', async () => {
  const clock = manualClock()
  const backOff = new BackOff(clock, BOUNDS)
  const asked: [unknown, number][] = []
  const mayRepeat = (error: unknown, pauseMs: number) => {
    asked.push([error, pauseMs])
    return error !== 'for good'
  }
  const failing = (...failures: string[]) => {
    const left = [...failures]
    return async () => {
      const failure = left.shift()
      if (failure !== undefined) throw failure
      return left.length
    }
  }
  const succeeding = backOff.repeat(failing('first', 'second'), mayRepeat)
  for (const ms of [50, 100]) {
    await setImmediate()
    clock.advance(ms)
  }
  await expect(succeeding).resolves.toBe(0)
  await expect(backOff.repeat(failing('for good'), mayRepeat)).rejects.toBe('for good')
  expect(asked).toEqual([
    ['first', 50],
    ['second', 100],
    ['for good', 200],
  ])
  const stop = new AbortController()
  const stopped = backOff.repeat(failing('before', 'after', 'never'), mayRepeat, stop.signal)
  await setImmediate()
  stop.abort()
  await expect(stopped).rejects.toBe('after')
})
