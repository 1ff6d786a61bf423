import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import type { Steps } from '../steps.ts'
import { parseKeySafe } from './key-safe-json.ts'
import { keysOf } from './ordered-object.ts'

/** 2^53 has sixteen digits. */
const BIG_INTEGER_DIGITS = 16
const INTEGER = /^-?\d+$/

/**
 * Parses JSON. Integer literals beyond ±(2^53 − 1) become bigint, so that they keep all digits (components, section 1.2).
 * The time to create a bigint grows with the square of its digits: use this only for text that the program has already
 * accepted.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  return parseWith(text, bigIntegerOr)
}

/**
 * Like `parseJson`, for untrusted text. Integers beyond the range of a double become infinite, like other such numbers,
 * so a bigint never has more than 309 digits.
 *
 * @throws SyntaxError
 */
export function parseBoundedNumbers(text: string): JsonValue {
  return parseWith(text, boundedNumber)
}

function parseWith(text: string, numberOf: (value: number, source: string) => number | bigint): JsonValue {
  // Such a number needs sixteen digits in a row; all other texts take the plain, fast parse.
  if (!mayHoldBigInteger(text)) return parseKeySafe(text)
  return parseKeySafe(text, (value, source) =>
    typeof value !== 'number' || source === undefined ? value : numberOf(value, source),
  )
}

/** The number of a literal, unless it is infinite. @param source text of the number */
export function boundedNumber(value: number, source: string): number | bigint {
  return Number.isFinite(value) ? bigIntegerOr(value, source) : value
}

function bigIntegerOr(value: number, source: string): number | bigint {
  return !Number.isSafeInteger(value) && INTEGER.test(source) ? BigInt(source) : value
}

/** Only an exponent or hundreds of digits can make a number too large. */
const MAY_BE_TOO_LARGE = /[eE]\+?\d{3}/
const TOO_MANY_DIGITS = 300

/**
 * Like `parseBoundedNumbers`, for text that is stored: an infinite number is refused, because it would be written as null.
 *
 * @throws SyntaxError
 */
export function parseKeptJson(text: string): JsonValue {
  const value = parseBoundedNumbers(text)
  assertNoneTooLarge(value, text)
  return value
}

/** @param text source of the value @throws SyntaxError */
export function assertNoneTooLarge(value: JsonValue, text: string): void {
  const mayHold = MAY_BE_TOO_LARGE.test(text) || hasDigitsInARow(text, TOO_MANY_DIGITS)
  if (mayHold && holdsInfinity(value)) throw new SyntaxError('it contains a number that is too large')
}

function holdsInfinity(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return value !== null && typeof value === 'object' && Object.values(value).some(holdsInfinity)
}

/**
 * Compact JSON text, members in their order; -0 prints as 0.
 *
 * @param value may also be an object of a declared type whose members are JSON values or absent
 */
export function jsonText(value: JsonValue | object): string {
  try {
    return JSON.stringify(value)
  } catch {
    return textWith(value, String) as string
  }
}

/**
 * JSON text of a value that `JSON.stringify` does not print as it must be. A replacer takes several times as long for each value.
 *
 * @param numberText prints a finite number
 * @returns undefined for a value that is left out of an object
 */
function textWith(value: unknown, numberText: (value: number) => string): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? numberText(value) : 'null'
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return JSON.stringify(value)
  // Parts are joined, since a text of very many sums is slow to read.
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const element of value) parts.push(textWith(element, numberText) ?? 'null')
    return `[${parts.join()}]`
  }
  for (const key of keysOf(value as JsonObject)) {
    const text = textWith((value as JsonObject)[key], numberText)
    if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${parts.join()}}`
}

/**
 * JSON text for the program's own use: `parseJson` returns an equal value, because doubles that look like big integers
 * are written with an exponent.
 */
export function exactJsonText(value: JsonValue): string {
  return isKeptByStringify(value) ? JSON.stringify(value) : (textWith(value, exactNumberText) as string)
}

function exactNumberText(value: number): string {
  if (Object.is(value, -0)) return '-0'
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)
}

/** Whether `JSON.stringify` prints each number of a value as `exactJsonText` does. */
function isKeptByStringify(value: JsonValue): boolean {
  if (typeof value === 'number')
    return !Number.isInteger(value) || (Number.isSafeInteger(value) && !Object.is(value, -0))
  if (typeof value !== 'object' || value === null || value instanceof NumberText)
    return typeof value !== 'bigint'
  if (Array.isArray(value)) return value.every(isKeptByStringify)
  for (const key in value) if (!isKeptByStringify(value[key] as JsonValue)) return false
  return true
}

/** Like `jsonText`, but faster when no number needs special treatment, which is nearly always; -0 becomes 0. */
export function keptJsonText(value: JsonValue): string {
  const text = jsonText(value)
  return mayHoldBigInteger(text) ? exactJsonText(value) : text
}

/** Text form of a value: a string itself, otherwise compact JSON (components, section 7.1). */
export function textForm(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value)
}

/** Whether a value parsed from the text may contain an integer that a double cannot represent. */
export function mayHoldBigInteger(text: string): boolean {
  return hasDigitsInARow(text, BIG_INTEGER_DIGITS)
}

/** One of `count` digits in a row is at a multiple of `count`, so the other positions are skipped. */
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

/**
 * Prints a large document as `jsonText` does, with pauses between its members.
 *
 * @param depth levels of nested values between whose members the work pauses; deeper values are printed at once
 */
export function* jsonTextInSteps(value: JsonValue | object, depth: number): Steps<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) return jsonText(value)
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const element of value) {
      parts.push(yield* jsonTextInSteps(element, depth - 1))
      yield
    }
    return `[${parts.join(',')}]`
  }
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    parts.push(`${JSON.stringify(name)}:${yield* jsonTextInSteps(member, depth - 1)}`)
    yield
  }
  return `{${parts.join(',')}}`
}
