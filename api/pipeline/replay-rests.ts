import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../engine/clock/clock.ts'

/** Longest stretch of work before others of the process get their turn. */
const STRETCH_MS = 10

/**
 * Returns a function that a long work calls between its parts. It lets others work when a stretch is over.
 *
 * @param signal ends the work: the function then throws its reason
 */
export function restsBetween(clock: Clock, signal?: AbortSignal): () => Promise<void> {
  let restedMs = clock.monotonicMs()
  return async () => {
    signal?.throwIfAborted()
    if (clock.monotonicMs() - restedMs < STRETCH_MS) return
    await setImmediate()
    restedMs = clock.monotonicMs()
  }
}
