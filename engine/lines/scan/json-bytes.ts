/**
 * JSON at the level of bytes, for the scanner. The functions do not check for the end of the body: sentinels behind it
 * end every loop.
 */

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const BLANK = 0x20
export const OBJECT = 0x7b
export const OBJECT_END = 0x7d
export const ARRAY = 0x5b
export const ARRAY_END = 0x5d
export const ZERO = 0x30
export const NINE = 0x39
export const LETTER_U = 0x75

/** Result of every function here for unexpected input; places are never negative. */
export const GIVE_UP = -1

export function matches(body: Buffer, at: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) if (body[at + index] !== bytes[index]) return false
  return true
}

/** Control characters were ruled out, so that only spaces are left between the tokens. */
export function skipBlanks(body: Buffer, from: number): number {
  let at = from
  while (body[at] === BLANK) at++
  return at
}

export function trimmedEnd(body: Buffer, length: number): number {
  let end = length
  while (end > 0 && isBlank(body[end - 1] as number)) end--
  return end
}

function isBlank(byte: number): boolean {
  return byte === BLANK || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Checks four bytes at once: a byte below 0x20 leaves its highest bit set. */
export function holdsControlCharacter(body: Buffer, length: number): boolean {
  const words = length >> 2
  const view = new Int32Array(body.buffer, body.byteOffset, words)
  let found = 0
  for (let index = 0; index < words; index++) {
    const word = view[index] as number
    found |= (word - 0x20202020) & ~word
  }
  if ((found & 0x80808080) !== 0) return true
  for (let at = words << 2; at < length; at++) if ((body[at] as number) < 0x20) return true
  return false
}

/** Byte that a backslash and this byte represent; 0: not an escape (\\u is handled separately). */
export const ESCAPES = new Uint8Array(256)
for (const [letter, character] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  ESCAPES[(letter as string).charCodeAt(0)] = (character as string).charCodeAt(0)

/** Escapes that represent the character itself: quote, backslash, slash. */
const STANDS_FOR_ITSELF = ESCAPES.map((character, letter) => (character === letter && letter > 0 ? 1 : 0))

const HEX = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16)
  HEX[text.charCodeAt(0)] = digit
  HEX[text.toUpperCase().charCodeAt(0)] = digit
}

/** @returns the UTF-16 unit of four hexadecimal digits; negative for any other bytes */
export function hexUnit(body: Buffer, at: number): number {
  const high = ((HEX[body[at] as number] as number) << 4) | (HEX[body[at + 1] as number] as number)
  const low = ((HEX[body[at + 2] as number] as number) << 4) | (HEX[body[at + 3] as number] as number)
  return (high << 8) | low
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** @returns the low half of a surrogate pair when its escape begins here; otherwise negative */
function lowSurrogateAt(body: Buffer, at: number): number {
  if (body[at] !== BACKSLASH || body[at + 1] !== LETTER_U) return -1
  const unit = hexUnit(body, at + 2)
  return unit >= 0xdc00 && unit <= 0xdfff ? unit : -1
}

/** Second result of `unescapeText`: the end of the text that it wrote. */
export const unescaped = { end: 0 }

/**
 * Writes the text of a JSON string to `target`, un-escaped; it never needs more bytes than its source. Most of the time
 * is spent in this loop, so it is small, and rare escapes are handled outside of it.
 *
 * @returns the place of the closing quote; GIVE_UP for an unknown escape
 */
export function unescapeText(body: Buffer, from: number, target: Buffer, start: number): number {
  let at = from
  let to = start
  for (;;) {
    let byte = body[at] as number
    while (byte !== QUOTE && byte !== BACKSLASH) {
      target[to++] = byte
      byte = body[++at] as number
    }
    if (byte === QUOTE) break
    byte = body[at + 1] as number
    if (STANDS_FOR_ITSELF[byte] === 1) {
      target[to++] = byte
      at += 2
    } else {
      const next = unescapeOther(body, at, target, to)
      if (next < 0) return GIVE_UP
      to += next & 7
      at += next >> 3
    }
  }
  unescaped.end = to
  return at
}

/** @returns bytes read times 8 plus bytes written; GIVE_UP for an unknown escape */
function unescapeOther(body: Buffer, at: number, target: Buffer, to: number): number {
  const kind = body[at + 1] as number
  if (kind === LETTER_U) return unescapeUnit(body, at, target, to)
  const plain = ESCAPES[kind] as number
  if (plain === 0) return GIVE_UP
  target[to] = plain
  return (2 << 3) | 1
}

/**
 * Writes the character of a `\\u` escape, or of a surrogate pair of them. Half a pair alone is not a character and
 * becomes U+FFFD.
 *
 * @returns bytes read times 8 plus bytes written; GIVE_UP when it is not such an escape
 */
function unescapeUnit(body: Buffer, at: number, target: Buffer, to: number): number {
  const unit = hexUnit(body, at + 2)
  if (unit < 0) return GIVE_UP
  const low = isHighSurrogate(unit) ? lowSurrogateAt(body, at + 6) : -1
  if (low >= 0) {
    const point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
    target[to] = 0xf0 | (point >> 18)
    target[to + 1] = 0x80 | ((point >> 12) & 0x3f)
    target[to + 2] = 0x80 | ((point >> 6) & 0x3f)
    target[to + 3] = 0x80 | (point & 0x3f)
    return (12 << 3) | 4
  }
  if (unit < 0x80) {
    target[to] = unit
    return (6 << 3) | 1
  }
  if (unit < 0x800) {
    target[to] = 0xc0 | (unit >> 6)
    target[to + 1] = 0x80 | (unit & 0x3f)
    return (6 << 3) | 2
  }
  const kept = unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit
  target[to] = 0xe0 | (kept >> 12)
  target[to + 1] = 0x80 | ((kept >> 6) & 0x3f)
  target[to + 2] = 0x80 | (kept & 0x3f)
  return (6 << 3) | 3
}

/** Writes the length before a text that is behind a gap of two bytes. @returns the end of the row */
export function placeText(target: Buffer, start: number, end: number): number {
  const length = end - start
  if (length < 0x80) {
    target[start - 2] = length
    target.copyWithin(start - 1, start, end)
    return end - 1
  }
  target[start - 2] = (length & 0x7f) | 0x80
  if (length < 0x4000) {
    target[start - 1] = length >> 7
    return end
  }
  target.copyWithin(start + 1, start, end)
  target[start - 1] = ((length >> 7) & 0x7f) | 0x80
  target[start] = length >> 14
  return end + 1
}

/** @returns the place behind a number in JSON's grammar; GIVE_UP for anything else */
export function skipNumber(body: Buffer, from: number): number {
  let at = body[from] === 0x2d ? from + 1 : from
  if (body[at] === ZERO) at++
  else {
    const end = skipDigits(body, at)
    if (end === at) return GIVE_UP
    at = end
  }
  if (body[at] === 0x2e) {
    const end = skipDigits(body, at + 1)
    if (end === at + 1) return GIVE_UP
    at = end
  }
  if (body[at] === 0x65 || body[at] === 0x45) {
    const digits = body[at + 1] === 0x2b || body[at + 1] === 0x2d ? at + 2 : at + 1
    const end = skipDigits(body, digits)
    if (end === digits) return GIVE_UP
    at = end
  }
  return at
}

function skipDigits(body: Buffer, from: number): number {
  let at = from
  while ((body[at] as number) >= ZERO && (body[at] as number) <= NINE) at++
  return at
}
