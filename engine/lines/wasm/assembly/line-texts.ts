import { copyBytes, lengthSize, writeLength } from './bytes'
import { BACKSLASH, QUOTE, SLASH, SPACE } from './characters'
import { textStringEnd } from './json-values'
import { LINE_LIMIT_BYTES } from './scan-layout'
import { plainEscape, unescapedEnd, writeEscape } from './strings'

/** Bytes per step, and a bit for each of them. */
const STEP: usize = 16
const ALL_BITS: u32 = 0xffff
const ODD_BITS: u32 = 0xaaaa
/** Most lengths of texts have that many bytes. */
const LENGTH_BYTES: usize = 2

let textEnd: usize = 0
let isCut: bool = false

/** End of the column behind the text that `addText` has added. */
export function textColumnEnd(): usize {
  return textEnd
}

/** Whether the text that `addText` has added is only the beginning of the sent one. */
export function isTextCut(): bool {
  return isCut
}

/**
 * Adds the text of a JSON string to a column, un-escaped and cut to its limit, with its length before it.
 *
 * @param at place behind the opening quote
 * @param column end of the column
 * @returns place behind the closing quote; 0 when it is not a string
 */
export function addText(at: usize, column: usize): usize {
  const start = column + LENGTH_BYTES
  const quote = copyText(at, start)
  if (quote === 0) return 0
  isCut = textEnd - start > LINE_LIMIT_BYTES
  if (isCut) textEnd = cutAt(start + LINE_LIMIT_BYTES)
  const length = textEnd - start
  const from = column + lengthSize(length)
  if (from !== start) copyBytes(from, start, length)
  writeLength(column, length)
  textEnd = from + length
  return quote + 1
}

/** The last place up to `at` where a text may be cut: not within a character. */
function cutAt(at: usize): usize {
  while ((load<u8>(at) & 0xc0) === 0x80) at--
  return at
}

/**
 * Copies the text in steps of 16 bytes. A step finds its escapes by their bits and leaves all their backslashes out at once, without a
 * branch for each of them. A text beyond its limit is only passed over from there on.
 *
 * @returns the closing quote; 0 when it is not a string
 */
function copyText(at: usize, to: usize): usize {
  const limit = to + LINE_LIMIT_BYTES
  /** 1: the first byte of the step is behind a backslash of the step before. */
  let carry: u32 = 0
  while (to <= limit) {
    const bytes = v128.load(at)
    const quotes = bitsOf(i8x16.eq(bytes, i8x16.splat(QUOTE)))
    const backslashes = bitsOf(i8x16.eq(bytes, i8x16.splat(BACKSLASH)))
    const controls = bitsOf(i8x16.lt_u(bytes, i8x16.splat(SPACE)))
    if ((quotes | backslashes | controls | carry) === 0) {
      v128.store(to, bytes)
      at += STEP
      to += STEP
      continue
    }
    // Backslashes in a row: each second one begins an escape. A subtraction carries that along the row.
    const starting = backslashes & ~carry
    const series = (((starting << 1) | ODD_BITS) - starting) ^ ODD_BITS
    const escaped = (series ^ (backslashes | carry)) & ALL_BITS
    const escaping = series & backslashes
    const ends = (quotes | controls) & ~escaped & ALL_BITS
    const slashes = bitsOf(i8x16.eq(bytes, i8x16.splat(SLASH)))
    const stops = ends | (escaped & ~(quotes | backslashes | slashes))
    const count: usize = stops === 0 ? STEP : ctz(stops)
    to = storeWithout(bytes, escaping, count, to)
    if (stops === 0) {
      carry = (escaping >> 15) & 1
      at += STEP
      continue
    }
    at += count
    if (((ends >> <u32>count) & 1) !== 0) {
      textEnd = to
      return load<u8>(at) === QUOTE ? at : 0
    }
    carry = 0
    const character = plainEscape(load<u8>(at))
    if (character !== 0) {
      store<u8>(to++, character)
      at++
      continue
    }
    at = writeEscape(at, to)
    if (at === 0) return 0
    to = unescapedEnd()
  }
  textEnd = to
  return textStringEnd(at - carry)
}

function bitsOf(bytes: v128): u32 {
  return <u32>i8x16.bitmask(bytes)
}

/** Places of the bytes that are not in a set, in order, for each set of bits of eight bytes. */
const KEPT_PLACES = memory.data(256 * 8, 16)

/** Stores the first bytes of a step without those of a set. @returns the place behind them */
function storeWithout(bytes: v128, left: u32, count: usize, to: usize): usize {
  const low = left & 0xff
  const high = (left >> 8) & 0xff
  const lowPlaces = v128.load64_zero(KEPT_PLACES + ((<usize>low) << 3))
  const highPlaces = v128.load64_zero(KEPT_PLACES + ((<usize>high) << 3))
  v128.store(to, i8x16.swizzle(bytes, lowPlaces))
  v128.store(to + 8 - popcnt(low), i8x16.swizzle(bytes, i8x16.add(highPlaces, i8x16.splat(8))))
  return to + count - popcnt(left & ((1 << (<u32>count)) - 1))
}

function fillKeptPlaces(): void {
  for (let left: usize = 0; left < 256; left++) {
    let to = KEPT_PLACES + (left << 3)
    for (let place: usize = 0; place < 8; place++) if (((left >> place) & 1) === 0) store<u8>(to++, <u8>place)
  }
}

fillKeptPlaces()
