import {
  BACKSLASH,
  CLOSING_BRACE,
  COMMA,
  isDigit,
  MINUS,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipBlanks,
} from './characters'
import { dropMarked, dropRow, isLeftOut, markColumns, nextText } from './columns'
import { copyCompact } from './compact-json'
import { addString, addValue, FALLS_BACK, isEntered, memberAt, memberValue, nextObject } from './fields'
import { SLOTS } from './layout'
import { ACCEPTED, currentStanding, IS_APP, IS_LEVEL, IS_MSG, Name } from './names'
import { isSlotNumber, readNumber } from './numbers'
import {
  addDisplay,
  addMember,
  beginObject,
  displaysMsg,
  hasCollision,
  isOwn,
  kindOfLevel,
  mayBeginObject,
  noteMessage,
  noteName,
  OBJECT,
  objectEnd,
  readRow,
  UNREAD,
} from './rows'
import {
  addApp,
  addLevel,
  addSlot,
  BOOLEAN_SLOT,
  beginRowWords,
  beginShapes,
  beginSlots,
  DISPLAY_SLOT,
  endSlots,
  hasSameShape,
  isApp,
  keepWhole,
  mustBeWhole,
  NUMBER_SLOT,
  OPAQUE_SLOT,
  setKind,
  slotCount,
  TEXT_SLOT,
  valueCount,
  widenLastSlot,
} from './slots'
import { specialFrom } from './strings'
import { isUtf8 } from './utf8'
import { isNull, wordSize } from './words'

/**
 * Rows as shape and slots, by the rules of slots/split-line.ts. Fields that are in no slot are added to the columns. Each
 * function gets the place of a part and returns the place behind it, or FALLS_BACK.
 */

// The present row.
let rowEnd: usize = 0
/** Whether the last slot has the rest of the row. */
let isRest: bool = false
/** Whether the field of the last slot was also added to the columns: it belongs there if a value follows. */
let isMarked: bool = false
const NO_SLOT: usize = 0xffff
/** Value that is the text for display. */
let displaySlot: usize = NO_SLOT

// The row that was split last in this call, if another one may repeat its shape.
let mayRepeat: bool = false
let repeatedOwn: u32 = 0

/** @param block number of the block that the rows belong to, for one account */
export function beginRows(block: u32): void {
  mayRepeat = false
  beginShapes(block)
}

/**
 * Reads a row. @param message the name of the text for display, below the root
 * @returns its form; UNREAD when it falls back, and what it has added must be dropped
 */
export function readSlottedRow(
  row: u32,
  start: usize,
  end: usize,
  ownMembers: u32,
  root: Name,
  message: Name,
): u8 {
  beginRowWords(row)
  if (mayRepeat && repeatedOwn === ownMembers) {
    if (isRepeated(row, start, end, ownMembers)) return OBJECT
    dropRow()
  }
  const last = objectEnd(start, end)
  if (last !== start && load<u8>(start) === OPENING_BRACE && mayBeginObject(start, last)) {
    if (isUtf8(start, last) && isSplit(start, last, ownMembers, root, message, row, end)) return OBJECT
    if (!mustBeWhole()) return UNREAD
    dropRow()
  }
  keepWhole(row)
  return readRow(start, end, ownMembers, root, message)
}

/** Whether a row has the shape of the row before, by which it was split. */
function isRepeated(row: u32, start: usize, end: usize, ownMembers: u32): bool {
  beginObject(ownMembers)
  const following = load<u8>(end)
  store<u8>(end, 0)
  const isSplit = hasSameShape(row, start, end)
  store<u8>(end, following)
  return isSplit && isUtf8(start, end)
}

function isSplit(
  start: usize,
  last: usize,
  ownMembers: u32,
  root: Name,
  message: Name,
  row: u32,
  end: usize,
): bool {
  beginObject(ownMembers)
  beginSlots(row, start)
  rowEnd = end
  isRest = false
  isMarked = false
  displaySlot = NO_SLOT
  const following = load<u8>(last)
  store<u8>(last, 0) // No part of JSON goes beyond it.
  const isRead = splitObject(start, root) === last && !hasCollision() && endFields(message)
  store<u8>(last, following)
  const isKept = isRead && endSlots(row, end)
  // The rest of another row ends elsewhere, so such a shape never repeats.
  mayRepeat = isKept && !isRest
  repeatedOwn = ownMembers
  return isKept
}

function splitObject(at: usize, root: Name): usize {
  at = skipBlanks(at + 1)
  return load<u8>(at) === CLOSING_BRACE ? at + 1 : splitMembers(at, root, 0)
}

/** @param at place of the first key @param depth of the objects around the values; 0 for members of the row's object */
function splitMembers(at: usize, parent: Name, depth: u32): usize {
  const number = nextObject()
  let previous: Name | null = null
  while (true) {
    const name = memberAt(at, parent, previous, number)
    if (name === null) return FALLS_BACK
    previous = name
    at = depth === 0 ? splitMember(memberValue(), name) : splitValue(memberValue(), name, depth)
    if (at === FALLS_BACK) return FALLS_BACK
    at = skipBlanks(at)
    if (load<u8>(at) === CLOSING_BRACE) return at + 1
    if (load<u8>(at) !== COMMA) return FALLS_BACK
    at = skipBlanks(at + 1)
  }
}

function splitMember(at: usize, name: Name): usize {
  if (isRest) return addMember(at, name)
  noteName(name)
  if (isOwn(name)) return splitOwn(at, name)
  if (name.kind === 0) return splitValue(at, name, 1)
  if (name.kind === IS_MSG) return splitMsg(at, name)
  if (name.kind === IS_APP) return splitApp(at, name)
  if (name.kind === IS_LEVEL) return splitLevel(at, name)
  if (isBeyond()) return addMember(at, name)
  if (load<u8>(at) !== QUOTE) return FALLS_BACK
  noteMessage()
  return splitText(at, name)
}

/** A value that is not a field, because the service has one under its name. */
function splitOwn(at: usize, name: Name): usize {
  if (isNull(at)) return at + NULL_SIZE
  const end = copyCompact(at, nextText()) // It is only read.
  return isBeyond() ? end : opaque(at, end, name)
}

const NULL_SIZE: usize = 4

function splitMsg(at: usize, name: Name): usize {
  if (load<u8>(at) !== QUOTE) return splitValue(at, name, 1)
  if (isBeyond()) return addMember(at, name)
  const end = specialFrom(at + 1)
  if (load<u8>(end) !== QUOTE) return opaque(at, addMember(at, name), name)
  // If its name is left out, its text is not there to be shown.
  if (currentStanding(name) !== ACCEPTED) return FALLS_BACK
  displaySlot = valueCount()
  return keepField(TEXT_SLOT, name, at, at + 1, end, end + 1)
}

function splitApp(at: usize, name: Name): usize {
  if (load<u8>(at) !== QUOTE) return splitValue(at, name, 1)
  const end = specialFrom(at + 1)
  const isWord = load<u8>(end) === QUOTE && isApp(at + 1, end) && currentStanding(name) === ACCEPTED
  if (!isWord) return splitValue(at, name, 1)
  addApp(name, at + 1, end)
  return slotCount() < SLOTS ? end + 1 : alsoAdded(at, name, end + 1)
}

function splitLevel(at: usize, name: Name): usize {
  const next = addMember(at, name)
  if (next === FALLS_BACK) return FALLS_BACK
  const kind = load<u8>(at) === QUOTE ? kindOfLevel() : 0
  if (kind !== 0) addLevel(kind, name, at + 1, next - 1)
  else if (!isBeyond()) opaque(at, next, name)
  return next
}

/** @param depth of the objects around the value */
function splitValue(at: usize, name: Name, depth: u32): usize {
  const first = load<u8>(at)
  if (first === OPENING_BRACE && isEntered(at, depth))
    return splitMembers(skipBlanks(at + 1), name, depth + 1)
  if (isNull(at)) return at + NULL_SIZE
  if (isBeyond()) return addValue(at, name, depth)
  if (first === QUOTE) return splitText(at, name)
  if (first === MINUS || isDigit(first)) return splitNumber(at, name)
  if (first === OPENING_BRACE || first === OPENING_BRACKET)
    return opaque(at, addValue(at, name, depth), name, depth)
  const end = at + wordSize(at)
  return end === at ? FALLS_BACK : keepField(BOOLEAN_SLOT, name, at, at, end, end)
}

function splitText(at: usize, name: Name): usize {
  const end = specialFrom(at + 1)
  const special = load<u8>(end)
  if (special === QUOTE) return keepField(TEXT_SLOT, name, at, at + 1, end, end + 1)
  return special === BACKSLASH ? opaque(at, addString(at + 1, name), name) : FALLS_BACK
}

function splitNumber(at: usize, name: Name): usize {
  const end = readNumber(at)
  if (end === 0) return FALLS_BACK
  return isSlotNumber(end - at)
    ? keepField(NUMBER_SLOT, name, at, at, end, end)
    : opaque(at, addValue(at, name, 1), name)
}

/** Whether the slots have all been used, so that the last one has the rest of the row. */
function isBeyond(): bool {
  if (slotCount() < SLOTS) return false
  if (!isRest) widenLastSlot(rowEnd)
  isRest = true
  return true
}

/** Puts a value into an opaque slot. @param next place behind it @param depth as in `addSlot` */
function opaque(at: usize, next: usize, name: Name, depth: u32 = 0): usize {
  if (next !== FALLS_BACK) addSlot(OPAQUE_SLOT, name, depth, at, at, next)
  return next
}

/** Puts a value into a slot as a field. @param start first place of the slot @param next place behind the value */
function keepField(kind: u8, name: Name, value: usize, start: usize, end: usize, next: usize): usize {
  const standing = currentStanding(name)
  if (standing !== ACCEPTED) return isLeftOut(standing) ? opaque(value, next, name) : FALLS_BACK
  addSlot(kind, name, 0, value, start, end)
  return slotCount() < SLOTS ? next : alsoAdded(value, name, next)
}

/** Adds a field of the last slot, or behind it, to the columns as well: the slot becomes an opaque one if a value follows. */
function alsoAdded(value: usize, name: Name, next: usize): usize {
  if (!isMarked) markColumns()
  isMarked = true
  const end = name.kind === IS_MSG ? addMember(value, name) : addValue(value, name, 1)
  return end === FALLS_BACK ? FALLS_BACK : next
}

function endFields(message: Name): bool {
  if (isMarked && !isRest) dropMarked()
  if (!displaysMsg()) return true
  if (displaySlot === NO_SLOT || (isRest && displaySlot === valueCount() - 1)) return addDisplay(message)
  const standing = currentStanding(message)
  if (standing !== ACCEPTED) return isLeftOut(standing)
  setKind(displaySlot, DISPLAY_SLOT)
  return true
}
