import type { Steps } from '../../steps.ts'
import {
  ARRAY,
  ARRAY_END,
  BACKSLASH,
  BLANK,
  COLON,
  COMMA,
  ESCAPES,
  GIVE_UP,
  hexUnit,
  LETTER_U,
  matches,
  OBJECT,
  OBJECT_END,
  QUOTE,
  skipNumber,
} from './json-bytes.ts'

/** Bytes of one step, in which nearly each may be a value: less than a millisecond. A longer text is part of one step. */
const STEP_BYTES = 16 * 1024

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** Receives the places of a member: its key with the quotes, and its value. */
export type NoteMember = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void

/**
 * Walks over a JSON text of any size in short steps. It creates no values and does not recurse.
 *
 * @param body valid UTF-8
 * @param levels maximum depth of its objects and arrays
 * @param note is called for each member of the outermost object, in order, also when bytes behind it are not JSON
 * @returns the place behind the value and the blanks that follow it; GIVE_UP for bytes that are not JSON
 */
export function* walkingBody(body: Buffer, start: number, levels: number, note: NoteMember): Steps<number> {
  /** Closing brackets of the open objects and arrays, the outermost first. */
  const open = new Uint8Array(levels)
  let depth = 0
  let keyStart = 0
  let keyEnd = 0
  let valueStart = 0
  let restAt = start + STEP_BYTES
  let at = skipBlanks(body, start)
  for (;;) {
    if (at >= restAt) {
      yield
      restAt = at + STEP_BYTES
    }
    if (depth > 0 && open[depth - 1] === OBJECT_END) {
      const end = body[at] === QUOTE ? stringEnd(body, at + 1) : GIVE_UP
      const colon = end < 0 ? GIVE_UP : skipBlanks(body, end)
      if (body[colon] !== COLON) return GIVE_UP
      const value = skipBlanks(body, colon + 1)
      if (depth === 1) {
        keyStart = at
        keyEnd = end
        valueStart = value
      }
      at = value
    }
    const opening = body[at]
    if (opening === OBJECT || opening === ARRAY) {
      const closing = opening === OBJECT ? OBJECT_END : ARRAY_END
      if (depth === levels) return GIVE_UP
      open[depth++] = closing
      at = skipBlanks(body, at + 1)
      if (body[at] !== closing) continue
    } else {
      at = scalarEnd(body, at)
      if (at < 0) return GIVE_UP
      if (depth === 1 && open[0] === OBJECT_END) note(keyStart, keyEnd, valueStart, at)
      at = skipBlanks(body, at)
    }
    while (depth > 0 && body[at] === open[depth - 1]) {
      depth--
      at++
      if (depth === 1 && open[0] === OBJECT_END) note(keyStart, keyEnd, valueStart, at)
      at = skipBlanks(body, at)
    }
    if (depth === 0) return at
    if (body[at] !== COMMA) return GIVE_UP
    at = skipBlanks(body, at + 1)
  }
}

/** @returns the place behind a text, a number or a word */
function scalarEnd(body: Buffer, from: number): number {
  const first = body[from]
  if (first === QUOTE) return stringEnd(body, from + 1)
  if (first === 0x74) return matches(body, from, TRUE) ? from + 4 : GIVE_UP
  if (first === 0x66) return matches(body, from, FALSE) ? from + 5 : GIVE_UP
  if (first === 0x6e) return matches(body, from, NULL) ? from + 4 : GIVE_UP
  return skipNumber(body, from)
}

/** @param from place behind the opening quote @returns the place behind the closing one */
function stringEnd(body: Buffer, from: number): number {
  let at = from
  for (;;) {
    const byte = body[at] as number
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) {
      at = escapeEnd(body, at + 1)
      if (at < 0) return GIVE_UP
    } else if (byte >= BLANK) at++
    // A control character, or the end of the body.
    else return GIVE_UP
  }
}

/** @param from place behind the backslash */
function escapeEnd(body: Buffer, from: number): number {
  const kind = body[from] as number
  if (kind === LETTER_U) return hexUnit(body, from + 1) < 0 ? GIVE_UP : from + 5
  return ESCAPES[kind] ? from + 1 : GIVE_UP
}

function skipBlanks(body: Buffer, from: number): number {
  let at = from
  while (body[at] === BLANK || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++
  return at
}
