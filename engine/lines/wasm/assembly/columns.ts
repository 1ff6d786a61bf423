import { writeLength } from './bytes'
import { MAX_ENTRIES, NUMBER_NAMES, NUMBER_VALUES, TEXT_NAMES, TEXT_VALUE_BYTES, TEXT_VALUES } from './layout'
import { ACCEPTED, currentStanding, LEFT_OUT, Name, numberOf } from './names'

/** A length of a text in a row has at most that many bytes. */
export const MAX_LENGTH_BYTES: usize = 3
/** A text of a row is written at most this often: as a field, as `message`, and with lengths before them. */
const MOST_COPIES: usize = 3

let textEntries: u32 = 0
let textEnd: usize = TEXT_VALUES
let numberEntries: u32 = 0
let hasLeftOut: bool = false

// The columns as they were before the present row.
let keptTextEntries: u32 = 0
let keptTextEnd: usize = TEXT_VALUES
let keptNumberEntries: u32 = 0

export function textCount(): u32 {
  return textEntries
}

export function numberCount(): u32 {
  return numberEntries
}

/** Place at which the next text is written. */
export function nextText(): usize {
  return textEnd
}

export function clearColumns(): void {
  textEntries = 0
  textEnd = TEXT_VALUES
  numberEntries = 0
}

/** Whether all that a row of this length can give fits into the rest of the columns. */
export function fitsRow(length: usize): bool {
  const entries = <u32>(length >> 1) + 1
  return (
    textEntries + entries <= <u32>MAX_ENTRIES &&
    numberEntries + entries <= <u32>MAX_ENTRIES &&
    textEnd + length * MOST_COPIES <= TEXT_VALUES + TEXT_VALUE_BYTES
  )
}

export function beginRow(): void {
  keptTextEntries = textEntries
  keptTextEnd = textEnd
  keptNumberEntries = numberEntries
  hasLeftOut = false
}

export function dropRow(): void {
  textEntries = keptTextEntries
  textEnd = keptTextEnd
  numberEntries = keptNumberEntries
}

// The columns as they were before a field that may be dropped again.
let markedTextEntries: u32 = 0
let markedTextEnd: usize = TEXT_VALUES
let markedNumberEntries: u32 = 0

export function markColumns(): void {
  markedTextEntries = textEntries
  markedTextEnd = textEnd
  markedNumberEntries = numberEntries
}

/** Drops the fields since `markColumns`. */
export function dropMarked(): void {
  textEntries = markedTextEntries
  textEnd = markedTextEnd
  numberEntries = markedNumberEntries
}

/** Whether a field of the present row was left out, because all names of the day are taken. */
export function leftAnyOut(): bool {
  return hasLeftOut
}

/** Adds the text that was written at `nextText`, with its length before it. @returns false when the row must fall back */
export function keepText(name: Name, end: usize): bool {
  const standing = currentStanding(name)
  if (standing !== ACCEPTED) return isLeftOut(standing)
  store<u32>(TEXT_NAMES + ((<usize>textEntries) << 2), numberOf(name))
  textEntries++
  textEnd = end
  return true
}

/** Writes the length before a text that was written at `start`, and adds it. */
export function keepTextFrom(name: Name, start: usize, end: usize): bool {
  const length = end - start
  const from = writeLength(textEnd, length)
  if (from !== start) memory.copy(from, start, length)
  return keepText(name, from + length)
}

/** @returns false when the row must fall back */
export function keepNumber(name: Name, value: f64): bool {
  const standing = currentStanding(name)
  if (standing !== ACCEPTED) return isLeftOut(standing)
  store<u32>(NUMBER_NAMES + ((<usize>numberEntries) << 2), numberOf(name))
  store<f64>(NUMBER_VALUES + ((<usize>numberEntries) << 3), value)
  numberEntries++
  return true
}

/** @returns false when the row must fall back */
export function isLeftOut(standing: u32): bool {
  if (standing !== LEFT_OUT) return false
  hasLeftOut = true
  return true
}
