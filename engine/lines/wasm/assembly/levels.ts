/** Number of characters of a text in which a level is sought. */
const DETECTION_CHARACTERS: usize = 256
const SHORTEST_WORD: usize = 4
const LONGEST_WORD: usize = 9

/** Numbers of the levels that are found in texts: the program knows them in this order. */
const CRITICAL: u32 = 1
const DEBUG: u32 = 2
const EMERGENCY: u32 = 3
const ERROR: u32 = 4
const FATAL: u32 = 5
const INFO: u32 = 6
const SEVERE: u32 = 7
const TRACE: u32 = 8
const WARN: u32 = 9
const ALERT: u32 = 10

// Words in lower case, as little-endian numbers of their bytes.
const CRITICAL_BYTES: u64 = 0x6c61636974697263
const DEBUG_BYTES: u64 = 0x6775626564
const EMERGENC_BYTES: u64 = 0x636e656772656d65
const ERROR_BYTES: u64 = 0x726f727265
const FATAL_BYTES: u64 = 0x6c61746166
const INFO_BYTES: u64 = 0x6f666e69
const SEVERE_BYTES: u64 = 0x657265766573
const TRACE_BYTES: u64 = 0x6563617274
const WARN_BYTES: u64 = 0x6e726177
const WARNING_BYTES: u64 = 0x676e696e726177
const ALERT_BYTES: u64 = 0x7472656c61
const Y: u8 = 0x79

const LOWER_CASE: u64 = 0x2020202020202020

/** Bytes per step. */
const STEP: usize = 16
/** The first letters of the words, from \x60 and from p on, at which the table has a bit. */
const BIT: i8 = -128

/**
 * The first whole word among the known levels that ends within the first 256 characters, in any case: the rules of
 * `detectLevel` in stored-line/level.ts. A word is a run of ASCII letters, digits and underscores.
 *
 * @returns 0 without one
 */
export function detectLevel(at: usize, end: usize): u32 {
  const limit = searchedEnd(at, end)
  let isInWord: i32 = 0
  while (at < limit) {
    const bytes = v128.load(at)
    const words = wordBytes(bytes)
    let starts = firstLetters(bytes) & words & ~((words << 1) | isInWord)
    if (limit - at < STEP) starts &= (1 << (<i32>(limit - at))) - 1
    for (; starts !== 0; starts &= starts - 1) {
      const level = levelFrom(at + ctz(starts), limit, end)
      if (level !== 0) return level
    }
    isInWord = words >> 15
    at += STEP
  }
  return 0
}

/** End of the first 256 characters. A further byte of a character is not counted. */
function searchedEnd(at: usize, end: usize): usize {
  let limit = min(end, at + DETECTION_CHARACTERS)
  for (let step = at; step < limit; step += STEP) {
    if (i8x16.bitmask(v128.load(step)) === 0) continue
    for (let byte = step; byte < min(step + STEP, limit); byte++)
      if ((load<u8>(byte) & 0xc0) === 0x80 && limit < end) limit++
  }
  return limit
}

/** One bit for each of 16 bytes that belongs to a word. */
function wordBytes(bytes: v128): i32 {
  const lower = v128.or(bytes, i8x16.splat(0x20))
  const letters = i8x16.lt_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(26))
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10))
  const underscores = i8x16.eq(bytes, i8x16.splat(0x5f))
  return i8x16.bitmask(v128.or(v128.or(letters, digits), underscores))
}

/** One bit for each of 16 bytes with which one of the words begins: a, c, d, e, f, i, s, t, w. */
function firstLetters(bytes: v128): i32 {
  const lower = v128.or(bytes, i8x16.splat(0x20))
  const early = i8x16(0, BIT, 0, BIT, BIT, BIT, BIT, 0, 0, BIT, 0, 0, 0, 0, 0, 0)
  const late = i8x16(0, 0, 0, BIT, BIT, 0, 0, BIT, 0, 0, 0, 0, 0, 0, 0, 0)
  const isEarly = i8x16.swizzle(early, i8x16.sub(lower, i8x16.splat(0x60)))
  const isLate = i8x16.swizzle(late, i8x16.sub(lower, i8x16.splat(0x70)))
  return i8x16.bitmask(v128.or(isEarly, isLate))
}

/** The level at the beginning of a word that ends before the limit; 0: none. */
function levelFrom(at: usize, limit: usize, end: usize): u32 {
  const most = min(end, at + LONGEST_WORD + 1)
  let behind = at + SHORTEST_WORD
  while (behind < most && isWordByte(load<u8>(behind))) behind++
  return behind > limit ? 0 : levelOfWord(at, behind - at)
}

/** An ASCII letter, digit or underscore. */
function isWordByte(byte: u8): bool {
  return <u8>((byte | 0x20) - 0x61) < 26 || <u8>(byte - 0x30) < 10 || byte === 0x5f
}

function levelOfWord(at: usize, length: usize): u32 {
  const eight = load<u64>(at) | LOWER_CASE
  switch (<u32>length) {
    case 4:
      return levelOfFour(<u32>eight)
    case 5:
      return levelOfFive(eight & 0xffffffffff)
    case 6:
      return (eight & 0xffffffffffff) === SEVERE_BYTES ? SEVERE : 0
    case 7:
      return (eight & 0xffffffffffffff) === WARNING_BYTES ? WARN : 0
    case 8:
      return eight === CRITICAL_BYTES ? CRITICAL : 0
    case 9:
      return eight === EMERGENC_BYTES && (load<u8>(at + 8) | 0x20) === Y ? EMERGENCY : 0
    default:
      return 0
  }
}

function levelOfFour(word: u64): u32 {
  if (word === INFO_BYTES) return INFO
  return word === WARN_BYTES ? WARN : 0
}

function levelOfFive(word: u64): u32 {
  if (word === ERROR_BYTES) return ERROR
  if (word === DEBUG_BYTES) return DEBUG
  if (word === TRACE_BYTES) return TRACE
  if (word === FATAL_BYTES) return FATAL
  return word === ALERT_BYTES ? ALERT : 0
}
