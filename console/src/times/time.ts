/**
 * All times of the console. Zones are always explicit: `Intl` knows both hours of the night when clocks go back, and the
 * zone of the machine does not matter.
 */

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNITS: Readonly<Record<string, number>> = { min: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** Zone of the reader's browser. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

interface Parts {
  readonly year: string
  readonly month: string
  readonly day: string
  readonly hour: string
  readonly minute: string
  readonly second: string
  readonly offset: string
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    })
    formats.set(zone, format)
  }
  return format
}

function partsOf(ms: number, zone: string): Parts {
  const found = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const offset = (found.timeZoneName ?? 'GMT').replace('GMT', '')
  // The format always has these parts.
  return { ...(found as unknown as Parts), offset: offset === '' ? '+00:00' : offset }
}

function millisecondsOf(ms: number): string {
  return String(((ms % 1000) + 1000) % 1000).padStart(3, '0')
}

/** Time of day with milliseconds, as `14:03:12.345`. */
export function clockTime(ms: number, zone: string): string {
  const { hour, minute, second } = partsOf(ms, zone)
  return `${hour}:${minute}:${second}.${millisecondsOf(ms)}`
}

/** Day, as `2026-11-27`. */
export function dayOf(ms: number, zone: string): string {
  const { year, month, day } = partsOf(ms, zone)
  return `${year}-${month}-${day}`
}

/** Day and time without milliseconds, as `2026-11-27 14:03:12`. */
export function dayAndTime(ms: number, zone: string): string {
  const { hour, minute, second } = partsOf(ms, zone)
  return `${dayOf(ms, zone)} ${hour}:${minute}:${second}`
}

/** Time without milliseconds, as `14:03:12`, with its day unless another time of that day stands beside it. */
export function briefTime(ms: number, besideMs: number, zone: string): string {
  const text = dayAndTime(ms, zone)
  return dayOf(besideMs, zone) === text.slice(0, 10) ? text.slice(11) : text
}

/** RFC 3339 with milliseconds and offset, for copies. */
export function rfc3339(ms: number, zone: string): string {
  const { hour, minute, second, offset } = partsOf(ms, zone)
  return `${dayOf(ms, zone)}T${hour}:${minute}:${second}.${millisecondsOf(ms)}${offset === '+00:00' ? 'Z' : offset}`
}

/** Offset of a zone at an instant, as `+02:00`. */
export function offsetAt(ms: number, zone: string): string {
  return partsOf(ms, zone).offset
}

/** Label of a bucket of a chart: as much as its length needs. */
export function bucketLabel(ms: number, intervalMs: number, zone: string): string {
  const { month, day, hour, minute, second } = partsOf(ms, zone)
  if (intervalMs >= DAY_MS) return `${month}-${day}`
  if (intervalMs >= HOUR_MS) return `${month}-${day} ${hour}:${minute}`
  return intervalMs >= MINUTE_MS ? `${hour}:${minute}` : `${hour}:${minute}:${second}`
}

const STEPS_MS = [1, 2, 5, 10, 15, 30]
  .flatMap(each => [each * 1_000, each * MINUTE_MS])
  .concat(
    [1, 2, 3, 6, 12].map(each => each * HOUR_MS),
    [1, 2, 7, 14, 30, 90, 365].map(each => each * DAY_MS),
  )
  .sort((a, b) => a - b)

/** Round times of a zone within a range, at most `most` of them, with their labels. */
export function roundTimes(
  fromMs: number,
  toMs: number,
  { zone, most }: { readonly zone: string; readonly most: number },
): readonly { readonly ms: number; readonly label: string }[] {
  const step = STEPS_MS.find(each => (toMs - fromMs) / each < most) ?? toMs - fromMs + 1
  const offset = offsetMs(offsetAt(fromMs, zone))
  const first = Math.ceil((fromMs + offset) / step) * step - offset
  const times: number[] = []
  for (let ms = first; ms <= toMs; ms += step) times.push(ms)
  return times.map(ms => ({ ms, label: bucketLabel(ms, step, zone) }))
}

const TYPED =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?)?\s*(Z|[+-]\d\d:\d\d)?$/

/**
 * Reads a time that was typed, as `2026-11-27 14:03`, in a zone; with an offset at its end, in that. Of an hour that comes
 * twice it is the first.
 *
 * @returns UNIX ms; undefined if it is not a time, or one that clocks leave out
 */
export function typedTime(text: string, zone: string): number | undefined {
  const match = TYPED.exec(text.trim())
  if (match === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', offset] = match
  const numbers = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)]
  const utc = Date.UTC(...(numbers as [number, number])) + Number(fraction.padEnd(3, '0'))
  if (!sameDigits(utc, 'UTC', match)) return undefined
  if (offset !== undefined) return utc - offsetMs(offset === 'Z' ? '+00:00' : offset)
  // The offset of a zone changes at most once within a day.
  const offsets = [utc - DAY_MS, utc + DAY_MS].map(ms => offsetMs(offsetAt(ms, zone)))
  const instants = offsets.map(each => utc - each).sort((a, b) => a - b)
  return instants.find(ms => sameDigits(ms, zone, match))
}

function sameDigits(ms: number, zone: string, match: RegExpExecArray): boolean {
  const { hour, minute, second } = partsOf(ms, zone)
  const [, year, month, day, typedHour = '00', typedMinute = '00', typedSecond = '00'] = match
  return (
    dayOf(ms, zone) === `${year}-${month}-${day}` &&
    `${hour}:${minute}:${second}` === `${typedHour}:${typedMinute}:${typedSecond}`
  )
}

/** @param offset as `+02:00` */
function offsetMs(offset: string): number {
  const [hours, minutes] = offset.slice(1).split(':').map(Number)
  const ms = (hours ?? 0) * HOUR_MS + (minutes ?? 0) * MINUTE_MS
  return offset.startsWith('-') ? -ms : ms
}

/** An end of a range as addresses hold it: `15min`, `2h`, `7d` ago, `now`, or UNIX ms. @returns UNIX ms */
export function instantOf(text: string, nowMs: number): number | undefined {
  if (text === 'now') return nowMs
  const [, amount, unit] = /^(\d{1,6})(min|h|d)$/.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? 0)
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/**
 * Reads an end of a range that was typed in a zone.
 *
 * @returns the end as addresses hold it; undefined for anything else
 */
export function endOfRange(text: string, zone: string): string | undefined {
  const trimmed = text.trim()
  if (instantOf(trimmed, 0) !== undefined) return trimmed
  const ms = typedTime(trimmed, zone)
  return ms === undefined ? undefined : String(ms)
}

/**
 * Reads a time that was typed in a zone, as `14:03`, `2026-11-27 14:03:12` or `2h` ago. Without a day it is the last such
 * time that is not after an instant.
 *
 * @returns UNIX ms; undefined for anything else
 */
export function timeNear(text: string, lastMs: number, zone: string): number | undefined {
  const trimmed = text.trim()
  if (/^\d{1,2}:\d\d/.test(trimmed)) {
    const time = trimmed.padStart(trimmed.indexOf(':') === 1 ? trimmed.length + 1 : 0, '0')
    const found = [0, DAY_MS].map(before => typedTime(`${dayOf(lastMs - before, zone)} ${time}`, zone))
    return found.find(ms => ms !== undefined && ms <= lastMs)
  }
  const end = endOfRange(trimmed, zone)
  return end === undefined ? undefined : instantOf(end, Date.now())
}

export function isRelative(text: string): boolean {
  return !/^\d+$/.test(text)
}

/** Age of an instant in words, as `3 min ago`. */
export function ageOf(ms: number, nowMs: number): string {
  const age = nowMs - ms
  const text =
    Math.abs(age) < MINUTE_MS
      ? `${Math.round(Math.abs(age) / 1000)} s`
      : Math.abs(age) < HOUR_MS
        ? `${Math.round(Math.abs(age) / MINUTE_MS)} min`
        : Math.abs(age) < 2 * DAY_MS
          ? `${Math.round(Math.abs(age) / HOUR_MS)} h`
          : `${Math.round(Math.abs(age) / DAY_MS)} days`
  return age < 0 ? `in ${text}` : `${text} ago`
}

/** Width of a range in words, as `15 minutes`. */
export function rangeName(from: string): string | undefined {
  const [, amount, unit] = /^(\d+)(min|h|d)$/.exec(from) ?? []
  if (amount === undefined || unit === undefined) return undefined
  const noun = { min: 'minute', h: 'hour', d: 'day' }[unit] as string
  return amount === '1' ? `Last ${noun}` : `Last ${amount} ${noun}s`
}
