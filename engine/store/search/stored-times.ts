/** The last time that a DateTime64(3) can contain; no line is before 1970. */
export const MAX_TIME_MS = 10_413_791_999_999

/** The nearest time that a line can have. */
export function nearestStoredTime(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_TIME_MS)
}
