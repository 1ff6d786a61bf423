import { BACKSLASH, CLOSING_BRACE, COLON, COMMA, OPENING_BRACE, QUOTE, skipBlanks } from './characters'
import { valueEnd } from './json-values'
import {
  beginRow,
  endRow,
  lineColumnEnd,
  setApp,
  setEnv,
  setFile,
  setHost,
  setLevel,
  setLine,
  setMeta,
} from './line-columns'
import { APP, ENV, FILE, HOST, LEVEL, LINE, META, memberAt, memberKeyEnd, TIMESTAMP } from './line-members'
import { addText, isTextCut, textColumnEnd } from './line-texts'
import { beginTime, readTime } from './line-times'
import { currentWord, readWord } from './line-words'
import { META_LIMIT_BYTES } from './scan-layout'
import { isNull } from './words'

/** Size of a line without a text, as in least-bytes.ts. */
const LEAST_LINE_BYTES: i64 = 64
/** Size of `"{}"` in its longest spelling with escapes. */
const ESCAPED_EMPTY_META_BYTES: usize = 14
/** `{}` */
const EMPTY_OBJECT: u16 = 0x7d7b
/** Meta that is nested deeper is left to the complete rules. */
const MAX_META_LEVELS: u32 = 24

// Limits of words in bytes: a word within them never has too many characters.
const HOST_BYTES: usize = 256
const APP_BYTES: usize = 512
const LEVEL_BYTES: usize = 80
const OTHER_WORD_BYTES: usize = 4096

let spareBytes: f64 = 0

export function setSpareBytes(bytes: f64): void {
  spareBytes = bytes
}

export function spareBytesLeft(): f64 {
  return spareBytes
}

/** @param at place of its first byte @returns place behind a line that is only a text; 0 when it is not read */
export function readBareLine(at: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0
  begin()
  const end = readText(at)
  if (end === 0 || (end === at + 2 && !isEmptyCounted(2))) return 0
  endRow(isTextCut())
  return end
}

/** @param at place of its opening brace @returns place behind the line; 0 when it is not read */
export function readLine(at: usize): usize {
  const start = at
  let seen: u32 = 0
  let isEmpty = false
  begin()
  do {
    at = skipBlanks(at + 1)
    const member = memberAt(at)
    if (member === 0 || (seen & member) !== 0) return 0
    seen |= member
    at = skipBlanks(memberKeyEnd())
    if (load<u8>(at) !== COLON) return 0
    at = skipBlanks(at + 1)
    if (member === LINE) isEmpty = load<u8>(at + 1) === QUOTE
    at = readMember(at, member)
    if (at === 0) return 0
    at = skipBlanks(at)
  } while (load<u8>(at) === COMMA)
  if (load<u8>(at) !== CLOSING_BRACE || (seen & LINE) === 0) return 0
  at++
  if (isEmpty && !isEmptyCounted(at - start)) return 0
  endRow(isTextCut())
  return at
}

function begin(): void {
  beginRow()
  beginTime()
}

/** Counts a line without a text. @returns false when the body has too many of them */
function isEmptyCounted(bytes: usize): bool {
  spareBytes -= <f64>max(0, LEAST_LINE_BYTES - <i64>bytes)
  return spareBytes >= 0
}

/** @param at place of the value @returns place behind it; 0 when the complete rules must read it */
function readMember(at: usize, member: u32): usize {
  if (member === LINE) return readText(at)
  if (isNull(at)) return at + 4
  if (member === TIMESTAMP) return readTime(at)
  if (member === META) return readMeta(at)
  if (load<u8>(at) !== QUOTE) return 0
  at++
  switch (member) {
    case APP:
      at = readWord(at, APP_BYTES, true)
      setApp(currentWord())
      return at
    case LEVEL:
      at = readWord(at, LEVEL_BYTES, true)
      setLevel(currentWord())
      return at
    case ENV:
      at = readWord(at, OTHER_WORD_BYTES, true)
      setEnv(currentWord())
      return at
    case FILE:
      at = readWord(at, OTHER_WORD_BYTES, true)
      setFile(currentWord())
      return at
    default:
      // A host of blanks counts as absent, which the complete rules decide.
      at = readWord(at, HOST_BYTES, false)
      setHost(currentWord())
      return at
  }
}

function readText(at: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0
  const end = addText(at + 1, lineColumnEnd())
  setLine(textColumnEnd())
  return end
}

/** Meta is an object, or a text that may be one. */
function readMeta(at: usize): usize {
  const first = load<u8>(at)
  if (first !== QUOTE && first !== OPENING_BRACE) return 0
  const end = valueEnd(at, META_LIMIT_BYTES, MAX_META_LEVELS)
  if (end === 0) return 0
  if (first === QUOTE && end - at <= ESCAPED_EMPTY_META_BYTES) {
    for (let byte = at; byte < end; byte++) if (load<u8>(byte) === BACKSLASH) return 0
    if (isEmptyMeta(at + 1, end - at - 2)) return end
  }
  setMeta(at, end)
  return end
}

function isEmptyMeta(at: usize, length: usize): bool {
  return length === 0 || (length === 2 && load<u16>(at) === EMPTY_OBJECT)
}
