import type { Steps } from '../steps.ts'
import { skipBlanks, stringEnd } from './marked-keys.ts'

/**
 * Walks a valid JSON text and finds its parts as written, so that stored copies keep all digits and the order.
 * It does not recurse, so depth costs nothing.
 */

const BLANK = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const LETTER_E = 0x65
const LOWER_CASE = 0x20
/** Members or elements of one step: half a millisecond. */
export const PARTS_OF_STEP = 2_000
/** A shorter number has no more digits than a double keeps. */
const EXACT_DIGITS = 15

/** Place of a value in the text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** @returns the members of the object that begins at `from`; the last one of a repeated name counts */
export function membersAt(text: string, from: number): Map<string, string> {
  const members = new Map<string, string>()
  forEachMember(text, skipBlanks(text, from + 1), Number.POSITIVE_INFINITY, (key, start, end) =>
    members.set(key, text.slice(start, end)),
  )
  return members
}

/** @returns the members that `membersAt` would have under these names; without names all of them */
export function* readingMembers(
  text: string,
  from: number,
  names?: ReadonlySet<string>,
): Steps<Map<string, string>> {
  const members = new Map<string, string>()
  const note = (key: string, start: number, end: number) => {
    if (names === undefined || names.has(key)) members.set(key, text.slice(start, end))
  }
  for (let at = skipBlanks(text, from + 1); text[at] !== '}'; yield)
    at = forEachMember(text, at, PARTS_OF_STEP, note)
  return members
}

/**
 * Visits members of an object from one of them on.
 *
 * @returns position of the next member, or of the closing brace
 */
function forEachMember(
  text: string,
  first: number,
  most: number,
  note: (key: string, start: number, end: number) => void,
): number {
  let at = first
  for (let left = most; left > 0 && text[at] !== '}'; left--) {
    const keyEnd = valueEnd(text, at)
    const written = text.slice(at, keyEnd)
    const key = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
    const end = valueEnd(text, start)
    note(key.toWellFormed(), start, end)
    at = nextPart(text, end)
  }
  return at
}

/** Yields the elements of the array that begins at `from`, on demand. */
export function* elementsAt(text: string, from: number): Generator<Span> {
  let at = skipBlanks(text, from + 1)
  while (text[at] !== ']') {
    const end = valueEnd(text, at)
    yield { start: at, end }
    at = nextPart(text, end)
  }
}

/** Deepest nesting of arrays and objects; also valid for texts that are not JSON. */
export function nestingOf(text: string): number {
  let level = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = stringEnd(text, at) - 1
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++level)
    else if (unit === 0x7d || unit === 0x5d) level--
  }
  return deepest
}

/**
 * Number of members, arrays and objects at all depths, and of numbers that take more time than their size suggests.
 * Those have an exponent, or more digits than a double always keeps.
 *
 * @param text valid JSON
 */
export function partsOf(text: string): number {
  let parts = 0
  /** Digits of the present number, with its point. */
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if ((unit >= ZERO && unit <= NINE) || unit === POINT) {
      if (digits++ === EXACT_DIGITS) parts++
      continue
    }
    if (unit === QUOTE) at = stringEnd(text, at) - 1
    else if (unit === COLON || unit === OBJECT || unit === ARRAY) parts++
    else if (digits > 0 && (unit | LOWER_CASE) === LETTER_E) parts++
    digits = 0
  }
  return parts
}

/** Returns the same JSON without blanks between parts. @param text valid JSON */
export function withoutBlanks(text: string): string {
  let result = ''
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = stringEnd(text, at) - 1
    else if (unit <= BLANK) {
      result += text.slice(copied, at)
      copied = skipBlanks(text, at)
      at = copied - 1
    }
  }
  return result + text.slice(copied)
}

/** Position after a part: the next part, or the closing bracket. */
export function nextPart(text: string, end: number): number {
  const at = skipBlanks(text, end)
  return text[at] === ',' ? skipBlanks(text, at + 1) : at
}

/** Position after the value that begins at `from`. */
export function valueEnd(text: string, from: number): number {
  const first = text[from]
  if (first === '"') return stringEnd(text, from)
  if (first === '{' || first === '[') return containerEnd(text, from)
  return scalarEnd(text, from)
}

/** Position after the number or word that begins at `from`. */
export function scalarEnd(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === COMMA || unit === ARRAY_END || unit === OBJECT_END || unit <= BLANK) break
  }
  return at
}

function containerEnd(text: string, from: number): number {
  let level = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = stringEnd(text, at) - 1
    else if (unit === 0x7b || unit === 0x5b) level++
    else if ((unit === 0x7d || unit === 0x5d) && --level === 0) return at + 1
  }
  return text.length
}
