/**
 * Filters of words. Each start of a token in a text gives keys: beginnings of the run of letters and digits behind it.
 * Each key sets three bits in one word of the filter. engine/lines/word-filter/word-keys.ts has the rules.
 */

const GUARD_BYTES: usize = 64
/** Bytes behind the input that a step may read. */
const SLACK: usize = 128
export const SECTIONS: usize = 64
/** Words of a section before it is folded. */
export const SECTION_WORDS: usize = 1024
/** Texts of one call. */
export const MAX_TEXTS: usize = 8192

export const INPUT: usize = 1024
export const INPUT_BYTES: usize = 256 * 1024
/** Marks of the texts, one byte each: the further work that a text needs. */
export const MARKS: usize = INPUT + INPUT_BYTES + SLACK + GUARD_BYTES
export const FILTER: usize = MARKS + MAX_TEXTS + GUARD_BYTES
const SECTION_BYTES: usize = SECTION_WORDS * 8
export const FILTER_BYTES: usize = SECTIONS * SECTION_BYTES
export const MEMORY_END: usize = FILTER + FILTER_BYTES + GUARD_BYTES

/** The text has a backslash: texts of its fields may stand in it with escapes. */
export const MARK_ESCAPED: u8 = 1
/** The text has a letter outside ASCII that equals one in it without regard to case. */
export const MARK_FOLDED: u8 = 2
/** The text has more than three opening braces: the text of a field may be that of an object, written again. */
export const MARK_NESTED: u8 = 4

const MANY_BRACES: u32 = 3
const FIRST_MULTIPLIER: u64 = 0x9e3779b97f4a7c15
const SECOND_MULTIPLIER: u64 = 0xd6e8feb86659fd93
const LOWER_CASE: u64 = 0x2020202020202020

/** Bits of 64 characters. */
let digits: u64 = 0
let lower: u64 = 0
let upper: u64 = 0
let backslashes: u64 = 0
let braces: u64 = 0
let folding: u64 = 0

export function clear(): void {
  memory.fill(FILTER, 0, FILTER_BYTES)
}

/** The marks of the texts of the last call together: 0 if none has any. */
export let marked: u8 = 0

/** Adds texts that have their lengths before them. @returns their number */
export function addEncoded(bytes: u32): u32 {
  const end = INPUT + bytes
  let at: usize = INPUT
  let count: usize = 0
  marked = 0
  while (at < end) {
    let length: usize = 0
    let shift: usize = 0
    let part: usize
    do {
      part = <usize>load<u8>(at++)
      length |= (part & 0x7f) << shift
      shift += 7
    } while (part >= 0x80)
    const marks: u8 = length === 0 ? 0 : addText(at, length)
    store<u8>(MARKS + count, marks)
    marked |= marks
    at += length
    count++
  }
  return <u32>count
}

/** Adds the text at the beginning of the input. */
export function addOne(bytes: u32): void {
  addText(INPUT, bytes)
}

function addText(from: usize, length: usize): u8 {
  let marks: u8 = 0
  let braceCount: u32 = 0
  let at: usize = 0
  let beforeDigits: u64 = 0
  let beforeLower: u64 = 0
  let beforeUpper: u64 = 0
  classify(from, length)
  while (at < length) {
    const d = digits
    const l = lower
    const u = upper
    if (backslashes !== 0) marks |= MARK_ESCAPED
    braceCount += <u32>popcnt(braces)
    if (folding !== 0 && hasFoldedLetter(from + at, length - at)) marks |= MARK_FOLDED
    if (at + 64 < length) classify(from + at + 64, length - at - 64)
    else {
      digits = 0
      lower = 0
      upper = 0
    }
    const nextAll = digits | lower | upper
    const all = d | l | u
    const behindDigit = (d << 1) | beforeDigits
    const behindLower = (l << 1) | beforeLower
    const behindUpper = (u << 1) | beforeUpper
    const behindLetter = behindLower | behindUpper
    let starts =
      (all & ~(behindDigit | behindLetter)) | (d & behindLetter) | ((l | u) & behindDigit) | (u & behindLower)
    // A start with fewer than four characters has no key.
    starts &= ((all >> 1) | (nextAll << 63)) & ((all >> 2) | (nextAll << 62)) & ((all >> 3) | (nextAll << 61))
    while (starts !== 0) {
      const index = ctz(starts)
      starts &= starts - 1
      const run = ctz(~behind(all, nextAll, index))
      const isDigit = ((d >> index) & 1) === 1
      const kind = isDigit ? ctz(~behind(d, digits, index)) : ctz(~behind(l | u, lower | upper, index))
      addKeys(from + at + <usize>index, run, kind)
    }
    beforeDigits = d >> 63
    beforeLower = l >> 63
    beforeUpper = u >> 63
    at += 64
  }
  if (braceCount > MANY_BRACES) marks |= MARK_NESTED
  return marks
}

/** Bits from an index on, with those of the following 64 characters behind them. */
function behind(bits: u64, next: u64, index: u64): u64 {
  return index === 0 ? bits : (bits >> index) | (next << (64 - index))
}

function addKeys(at: usize, run: u64, kind: u64): void {
  const first = load<u64>(at) | LOWER_CASE
  const section = FILTER + <usize>(((first & 0xffffffff) * FIRST_MULTIPLIER) >> 58) * SECTION_BYTES
  if (run >= 6) addKey(section, hashOf(first & 0xffffffffffff, 0, 6))
  if (kind < 4) return
  addKey(section, hashOf(first & 0xffffffff, 0, 4))
  if (kind >= 8) addKey(section, hashOf(first, 0, 8))
  if (run < 12) return
  const second = load<u64>(at + 8) | LOWER_CASE
  addKey(section, hashOf(first, second & 0xffffffff, 12))
  if (kind >= 16) addKey(section, hashOf(first, second, 16))
}

function hashOf(first: u64, second: u64, length: u64): u64 {
  let hash = (first ^ (length * SECOND_MULTIPLIER)) * FIRST_MULTIPLIER
  hash = (hash ^ (hash >> 32) ^ second) * SECOND_MULTIPLIER
  return hash ^ (hash >> 29)
}

function addKey(section: usize, hash: u64): void {
  const at = section + ((<usize>(hash >> 54)) << 3)
  const bits =
    ((<u64>1) << (hash & 63)) | ((<u64>1) << ((hash >> 6) & 63)) | ((<u64>1) << ((hash >> 12) & 63))
  store<u64>(at, load<u64>(at) | bits)
}

/** Sets the bits of up to 64 characters; those beyond the length belong to no class. */
function classify(at: usize, length: usize): void {
  let d: u64 = 0
  let l: u64 = 0
  let u: u64 = 0
  let escapes: u64 = 0
  let opening: u64 = 0
  let leads: u64 = 0
  const end: usize = length < 64 ? length : 64
  for (let part: usize = 0; part < end; part += 16) {
    const bytes = v128.load(at + part)
    d |= (<u64>(<u32>i8x16.bitmask(within(bytes, 0x30, 10)))) << part
    l |= (<u64>(<u32>i8x16.bitmask(within(bytes, 0x61, 26)))) << part
    u |= (<u64>(<u32>i8x16.bitmask(within(bytes, 0x41, 26)))) << part
    escapes |= (<u64>(<u32>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x5c))))) << part
    opening |= (<u64>(<u32>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x7b))))) << part
    const lead = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>0xc5)), i8x16.eq(bytes, i8x16.splat(<i8>0xe2)))
    leads |= (<u64>(<u32>i8x16.bitmask(lead))) << part
  }
  const mask: u64 = length >= 64 ? ~(<u64>0) : ((<u64>1) << (<u64>length)) - 1
  digits = d & mask
  lower = l & mask
  upper = u & mask
  backslashes = escapes & mask
  braces = opening & mask
  folding = leads & mask
}

function within(bytes: v128, first: i8, count: i8): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(first)), i8x16.splat(count))
}

/** Whether the long s or the Kelvin sign begins within 64 bytes. */
function hasFoldedLetter(at: usize, length: usize): bool {
  const end = at + (length < 64 ? length : 64)
  const textEnd = at + length
  while (at < end) {
    const lead = load<u8>(at)
    if (lead === 0xc5 && at + 1 < textEnd && load<u8>(at + 1) === 0xbf) return true
    if (lead === 0xe2 && at + 2 < textEnd && load<u8>(at + 1) === 0x84 && load<u8>(at + 2) === 0xaa)
      return true
    at++
  }
  return false
}

/** Number of bits that are set in the first words of a section. */
export function bitsOf(section: u32, words: u32): u32 {
  const start = FILTER + <usize>section * SECTION_BYTES
  let count: u64 = 0
  for (let at = start; at < start + ((<usize>words) << 3); at += 8) count += popcnt(load<u64>(at))
  return <u32>count
}

/** Halves a section: words 2i and 2i + 1 become word i. @param words before */
export function fold(section: u32, words: u32): void {
  const start = FILTER + <usize>section * SECTION_BYTES
  for (let word: usize = 0; word < <usize>(words >> 1); word++) {
    const from = start + (word << 4)
    store<u64>(start + (word << 3), load<u64>(from) | load<u64>(from + 8))
  }
}
