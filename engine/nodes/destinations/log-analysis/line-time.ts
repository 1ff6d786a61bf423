import type { JsonValue } from '../../../../schemas/json.ts'
import { canonicalTime } from '../../../times/canonical-time.ts'
import { DAY_MS } from '../../../times/duration.ts'

const DECIMAL = /^\d+(\.\d+)?$/
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?$/

/**
 * Reads a line's time as clients write it: a number or digits, whose size determines the unit, or a time of RFC 3339.
 * Without an offset it is in UTC (ingestion, section 1.4).
 *
 * @returns UNIX ms; undefined when unreadable, zero or negative
 */
export function readLineTimeMs(value: JsonValue | undefined): number | undefined {
  const timeMs = timeMsOf(value)
  return timeMs !== undefined && timeMs > 0 ? timeMs : undefined
}

/** Whether a line is stored under that time: at most a day ahead, and within the account's retention. */
export function isKeptTime(timeMs: number, receivedMs: number, retentionDays: number): boolean {
  return timeMs <= receivedMs + DAY_MS && timeMs >= receivedMs - retentionDays * DAY_MS
}

function timeMsOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return millisecondsOf(Number(value))
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (DECIMAL.test(text)) return millisecondsOf(Number(text))
  const canonical = canonicalTime(WITHOUT_OFFSET.test(text) ? `${text}Z` : text)
  return canonical === undefined ? undefined : Date.parse(canonical)
}

function millisecondsOf(value: number): number | undefined {
  if (!Number.isFinite(value)) return undefined
  // The number is rounded to microseconds first: the double of 1772600767.089 s is slightly below that millisecond.
  if (value < 1e11) return Math.floor(Math.round(value * 1e6) / 1e3)
  if (value < 1e14) return Math.floor(value)
  return Math.floor(value < 1e17 ? value / 1e3 : value / 1e6)
}
