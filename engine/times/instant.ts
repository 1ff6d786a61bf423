/** A moment with nanosecond precision. */
export interface Instant {
  /** Whole milliseconds since 1970 in UTC, rounded down. */
  readonly epochMs: number
  /** Additional nanoseconds: 0 to 999,999. */
  readonly nanos: number
}

/** Start of the year 0 and end of the year 9999, in seconds: the times that four-digit years can express. */
const FIRST_EPOCH_SECOND = -62_167_219_200
const LAST_EPOCH_SECOND = 253_402_300_799

/**
 * @param epochSecond whole seconds since 1970 in UTC, rounded down
 * @param nanosecond of that second
 * @returns undefined outside the years 0 to 9999
 */
export function instantOf(epochSecond: number, nanosecond: number): Instant | undefined {
  if (!(epochSecond >= FIRST_EPOCH_SECOND && epochSecond <= LAST_EPOCH_SECOND)) return undefined
  const nanos = nanosecond % 1_000_000
  return { epochMs: epochSecond * 1000 + (nanosecond - nanos) / 1_000_000, nanos }
}

/** Whole seconds, rounded down. */
export function epochSecondOf({ epochMs }: Instant): number {
  return Math.floor(epochMs / 1000)
}

/** Nanoseconds beyond the whole seconds. */
export function nanosecondOf({ epochMs, nanos }: Instant): number {
  return (epochMs - Math.floor(epochMs / 1000) * 1000) * 1_000_000 + nanos
}

/** The last second whose text was made: most times of a log are close to each other. */
let lastSecond = Number.NaN
/** Its time, without fraction and zone. */
let lastText = ''

/** The canonical time form of components, section 1.2. */
export function canonicalTimeOf(instant: Instant): string {
  const second = epochSecondOf(instant)
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, -'.000Z'.length)
    lastSecond = second
  }
  return `${lastText}${fractionText(nanosecondOf(instant))}Z`
}

/** Fraction with its point and the fewest digits (0, 3, 6 or 9) that keep the value. */
export function fractionText(nanosecond: number): string {
  if (nanosecond === 0) return ''
  if (nanosecond % 1_000_000 === 0) return `.${String(nanosecond / 1_000_000).padStart(3, '0')}`
  const digits = String(nanosecond)
    .padStart(9, '0')
    .replace(/(000)+$/, '')
  return `.${digits}`
}
