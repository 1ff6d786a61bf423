import type { Event } from '../../event/event.ts'
import type { Instant } from '../../times/instant.ts'

/** Digits beyond the milliseconds. */
const FINER = /\.\d{3}(\d{3,6})Z$/
const NANOS_DIGITS = 6
/** Length of a timestamp without such digits. */
const MS_TIMESTAMP = '2031-03-09T08:15:30.250Z'.length

/** Timestamp of an event, with all digits. */
export function instantOfEvent(event: Event): Instant {
  const epochMs = Math.floor(event.timestampMs)
  // The time of a line has no such digits.
  if (event.origin !== null && !event.timestampChanged) return { epochMs, nanos: 0 }
  const { timestamp } = event
  const finer = timestamp.length > MS_TIMESTAMP ? (FINER.exec(timestamp)?.[1] ?? '') : ''
  return { epochMs, nanos: finer === '' ? 0 : Number(finer.padEnd(NANOS_DIGITS, '0')) }
}

/** Decimal text of the nanoseconds since 1970. */
export function nanosecondText({ epochMs, nanos }: Instant): string {
  // A double cannot hold the number.
  return epochMs > 0
    ? `${epochMs}${String(nanos).padStart(NANOS_DIGITS, '0')}`
    : String(BigInt(epochMs) * 1_000_000n + BigInt(nanos))
}

/** Decimal text of the seconds since 1970, with the milliseconds as a fraction. */
export function secondText({ epochMs }: Instant): string {
  return (epochMs / 1_000).toFixed(3)
}
