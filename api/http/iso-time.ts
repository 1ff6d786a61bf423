import { readPointInTime } from '../../engine/times/point-in-time.ts'

/** Name of the format of texts that `readPointInTime` reads. */
export const POINT_IN_TIME = 'point in time'

/** A time as answers write it: UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

export function isPointInTime(text: string): boolean {
  return readPointInTime(text, { nowMs: 0, edge: 'start' }) !== undefined
}

/**
 * UNIX ms of a time that the schema of a request has accepted. A date means its first instant in UTC.
 *
 * @param unsigned direction of a span without a sign, such as `90d`
 */
export function givenTimeMs(text: string, nowMs: number, unsigned: 'past' | 'future' = 'past'): number {
  // Only spans that leave the years 0 to 9999 are accepted by the schema and not read.
  return readPointInTime(text, { nowMs, edge: 'start', unsigned }) ?? nowMs
}
