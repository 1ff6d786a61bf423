import { Temporal } from 'temporal-polyfill'
import type { TimeZone } from '../../../engine/times/point-in-time.ts'

/** Zone of a name of the IANA database, or of an offset such as `+02:00`; undefined for other names. */
export function timeZone(name: string): TimeZone | undefined {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
  } catch {
    return undefined
  }
  return {
    toClockMs: utcMs => {
      const time = Temporal.Instant.fromEpochMilliseconds(utcMs).toZonedDateTimeISO(name)
      return utcMs + time.offsetNanoseconds / 1e6
    },
    toUtcMs: clockMs =>
      Temporal.Instant.fromEpochMilliseconds(clockMs)
        .toZonedDateTimeISO('UTC')
        .toPlainDateTime()
        .toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds,
  }
}
