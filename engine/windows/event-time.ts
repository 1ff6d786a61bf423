import type { Event } from '../event/event.ts'
import { fieldAt, parseFieldPath } from '../event/field-path.ts'
import { canonicalTime } from '../times/canonical-time.ts'

/**
 * Prepares the own time of events: an integer of epoch milliseconds, or an RFC 3339 text; otherwise the log time. A time that is far
 * ahead counts as the log time, so that a single one does not open windows that stay open for long.
 *
 * @param path field of the time
 * @param aheadMs largest distance ahead of the log time
 */
export function eventTime(path: string, aheadMs: number): (event: Event, nowMs: number) => number {
  const timeOf = timeReader(path)
  return (event, nowMs) => {
    const timeMs = timeOf(event)
    return timeMs <= nowMs + aheadMs ? timeMs : nowMs
  }
}

/** Reads the time in epoch milliseconds; NaN without one. */
function timeReader(path: string): (event: Event) => number {
  const { root, segments = [] } = parseFieldPath(path) ?? {}
  if (root === 'timestamp' && segments.length === 0) return event => Math.floor(event.timestampMs)
  const field = fieldAt(path)
  return event => {
    const value = field.read(event)
    if (typeof value === 'string') return Date.parse(canonicalTime(value) ?? '')
    return Number.isSafeInteger(value) ? Number(value) : Number.NaN
  }
}
