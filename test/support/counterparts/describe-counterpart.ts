import { afterAll, beforeAll, describe } from 'vitest'
import type { Counterpart, RunningCounterpart } from './counterpart.ts'
import { counterpartAtHand } from './counterpart-at-hand.ts'

const START_TIMEOUT_MS = 120_000

/**
 * Tests with a counterpart that they share, started before the first of them; skipped, loudly, when there is none.
 *
 * @param tests its base address answers within tests and hooks, not yet while they are declared
 */
export function describeCounterpart(counterpart: Counterpart, tests: (url: () => string) => void): void {
  const atHand = counterpartAtHand(counterpart)
  describe.skipIf(atHand === undefined)(counterpart.product, () => {
    let running: RunningCounterpart | undefined
    beforeAll(async () => {
      running = await atHand?.start()
    }, START_TIMEOUT_MS)
    afterAll(() => running?.stop())
    tests(() => {
      if (running === undefined) throw new Error('the counterpart is there within tests and hooks only')
      return running.url
    })
  })
}
