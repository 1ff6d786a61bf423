import { TIMESTAMP_NUMBER_MS, TIMESTAMP_OTHER, TIMESTAMP_TEXT_MS } from '../../../schemas/log/line-batch.ts'
import { DAY_MS } from '../../times/duration.ts'
import { dateTimeToMs, numberToMs, PLAIN_NUMBER } from '../../times/sent-time.ts'

/** Allowed times of a line; any other time is replaced by the time of arrival (ingestion, section 1.4). */
export interface TimeBounds {
  readonly receivedAtMs: number
  /** First allowed time, UNIX ms. */
  readonly earliestMs: number
  /** Last allowed time, UNIX ms. */
  readonly latestMs: number
}

/** The resolved time of one line, in the form of a batch's columns. */
export interface LineTime {
  readonly ms: number
  readonly kind: number
  /** Whether the time was read but out of bounds. */
  readonly clamped: boolean
}

export function timeBounds(receivedAtMs: number, retentionDays: number): TimeBounds {
  return {
    receivedAtMs,
    earliestMs: receivedAtMs - retentionDays * DAY_MS,
    latestMs: receivedAtMs + DAY_MS,
  }
}

/** A timestamp sent as a JSON number; `source` is its text in the body. */
export function timeOfNumber(source: string, bounds: TimeBounds): LineTime {
  return bounded(numberToMs(source), source, TIMESTAMP_NUMBER_MS, bounds)
}

/** A timestamp sent as a string: digits by magnitude, anything else RFC 3339. */
export function timeOfText(text: string, bounds: TimeBounds): LineTime {
  return bounded(textToMs(text), text, TIMESTAMP_TEXT_MS, bounds)
}

/** @returns UNIX ms; undefined when the text is not a time that a line can carry */
export function textToMs(text: string): number | undefined {
  const trimmed = text.trim()
  return PLAIN_NUMBER.test(trimmed) ? numberToMs(trimmed) : rfc3339ToMs(trimmed)
}

function bounded(ms: number | undefined, text: string, plainKind: number, bounds: TimeBounds): LineTime {
  if (ms === undefined) return { ms: bounds.receivedAtMs, kind: TIMESTAMP_OTHER, clamped: false }
  if (ms < bounds.earliestMs || ms > bounds.latestMs)
    return { ms: bounds.receivedAtMs, kind: TIMESTAMP_OTHER, clamped: true }
  return { ms, kind: text === String(ms) ? plainKind : TIMESTAMP_OTHER, clamped: false }
}

/**
 * @returns undefined when the text is not a date-time of RFC 3339, or one that a line cannot carry: it must be after 1970
 */
export function rfc3339ToMs(text: string): number | undefined {
  const ms = dateTimeToMs(text)
  return ms !== undefined && ms > 0 ? ms : undefined
}
