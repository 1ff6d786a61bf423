import { TIMESTAMP_ABSENT, TIMESTAMP_NUMBER_MS, TIMESTAMP_OTHER } from '../../schemas/line-batch.ts'
import type { LineBatchBuilder } from './line-batch-builder.ts'
import {
  APP_LIMIT_CHARACTERS,
  cutUtf8,
  HOST_LIMIT_CHARACTERS,
  LEVEL_LIMIT_CHARACTERS,
  LINE_LIMIT_BYTES,
  META_LIMIT_BYTES,
} from './line-limits.ts'
import { restText } from './rest-text.ts'
import { type TimeBounds, timeOfNumber, timeOfText } from './timestamp.ts'

/** Bytes behind the body that the scanner overwrites: every loop then ends without asking for the end. */
export const SENTINEL_BYTES = 4

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const BLANK = 0x20
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const ZERO = 0x30
const NINE = 0x39

/** Longer words are cut or rare: the complete parser deals with both. */
const WORD_LIMIT_BYTES = 4096
/** `"{}"` in the longest way to escape it. */
const ESCAPED_EMPTY_META_BYTES = 14
/** Of meta; deeper is for the complete parser. */
const SCANNED_NESTING = 24

const GIVE_UP = -1

/**
 * One pass over a request body: finds the lines and their members and writes them straight into the columns of
 * a batch, without a JavaScript object per line.
 *
 * It knows what nearly every sender sends. Whatever else it meets (unknown or repeated or escaped keys, odd
 * types, control characters, damaged JSON, …) makes it give up; `parseLines` then decides about the whole body.
 * Both give the very same columns: scan-lines.test.ts compares them on generated bodies.
 */
export class LineScanner {
  #body: Buffer = Buffer.alloc(SENTINEL_BYTES)
  #length = 0
  #batch: LineBatchBuilder
  #bounds: TimeBounds
  /** First backslash at or behind the place last asked about; the body's length when there is none. */
  #backslash = 0
  #truncated = false
  #timestampMs = 0
  #timestampKind = TIMESTAMP_ABSENT
  #clamped = false
  /** The timestamp's source text lies here, when it must be kept. */
  #timestampStart = 0
  #timestampEnd = 0
  #word = 0

  constructor(batch: LineBatchBuilder, bounds: TimeBounds) {
    this.#batch = batch
    this.#bounds = bounds
  }

  /**
   * @param body    valid UTF-8, aligned to 4 bytes, with at least `SENTINEL_BYTES` more than `length`; those are
   *                overwritten, and blanks at the body's end may come back as other blanks
   * @returns false when it gave up; the batch then holds some of the lines and must be rolled back
   */
  scan(body: Buffer, length: number): boolean {
    const end = trimmedEnd(body, length)
    const isRead = this.#scan(body, end)
    body.fill(BLANK, end, length)
    return isRead
  }

  #scan(body: Buffer, end: number): boolean {
    body[end] = QUOTE
    body[end + 1] = QUOTE
    body[end + 2] = 0
    if (holdsControlCharacter(body, end)) return false
    this.#body = body
    this.#length = end
    this.#backslash = -1
    // Text never grows by un-escaping, and its length takes no more room than its quotes and comma did.
    this.#batch.lines.reserve(end + SENTINEL_BYTES)
    return this.#envelope() === end
  }

  #envelope(): number {
    const body = this.#body
    let at = skipBlanks(body, 0)
    if (body[at] !== OBJECT) return GIVE_UP
    let seenLines = false
    let seenE = false
    do {
      at = skipBlanks(body, at + 1)
      const isE = body[at + 1] === 0x65 && body[at + 2] === QUOTE
      const isLs = !isE && matches(body, at + 1, LS)
      const isLines = !isE && !isLs && matches(body, at + 1, LINES)
      if (body[at] !== QUOTE || !(isE || isLs || isLines)) return GIVE_UP
      at = skipBlanks(body, at + (isE ? 3 : isLs ? 4 : 7))
      if (body[at] !== COLON) return GIVE_UP
      at = skipBlanks(body, at + 1)
      if (isE) {
        if (seenE || body[at] !== QUOTE) return GIVE_UP
        seenE = true
        at = this.#plainStringEnd(at + 1) + 1
      } else {
        if (seenLines || body[at] !== ARRAY) return GIVE_UP
        seenLines = true
        at = this.#lines(at + 1)
      }
      if (at <= 0) return GIVE_UP
      at = skipBlanks(body, at)
    } while (body[at] === COMMA)
    return body[at] === OBJECT_END && seenLines ? at + 1 : GIVE_UP
  }

  #lines(from: number): number {
    const body = this.#body
    let at = skipBlanks(body, from)
    if (body[at] === ARRAY_END) return at + 1
    for (;;) {
      const first = body[at]
      if (first === OBJECT) at = this.#line(at + 1)
      else if (first === QUOTE) at = this.#bareLine(at + 1)
      else return GIVE_UP
      if (at < 0) return GIVE_UP
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (body[at] === ARRAY_END) return at + 1
      if (body[at] !== COMMA) return GIVE_UP
      at = skipBlanks(body, at + 1)
    }
  }

  #bareLine(from: number): number {
    const at = this.#text(from)
    if (at < 0) return GIVE_UP
    const batch = this.#batch
    batch.meta.appendEmpty()
    if (this.#truncated) batch.rest.appendText('{"truncated":true}')
    else batch.rest.appendEmpty()
    batch.finishLine(0, 0, 0, 0, 0, this.#bounds.receivedAtMs, TIMESTAMP_ABSENT)
    return at
  }

  /** @param from behind the opening brace; @returns the place behind the closing one */
  #line(from: number): number {
    const body = this.#body
    const batch = this.#batch
    let seen = 0
    let host = 0
    let app = 0
    let level = 0
    let env = 0
    let file = 0
    let at = from
    this.#timestampMs = this.#bounds.receivedAtMs
    this.#timestampKind = TIMESTAMP_ABSENT
    this.#clamped = false
    for (;;) {
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (body[at] !== QUOTE) return GIVE_UP
      const member = memberAt(body, at + 1)
      // A host and a hostname at once are a matter of precedence, which the complete parser knows.
      if (member === 0 || (seen & (member >= HOST ? HOST | HOSTNAME : member)) !== 0) return GIVE_UP
      seen |= member
      at += keyBytes(member)
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (body[at] !== COLON) return GIVE_UP
      at++
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (member === LINE) {
        if (body[at] !== QUOTE) return GIVE_UP
        at = this.#text(at + 1)
      } else if (member === TIMESTAMP) at = this.#timestamp(at)
      else if (member === META) at = this.#meta(at)
      else {
        if (body[at] !== QUOTE) return GIVE_UP
        at = this.#wordAt(at + 1, wordLimit(member))
        if (member === APP) app = this.#word
        else if (member === LEVEL) level = this.#word
        else if (member === ENV) env = this.#word
        else if (member === FILE) file = this.#word
        else host = this.#word
      }
      if (at < 0) return GIVE_UP
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (body[at] === OBJECT_END) break
      if (body[at] !== COMMA) return GIVE_UP
      at++
    }
    if ((seen & LINE) === 0) return GIVE_UP
    if ((seen & META) === 0) batch.meta.appendEmpty()
    this.#rest()
    batch.finishLine(host, app, level, env, file, this.#timestampMs, this.#timestampKind)
    return at + 1
  }

  #rest(): void {
    const kept = this.#timestampKind === TIMESTAMP_OTHER
    if (!kept && !this.#truncated) {
      this.#batch.rest.appendEmpty()
      return
    }
    const timestamp = kept ? this.#body.toString('utf8', this.#timestampStart, this.#timestampEnd) : undefined
    this.#batch.rest.appendText(restText({ timestamp, clamped: this.#clamped, truncated: this.#truncated }))
  }

  /** Writes the text that begins here into the line column, un-escaped; @returns the place behind its quote. */
  #text(from: number): number {
    const body = this.#body
    if (this.#backslash < from) {
      const found = body.indexOf(BACKSLASH, from)
      this.#backslash = found < 0 || found > this.#length ? this.#length : found
    }
    this.#truncated = false
    const quote = body.indexOf(QUOTE, from)
    if (quote > this.#backslash) return this.#escapedText(from)
    const end = cutUtf8(body, from, quote, LINE_LIMIT_BYTES)
    this.#truncated = end !== quote
    this.#batch.lines.append(body, from, end)
    return quote + 1
  }

  /** As `#text`, for one with escapes: copied in runs up to each escape, behind a gap for the length. */
  #escapedText(from: number): number {
    const body = this.#body
    const column = this.#batch.lines
    column.startRow()
    column.reserve(this.#length - from + SENTINEL_BYTES)
    const target = column.bytes
    const start = column.length + 2 // most lengths take two bytes
    let to = start
    let at = from
    for (;;) {
      let byte = body[at] as number
      while (byte !== QUOTE && byte !== BACKSLASH) {
        target[to++] = byte
        byte = body[++at] as number
      }
      if (byte === QUOTE) break
      const kind = body[at + 1] as number
      if (kind === 0x75) {
        const unit = hexUnit(body, at + 2)
        if (unit < 0) return GIVE_UP
        at += 6
        if (unit < 0x80) target[to++] = unit
        else if (unit < 0x800) {
          target[to++] = 0xc0 | (unit >> 6)
          target[to++] = 0x80 | (unit & 0x3f)
        } else {
          const low = isHighSurrogate(unit) ? lowSurrogateAt(body, at) : -1
          if (low >= 0) {
            at += 6
            const point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
            target[to++] = 0xf0 | (point >> 18)
            target[to++] = 0x80 | ((point >> 12) & 0x3f)
            target[to++] = 0x80 | ((point >> 6) & 0x3f)
            target[to++] = 0x80 | (point & 0x3f)
          } else {
            const kept = unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit // half a pair alone is no character
            target[to++] = 0xe0 | (kept >> 12)
            target[to++] = 0x80 | ((kept >> 6) & 0x3f)
            target[to++] = 0x80 | (kept & 0x3f)
          }
        }
      } else {
        const plain = ESCAPES[kind] as number
        if (plain === 0) return GIVE_UP
        target[to++] = plain
        at += 2
      }
    }
    if (at >= this.#length) return GIVE_UP
    const end = cutUtf8(target, start, to, LINE_LIMIT_BYTES)
    this.#truncated = end !== to
    column.length = placeText(target, start, end)
    return at + 1
  }

  #timestamp(from: number): number {
    const body = this.#body
    if (body[from] === QUOTE) return this.#textTimestamp(from)
    let at = from
    let value = 0
    let byte = body[at] as number
    if (byte <= ZERO || byte > NINE) return GIVE_UP // zero, negative or no number at all
    while (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO)
      byte = body[++at] as number
    }
    const digits = at - from
    if (
      byte !== 0x2e &&
      byte !== 0x65 &&
      byte !== 0x45 &&
      (digits === 13 || digits === 12 || digits === 14)
    ) {
      this.#takeMs(value, from, at)
      return at
    }
    if (byte === 0x2e) {
      const point = at
      do byte = body[++at] as number
      while (byte >= ZERO && byte <= NINE)
      if (at === point + 1) return GIVE_UP
    }
    if (byte === 0x65 || byte === 0x45 || at - from > 32) return GIVE_UP
    this.#take(timeOfNumber(body.toString('latin1', from, at), this.#bounds), from, at)
    return at
  }

  #textTimestamp(from: number): number {
    const end = this.#plainStringEnd(from + 1)
    if (end < 0 || end - from > 65) return GIVE_UP
    this.#take(timeOfText(this.#body.toString('utf8', from + 1, end), this.#bounds), from, end + 1)
    return end + 1
  }

  #takeMs(ms: number, start: number, end: number): void {
    const { earliestMs, latestMs, receivedAtMs } = this.#bounds
    this.#clamped = ms < earliestMs || ms > latestMs
    this.#timestampMs = this.#clamped ? receivedAtMs : ms
    this.#timestampKind = this.#clamped ? TIMESTAMP_OTHER : TIMESTAMP_NUMBER_MS
    this.#timestampStart = start
    this.#timestampEnd = end
  }

  #take(time: { ms: number; kind: number; clamped: boolean }, start: number, end: number): void {
    this.#timestampMs = time.ms
    this.#timestampKind = time.kind
    this.#clamped = time.clamped
    this.#timestampStart = start
    this.#timestampEnd = end
  }

  /** Finds or adds the word that begins here; leaves its index in `#word`. */
  #wordAt(from: number, limit: number): number {
    const body = this.#body
    let at = from
    let byte = body[at] as number
    while (byte !== QUOTE && byte !== BACKSLASH) byte = body[++at] as number
    if (byte === BACKSLASH) return this.#escapedWord(from, limit)
    if (at - from > limit || at >= this.#length) return GIVE_UP
    this.#word = this.#batch.words.intern(body, from, at)
    return at + 1
  }

  #escapedWord(from: number, limit: number): number {
    const end = this.#stringEnd(from)
    if (end < 0 || end - from > limit) return GIVE_UP
    const text = JSON.parse(this.#body.toString('utf8', from - 1, end + 1)) as string
    this.#word = this.#batch.words.internText(text)
    return end + 1
  }

  #meta(from: number): number {
    const body = this.#body
    const first = body[from]
    if (first !== QUOTE && first !== OBJECT) return GIVE_UP
    const end = this.#skipValue(from, SCANNED_NESTING)
    if (end < 0 || end - from > META_LIMIT_BYTES) return GIVE_UP
    const { meta } = this.#batch
    if (first === OBJECT) meta.append(body, from, end)
    else if (end - from > ESCAPED_EMPTY_META_BYTES) meta.append(body, from, end)
    else if (this.#plainStringEnd(from + 1) < 0) return GIVE_UP
    else if (
      end - from === 2 ||
      (end - from === 4 && body[from + 1] === OBJECT && body[from + 2] === OBJECT_END)
    )
      meta.appendEmpty()
    else meta.append(body, from, end)
    return end
  }

  /** @returns the place of the closing quote of a string without escapes; otherwise GIVE_UP */
  #plainStringEnd(from: number): number {
    const body = this.#body
    let at = from
    let byte = body[at] as number
    while (byte !== QUOTE && byte !== BACKSLASH) byte = body[++at] as number
    return byte === QUOTE && at < this.#length ? at : GIVE_UP
  }

  /** @returns the place of the closing quote; GIVE_UP for a bad escape, or one of half a surrogate pair */
  #stringEnd(from: number): number {
    const body = this.#body
    let at = from
    for (;;) {
      let byte = body[at] as number
      while (byte !== QUOTE && byte !== BACKSLASH) byte = body[++at] as number
      if (byte === QUOTE) return at < this.#length ? at : GIVE_UP
      const kind = body[at + 1] as number
      if (kind === 0x75) {
        const unit = hexUnit(body, at + 2)
        if (unit < 0 || (unit >= 0xd800 && unit <= 0xdfff)) return GIVE_UP
        at += 6
      } else {
        if (ESCAPES[kind] === 0) return GIVE_UP
        at += 2
      }
    }
  }

  /** @returns the place behind a value that is valid JSON and not too deep; otherwise GIVE_UP */
  #skipValue(from: number, levels: number): number {
    const body = this.#body
    const first = body[from] as number
    if (first === QUOTE) {
      const end = this.#stringEnd(from + 1)
      return end < 0 ? GIVE_UP : end + 1
    }
    if (first === OBJECT || first === ARRAY)
      return levels === 0 ? GIVE_UP : this.#skipContainer(from, levels - 1)
    if (first === 0x74) return matches(body, from, TRUE) ? from + 4 : GIVE_UP
    if (first === 0x66) return matches(body, from, FALSE) ? from + 5 : GIVE_UP
    if (first === 0x6e) return matches(body, from, NULL) ? from + 4 : GIVE_UP
    return skipNumber(body, from)
  }

  #skipContainer(from: number, levels: number): number {
    const body = this.#body
    const isObject = body[from] === OBJECT
    const close = isObject ? OBJECT_END : ARRAY_END
    let at = skipBlanks(body, from + 1)
    if (body[at] === close) return at + 1
    for (;;) {
      if (isObject) {
        if (body[at] !== QUOTE) return GIVE_UP
        at = this.#stringEnd(at + 1)
        if (at < 0) return GIVE_UP
        at = skipBlanks(body, at + 1)
        if (body[at] !== COLON) return GIVE_UP
        at = skipBlanks(body, at + 1)
      }
      at = this.#skipValue(at, levels)
      if (at < 0) return GIVE_UP
      at = skipBlanks(body, at)
      if (body[at] === close) return at + 1
      if (body[at] !== COMMA) return GIVE_UP
      at = skipBlanks(body, at + 1)
    }
  }
}

/** Members of a line as bits, so that a repeated one is noticed. */
const LINE = 1
const TIMESTAMP = 2
const APP = 4
const LEVEL = 8
const ENV = 16
const META = 32
const FILE = 64
const HOST = 128
const HOSTNAME = 256

const LINES = Buffer.from('lines"')
const LS = Buffer.from('ls"')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')
const LINE_KEY = Buffer.from('line"')
const TIMESTAMP_KEY = Buffer.from('timestamp"')
const APP_KEY = Buffer.from('app"')
const LEVEL_KEY = Buffer.from('level"')
const ENV_KEY = Buffer.from('env"')
const META_KEY = Buffer.from('meta"')
const FILE_KEY = Buffer.from('file"')
const HOST_KEY = Buffer.from('host"')
const HOSTNAME_KEY = Buffer.from('hostname"')

/** @returns the member whose name begins here, behind its quote; 0 for any other name */
function memberAt(body: Buffer, at: number): number {
  switch (body[at]) {
    case 0x6c: // l
      return matches(body, at, LINE_KEY) ? LINE : matches(body, at, LEVEL_KEY) ? LEVEL : 0
    case 0x74: // t
      return matches(body, at, TIMESTAMP_KEY) ? TIMESTAMP : 0
    case 0x61: // a
      return matches(body, at, APP_KEY) ? APP : 0
    case 0x65: // e
      return matches(body, at, ENV_KEY) ? ENV : 0
    case 0x6d: // m
      return matches(body, at, META_KEY) ? META : 0
    case 0x66: // f
      return matches(body, at, FILE_KEY) ? FILE : 0
    case 0x68: // h
      return matches(body, at, HOST_KEY) ? HOST : matches(body, at, HOSTNAME_KEY) ? HOSTNAME : 0
    default:
      return 0
  }
}

/** Bytes of a member's name with its closing quote, plus the opening one. */
function keyBytes(member: number): number {
  switch (member) {
    case LINE:
      return LINE_KEY.length + 1
    case TIMESTAMP:
      return TIMESTAMP_KEY.length + 1
    case APP:
      return APP_KEY.length + 1
    case LEVEL:
      return LEVEL_KEY.length + 1
    case ENV:
      return ENV_KEY.length + 1
    case META:
      return META_KEY.length + 1
    case FILE:
      return FILE_KEY.length + 1
    case HOST:
      return HOST_KEY.length + 1
    default:
      return HOSTNAME_KEY.length + 1
  }
}

/** In bytes, so that no word within it has too many characters. */
function wordLimit(member: number): number {
  if (member === APP) return APP_LIMIT_CHARACTERS
  if (member === LEVEL) return LEVEL_LIMIT_CHARACTERS
  return member === HOST || member === HOSTNAME ? HOST_LIMIT_CHARACTERS : WORD_LIMIT_BYTES
}

function matches(body: Buffer, at: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) if (body[at + index] !== bytes[index]) return false
  return true
}

/** Control characters were ruled out, so that only spaces are left between the tokens. */
function skipBlanks(body: Buffer, from: number): number {
  let at = from
  while (body[at] === BLANK) at++
  return at
}

function trimmedEnd(body: Buffer, length: number): number {
  let end = length
  while (end > 0 && isBlank(body[end - 1] as number)) end--
  return end
}

function isBlank(byte: number): boolean {
  return byte === BLANK || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Looks at four bytes at once: a byte below 0x20 leaves its highest bit set. */
function holdsControlCharacter(body: Buffer, length: number): boolean {
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

/** What a backslash and this byte stand for; 0: no such escape (\\u is handled apart). */
const ESCAPES = new Uint8Array(256)
for (const [letter, character] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  ESCAPES[(letter as string).charCodeAt(0)] = (character as string).charCodeAt(0)

const HEX = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16)
  HEX[text.charCodeAt(0)] = digit
  HEX[text.toUpperCase().charCodeAt(0)] = digit
}

/** @returns the UTF-16 unit that four hexadecimal digits name; negative when they are none */
function hexUnit(body: Buffer, at: number): number {
  const high = ((HEX[body[at] as number] as number) << 4) | (HEX[body[at + 1] as number] as number)
  const low = ((HEX[body[at + 2] as number] as number) << 4) | (HEX[body[at + 3] as number] as number)
  return (high << 8) | low
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** @returns the low half of a surrogate pair when its escape begins here; otherwise negative */
function lowSurrogateAt(body: Buffer, at: number): number {
  if (body[at] !== BACKSLASH || body[at + 1] !== 0x75) return -1
  const unit = hexUnit(body, at + 2)
  return unit >= 0xdc00 && unit <= 0xdfff ? unit : -1
}

/** Puts the length in front of a text that stands behind a gap of two bytes; @returns where the row ends. */
function placeText(target: Buffer, start: number, end: number): number {
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

/** @returns the place behind a number of JSON's grammar; GIVE_UP when there is none */
function skipNumber(body: Buffer, from: number): number {
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
