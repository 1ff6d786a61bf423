import { BACKSLASH, QUOTE, SLASH, SPACE } from './characters'
import { writeCodePoint } from './utf8'

/** Stands for half a pair of surrogates, as when such a text is encoded. */
const REPLACEMENT: u32 = 0xfffd
export const NO_HEXADECIMAL: i32 = -1

/**
 * The first quote, backslash or control character from `at` on. There always is one, because a zero follows the text of
 * each row while it is read.
 */
export function specialFrom(at: usize): usize {
  while (true) {
    const specials = specialsOf(v128.load(at))
    if (specials !== 0) return at + ctz(specials)
    at += 16
  }
}

/** One bit for each of 16 bytes that is a quote, a backslash or a control character. */
export function specialsOf(bytes: v128): i32 {
  const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE))
  const backslashes = i8x16.eq(bytes, i8x16.splat(BACKSLASH))
  const controls = i8x16.lt_u(bytes, i8x16.splat(SPACE))
  return i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls))
}

/** End of the bytes that `writeUnescaped` has written. */
let target: usize = 0

export function unescapedEnd(): usize {
  return target
}

/**
 * Writes the text of a JSON string without its escapes, in steps of 16 bytes.
 *
 * @param at place behind the opening quote
 * @returns the closing quote; 0 when it is not a string
 */
export function writeUnescaped(at: usize, to: usize): usize {
  target = to
  while (true) {
    const bytes = v128.load(at)
    v128.store(target, bytes)
    const specials = specialsOf(bytes)
    const plain: usize = specials === 0 ? 16 : ctz(specials)
    at += plain
    target += plain
    if (specials === 0) continue
    const special = load<u8>(at)
    if (special === QUOTE) return at
    if (special !== BACKSLASH) return 0
    at = writeEscaped(at + 1)
    if (at === 0) return 0
  }
}

/**
 * Writes the character of an escape; `unescapedEnd` is behind it.
 *
 * @param at place behind the backslash
 * @returns the place behind the escape; 0 when there is none
 */
export function writeEscape(at: usize, to: usize): usize {
  target = to
  return writeEscaped(at)
}

/** @param at place behind the backslash @returns the place behind the escape; 0 when there is none */
function writeEscaped(at: usize): usize {
  const letter = load<u8>(at)
  if (letter === 0x75 /* u */) return writeUnit(at + 1)
  const character = plainEscape(letter)
  if (character === 0) return 0
  store<u8>(target++, character)
  return at + 1
}

/** The character that a letter behind a backslash stands for; 0: none, or it begins a unit of UTF-16. */
export function plainEscape(letter: u8): u8 {
  switch (letter) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
      return letter
    case 0x6e /* n */:
      return 0x0a
    case 0x74 /* t */:
      return 0x09
    case 0x72 /* r */:
      return 0x0d
    case 0x62 /* b */:
      return 0x08
    case 0x66 /* f */:
      return 0x0c
    default:
      return 0
  }
}

/** @param at place of four hexadecimal digits */
function writeUnit(at: usize): usize {
  const unit = hexadecimalAt(at)
  if (unit === NO_HEXADECIMAL) return 0
  at += 4
  if (unit < 0xd800 || unit >= 0xe000) {
    target = writeCodePoint(target, unit)
    return at
  }
  const low = unit < 0xdc00 ? lowSurrogateAt(at) : 0
  if (low === 0) {
    target = writeCodePoint(target, REPLACEMENT)
    return at
  }
  target = writeCodePoint(target, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
  return at + 6
}

/** The second half of a pair that is escaped at a place; 0: none. */
function lowSurrogateAt(at: usize): u32 {
  if (load<u8>(at) !== BACKSLASH || load<u8>(at + 1) !== 0x75 /* u */) return 0
  const unit = hexadecimalAt(at + 2)
  return unit >= 0xdc00 && unit < 0xe000 ? unit : 0
}

/** Number of four hexadecimal digits; NO_HEXADECIMAL for other bytes. */
export function hexadecimalAt(at: usize): i32 {
  let value: i32 = 0
  for (let index: usize = 0; index < 4; index++) {
    const digit = hexadecimalDigit(load<u8>(at + index))
    if (digit === NO_HEXADECIMAL) return NO_HEXADECIMAL
    value = (value << 4) | digit
  }
  return value
}

function hexadecimalDigit(byte: u8): i32 {
  if (<u8>(byte - 0x30) <= 9) return byte - 0x30
  const letter: u8 = (byte | 0x20) - 0x61
  return letter < 6 ? letter + 10 : NO_HEXADECIMAL
}
