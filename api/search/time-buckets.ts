import { Temporal } from 'temporal-polyfill'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../engine/times/duration.ts'

/** Buckets of a histogram: each ends where the next one begins. */
export interface TimeBuckets {
  /** UNIX ms, ascending. The first is at or before the start of the period. */
  readonly starts: readonly number[]
  /** Length of a bucket. Buckets of days, months and years are as long as the calendar says; this is their usual length. */
  readonly intervalMs: number
}

interface Step {
  readonly ms: number
  /** The start of the step in which a time lies. */
  floor(time: Temporal.ZonedDateTime): Temporal.ZonedDateTime
  next(start: Temporal.ZonedDateTime): Temporal.ZonedDateTime
}

const STEPS: readonly Step[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map(count => exactStep('millisecond', count, count)),
  ...[1, 2, 5, 10, 15, 30].map(count => exactStep('second', count, count * 1000)),
  ...[1, 2, 5, 10, 15, 30].map(count => exactStep('minute', count, count * MINUTE_MS)),
  exactStep('hour', 1, HOUR_MS),
  ...[2, 3, 6, 12].map(localHours),
  ...[1, 2, 7].map(days),
  ...[1, 3, 12, 120, 1200].map(months),
]

/** True for a name of the IANA time zone database, such as `Europe/Berlin`, or an offset such as `+02:00`. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Now.instant().toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

/**
 * Divides a period into at most a number of buckets, as short as possible. They begin where clocks and calendars of a
 * time zone have round numbers.
 *
 * @param most 10 or more
 */
export function timeBuckets(fromMs: number, toMs: number, zone: string, most: number): TimeBuckets {
  for (const step of STEPS) {
    if ((toMs - fromMs) / step.ms > most + 1) continue
    const starts = startsOf(step, fromMs, toMs, zone)
    if (starts.length <= most) return { starts, intervalMs: step.ms }
  }
  throw new RangeError(`${most} buckets are too few for ${fromMs} to ${toMs}`)
}

/** Starts of all hours or days of a period, in a time zone. The first is at or before the start of the period. */
export function startsOfAll(unit: 'hour' | 'day', fromMs: number, toMs: number, zone: string): number[] {
  return startsOf(unit === 'hour' ? exactStep('hour', 1, HOUR_MS) : days(1), fromMs, toMs, zone)
}

function startsOf(step: Step, fromMs: number, toMs: number, zone: string): number[] {
  const from = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone)
  const starts: number[] = []
  for (let start = step.floor(from); start.epochMilliseconds <= toMs; start = step.next(start))
    starts.push(start.epochMilliseconds)
  return starts
}

/** Steps of the same length, also where clocks are changed, since they are changed by whole steps. */
function exactStep(unit: 'millisecond' | 'second' | 'minute' | 'hour', count: number, ms: number): Step {
  return {
    ms,
    floor: time => time.round({ smallestUnit: unit, roundingIncrement: count, roundingMode: 'floor' }),
    next: start => start.add({ milliseconds: ms }),
  }
}

/** Hours of the clock: on the day of a change, one of the steps is an hour longer or shorter. */
function localHours(count: number): Step {
  return {
    ms: count * HOUR_MS,
    floor: time => atHour(time, time.hour - (time.hour % count)),
    next: start => {
      const hour = start.hour - (start.hour % count) + count
      return hour < 24 ? atHour(start, hour) : start.add({ days: 1 }).startOfDay()
    },
  }
}

function atHour(time: Temporal.ZonedDateTime, hour: number): Temporal.ZonedDateTime {
  return hour === 0 ? time.startOfDay() : time.startOfDay().with({ hour })
}

/** Days, pairs of days and weeks are counted from a Monday, which lies before all lines. */
function days(count: number): Step {
  return {
    ms: count * DAY_MS,
    floor: time => {
      const sinceMonday = Temporal.PlainDate.from('1900-01-01').until(time.toPlainDate()).days
      return time.subtract({ days: sinceMonday % count }).startOfDay()
    },
    next: start => start.add({ days: count }).startOfDay(),
  }
}

function months(count: number): Step {
  return {
    ms: count * 30 * DAY_MS,
    floor: time => {
      const month = time.year * 12 + time.month - 1
      return time
        .with({ day: 1 })
        .subtract({ months: month % count })
        .startOfDay()
    },
    next: start => start.add({ months: count }).startOfDay(),
  }
}
