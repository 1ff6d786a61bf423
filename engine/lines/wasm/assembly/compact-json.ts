import { areEqual } from './bytes'
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  isDigit,
  MINUS,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  skipBlanks,
} from './characters'
import { MAX_OPEN_KEYS, OPEN_KEY_SIZE, OPEN_KEYS } from './layout'
import { isCompact, readNumber } from './numbers'
import { specialFrom } from './strings'
import { wordSize } from './words'

/**
 * Copies JSON without its blanks, if the rest of it is as JavaScript writes it. Other spellings fall back. Examples are
 * an escape that is not needed, a number in another form, and a repeated key. So is a key that may be an index, because
 * JavaScript prints it elsewhere.
 */

const MAX_NESTING: u32 = 32

@unmanaged
class OpenKey {
  bytes: usize
  length: u32
}

let target: usize = 0
let nesting: u32 = 0
let openKeys: u32 = 0

/** End of the bytes that `copyCompact` has written. */
export function compactEnd(): usize {
  return target
}

/** @returns the place behind the value at `at`; 0 when the row must fall back */
export function copyCompact(at: usize, to: usize): usize {
  target = to
  nesting = 0
  openKeys = 0
  return copyValue(at)
}

function copyValue(at: usize): usize {
  const first = load<u8>(at)
  if (first === QUOTE) return copyString(at)
  if (first === OPENING_BRACE) return copyNested(at, true)
  if (first === OPENING_BRACKET) return copyNested(at, false)
  if (first === MINUS || isDigit(first)) return copyNumber(at)
  return copied(at, at + wordSize(at))
}

/** Copies a part as it is. @param end equal to `at` when there is none */
function copied(at: usize, end: usize): usize {
  if (end === at) return 0
  memory.copy(target, at, end - at)
  target += end - at
  return end
}

function put(byte: u8): void {
  store<u8>(target++, byte)
}

function copyNumber(at: usize): usize {
  const end = readNumber(at)
  return end === 0 || !isCompact() ? 0 : copied(at, end)
}

function copyString(at: usize): usize {
  const end = stringEnd(at)
  return end === 0 ? 0 : copied(at, end)
}

/** @returns the place behind the closing quote; 0 for a string that JavaScript writes in another way */
function stringEnd(at: usize): usize {
  let special = specialFrom(at + 1)
  while (load<u8>(special) === BACKSLASH) {
    if (!isNeededEscape(load<u8>(special + 1))) return 0
    special = specialFrom(special + 2)
  }
  return load<u8>(special) === QUOTE ? special + 1 : 0
}

function isNeededEscape(letter: u8): bool {
  switch (letter) {
    case QUOTE:
    case BACKSLASH:
    case 0x6e /* n */:
    case 0x74 /* t */:
    case 0x72 /* r */:
    case 0x62 /* b */:
    case 0x66 /* f */:
      return true
    default:
      return false
  }
}

/** @param isObject false: an array */
function copyNested(at: usize, isObject: bool): usize {
  if (nesting === MAX_NESTING) return 0
  const closing = isObject ? CLOSING_BRACE : CLOSING_BRACKET
  const outerKeys = openKeys
  nesting++
  put(load<u8>(at))
  at = skipBlanks(at + 1)
  if (load<u8>(at) !== closing) at = copyParts(at, isObject, closing)
  nesting--
  openKeys = outerKeys
  if (at === 0) return 0
  put(closing)
  return at + 1
}

/** @returns the place of the closing bracket; 0 when the row must fall back */
function copyParts(at: usize, isObject: bool, closing: u8): usize {
  const firstKey = openKeys
  while (true) {
    if (isObject) at = copyKey(at, firstKey)
    if (at !== 0) at = copyValue(at)
    if (at === 0) return 0
    at = skipBlanks(at)
    if (load<u8>(at) === closing) return at
    if (load<u8>(at) !== COMMA) return 0
    put(COMMA)
    at = skipBlanks(at + 1)
  }
}

/** @returns the place of the value */
function copyKey(at: usize, firstKey: u32): usize {
  if (load<u8>(at) !== QUOTE || isDigit(load<u8>(at + 1))) return 0
  const end = copyString(at)
  if (end === 0 || !isOnlyKey(at, <u32>(end - at), firstKey)) return 0
  at = skipBlanks(end)
  if (load<u8>(at) !== COLON) return 0
  put(COLON)
  return skipBlanks(at + 1)
}

/** Remembers a key of the innermost object. @returns false when the object has it already, or too many keys are open */
function isOnlyKey(at: usize, length: u32, firstKey: u32): bool {
  if (openKeys === <u32>MAX_OPEN_KEYS || openKeys - firstKey === MAX_KEYS) return false
  for (let index = firstKey; index < openKeys; index++) {
    const key = openKeyAt(index)
    if (key.length === length && areEqual(key.bytes, at, length)) return false
  }
  const key = openKeyAt(openKeys++)
  key.bytes = at
  key.length = length
  return true
}

/** Each key is compared with all before it. */
const MAX_KEYS: u32 = 64

function openKeyAt(index: u32): OpenKey {
  return changetype<OpenKey>(OPEN_KEYS + <usize>index * OPEN_KEY_SIZE)
}
