import { finish, type Steps } from '../steps.ts'
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
const BACKSLASH = 0x5c
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const LETTER_E = 0x65
const LOWER_CASE = 0x20
/** Members or elements of one step: half a millisecond. */
export const PARTS_OF_STEP = 2_000
/** Characters of one step of a walk: half a millisecond if each of them counts. */
const CHARACTERS_OF_STEP = 64 * 1024
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
  for (let at = skipBlanks(text, from + 1); text[at] !== '}'; ) {
    const keyEnd = valueEnd(text, at)
    const start = afterColon(text, keyEnd)
    const end = valueEnd(text, start)
    members.set(keyOf(text.slice(at, keyEnd)), text.slice(start, end))
    at = nextPart(text, end)
  }
  return members
}

/** @returns the members that `membersAt` would have under these names; without names all of them */
export function* readingMembers(
  text: string,
  from: number,
  names?: ReadonlySet<string>,
): Steps<Map<string, string>> {
  const members = new Map<string, string>()
  let read = 0
  for (let at = skipBlanks(text, from + 1); text[at] !== '}'; ) {
    const keyEnd = yield* findingEnd(text, at)
    const start = afterColon(text, keyEnd)
    const end = yield* findingEnd(text, start)
    const key = keyOf(text.slice(at, keyEnd))
    if (names === undefined || names.has(key)) members.set(key, text.slice(start, end))
    at = nextPart(text, end)
    if (++read % PARTS_OF_STEP === 0) yield
  }
  return members
}

function keyOf(written: string): string {
  const key = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
  return key.toWellFormed()
}

function afterColon(text: string, keyEnd: number): number {
  return skipBlanks(text, skipBlanks(text, keyEnd) + 1)
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
  return finish(findingNesting(text))
}

/** Like `nestingOf`, in steps. */
export function* findingNesting(text: string): Steps<number> {
  let level = 0
  let deepest = 0
  let isInString = false
  let restAt = CHARACTERS_OF_STEP
  for (let at = 0; at < text.length; at++) {
    if (at >= restAt) {
      yield
      restAt = at + CHARACTERS_OF_STEP
    }
    if (isInString) {
      at = quoteFrom(text, at)
      isInString = isEscaped(text, at)
      continue
    }
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isInString = true
    else if (unit === OBJECT || unit === ARRAY) deepest = Math.max(deepest, ++level)
    else if (unit === OBJECT_END || unit === ARRAY_END) level--
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
  return finish(countingParts(text))
}

/** Like `partsOf`, in steps. */
export function* countingParts(text: string): Steps<number> {
  let parts = 0
  /** Digits of the present number, with its point. */
  let digits = 0
  let isInString = false
  let restAt = CHARACTERS_OF_STEP
  for (let at = 0; at < text.length; at++) {
    if (at >= restAt) {
      yield
      restAt = at + CHARACTERS_OF_STEP
    }
    if (isInString) {
      at = quoteFrom(text, at)
      isInString = isEscaped(text, at)
      continue
    }
    const unit = text.charCodeAt(at)
    if ((unit >= ZERO && unit <= NINE) || unit === POINT) {
      if (digits++ === EXACT_DIGITS) parts++
      continue
    }
    if (unit === QUOTE) isInString = true
    else if (unit === COLON || unit === OBJECT || unit === ARRAY) parts++
    else if (digits > 0 && (unit | LOWER_CASE) === LETTER_E) parts++
    digits = 0
  }
  return parts
}

/** Returns the same JSON without blanks between parts. @param text valid JSON */
export function* removingBlanks(text: string): Steps<string> {
  /** Kept pieces of the present step. They are joined here, since a text of very many pieces is slow to read. */
  let kept: string[] = []
  let result = ''
  let copied = 0
  let isInString = false
  let restAt = CHARACTERS_OF_STEP
  for (let at = 0; at < text.length; at++) {
    if (at >= restAt) {
      result += kept.join('')
      kept = []
      yield
      restAt = at + CHARACTERS_OF_STEP
    }
    if (isInString) {
      at = quoteFrom(text, at)
      isInString = isEscaped(text, at)
      continue
    }
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isInString = true
    else if (unit <= BLANK) {
      if (at > copied) kept.push(text.slice(copied, at))
      copied = at + 1
    }
  }
  return result + kept.join('') + text.slice(copied)
}

/** Position after a part: the next part, or the closing bracket. */
export function nextPart(text: string, end: number): number {
  const at = skipBlanks(text, end)
  return text[at] === ',' ? skipBlanks(text, at + 1) : at
}

/**
 * Position after the value that begins at `from`.
 *
 * @param limit the value is not followed beyond this position: the result is then greater, and is not its end
 */
export function valueEnd(text: string, from: number, limit = text.length + 1): number {
  const first = text[from]
  if (first === '"') return stringEnd(text, from, limit)
  if (first === '{' || first === '[') return containerEnd(text, from, limit)
  return scalarEnd(text, from, limit)
}

/** Like `valueEnd`, in steps. @param text valid JSON */
export function* findingEnd(text: string, from: number): Steps<number> {
  let restAt = from + CHARACTERS_OF_STEP
  const end = valueEnd(text, from, restAt)
  if (end <= restAt) return end
  let level = 0
  let isInString = false
  for (let at = from; at < text.length; at++) {
    if (at >= restAt) {
      yield
      restAt = at + CHARACTERS_OF_STEP
    }
    if (isInString) {
      at = quoteFrom(text, at)
      isInString = isEscaped(text, at)
      if (!isInString && level === 0) return at + 1
      continue
    }
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isInString = true
    else if (unit === OBJECT || unit === ARRAY) level++
    else if (level === 0) {
      if (isEndOfScalar(unit)) return at
    } else if ((unit === OBJECT_END || unit === ARRAY_END) && --level === 0) return at + 1
  }
  return text.length
}

/** Position of the next quote at or after `from`; the end of the text without one. */
function quoteFrom(text: string, from: number): number {
  const at = text.indexOf('"', from)
  return at < 0 ? text.length : at
}

/** Whether the quote at a position within a string belongs to it. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (quote - first) % 2 === 1
}

/** Position after the number or word that begins at `from`. */
export function scalarEnd(text: string, from: number, limit = text.length + 1): number {
  let at = from
  while (at < text.length && at <= limit && !isEndOfScalar(text.charCodeAt(at))) at++
  return at
}

function isEndOfScalar(unit: number): boolean {
  return unit === COMMA || unit === ARRAY_END || unit === OBJECT_END || unit <= BLANK
}

function containerEnd(text: string, from: number, limit: number): number {
  const last = Math.min(text.length, limit)
  let level = 0
  for (let at = from; at < last; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = stringEnd(text, at, limit) - 1
    else if (unit === OBJECT || unit === ARRAY) level++
    else if ((unit === OBJECT_END || unit === ARRAY_END) && --level === 0) return at + 1
  }
  return last === limit ? limit + 1 : last
}
