import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import type { Steps } from '../steps.ts'
import { inTurns, LoopTurns } from './loop-turns.ts'

test('a turn is over after two milliseconds, and a new one begins after the rest', async () => {
  const clock = manualClock()
  const turn = new LoopTurns(clock).begin()
  clock.advance(1)
  expect(turn.isOver()).toBe(false)
  clock.advance(1)
  expect(turn.isOver()).toBe(true)
  await turn.rest()
  expect(turn.isOver()).toBe(false)
})

test('two pieces of long work alternate, and other work of the process comes between their turns', async () => {
  const clock = manualClock()
  const turns = new LoopTurns(clock)
  const done: string[] = []
  function* work(name: string): Steps<string> {
    for (let step = 0; step < 3; step++) {
      done.push(name)
      clock.advance(1)
      yield
    }
    return name
  }
  setImmediate(() => done.push('-'))
  const results = await Promise.all(['a', 'b'].map(name => inTurns(work(name), turns.begin())))
  expect(results).toEqual(['a', 'b'])
  expect(done.join('')).toBe('aabb-ab')
})
