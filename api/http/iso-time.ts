import { canonicalTime } from '../../engine/times/canonical-time.ts'

/** A time as answers write it: UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** UNIX ms of an ISO 8601 date (its first instant in UTC) or of an RFC 3339 date-time; undefined for any other text. */
export function isoTimeMs(text: string): number | undefined {
  const time = canonicalTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
  return time === undefined ? undefined : Date.parse(time)
}
