import { DAY_S } from './duration.ts'
import { type Instant, instantOf } from './instant.ts'

/** Parts of a time from a text; undefined for parts that the text does not contain. */
export class TimeParts {
  year: number | undefined = undefined
  yearOfCentury: number | undefined = undefined
  /** Counted from 1. */
  month: number | undefined = undefined
  day: number | undefined = undefined
  /** Counted from 1. */
  dayOfYear: number | undefined = undefined
  /** Counted from Sunday, which is 0. */
  weekday: number | undefined = undefined
  hour: number | undefined = undefined
  /** 1 to 12. */
  hourOfHalf: number | undefined = undefined
  /** 0 before noon, 1 after. */
  half: number | undefined = undefined
  minute: number | undefined = undefined
  /** 60 in a leap second. */
  second: number | undefined = undefined
  nanosecond: number | undefined = undefined
  epochSecond: number | undefined = undefined
  /** East of Greenwich. */
  offsetMinutes: number | undefined = undefined
}

export type TimePart = keyof TimeParts

const MAX_AHEAD_SECONDS = 31 * DAY_S
/** Days from the start of the year 0 to that of 1970. */
const DAYS_TO_1970 = 719_528
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

/**
 * The moment that the parts name, in UTC unless they contain an offset. A date alone means midnight. A date without a
 * year belongs to the year of `nowMs`. It belongs to the previous year if it would otherwise be more than 31 days ahead.
 *
 * @returns undefined for parts that contradict each other: a wrong weekday, or 29 February in most years
 */
export function instantOfParts(parts: TimeParts, nowMs: number): Instant | undefined {
  if (parts.second === 60) {
    // Leap seconds are not counted: it is the last moment before the next minute.
    parts.second = 59
    parts.nanosecond = 999_999_999
  }
  const offsetSeconds = (parts.offsetMinutes ?? 0) * 60
  const nanosecond = parts.nanosecond ?? 0
  const epochSecond = parts.epochSecond ?? epochSecondOfDate(parts, offsetSeconds, nowMs)
  const instant = instantOf(epochSecond, nanosecond)
  if (instant === undefined) return undefined
  return agree(parts, new Date((epochSecond + offsetSeconds) * 1000)) ? instant : undefined
}

function epochSecondOfDate(parts: TimeParts, offsetSeconds: number, nowMs: number): number {
  const year = parts.year ?? fullYear(parts.yearOfCentury)
  if (year !== undefined) return localSecond(parts, year) - offsetSeconds
  const yearNow = new Date(nowMs).getUTCFullYear()
  const second = localSecond(parts, yearNow) - offsetSeconds
  const aheadMs = second * 1000 - nowMs + (parts.nanosecond ?? 0) / 1_000_000
  return aheadMs > MAX_AHEAD_SECONDS * 1000 ? localSecond(parts, yearNow - 1) - offsetSeconds : second
}

/** 00 to 68 belong to this century. */
function fullYear(yearOfCentury: number | undefined): number | undefined {
  if (yearOfCentury === undefined) return undefined
  return yearOfCentury <= 68 ? 2000 + yearOfCentury : 1900 + yearOfCentury
}

/** Surplus days of a month count into the next one: `agree` finds them. */
function localSecond(parts: TimeParts, year: number): number {
  const { month, day, hour, hourOfHalf = 0, half = 0, minute = 0, second = 0 } = parts
  const dayOfYear =
    month === undefined || day === undefined ? (parts.dayOfYear ?? 1) : dayOfYearOf(year, month, day)
  const days = daysBeforeYear(year) + dayOfYear - 1
  const hours = hour ?? (hourOfHalf % 12) + 12 * half
  return days * DAY_S + hours * 3600 + minute * 60 + second
}

function daysBeforeYear(year: number): number {
  const leapDays = Math.floor((year + 3) / 4) - Math.floor((year + 99) / 100) + Math.floor((year + 399) / 400)
  return 365 * year + leapDays - DAYS_TO_1970
}

function dayOfYearOf(year: number, month: number, day: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return (DAYS_BEFORE_MONTH[month - 1] as number) + (isLeap && month > 2 ? 1 : 0) + day
}

/** Whether every part agrees with the local time. */
function agree(parts: TimeParts, local: Date): boolean {
  const year = local.getUTCFullYear()
  const month = local.getUTCMonth() + 1
  const day = local.getUTCDate()
  const hour = local.getUTCHours()
  const { yearOfCentury, hourOfHalf } = parts
  return (
    isOrUnsaid(parts.year, year) &&
    (yearOfCentury === undefined || fullYear(yearOfCentury) === year) &&
    isOrUnsaid(parts.month, month) &&
    isOrUnsaid(parts.day, day) &&
    (parts.dayOfYear === undefined || parts.dayOfYear === dayOfYearOf(year, month, day)) &&
    isOrUnsaid(parts.weekday, local.getUTCDay()) &&
    isOrUnsaid(parts.hour, hour) &&
    (hourOfHalf === undefined || hourOfHalf % 12 === hour % 12) &&
    isOrUnsaid(parts.half, hour < 12 ? 0 : 1) &&
    isOrUnsaid(parts.minute, local.getUTCMinutes()) &&
    isOrUnsaid(parts.second, local.getUTCSeconds())
  )
}

function isOrUnsaid(said: number | undefined, value: number): boolean {
  return said === undefined || said === value
}

/** Day of the year, counted from 1. */
export function dayOfYear(date: Date): number {
  return dayOfYearOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
}
