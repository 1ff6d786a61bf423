import { COLON, COMMA, DOT, isDigit, MINUS, QUOTE, SPACE, ZERO } from './characters'
import { timeOfText } from './scan-host'
import { specialFrom } from './strings'

/** Forms of timestamps, as in schemas/log/line-batch.ts. */
const ABSENT: u8 = 0
const NUMBER_MS: u8 = 1
const TEXT_MS: u8 = 2
export const OTHER: u8 = 3

/** Longer sources of timestamps are left to the complete rules. */
const MAX_NUMBER_BYTES: usize = 32
const MAX_TEXT_BYTES: usize = 64
/** A u64 holds any number of that many digits. */
const MAX_DIGITS: u32 = 19

// The magnitude of a number says its unit: the most digits of each.
const SECOND_DIGITS: u32 = 11
const MS_DIGITS: u32 = 14
const MICROSECOND_DIGITS: u32 = 17

const MS_PER_SECOND: i64 = 1000
const MS_PER_MINUTE: i64 = 60_000
const MS_PER_DAY: i64 = 86_400_000

/** Bytes of `2026-11-26T22:30:00`. */
const DATE_TIME_BYTES: usize = 19
/** First year of which every date-time is one of a line, whatever its offset. */
const FIRST_YEAR: i32 = 1971

let receivedAtMs: f64 = 0
let earliestMs: f64 = 0
let latestMs: f64 = 0

// The time of the present line.
let ms: f64 = 0
let kind: u8 = ABSENT
let isOutOfBounds: bool = false
let sourceStart: usize = 0
let sourceEnd: usize = 0

// The number that `readTimeNumber` has read.
let isPlainInteger: bool = false
let numberMs: i64 = 0

export function setTimeBounds(received: f64, earliest: f64, latest: f64): void {
  receivedAtMs = received
  earliestMs = earliest
  latestMs = latest
}

/** The time of arrival, for a line without a timestamp. */
export function beginTime(): void {
  ms = receivedAtMs
  kind = ABSENT
  isOutOfBounds = false
}

export function timeMs(): f64 {
  return ms
}

export function timeKind(): u8 {
  return kind
}

/** Whether the sent time was replaced by that of arrival. */
export function isRetimed(): bool {
  return isOutOfBounds
}

/** The timestamp as it was sent. */
export function timeSourceStart(): usize {
  return sourceStart
}

export function timeSourceEnd(): usize {
  return sourceEnd
}

/** @returns place behind the timestamp; 0 when the complete rules must read it */
export function readTime(at: usize): usize {
  if (load<u8>(at) === QUOTE) return readTextTime(at)
  const end = readTimeNumber(at)
  if (end === 0 || end - at > MAX_NUMBER_BYTES || (load<u8>(end) | 0x20) === 0x65 /* e */) return 0
  takeTime(<f64>numberMs, isPlainInteger ? NUMBER_MS : OTHER, at, end)
  return end
}

function readTextTime(at: usize): usize {
  const start = at + 1
  const end = specialFrom(start)
  if (load<u8>(end) !== QUOTE || end - start > MAX_TEXT_BYTES) return 0
  if (readTimeNumber(start) === end) takeTime(<f64>numberMs, isPlainInteger ? TEXT_MS : OTHER, at, end + 1)
  else {
    const dateMs = dateTimeMs(start, end)
    takeTime(dateMs === 0 ? timeOfText(start, <u32>(end - start)) : <f64>dateMs, OTHER, at, end + 1)
  }
  return end + 1
}

/** @param sent NaN when it is not a time */
function takeTime(sent: f64, plainKind: u8, start: usize, end: usize): void {
  sourceStart = start
  sourceEnd = end
  isOutOfBounds = sent < earliestMs || sent > latestMs
  const isKept = !isOutOfBounds && !F64.isNaN(sent)
  ms = isKept ? sent : receivedAtMs
  kind = isKept ? plainKind : OTHER
}

/**
 * Reads a number without an exponent, and its time by its magnitude: seconds, milliseconds, microseconds or nanoseconds.
 *
 * @returns place behind it; 0 when the complete rules must read it
 */
function readTimeNumber(at: usize): usize {
  const first = at
  if (load<u8>(at) === ZERO) return 0
  let value: u64 = 0
  for (let byte = load<u8>(at); isDigit(byte); byte = load<u8>(++at)) value = value * 10 + (byte - ZERO)
  const digits = <u32>(at - first)
  if (digits === 0 || digits > MAX_DIGITS) return 0
  let fractionMs: u64 = 0
  const point = at
  if (load<u8>(at) === DOT) {
    at++
    fractionMs = fractionAt(at)
    while (isDigit(load<u8>(at))) at++
    if (at === point + 1) return 0
  }
  isPlainInteger = at === point && digits > SECOND_DIGITS && digits <= MS_DIGITS
  if (digits <= SECOND_DIGITS) numberMs = <i64>(value * 1000 + fractionMs)
  else if (digits <= MS_DIGITS) numberMs = <i64>value
  else numberMs = <i64>(value / (digits <= MICROSECOND_DIGITS ? 1000 : 1_000_000))
  return at
}

/** The first three digits of a fraction of a second. */
function fractionAt(at: usize): u64 {
  let value: u64 = 0
  for (let index: usize = 0; index < 3; index++) {
    const byte = load<u8>(at)
    const digit = isDigit(byte)
    value = value * 10 + (digit ? byte - ZERO : 0)
    if (digit) at++
  }
  return value
}

/** UNIX ms of a date-time of RFC 3339 in its usual form; 0 for any other text. */
function dateTimeMs(at: usize, end: usize): i64 {
  if (end - at < DATE_TIME_BYTES) return 0
  const year = numberOf(at, 4)
  const month = numberOf(at + 5, 2)
  const day = numberOf(at + 8, 2)
  const hour = numberOf(at + 11, 2)
  const minute = numberOf(at + 14, 2)
  const second = numberOf(at + 17, 2)
  if (load<u8>(at + 4) !== MINUS || load<u8>(at + 7) !== MINUS || !isBetweenDateAndTime(load<u8>(at + 10)))
    return 0
  if (load<u8>(at + 13) !== COLON || load<u8>(at + 16) !== COLON) return 0
  if (year < FIRST_YEAR || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return 0
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return 0
  at += DATE_TIME_BYTES
  let fractionMs: i64 = 0
  const mark = load<u8>(at)
  if (mark === DOT || mark === COMMA) {
    const first = ++at
    fractionMs = <i64>fractionAt(at)
    while (isDigit(load<u8>(at))) at++
    if (at === first) return 0
  }
  const offsetMinutes = offsetAt(at, end)
  if (offsetMinutes === NO_OFFSET) return 0
  const minutes = <i64>(hour * 60 + minute - offsetMinutes)
  return (
    daysBefore(year, month, day) * MS_PER_DAY +
    minutes * MS_PER_MINUTE +
    <i64>second * MS_PER_SECOND +
    fractionMs
  )
}

function isBetweenDateAndTime(byte: u8): bool {
  return byte === 0x54 /* T */ || byte === 0x74 /* t */ || byte === SPACE
}

/** Number of some digits; negative for other bytes. */
function numberOf(at: usize, digits: usize): i32 {
  let value: i32 = 0
  for (let index: usize = 0; index < digits; index++) {
    const byte = load<u8>(at + index)
    if (!isDigit(byte)) return -1
    value = value * 10 + (byte - ZERO)
  }
  return value
}

const NO_OFFSET: i32 = i32.MAX_VALUE

/** Offset from UTC in minutes; a date-time without one is in UTC. */
function offsetAt(at: usize, end: usize): i32 {
  if (at === end) return 0
  const sign = load<u8>(at)
  if ((sign | 0x20) === 0x7a /* z */) return at + 1 === end ? 0 : NO_OFFSET
  if (sign !== MINUS && sign !== 0x2b /* + */) return NO_OFFSET
  const hours = numberOf(at + 1, 2)
  const minuteAt = load<u8>(at + 3) === COLON ? at + 4 : at + 3
  const minutes = numberOf(minuteAt, 2)
  if (minuteAt + 2 !== end || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return NO_OFFSET
  return sign === MINUS ? -(hours * 60 + minutes) : hours * 60 + minutes
}

function isLeapYear(year: i32): bool {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysIn(year: i32, month: i32): i32 {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Days from 1970-01-01 to a date. Years are counted from March on, so that the leap day is the last one. */
function daysBefore(year: i32, month: i32, day: i32): i64 {
  const marchYear = month > 2 ? year : year - 1
  const marchMonth = month > 2 ? month - 3 : month + 9
  const leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
  const dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
  return <i64>(marchYear * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970)
}

/** Days from 0000-03-01 to 1970-01-01. */
const DAYS_BEFORE_1970: i32 = 719_468
