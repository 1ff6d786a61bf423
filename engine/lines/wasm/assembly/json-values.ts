import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  DOT,
  isDigit,
  MINUS,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipBlanks,
  ZERO,
} from './characters'
import { hexadecimalAt, NO_HEXADECIMAL, plainEscape, specialFrom } from './strings'
import { wordSize } from './words'

/**
 * Passes over JSON that is kept as it was sent. Each function returns the place behind a part, or 0 when it is not JSON or the
 * complete rules must read it.
 */

const LETTER_U: u8 = 0x75
const PLUS: u8 = 0x2b
const LETTER_E: u8 = 0x65
/** Bit in which small and capital letters differ. */
const SMALL: u8 = 0x20

/** Values beyond it are passed over no further. */
let limit: usize = 0

/** @param most bytes of the value @param levels of arrays and objects in it, itself included */
export function valueEnd(at: usize, most: usize, levels: u32): usize {
  limit = at + most
  const end = skipValue(at, levels)
  return end > limit ? 0 : end
}

function skipValue(at: usize, levels: u32): usize {
  const first = load<u8>(at)
  if (first === QUOTE) {
    const quote = stringEnd(at + 1)
    return quote === 0 ? 0 : quote + 1
  }
  if (first === OPENING_BRACE || first === OPENING_BRACKET)
    return levels === 0 ? 0 : skipNested(at, first === OPENING_BRACE, levels - 1)
  const size = wordSize(at)
  return size > 0 ? at + size : skipNumber(at)
}

/** @param isObject false: an array */
function skipNested(at: usize, isObject: bool, levels: u32): usize {
  const closing = isObject ? CLOSING_BRACE : CLOSING_BRACKET
  at = skipBlanks(at + 1)
  if (load<u8>(at) === closing) return at + 1
  while (true) {
    if (isObject) at = skipKey(at)
    if (at !== 0) at = skipValue(at, levels)
    if (at === 0 || at > limit) return 0
    at = skipBlanks(at)
    if (load<u8>(at) === closing) return at + 1
    if (load<u8>(at) !== COMMA) return 0
    at = skipBlanks(at + 1)
  }
}

/** @returns the place of the value */
function skipKey(at: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0
  const quote = stringEnd(at + 1)
  if (quote === 0) return 0
  at = skipBlanks(quote + 1)
  return load<u8>(at) === COLON ? skipBlanks(at + 1) : 0
}

function skipNumber(at: usize): usize {
  if (load<u8>(at) === MINUS) at++
  if (load<u8>(at) === ZERO) at++
  else at = skipDigits(at)
  if (at !== 0 && load<u8>(at) === DOT) at = skipDigits(at + 1)
  if (at === 0 || (load<u8>(at) | SMALL) !== LETTER_E) return at
  const sign = load<u8>(at + 1)
  return skipDigits(sign === PLUS || sign === MINUS ? at + 2 : at + 1)
}

/** Passes over at least one digit. */
function skipDigits(at: usize): usize {
  const first = at
  while (isDigit(load<u8>(at))) at++
  return at === first ? 0 : at
}

/**
 * Finds the closing quote of a string without half a pair of surrogates.
 *
 * @param at place behind the opening quote
 */
export function stringEnd(at: usize): usize {
  return closingQuote(at, false)
}

/** Finds the closing quote of a string whose halves of pairs are replaced. */
export function textStringEnd(at: usize): usize {
  return closingQuote(at, true)
}

function closingQuote(at: usize, mayBeHalf: bool): usize {
  while (true) {
    at = specialFrom(at)
    const special = load<u8>(at)
    if (special === QUOTE) return at
    if (special !== BACKSLASH) return 0
    if (load<u8>(at + 1) === LETTER_U) at = unitEnd(at + 2, mayBeHalf)
    else at = plainEscape(load<u8>(at + 1)) === 0 ? 0 : at + 2
    if (at === 0) return 0
  }
}

/** @param at place of four hexadecimal digits @returns the place behind them, or behind the pair that they begin */
function unitEnd(at: usize, mayBeHalf: bool): usize {
  const unit = hexadecimalAt(at)
  if (unit === NO_HEXADECIMAL) return 0
  at += 4
  if (mayBeHalf || unit < 0xd800 || unit >= 0xe000) return at
  if (unit >= 0xdc00 || load<u8>(at) !== BACKSLASH || load<u8>(at + 1) !== LETTER_U) return 0
  const low = hexadecimalAt(at + 2)
  return low >= 0xdc00 && low < 0xe000 ? at + 6 : 0
}
