import { copyBytes } from './bytes'
import { CLOSING_BRACE, COMMA, isDigit, isTextBlank, OPENING_BRACE, QUOTE, skipBlanks } from './characters'
import { keepText, nextText } from './columns'
import { copyCompact } from './compact-json'
import { addString, addValue, beginNesting, FALLS_BACK, memberAt, memberValue, nextObject } from './fields'
import {
  findName,
  IS_ALWAYS_OWN,
  IS_APP,
  IS_LEVEL,
  IS_MESSAGE,
  IS_MSG,
  Name,
  nameAt,
  numberOf,
} from './names'
import { isPlainInteger, readNumber } from './numbers'
import { specialFrom } from './strings'
import { isUtf8 } from './utf8'

/** Values of ROW_FORM in native-block/field-columns.ts. */
const TEXT: u8 = 0
export const OBJECT: u8 = 1
export const UNREAD: u8 = 2

/** The name above the texts of levels. The numbers before it stand for levels that are found in texts. */
const LEVELS_ROOT: u32 = 11

// The present row.
let own: u32 = 0
let level: u32 = 0
let hasMessage: bool = false
let displayStart: usize = 0
let displayEnd: usize = 0
let collides: u32 = 0
let underscored: u32 = 0

/** Number of the level in member `level` of the row that was read; 0: none. */
export function levelOfMember(): u32 {
  return level
}

/** Kind of the text of the level that was read last: IS_UPPER_LEVEL, IS_LOWER_LEVEL or 0. */
export function kindOfLevel(): u32 {
  return nameAt(level).kind
}

/**
 * Adds the fields of a row. @param message the name of the text for display, below the root
 * @returns its form; UNREAD when it falls back, and what it has added must be dropped
 */
export function readRow(start: usize, end: usize, ownMembers: u32, root: Name, message: Name): u8 {
  level = 0
  const last = objectEnd(start, end)
  if (last === start) return TEXT
  const first = objectFrom(start, last)
  if (first === last) return TEXT
  if (!isUtf8(start, last)) return UNREAD
  beginObject(ownMembers)
  const following = load<u8>(last)
  store<u8>(last, 0) // No part of JSON goes beyond it.
  const isRead = addFields(first, last, root, message)
  store<u8>(last, following)
  return isRead ? OBJECT : UNREAD
}

/** End of the object that may end a text; the start without one. */
export function objectEnd(start: usize, end: usize): usize {
  let last = end
  while (last > start && isTextBlank(load<u8>(last - 1))) last--
  return last > start && load<u8>(last - 1) === CLOSING_BRACE ? last : start
}

/** The first brace with which an object may begin; the end without one. */
function objectFrom(at: usize, end: usize): usize {
  for (; at < end; at++) if (load<u8>(at) === OPENING_BRACE && mayBeginObject(at, end)) return at
  return end
}

export function mayBeginObject(brace: usize, end: usize): bool {
  let at = brace + 1
  while (isTextBlank(load<u8>(at))) at++
  const next = load<u8>(at)
  return next === QUOTE || (next === CLOSING_BRACE && at === end - 1)
}

/** Begins the object of a row. @param ownMembers members of the service */
export function beginObject(ownMembers: u32): void {
  own = ownMembers
  level = 0
  hasMessage = false
  displayEnd = 0
  collides = 0
  underscored = 0
  beginNesting()
}

function addFields(at: usize, end: usize, root: Name, message: Name): bool {
  at = skipBlanks(at + 1)
  if (load<u8>(at) === CLOSING_BRACE) return at + 1 === end
  return addMembers(at, root) === end && !hasCollision() && addDisplay(message)
}

/** Whether the row has two members whose names in the record would be the same. */
export function hasCollision(): bool {
  return (collides & underscored) !== 0
}

/** Whether the row has a text for display that is not that of `message`. */
export function displaysMsg(): bool {
  return !hasMessage
}

/** The members of the row's object. @param at place of the first key */
function addMembers(at: usize, root: Name): usize {
  const number = nextObject()
  let previous: Name | null = null
  while (true) {
    const name = memberAt(at, root, previous, number)
    if (name === null) return FALLS_BACK
    previous = name
    at = addMember(memberValue(), name)
    if (at === FALLS_BACK) return FALLS_BACK
    at = skipBlanks(at)
    if (load<u8>(at) === CLOSING_BRACE) return at + 1
    if (load<u8>(at) !== COMMA) return FALLS_BACK
    at = skipBlanks(at + 1)
  }
}

/** Notes a name of the row's object, for `hasCollision`. */
export function noteName(name: Name): void {
  collides |= name.collides
  underscored |= name.underscored
}

/** Notes that the row's object has a text `message`, for `displaysMsg`. */
export function noteMessage(): void {
  hasMessage = true
}

/** Adds a member of the row's object. */
export function addMember(at: usize, name: Name): usize {
  noteName(name)
  if (isOwn(name)) return copyCompact(at, nextText()) // It is only read.
  if (name.kind === 0 || name.kind === IS_APP) return addValue(at, name, 1)
  if (name.kind === IS_LEVEL) return readLevel(at)
  return addDisplayed(at, name)
}

/** Whether the value of the service stands under this name. */
export function isOwn(name: Name): bool {
  return (name.own & own) !== 0 || name.kind === IS_ALWAYS_OWN
}

/** A level is a text that is not blank, or a number; another value is a field under another name. */
function readLevel(at: usize): usize {
  if (load<u8>(at) === QUOTE) {
    const end = specialFrom(at + 1)
    return load<u8>(end) === QUOTE && findLevel(at + 1, end) ? end + 1 : FALLS_BACK
  }
  if (!isDigit(load<u8>(at))) return FALLS_BACK
  const end = readNumber(at)
  return end !== 0 && isPlainInteger() && findLevel(at, end) ? end : FALLS_BACK
}

function findLevel(at: usize, end: usize): bool {
  const name = findName(LEVELS_ROOT, at, <u32>(end - at))
  if (name === null) return false
  level = numberOf(name)
  return true
}

/** Adds `message` or `msg`; a `message` that is not a text is a field under another name. */
function addDisplayed(at: usize, name: Name): usize {
  const isText = load<u8>(at) === QUOTE
  if (name.kind === IS_MESSAGE) {
    hasMessage = true
    return isText ? addString(at + 1, name) : FALLS_BACK
  }
  if (!isText) return addValue(at, name, 1)
  displayStart = nextText()
  at = addString(at + 1, name)
  displayEnd = nextText()
  // If its name is left out, its text is not there to be shown.
  return displayEnd === displayStart ? FALLS_BACK : at
}

/** The text for display is also field `message`. */
export function addDisplay(message: Name): bool {
  if (hasMessage || displayEnd === 0) return true
  const to = nextText()
  const length = displayEnd - displayStart
  copyBytes(to, displayStart, length)
  return keepText(message, to + length)
}
