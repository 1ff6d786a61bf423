import { DAY_MS } from './duration.ts'
import { dateTimeToMs, numberToMs, PLAIN_NUMBER } from './sent-time.ts'
import { timeSpanMs } from './time-span.ts'

/** A time zone, as the distance between its clocks and UTC. Times of its clocks are written as if they were UTC, in ms. */
export interface TimeZone {
  toClockMs(utcMs: number): number
  /** A time that the clocks skip is read as the time as long after the change; of a repeated one the first is meant. */
  toUtcMs(clockMs: number): number
}

export interface PointInTimeReading {
  /** UNIX ms to which relative times refer. */
  readonly nowMs: number
  /** Millisecond of the day that a bare date, `today` or `yesterday` means: the first or the last. */
  readonly edge: 'start' | 'end'
  /** Zone of dates and of times without an offset. Default: UTC. */
  readonly zone?: TimeZone
  /** Direction of a span without a sign, such as `2h`. Default: past. */
  readonly unsigned?: 'past' | 'future'
}

/** Range of four-digit years, in which every time can be written. */
const FIRST_MS = -62_167_219_200_000
const LAST_MS = 253_402_300_799_999

const UTC: TimeZone = { toClockMs: utcMs => utcMs, toUtcMs: clockMs => clockMs }
const MAX_CHARACTERS = 64
const ANCHOR = /^(now|today|yesterday)\b ?/
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DATE_TIME =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt ](\d\d)(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?(?: ?([Zz]|[+ -]\d\d(?::?\d\d)?))?$/

/**
 * Reads a time in one of the usual forms:
 *
 * - `now`, `today`, `yesterday`, each also with a span: `now-1h`, `today+8h`
 * - a span before (or after) now: `-1h`, `+90d`, and `1d12h` in the direction of `unsigned`
 * - a date: `2026-01-31`
 * - a date-time of ISO 8601: `2026-01-31T12:00`, with seconds, a fraction and an offset as needed, also in the basic form.
 *   A blank before the digits of an offset is the plus that a client did not encode.
 * - a UNIX time: seconds, milliseconds, microseconds or nanoseconds, recognised by its magnitude
 *
 * @returns whole UNIX milliseconds; undefined for other texts, and outside the years 0 to 9999
 */
export function readPointInTime(text: string, reading: PointInTimeReading): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  const ms = unixTime(text) ?? relativeTime(text, reading) ?? calendarTime(text, reading)
  if (ms === undefined || !(ms >= FIRST_MS && ms <= LAST_MS)) return undefined
  return Math.round(ms)
}

function unixTime(text: string): number | undefined {
  if (!PLAIN_NUMBER.test(text)) return undefined
  // Sent lines have no time 0, but a period can begin there.
  return numberToMs(text) ?? 0
}

function relativeTime(text: string, reading: PointInTimeReading): number | undefined {
  const { nowMs, unsigned = 'past' } = reading
  const anchor = ANCHOR.exec(text)
  if (anchor !== null && anchor[0].length === text.length) return anchorMs(anchor[1], reading)
  const rest = text.slice(anchor?.[0].length ?? 0)
  const [sign] = /^[+-] ?/.exec(rest) ?? []
  if (anchor !== null && sign === undefined) return undefined
  const spanMs = timeSpanMs(rest.slice(sign?.length ?? 0))
  if (spanMs === undefined) return undefined
  const isPast = sign === undefined ? unsigned === 'past' : sign.startsWith('-')
  const startMs = anchor === null ? nowMs : anchorMs(anchor[1], { ...reading, edge: 'start' })
  return startMs + (isPast ? -spanMs : spanMs)
}

function anchorMs(word: string | undefined, { nowMs, edge, zone = UTC }: PointInTimeReading): number {
  if (word === 'now') return nowMs
  const midnightMs = Math.floor(zone.toClockMs(nowMs) / DAY_MS) * DAY_MS
  return dayEdge(word === 'today' ? midnightMs : midnightMs - DAY_MS, edge, zone)
}

function calendarTime(text: string, { edge, zone = UTC }: PointInTimeReading): number | undefined {
  const date = DATE.exec(text)
  if (date !== null) {
    const midnightMs = dateTimeToMs(`${date.slice(1).join('-')}T00:00:00Z`)
    return midnightMs === undefined ? undefined : dayEdge(midnightMs, edge, zone)
  }
  const match = DATE_TIME.exec(text)
  if (match === null) return undefined
  const [, year, hyphen, month, day, hour, colon, minute, second = '00', fraction = '0', offset] = match
  // Either form has all of its separators or none.
  if ((hyphen === '') !== (colon === '')) return undefined
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}`
  if (offset !== undefined) return dateTimeToMs(clock + fullOffset(offset))
  const clockMs = dateTimeToMs(`${clock}Z`)
  return clockMs === undefined ? undefined : zone.toUtcMs(clockMs)
}

/** @param midnightMs beginning of a day, by the clocks of the zone */
function dayEdge(midnightMs: number, edge: 'start' | 'end', zone: TimeZone): number {
  return edge === 'start' ? zone.toUtcMs(midnightMs) : zone.toUtcMs(midnightMs + DAY_MS) - 1
}

function fullOffset(offset: string): string {
  const signed = offset.replace(' ', '+')
  return /^[+-]\d\d$/.test(signed) ? `${signed}:00` : signed
}
