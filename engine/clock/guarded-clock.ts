import { HOUR_MS, MINUTE_MS } from '../times/duration.ts'
import type { Clock } from './clock.ts'

const JUMP_MS = HOUR_MS
const DISBELIEF_MS = MINUTE_MS

/**
 * A clock that does not believe a sudden jump of its wall reading by more than an hour for the first 60 s. A mistaken time server
 * that is corrected within a minute then leaves no trace in the log, where time only moves forward. Steps back, idle time and
 * restarts pass unchanged.
 */
export function guardedClock(clock: Clock): Clock {
  let believedWallMs = clock.wallMs()
  let believedAtMs = clock.monotonicMs()
  let doubtedSinceMs: number | undefined

  const wallMs = () => {
    const monotonicMs = clock.monotonicMs()
    const readMs = clock.wallMs()
    const expectedMs = believedWallMs + (monotonicMs - believedAtMs)
    const jumped = readMs - expectedMs > JUMP_MS
    if (jumped) {
      doubtedSinceMs ??= monotonicMs
      if (monotonicMs - doubtedSinceMs < DISBELIEF_MS) return Math.round(expectedMs)
    }
    doubtedSinceMs = undefined
    believedWallMs = readMs
    believedAtMs = monotonicMs
    return readMs
  }
  return { wallMs, monotonicMs: () => clock.monotonicMs(), sleep: (ms, signal) => clock.sleep(ms, signal) }
}
