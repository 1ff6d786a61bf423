import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipBlanks,
} from './characters'
import {
  clearColumns,
  fitsRow,
  lineColumnBytes,
  metaColumnBytes,
  restColumnBytes,
  retimedCount,
  rowCount,
} from './line-columns'
import { readBareLine, readLine, setSpareBytes, spareBytesLeft } from './line-rows'
import { setTimeBounds } from './line-times'
import { areWordsFull, clearWords, fitsRowWords, wordCount } from './line-words'
import { BODY } from './scan-layout'
import { specialFrom } from './strings'

/** First slot of a word, which only tests read. */
export { slotOf } from './line-words'
export {
  APPS,
  BODY,
  BODY_BYTES,
  ENVS,
  FILES,
  GUARD_BYTES,
  HOSTS,
  LEVELS,
  LINES,
  MAX_ROWS,
  MAX_WORDS,
  MEMORY_END,
  METAS,
  RESTS,
  SLOTS,
  TIME_KINDS,
  TIMES,
  WORD_TEXTS,
  WORDS,
} from './scan-layout'

/** The body has more lines. */
const MORE: u32 = 0
/** The body was read to its end. */
const READ: u32 = 1
/** The complete rules must read the body. */
const UNREAD: u32 = 2

/** Zeros behind the body, at which every loop ends. */
const SENTINEL_BYTES: usize = 32

// Names of members of a body with the quote behind them, as little-endian numbers of their bytes.
const LINES_KEY: u64 = 0x2273656e696c
const LINES_KEY_BYTES: usize = 6
const LS_KEY: u64 = 0x22736c
const LS_KEY_BYTES: usize = 3
const E_KEY: u64 = 0x2265
const E_KEY_BYTES: usize = 2

export let state: u32 = UNREAD
export let lineBytes: u32 = 0
export let metaBytes: u32 = 0
export let restBytes: u32 = 0
export let words: u32 = 0
/** Lines of the part whose time was replaced by that of arrival. */
export let retimed: u32 = 0

/** Part of the limit that is left after the lines. */
export let spareLeft: f64 = 0

let place: usize = 0
let bodyEnd: usize = 0

/**
 * Begins with the body in the memory, which is valid UTF-8. Times are UNIX ms.
 *
 * @param spareBytes limit of the body minus its size: each line without a text takes some of them
 */
export function begin(length: u32, receivedAtMs: f64, earliestMs: f64, latestMs: f64, spareBytes: f64): void {
  bodyEnd = BODY + <usize>length
  memory.fill(bodyEnd, 0, SENTINEL_BYTES)
  setTimeBounds(receivedAtMs, earliestMs, latestMs)
  setSpareBytes(spareBytes)
  place = linesFrom(BODY)
  state = place === 0 ? UNREAD : MORE
}

/** Reads lines into the columns, as many as fit. @returns their number */
export function scan(): u32 {
  clearColumns()
  clearWords()
  if (state === MORE) state = readLines()
  lineBytes = lineColumnBytes()
  metaBytes = metaColumnBytes()
  restBytes = restColumnBytes()
  retimed = retimedCount()
  words = wordCount()
  spareLeft = spareBytesLeft()
  return rowCount()
}

/** Reads lines until the columns are full. @returns the state then */
function readLines(): u32 {
  if (load<u8>(place) === CLOSING_BRACKET) return stateBehindLines(place + 1)
  while (fitsRow() && fitsRowWords()) {
    let at = load<u8>(place) === OPENING_BRACE ? readLine(place) : readBareLine(place)
    if (at === 0) return stateAtUnreadLine()
    at = skipBlanks(at)
    const next = load<u8>(at)
    if (next === CLOSING_BRACKET) return stateBehindLines(at + 1)
    if (next !== COMMA) return UNREAD
    place = skipBlanks(at + 1)
  }
  return MORE
}

/** The next part reads a line for which only the words of this one are too many. It begins with the words of that line. */
function stateAtUnreadLine(): u32 {
  return areWordsFull() && rowCount() > 0 ? MORE : UNREAD
}

function stateBehindLines(at: usize): u32 {
  return isEnvelopeEnd(at) ? READ : UNREAD
}

/** Finds the first element of the lines, or the bracket that closes them; 0: the complete rules must read the body. */
function linesFrom(at: usize): usize {
  at = skipBlanks(at)
  if (load<u8>(at) !== OPENING_BRACE) return 0
  do {
    const key = skipBlanks(at + 1)
    at = memberValueAt(key, LINES_KEY, LINES_KEY_BYTES)
    if (at === 0) at = memberValueAt(key, LS_KEY, LS_KEY_BYTES)
    if (at !== 0) return load<u8>(at) === OPENING_BRACKET ? skipBlanks(at + 1) : 0
    at = afterE(key)
  } while (at !== 0 && load<u8>(at) === COMMA)
  return 0
}

/** Whether the body ends here, apart from members without a meaning. */
function isEnvelopeEnd(at: usize): bool {
  at = skipBlanks(at)
  while (at !== 0 && load<u8>(at) === COMMA) at = afterE(skipBlanks(at + 1))
  return at !== 0 && load<u8>(at) === CLOSING_BRACE && skipBlanks(at + 1) === bodyEnd
}

/** Passes over member `e`, which older agents send and which has no meaning. @returns the next token; 0 for any other member */
function afterE(key: usize): usize {
  const at = memberValueAt(key, E_KEY, E_KEY_BYTES)
  if (at === 0 || load<u8>(at) !== QUOTE) return 0
  const quote = specialFrom(at + 1)
  return load<u8>(quote) === QUOTE ? skipBlanks(quote + 1) : 0
}

/** Place of the value of a member; 0 when it has another name. @param key place of the opening quote of its name */
function memberValueAt(key: usize, name: u64, bytes: usize): usize {
  if (load<u8>(key) !== QUOTE || (load<u64>(key + 1) ^ name) << (64 - ((<u64>bytes) << 3)) !== 0) return 0
  const colon = skipBlanks(key + 1 + bytes)
  return load<u8>(colon) === COLON ? skipBlanks(colon + 1) : 0
}
