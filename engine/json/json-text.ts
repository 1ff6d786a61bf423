import type { JsonValue } from '../../schemas/json.ts'
import { parseKeySafe } from './key-safe-json.ts'

/** 2^53 has sixteen digits. */
const BIG_INTEGER_DIGITS = 16
const INTEGER = /^-?\d+$/

/**
 * Parses JSON; integer literals beyond ±(2^53 − 1) become bigint, so that they print with all their digits
 * (components, section 1.2). To make a bigint of very many digits takes time that grows with their square: this is for
 * what the program has taken in already.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  return parseWith(text, bigIntegerOr)
}

/**
 * The same for what anybody sent: integers beyond the range of a double become infinite, as all numbers there do, so
 * that no bigint is made of more than 309 digits.
 *
 * @throws SyntaxError
 */
export function parseBoundedNumbers(text: string): JsonValue {
  return parseWith(text, boundedNumber)
}

function parseWith(text: string, numberOf: (value: number, source: string) => number | bigint): JsonValue {
  // Only a text with sixteen digits in a row can hold such a number: all others take the plain, fast parse.
  if (!mayHoldBigInteger(text)) return parseKeySafe(text)
  return parseKeySafe(text, (value, source) =>
    typeof value !== 'number' || source === undefined ? value : numberOf(value, source),
  )
}

/** The number of a literal, unless that is infinite. @param source as it is written */
export function boundedNumber(value: number, source: string): number | bigint {
  return Number.isFinite(value) ? bigIntegerOr(value, source) : value
}

function bigIntegerOr(value: number, source: string): number | bigint {
  return !Number.isSafeInteger(value) && INTEGER.test(source) ? BigInt(source) : value
}

/** A number that only an exponent, or hundreds of digits, can make too large. */
const MAY_BE_TOO_LARGE = /[eE]\+?\d{3}/
const TOO_MANY_DIGITS = 300

/**
 * The same, of what is to be kept: a number that is too large for any number here would turn into null when it is
 * written.
 *
 * @throws SyntaxError
 */
export function parseKeptJson(text: string): JsonValue {
  const value = parseBoundedNumbers(text)
  assertNoneTooLarge(value, text)
  return value
}

/** @param text what the value was parsed from; @throws SyntaxError */
export function assertNoneTooLarge(value: JsonValue, text: string): void {
  const mayHold = MAY_BE_TOO_LARGE.test(text) || hasDigitsInARow(text, TOO_MANY_DIGITS)
  if (mayHold && holdsInfinity(value)) throw new SyntaxError('it holds a number that is too large')
}

function holdsInfinity(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return value !== null && typeof value === 'object' && Object.values(value).some(holdsInfinity)
}

/** Compact JSON text, members in their order; -0 prints as 0. */
export function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? rawJson(member.toString()) : member,
    )
  }
}

/**
 * The same for what this program reads again itself: `parseJson` gives back the very value, since doubles that look like
 * integers of arbitrary size are written with an exponent.
 */
export function exactJsonText(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return rawJson(member.toString())
    if (typeof member !== 'number') return member
    if (Object.is(member, -0)) return rawJson('-0')
    return Number.isInteger(member) && !Number.isSafeInteger(member)
      ? rawJson(member.toExponential())
      : member
  })
}

/** The same, quick where no number needs it, as nearly always; -0 becomes 0. */
export function keptJsonText(value: JsonValue): string {
  const text = jsonText(value)
  return mayHoldBigInteger(text) ? exactJsonText(value) : text
}

function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}

/** A string as it is, everything else its compact JSON (components, section 7.1). */
export function textForm(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value)
}

/** Whether a value that is parsed from the text may hold an integer that no double holds. */
export function mayHoldBigInteger(text: string): boolean {
  return hasDigitsInARow(text, BIG_INTEGER_DIGITS)
}

/** Of so many digits in a row one stands at a multiple of the count: the others need not be looked at. */
function hasDigitsInARow(text: string, count: number): boolean {
  for (let probe = count - 1; probe < text.length; probe += count) {
    if (!isDigit(text.charCodeAt(probe))) continue
    let first = probe
    while (first > 0 && isDigit(text.charCodeAt(first - 1))) first--
    let end = probe + 1
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    if (end - first >= count) return true
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
