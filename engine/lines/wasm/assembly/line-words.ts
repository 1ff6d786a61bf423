import { areEqual, hashOf } from './bytes'
import { BACKSLASH, QUOTE, SPACE } from './characters'
import { stringEnd } from './json-values'
import {
  MAX_ROW_WORD_BYTES,
  MAX_WORDS,
  ROW_WORDS,
  SLOTS,
  WORD_SLOTS,
  WORD_TEXT_BYTES,
  WORD_TEXTS,
  WORDS,
} from './scan-layout'
import { specialFrom, unescapedEnd, writeUnescaped } from './strings'

/**
 * Words of the lines of a part, each under a number. Numbers count from 1 on, in the order in which words are met; the empty word
 * is 0. Bytes of a word stay where they are: in the body, or among those that were sent with escapes.
 */

@unmanaged
class Word {
  bytes: usize
  length: u32
}

/** Slots that a search looks at. A word without a place in them ends the part, since the next one begins without words. */
const MAX_PROBES: usize = 32

let count: u32 = 0
let textsEnd: usize = WORD_TEXTS
let word: u32 = 0
let isFull: bool = false

export function wordCount(): u32 {
  return count
}

/** Number of the word that `readWord` has read. */
export function currentWord(): u32 {
  return word
}

/** Whether a word of the present line had no place. */
export function areWordsFull(): bool {
  return isFull
}

export function clearWords(): void {
  memory.fill(SLOTS, 0, WORD_SLOTS * 2)
  count = 0
  textsEnd = WORD_TEXTS
  isFull = false
}

/** Whether the words of another line fit in any case. */
export function fitsRowWords(): bool {
  return (
    count + <u32>ROW_WORDS <= <u32>MAX_WORDS && textsEnd + MAX_ROW_WORD_BYTES <= WORD_TEXTS + WORD_TEXT_BYTES
  )
}

/**
 * Reads a word.
 *
 * @param at place behind the opening quote
 * @param limit bytes of a word that is within its limit in any case
 * @param mayBeBlank whether a word without a visible character is a word
 * @returns place behind the closing quote; 0 when the complete rules must read it, or the words are full
 */
export function readWord(at: usize, limit: usize, mayBeBlank: bool): usize {
  const end = specialFrom(at)
  const special = load<u8>(end)
  if (special === BACKSLASH) return readEscapedWord(at, limit, mayBeBlank)
  if (special !== QUOTE || end - at > limit) return 0
  return takeWord(at, end - at, mayBeBlank) ? end + 1 : 0
}

function readEscapedWord(at: usize, limit: usize, mayBeBlank: bool): usize {
  const quote = stringEnd(at)
  if (quote === 0 || quote - at > limit) return 0
  const from = textsEnd
  writeUnescaped(at, from)
  textsEnd = unescapedEnd()
  return takeWord(from, textsEnd - from, mayBeBlank) ? quote + 1 : 0
}

function takeWord(at: usize, length: usize, mayBeBlank: bool): bool {
  word = 0
  if (length === 0) return true
  if (!mayBeBlank && !hasVisibleByte(at, length)) return false
  word = numberOf(at, length)
  isFull = word === 0
  return !isFull
}

/** Whether a text has a character of ASCII that is neither blank nor a control character. Others may be blank, too. */
function hasVisibleByte(at: usize, length: usize): bool {
  const end = at + length
  for (; at < end; at++) if (<u8>(load<u8>(at) - SPACE - 1) < 0x5e) return true
  return false
}

/** Number of the first slot of a word. */
export function slotOf(at: usize, length: usize): usize {
  return <usize>hashOf(at, length, 0, 0) & (WORD_SLOTS - 1)
}

/** @returns 0 when there is no place for another word */
function numberOf(at: usize, length: usize): u32 {
  const first = slotOf(at, length)
  for (let probe: usize = 0; probe < MAX_PROBES; probe++) {
    const place = SLOTS + (((first + probe) & (WORD_SLOTS - 1)) << 1)
    const number = <u32>load<u16>(place)
    if (number === 0) return newWord(at, length, place)
    const other = wordAt(number)
    if (other.length === <u32>length && areEqual(other.bytes, at, length)) return number
  }
  return 0
}

function newWord(at: usize, length: usize, slot: usize): u32 {
  const added = wordAt(++count)
  added.bytes = at
  added.length = <u32>length
  store<u16>(slot, <u16>count)
  return count
}

function wordAt(number: u32): Word {
  return changetype<Word>(WORDS + <usize>number * offsetof<Word>())
}
