import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../support/dice.ts'
import type { Fault } from './fault.ts'

const SHORTEST_MS = 1_000

/**
 * The whole process pauses for a while: the requests of its senders time out, and they repeat them to the same process.
 */
export function pauseFault(dice: Dice, longestMs: number): Fault {
  const waitMs = 50 + dice.below(1_000)
  const pauseMs = SHORTEST_MS + dice.below(longestMs - SHORTEST_MS)
  return {
    family: 'pause',
    label: 'SIGSTOP, SIGCONT',
    waitMs,
    async inject({ weir, shipper }) {
      const before = shipper.retries
      weir.signal('SIGSTOP')
      await delay(pauseMs)
      const retries = shipper.retries - before
      const injected = { sinceMs: performance.now(), newest: shipper.newestAcknowledged }
      weir.signal('SIGCONT')
      return { ...injected, what: `stood still for ${pauseMs} ms, ${retries} requests timed out` }
    },
  }
}
