import {
  beginRow,
  clearColumns,
  dropRow,
  fitsRow,
  leftAnyOut,
  nextText,
  numberCount,
  textCount,
} from './columns'
import { ENDS, FORMS, LEVELS, NUMBER_ENDS, OWN, STARTS, TEXT_ENDS, TEXT_VALUES } from './layout'
import { detectLevel } from './levels'
import { nameAt } from './names'
import { levelOfMember, readRow, UNREAD } from './rows'
import { writeSlotTexts } from './slots'
import { beginRows, readSlottedRow } from './slotted-rows'

export {
  APP_BYTES,
  APP_LENGTHS,
  APP_TEXTS,
  APPS,
  ENDS,
  FORMS,
  GUARD_BYTES,
  INPUT,
  INPUT_BYTES,
  LEVELS,
  MAX_LITERAL_BYTES,
  MAX_NAMES,
  MAX_ROW_BYTES,
  MAX_ROWS,
  MEMORY_END,
  NAME_BYTES,
  NAME_SIZE,
  NAME_SLOTS,
  NAMES,
  NUMBER_ENDS,
  NUMBER_NAMES,
  NUMBER_VALUES,
  OPEN_KEYS,
  OWN,
  SHAPE_KEY,
  SHAPE_NAMES,
  SHAPES,
  SLOT_COUNTS,
  SLOT_TEXT_ENDS,
  SLOT_TEXTS,
  SLOTS,
  SPANS,
  STARTS,
  TEXT_ENDS,
  TEXT_NAMES,
  TEXT_VALUES,
} from './layout'
export { addName, addRoot, bucketOf, forgetNames, nameCount, probes, reseed } from './names'

export const NONE: u32 = 0xffffffff

/** Whether the row behind those of the last call falls back; otherwise the columns were full. */
export let fellBack: bool = false
/** First row of the last call with a field that was left out, because all names of the day are taken. */
export let leftOutAt: u32 = NONE
export let textEntries: u32 = 0
export let textBytes: u32 = 0
export let numberEntries: u32 = 0

/**
 * Fills the columns with rows of the input. @param root of the names of their account @param message name of the text for
 * display @param isSlotted whether rows are split into shape and slots @param block number of the block that the rows belong to, for one
 * account @returns the number of rows that were read
 */
export function fill(rows: u32, root: u32, message: u32, isSlotted: bool, block: u32): u32 {
  clearColumns()
  beginRows(block)
  fellBack = false
  leftOutAt = NONE
  let row: u32 = 0
  while (row < rows && !fellBack) {
    const place = (<usize>row) << 2
    const start = <usize>load<u32>(STARTS + place)
    const end = <usize>load<u32>(ENDS + place)
    if (!fitsRow(end - start)) break
    if (isFilled(row, place, start, end, root, message, isSlotted)) row++
    else fellBack = true
  }
  textEntries = textCount()
  textBytes = <u32>(nextText() - TEXT_VALUES)
  numberEntries = numberCount()
  if (isSlotted) writeSlotTexts(row)
  return row
}

/** @returns false when the row falls back; the columns are as before */
function isFilled(
  row: u32,
  place: usize,
  start: usize,
  end: usize,
  root: u32,
  message: u32,
  isSlotted: bool,
): bool {
  beginRow()
  const own = load<u32>(OWN + place)
  const form = isSlotted
    ? readSlottedRow(row, start, end, own, nameAt(root), nameAt(message))
    : readRow(start, end, own, nameAt(root), nameAt(message))
  if (form === UNREAD) {
    dropRow()
    return false
  }
  if (leftOutAt === NONE && leftAnyOut()) leftOutAt = row
  store<u8>(FORMS + row, form)
  fillLevel(place, start, end)
  store<u32>(TEXT_ENDS + place, textCount())
  store<u32>(NUMBER_ENDS + place, numberCount())
  return true
}

/** The level is that of the object, else the one that was sent with the line, else one of the text. */
function fillLevel(place: usize, start: usize, end: usize): void {
  if (levelOfMember() !== 0) store<u32>(LEVELS + place, levelOfMember())
  else if (load<u32>(LEVELS + place) === 0) store<u32>(LEVELS + place, detectLevel(start, end))
}
