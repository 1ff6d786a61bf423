import { areEqual, copyBytes, writeLength } from './bytes'
import { OPENING_BRACE, OPENING_BRACKET, QUOTE } from './characters'
import { addValue, isEntered } from './fields'
import { admits } from './host'
import {
  APP_LENGTHS,
  APPS,
  ENDS,
  MAX_LITERAL_BYTES,
  MAX_VALUES,
  SHAPE_DEPTHS,
  SHAPE_KEY,
  SHAPE_KINDS,
  SHAPE_LITERALS,
  SHAPE_NAMES,
  SHAPES,
  SLOT_COUNTS,
  SLOT_TEXT_ENDS,
  SLOT_TEXTS,
  SLOTS,
  SPAN_SIZE,
  SPANS,
  STARTS,
} from './layout'
import { findName, IS_APP, IS_LEVEL, IS_LOWER_LEVEL, IS_UPPER_LEVEL, Name, nameAt, numberOf } from './names'
import { isSlotNumber, readNumber } from './numbers'
import { addMember, isOwn, kindOfLevel } from './rows'
import { specialFrom } from './strings'
import { isNull, wordSize } from './words'

/** Kinds of slots, see `SLOT_KIND` in slots/line-shape.ts. */
export const TEXT_SLOT: u8 = 0x74 /* t */
export const DISPLAY_SLOT: u8 = 0x64 /* d */
export const NUMBER_SLOT: u8 = 0x6e /* n */
export const BOOLEAN_SLOT: u8 = 0x62 /* b */
export const OPAQUE_SLOT: u8 = 0x6f /* o */
/** Kinds of words, see `WORD_KIND` there. */
export const APP_WORD: u8 = 0x61 /* a */
const LEVEL_WORD: u8 = 0x6c /* l */
const UPPER_LEVEL_WORD: u8 = 0x75 /* u */

/** The name above the shapes. The program knows shapes as names; their bytes are literals and kinds. */
const SHAPES_ROOT: u32 = 12
// They stand for slots and words in literals.
const SLOT_BYTE: u8 = 1
const APP_BYTE: u8 = 3
const LEVEL_BYTE: u8 = 4
const UPPER_LEVEL_BYTE: u8 = 5
/** Beyond this place the literals are too long, even if the quote before the last slot is dropped again. */
const LITERALS_LIMIT: usize = SHAPE_KEY + MAX_LITERAL_BYTES + 1

// The present row.
let spans: usize = SPANS
let app: usize = 0
let appLength: usize = 0
/** Number of slots. */
let count: usize = 0
/** Number of slots and words. */
let values: usize = 0
/** The last value that has a slot. */
let lastSlot: usize = 0
let literalEnd: usize = SHAPE_KEY
/** Place in the row up to which its text is in literals and slots. */
let writtenTo: usize = 0
/** Places at which the value of the last slot begins in the row, and in the literals. */
let lastValue: usize = 0
let lastLiteral: usize = 0
let isTooLong: bool = false
let isRefused: bool = false

/** Number of the block that the rows belong to, for one account. */
let block: u32 = 0

/** Shape of the row before; programs mostly send lines of the same one. */
let previous: Name | null = null

export function beginShapes(blockOfRows: u32): void {
  previous = null
  block = blockOfRows
}

export function beginRowWords(row: u32): void {
  app = <usize>load<u32>(APPS + ((<usize>row) << 2))
  appLength = <usize>load<u32>(APP_LENGTHS + ((<usize>row) << 2))
}

/** Whether a text is the app of the present row. */
export function isApp(start: usize, end: usize): bool {
  return end - start === appLength && areEqual(start, app, appLength)
}

export function beginSlots(row: u32, start: usize): void {
  spans = SPANS + <usize>row * SLOTS * SPAN_SIZE
  count = 0
  values = 0
  literalEnd = SHAPE_KEY
  writtenTo = start
  isTooLong = false
  isRefused = false
}

export function slotCount(): usize {
  return count
}

export function valueCount(): usize {
  return values
}

/** Whether the present row has no shape: its literals have become too long, or the block has too many other shapes. */
export function mustBeWhole(): bool {
  return isTooLong || isRefused
}

/**
 * Adds a slot to the present row, unless its literals are too long.
 *
 * @param depth of the objects around an array or object; 0 for other values
 * @param value place at which its value begins; that is before `start` if the value has quotes outside the slot
 */
export function addSlot(kind: u8, name: Name, depth: u32, value: usize, start: usize, end: usize): void {
  if (!addLiteral(start)) return
  lastValue = value
  lastLiteral = literalEnd - (start - value)
  lastSlot = values
  addShapeValue(kind, name, depth, SLOT_BYTE)
  setSpan(count, start, end)
  count++
  writtenTo = end
}

/** Adds the text of the row's app. It has quotes around it. */
export function addApp(name: Name, start: usize, end: usize): void {
  if (!addLiteral(start)) return
  addShapeValue(APP_WORD, name, 0, APP_BYTE)
  writtenTo = end
}

/** Adds the text of the row's level. @param kind IS_UPPER_LEVEL or IS_LOWER_LEVEL */
export function addLevel(kind: u32, name: Name, start: usize, end: usize): void {
  if (!addLiteral(start)) return
  if (kind === IS_LOWER_LEVEL) addShapeValue(LEVEL_WORD, name, 0, LEVEL_BYTE)
  else addShapeValue(UPPER_LEVEL_WORD, name, 0, UPPER_LEVEL_BYTE)
  writtenTo = end
}

/** Adds the text up to a value. @returns false when the literals are too long */
function addLiteral(end: usize): bool {
  const length = end - writtenTo
  if (literalEnd + length + 1 > LITERALS_LIMIT) {
    isTooLong = true
    return false
  }
  copyBytes(literalEnd, writtenTo, length)
  literalEnd += length
  return true
}

function addShapeValue(kind: u8, name: Name, depth: u32, byte: u8): void {
  setKind(values, kind)
  store<u32>(SHAPE_NAMES + (values << 2), numberOf(name))
  store<u32>(SHAPE_DEPTHS + (values << 2), depth)
  store<u32>(SHAPE_LITERALS + (values << 2), <u32>literalEnd)
  store<u8>(literalEnd++, byte)
  values++
}

function setSpan(slot: usize, start: usize, end: usize): void {
  store<u32>(spans + slot * SPAN_SIZE, <u32>start)
  store<u32>(spans + slot * SPAN_SIZE + 4, <u32>(end - start))
}

export function setKind(value: usize, kind: u8): void {
  store<u8>(SHAPE_KINDS + value, kind)
}

/** Makes the last slot one that reaches from its value to the end of the row. Words behind it are in it. */
export function widenLastSlot(end: usize): void {
  literalEnd = lastLiteral
  store<u8>(literalEnd++, SLOT_BYTE)
  setKind(lastSlot, OPAQUE_SLOT)
  values = lastSlot + 1
  setSpan(count - 1, lastValue, end)
  writtenTo = end
}

/** Ends the slots of a row. @returns false when it must be whole, or falls back because the program refuses its shape */
export function endSlots(row: u32, end: usize): bool {
  const length = end - writtenTo
  if (literalEnd + length > SHAPE_KEY + MAX_LITERAL_BYTES) isTooLong = true
  if (isTooLong) return false
  copyBytes(literalEnd, writtenTo, length)
  literalEnd += length
  copyBytes(literalEnd, SHAPE_KINDS, MAX_VALUES)
  const shape = shapeOf(<u32>(literalEnd + values - SHAPE_KEY))
  if (shape === null) return false
  if (!isAdmitted(shape)) {
    isRefused = true
    return false
  }
  keepShape(row, shape)
  return true
}

function isAdmitted(shape: Name): bool {
  if (shape.object === block) return true
  if (!admits(numberOf(shape))) return false
  shape.object = block
  return true
}

function keepShape(row: u32, shape: Name): void {
  store<u32>(SHAPES + ((<usize>row) << 2), numberOf(shape))
  store<u8>(SLOT_COUNTS + row, <u8>count)
}

/**
 * Splits a row that has the literals of the row that was split last, and values of the same kinds in its slots. Only the
 * values are read, not the keys. Fields in no slot are added to the columns. A zero must follow the row meanwhile.
 *
 * @returns false when it has another shape, and what it has added must be dropped
 */
export function hasSameShape(row: u32, start: usize, end: usize): bool {
  spans = SPANS + <usize>row * SLOTS * SPAN_SIZE
  let at = start
  let literal = SHAPE_KEY
  let slot: usize = 0
  for (let value: usize = 0; value < values; value++) {
    const length = <usize>load<u32>(SHAPE_LITERALS + (value << 2)) - literal
    if (at + length > end || !areEqual(at, literal, length)) return false
    at += length
    literal += length
    const next = valueEnd(value, at)
    if (next === 0 || next > end) return false
    if (load<u8>(literal++) === SLOT_BYTE) setSpan(slot++, at, next)
    at = next
  }
  const length = literalEnd - literal
  if (at + length !== end || !areEqual(at, literal, length)) return false
  keepShape(row, previous as Name)
  return true
}

/** End of the content of a value; 0 when the one at a place is of another kind. */
function valueEnd(value: usize, at: usize): usize {
  const name = nameAt(load<u32>(SHAPE_NAMES + (value << 2)))
  switch (load<u8>(SHAPE_KINDS + value)) {
    case TEXT_SLOT:
    case DISPLAY_SLOT: {
      const end = specialFrom(at)
      if (load<u8>(end) !== QUOTE) return 0
      return name.kind === IS_APP && isApp(at, end) ? 0 : end
    }
    case APP_WORD:
      return areEqual(at, app, appLength) ? at + appLength : 0
    case LEVEL_WORD:
      return levelEnd(at, name, IS_LOWER_LEVEL)
    case UPPER_LEVEL_WORD:
      return levelEnd(at, name, IS_UPPER_LEVEL)
    case NUMBER_SLOT: {
      const end = readNumber(at)
      return end !== 0 && isSlotNumber(end - at) ? end : 0
    }
    case BOOLEAN_SLOT:
      return isNull(at) || wordSize(at) === 0 ? 0 : at + wordSize(at)
    default:
      return opaqueEnd(name, at, load<u32>(SHAPE_DEPTHS + (value << 2)))
  }
}

/** @param at place behind the opening quote @param kind of the text of the level */
function levelEnd(at: usize, name: Name, kind: u32): usize {
  const next = addMember(at - 1, name)
  return next !== 0 && kindOfLevel() === kind ? next - 1 : 0
}

/** Adds the fields of an opaque slot, if its value cannot be of another kind. */
function opaqueEnd(name: Name, at: usize, depth: u32): usize {
  if (isNull(at)) return 0
  if (isOwn(name)) return addMember(at, name)
  const first = load<u8>(at)
  if (name.kind === IS_LEVEL) {
    const next = addMember(at, name)
    // A text that is a word stands in no slot.
    return first === QUOTE && next !== 0 && kindOfLevel() !== 0 ? 0 : next
  }
  const isContainer = first === OPENING_BRACKET || (first === OPENING_BRACE && !isEntered(at, depth))
  return depth !== 0 && isContainer ? addValue(at, name, depth) : 0
}

function shapeOf(length: u32): Name | null {
  const known = previous
  if (known !== null && known.length === length && areEqual(known.bytes, SHAPE_KEY, length)) return known
  previous = findName(SHAPES_ROOT, SHAPE_KEY, length)
  return previous
}

/** Makes a row a whole one. */
export function keepWhole(row: u32): void {
  store<u32>(SHAPES + ((<usize>row) << 2), 0)
  store<u8>(SLOT_COUNTS + row, 0)
}

/** Writes the texts of all slots, column by column, then those of whole rows. */
export function writeSlotTexts(rows: u32): void {
  let to = SLOT_TEXTS
  for (let slot: usize = 0; slot < SLOTS; slot++) {
    to = writeSlotColumn(slot, rows, to)
    store<u32>(SLOT_TEXT_ENDS + (slot << 2), <u32>to)
  }
  store<u32>(SLOT_TEXT_ENDS + (SLOTS << 2), <u32>writeWholeTexts(rows, to))
}

function writeSlotColumn(slot: usize, rows: u32, to: usize): usize {
  let span = SPANS + slot * SPAN_SIZE
  for (let row: u32 = 0; row < rows; row++, span += SLOTS * SPAN_SIZE)
    to =
      slot < load<u8>(SLOT_COUNTS + row)
        ? writeText(to, load<u32>(span), load<u32>(span + 4))
        : writeEmpty(to)
  return to
}

function writeWholeTexts(rows: u32, to: usize): usize {
  for (let row: u32 = 0; row < rows; row++) {
    const place = (<usize>row) << 2
    const start = load<u32>(STARTS + place)
    to =
      load<u32>(SHAPES + place) === 0 ? writeText(to, start, load<u32>(ENDS + place) - start) : writeEmpty(to)
  }
  return to
}

function writeText(to: usize, from: usize, length: usize): usize {
  to = writeLength(to, length)
  copyBytes(to, from, length)
  return to + length
}

function writeEmpty(to: usize): usize {
  store<u8>(to, 0)
  return to + 1
}
