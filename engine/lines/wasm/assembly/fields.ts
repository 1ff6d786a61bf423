import { copyBytes, writeLength } from './bytes'
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  isDigit,
  MINUS,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipBlanks,
} from './characters'
import { keepNumber, keepText, keepTextFrom, MAX_LENGTH_BYTES, nextText } from './columns'
import { compactEnd, copyCompact } from './compact-json'
import { findName, isKeyAt, Name, numberOf } from './names'
import { isBigInteger, numberValue, readNumber } from './numbers'
import { specialFrom, unescapedEnd, writeUnescaped } from './strings'
import { isNull, wordSize } from './words'

/**
 * Fields of a JSON value. Each function gets the place of a part and returns the place behind it, or FALLS_BACK when the
 * complete rules must read the row.
 */
export const FALLS_BACK: usize = 0

/** Objects below the third level are kept as JSON text. */
const MAX_DEPTH: u32 = 3
const MAX_NESTING: u32 = 32

/** Number of the present object, by which a key that repeats is found. */
let object: u32 = 0
let nesting: u32 = 0

export function beginNesting(): void {
  nesting = 0
}

/** A new number for an object whose members are read. */
export function nextObject(): u32 {
  return ++object
}

/** Adds the fields of a value. @param depth of the objects around it */
export function addValue(at: usize, name: Name, depth: u32): usize {
  const first = load<u8>(at)
  if (first === QUOTE) return addString(at + 1, name)
  if (first === MINUS || isDigit(first)) return addNumber(at, name)
  if (first === OPENING_BRACE) return addObject(at, name, depth)
  if (first === OPENING_BRACKET) return addArray(at, name, depth)
  return addWord(at, name)
}

/** @param at place behind the opening quote */
export function addString(at: usize, name: Name): usize {
  const end = specialFrom(at)
  const special = load<u8>(end)
  if (special === BACKSLASH) return addEscaped(at, name)
  if (special !== QUOTE) return FALLS_BACK
  const length = end - at
  const to = writeLength(nextText(), length)
  copyBytes(to, at, length)
  return keepText(name, to + length) ? end + 1 : FALLS_BACK
}

function addEscaped(at: usize, name: Name): usize {
  const start = nextText() + MAX_LENGTH_BYTES
  const end = writeUnescaped(at, start)
  return end !== 0 && keepTextFrom(name, start, unescapedEnd()) ? end + 1 : FALLS_BACK
}

function addNumber(at: usize, name: Name): usize {
  const end = readNumber(at)
  if (end === 0) return FALLS_BACK
  const value = numberValue()
  if (F64.isNaN(value)) return FALLS_BACK
  if (isBigInteger() && !addSource(at, end, name)) return FALLS_BACK
  return keepNumber(name, value) ? end : FALLS_BACK
}

/** Adds a part as a text, as it is written. */
function addSource(at: usize, end: usize, name: Name): bool {
  const to = writeLength(nextText(), end - at)
  copyBytes(to, at, end - at)
  return keepText(name, to + (end - at))
}

function addWord(at: usize, name: Name): usize {
  const end = at + wordSize(at)
  if (end === at) return FALLS_BACK
  return isNull(at) || addSource(at, end, name) ? end : FALLS_BACK
}

function addArray(at: usize, name: Name, depth: u32): usize {
  if (++nesting > MAX_NESTING) return FALLS_BACK
  at = skipBlanks(at + 1)
  if (load<u8>(at) === CLOSING_BRACKET) return addEmpty(at, name, OPENING_BRACKET)
  while (true) {
    at = addValue(at, name, depth)
    if (at === FALLS_BACK) return FALLS_BACK
    at = skipBlanks(at)
    if (load<u8>(at) === CLOSING_BRACKET) break
    if (load<u8>(at) !== COMMA) return FALLS_BACK
    at = skipBlanks(at + 1)
  }
  nesting--
  return at + 1
}

/** Adds `[]` or `{}`. @param at place of the closing bracket */
function addEmpty(at: usize, name: Name, opening: u8): usize {
  nesting--
  const to = writeLength(nextText(), 2)
  store<u8>(to, opening)
  store<u8>(to + 1, load<u8>(at))
  return keepText(name, to + 2) ? at + 1 : FALLS_BACK
}

/** Whether members of an object are fields. @param depth of the objects around it */
export function isEntered(at: usize, depth: u32): bool {
  return depth < MAX_DEPTH && load<u8>(skipBlanks(at + 1)) !== CLOSING_BRACE
}

function addObject(at: usize, name: Name, depth: u32): usize {
  if (depth >= MAX_DEPTH) return addJson(at, name)
  if (++nesting > MAX_NESTING) return FALLS_BACK
  at = skipBlanks(at + 1)
  if (load<u8>(at) === CLOSING_BRACE) return addEmpty(at, name, OPENING_BRACE)
  at = addMembers(at, name, depth + 1)
  nesting--
  return at
}

/** Adds an object as JSON text. */
function addJson(at: usize, name: Name): usize {
  const start = nextText() + MAX_LENGTH_BYTES
  const end = copyCompact(at, start)
  return end !== 0 && keepTextFrom(name, start, compactEnd()) ? end : FALLS_BACK
}

/** @param at place of the first key */
function addMembers(at: usize, parent: Name, depth: u32): usize {
  const number = nextObject()
  let previous: Name | null = null
  while (true) {
    const name = memberAt(at, parent, previous, number)
    if (name === null) return FALLS_BACK
    previous = name
    at = addValue(memberValue(), name, depth)
    if (at === FALLS_BACK) return FALLS_BACK
    at = skipBlanks(at)
    if (load<u8>(at) === CLOSING_BRACE) return at + 1
    if (load<u8>(at) !== COMMA) return FALLS_BACK
    at = skipBlanks(at + 1)
  }
}

let valueAt: usize = 0

/** Place of the value of the member that `memberAt` has read. */
export function memberValue(): usize {
  return valueAt
}

/**
 * Reads the key of a member, up to its value.
 *
 * @param previous name of the member before it in its object, if any
 * @param number of the object
 * @returns null when the row must fall back
 */
export function memberAt(at: usize, parent: Name, previous: Name | null, number: u32): Name | null {
  if (load<u8>(at) !== QUOTE) return null
  const name = keyAt(at + 1, parent, previous)
  if (name === null || name.object === number) return null
  name.object = number
  const colon = skipBlanks(at + name.length + 2)
  if (load<u8>(colon) !== COLON) return null
  valueAt = skipBlanks(colon + 1)
  return name
}

function keyAt(at: usize, parent: Name, previous: Name | null): Name | null {
  const expected = previous === null ? parent.child : previous.next
  if (expected !== null && isKeyAt(expected, at)) return expected
  const name = foundKey(at, parent)
  if (name === null) return null
  if (previous === null) parent.child = name
  else previous.next = name
  return name
}

function foundKey(at: usize, parent: Name): Name | null {
  const end = specialFrom(at)
  // JavaScript puts keys that look like an index first.
  if (load<u8>(end) !== QUOTE || isDigit(load<u8>(at))) return null
  return findName(numberOf(parent), at, <u32>(end - at))
}
