import { areEqual, copyBytes, writeLength } from './bytes'
import { OPENING_BRACE, OPENING_BRACKET, QUOTE } from './characters'
import { addValue, isEntered } from './fields'
import {
  ENDS,
  MAX_LITERAL_BYTES,
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
import { findName, IS_LEVEL, Name, nameAt, numberOf } from './names'
import { isSlotNumber, readNumber } from './numbers'
import { addMember, isOwn } from './rows'
import { specialFrom } from './strings'
import { isNull, wordSize } from './words'

/** Kinds of slots, see `SLOT_KIND` in slots/line-shape.ts. */
export const TEXT_SLOT: u8 = 0x74 /* t */
export const DISPLAY_SLOT: u8 = 0x64 /* d */
export const NUMBER_SLOT: u8 = 0x6e /* n */
export const BOOLEAN_SLOT: u8 = 0x62 /* b */
export const OPAQUE_SLOT: u8 = 0x6f /* o */

/** The name above the shapes. The program knows shapes as names; their bytes are literals and kinds. */
const SHAPES_ROOT: u32 = 12
/** Stands for a slot in literals. */
const SLOT_BYTE: u8 = 1
/** Beyond this place the literals are too long, even if the quote before the last slot is dropped again. */
const LITERALS_LIMIT: usize = SHAPE_KEY + MAX_LITERAL_BYTES + 1

// The present row.
let spans: usize = SPANS
let count: usize = 0
let literalEnd: usize = SHAPE_KEY
/** Place in the row up to which its text is in literals and slots. */
let writtenTo: usize = 0
/** Places at which the value of the last slot begins in the row, and in the literals. */
let lastValue: usize = 0
let lastLiteral: usize = 0
let isTooLong: bool = false

/** Shape of the row before; programs mostly send lines of the same one. */
let previous: Name | null = null

export function beginShapes(): void {
  previous = null
}

export function beginSlots(row: u32, start: usize): void {
  spans = SPANS + <usize>row * SLOTS * SPAN_SIZE
  count = 0
  literalEnd = SHAPE_KEY
  writtenTo = start
  isTooLong = false
}

export function slotCount(): usize {
  return count
}

/** Whether the literals of the present row have become too long for a shape. */
export function hasLongLiterals(): bool {
  return isTooLong
}

/**
 * Adds a slot to the present row, unless its literals are too long.
 *
 * @param depth of the objects around an array or object; 0 for other values
 * @param value place at which its value begins; that is before `start` if the value has quotes outside the slot
 */
export function addSlot(kind: u8, name: Name, depth: u32, value: usize, start: usize, end: usize): void {
  const length = start - writtenTo
  if (literalEnd + length + 1 > LITERALS_LIMIT) {
    isTooLong = true
    return
  }
  copyBytes(literalEnd, writtenTo, length)
  literalEnd += length
  lastValue = value
  lastLiteral = literalEnd - (start - value)
  setKind(count, kind)
  store<u32>(SHAPE_NAMES + (count << 2), numberOf(name))
  store<u32>(SHAPE_DEPTHS + (count << 2), depth)
  store<u32>(SHAPE_LITERALS + (count << 2), <u32>literalEnd)
  store<u8>(literalEnd++, SLOT_BYTE)
  setSpan(count, start, end)
  count++
  writtenTo = end
}

function setSpan(slot: usize, start: usize, end: usize): void {
  store<u32>(spans + slot * SPAN_SIZE, <u32>start)
  store<u32>(spans + slot * SPAN_SIZE + 4, <u32>(end - start))
}

export function setKind(slot: usize, kind: u8): void {
  store<u8>(SHAPE_KINDS + slot, kind)
}

/** Makes the last slot one that reaches from its value to the end of the row. */
export function widenLastSlot(end: usize): void {
  literalEnd = lastLiteral
  store<u8>(literalEnd++, SLOT_BYTE)
  setKind(count - 1, OPAQUE_SLOT)
  setSpan(count - 1, lastValue, end)
  writtenTo = end
}

/** Ends the slots of a row. @returns false when it has no shape: its literals are too long, or the program refuses it */
export function endSlots(row: u32, end: usize): bool {
  const length = end - writtenTo
  if (literalEnd + length > SHAPE_KEY + MAX_LITERAL_BYTES) isTooLong = true
  if (isTooLong) return false
  copyBytes(literalEnd, writtenTo, length)
  literalEnd += length
  copyBytes(literalEnd, SHAPE_KINDS, SLOTS)
  const shape = shapeOf(<u32>(literalEnd + count - SHAPE_KEY))
  if (shape === null) return false
  keepShape(row, shape)
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
  for (let slot: usize = 0; slot < count; slot++) {
    const length = <usize>load<u32>(SHAPE_LITERALS + (slot << 2)) - literal
    if (at + length > end || !areEqual(at, literal, length)) return false
    at += length
    const next = slotEnd(slot, at)
    if (next === 0) return false
    setSpan(slot, at, next)
    at = next
    literal += length + 1
  }
  const length = literalEnd - literal
  if (at + length !== end || !areEqual(at, literal, length)) return false
  keepShape(row, previous as Name)
  return true
}

/** End of the content of a slot; 0 when the value at a place is of another kind. */
function slotEnd(slot: usize, at: usize): usize {
  switch (load<u8>(SHAPE_KINDS + slot)) {
    case TEXT_SLOT:
    case DISPLAY_SLOT: {
      const end = specialFrom(at)
      return load<u8>(end) === QUOTE ? end : 0
    }
    case NUMBER_SLOT: {
      const end = readNumber(at)
      return end !== 0 && isSlotNumber(end - at) ? end : 0
    }
    case BOOLEAN_SLOT:
      return isNull(at) || wordSize(at) === 0 ? 0 : at + wordSize(at)
    default:
      return opaqueEnd(
        nameAt(load<u32>(SHAPE_NAMES + (slot << 2))),
        at,
        load<u32>(SHAPE_DEPTHS + (slot << 2)),
      )
  }
}

/** Adds the fields of an opaque slot, if its value cannot be of another kind. */
function opaqueEnd(name: Name, at: usize, depth: u32): usize {
  if (isNull(at)) return 0
  if (isOwn(name) || name.kind === IS_LEVEL) return addMember(at, name)
  const first = load<u8>(at)
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
