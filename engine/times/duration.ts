/** Lengths of time, in milliseconds. A day is a day of UTC: it has no change of the hour. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A day, in seconds. */
export const DAY_S = DAY_MS / SECOND_MS
