import { MINUTE_MS, SECOND_MS } from '../times/duration.ts'

/** Maximum time for which a server can hold back requests: components, section 7.1. */
const MAX_WAIT_MS = 10 * MINUTE_MS
const SECONDS = /^\d+$/

/**
 * Reads the header `retry-after`: seconds, or a date.
 *
 * @param nowMs present time, UNIX ms
 * @returns the time to wait in ms, at most ten minutes; 0 without a header, or with a meaningless one
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? ''
  const waitMs = SECONDS.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(waitMs, 0), MAX_WAIT_MS)
}
