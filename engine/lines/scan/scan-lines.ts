import { TIMESTAMP_ABSENT, TIMESTAMP_NUMBER_MS, TIMESTAMP_OTHER } from '../../../schemas/log/line-batch.ts'
import type { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { cutUtf8, LINE_LIMIT_BYTES, META_LIMIT_BYTES } from '../line-limits.ts'
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
  holdsControlCharacter,
  LETTER_U,
  matches,
  NINE,
  OBJECT,
  OBJECT_END,
  placeText,
  QUOTE,
  skipBlanks,
  skipNumber,
  trimmedEnd,
  unescaped,
  unescapeText,
  ZERO,
} from './json-bytes.ts'
import { LEAST_LINE_BYTES } from './least-bytes.ts'
import {
  APP,
  ENV,
  FILE,
  HOST,
  HOSTNAME,
  keyBytes,
  LEVEL,
  LINE,
  META,
  memberAt,
  TIMESTAMP,
  wordLimit,
} from './line-keys.ts'
import { restText } from './rest-text.ts'
import { type TimeBounds, timeOfNumber, timeOfText } from './timestamp.ts'

/** Bytes behind the body that the scanner overwrites for the time of a scan, so that every loop ends without a check for the end. */
export const SENTINEL_BYTES = 4

const LINES = Buffer.from('lines"')
const LS = Buffer.from('ls"')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** Size of `"{}"` in its longest escaped spelling. */
const ESCAPED_EMPTY_META_BYTES = 14
/** Maximum nesting of meta that is scanned; the complete parser handles deeper meta. */
const SCANNED_NESTING = 24

/**
 * One pass over a request body. It finds the lines and their members and writes them straight into the columns of a
 * batch, without a JavaScript object per line.
 *
 * It handles the input that nearly every sender sends. It gives up on anything else: unknown, repeated or escaped keys,
 * odd types, control characters, damaged JSON. `parsingLines` then decides about the whole body. Both give the same
 * columns: scan-lines.test.ts compares them on generated bodies.
 */
export class LineScanner {
  /** Number of lines so far whose own time was out of bounds. */
  retimed = 0
  #body: Buffer = Buffer.alloc(SENTINEL_BYTES)
  #length = 0
  #batch: LineBatchBuilder
  #bounds: TimeBounds
  /** First backslash at or after the last requested place; the body's length without one. */
  #backslash = 0
  #truncated = false
  #timestampMs = 0
  #timestampKind = TIMESTAMP_ABSENT
  #clamped = false
  /** Longer meta is not for the scanner, which would look through all of it for nothing. */
  #skippedEnd = 0
  /** Start of the timestamp's source text, if it must be kept. */
  #timestampStart = 0
  #timestampEnd = 0
  #word = 0
  #spareBytes: number

  /** Part of the limit that is left after the lines so far. */
  get spareBytes(): number {
    return this.#spareBytes
  }

  /** @param spareBytes limit of the body minus its size; see `LEAST_LINE_BYTES` */
  constructor(batch: LineBatchBuilder, bounds: TimeBounds, spareBytes: number) {
    this.#batch = batch
    this.#bounds = bounds
    this.#spareBytes = spareBytes
  }

  /**
   * Scans a body.
   *
   * @param body    valid UTF-8, aligned to 4 bytes, with at least `SENTINEL_BYTES` more than `length`. Its bytes are the
   *   same afterwards
   * @returns false when it gave up; the batch then contains some of the lines and must be rolled back
   */
  scan(body: Buffer, length: number): boolean {
    const end = trimmedEnd(body, length)
    const overwritten = body.readUInt32LE(end)
    try {
      return this.#scan(body, end)
    } finally {
      body.writeUInt32LE(overwritten, end)
    }
  }

  #scan(body: Buffer, end: number): boolean {
    body[end] = QUOTE
    body[end + 1] = QUOTE
    body[end + 2] = 0
    if (holdsControlCharacter(body, end)) return false
    this.#body = body
    this.#length = end
    this.#backslash = -1
    // Text never grows by un-escaping, and its length takes no more space than its quotes and comma.
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
    if (at === from + 1 && !this.#isEmptyCounted(2)) return GIVE_UP
    const batch = this.#batch
    batch.meta.appendEmpty()
    if (this.#truncated) batch.rest.appendText('{"truncated":true}')
    else batch.rest.appendEmpty()
    batch.finishLine(0, 0, 0, 0, 0, this.#bounds.receivedAtMs, TIMESTAMP_ABSENT)
    return at
  }

  /** @param from place after the opening brace @returns the place after the closing one */
  #line(from: number): number {
    const body = this.#body
    const batch = this.#batch
    let seen = 0
    let host = 0
    let app = 0
    let level = 0
    let env = 0
    let file = 0
    let isEmpty = false
    let at = from
    this.#timestampMs = this.#bounds.receivedAtMs
    this.#timestampKind = TIMESTAMP_ABSENT
    this.#clamped = false
    for (;;) {
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (body[at] !== QUOTE) return GIVE_UP
      const member = memberAt(body, at + 1)
      // A host and a hostname in one line need a rule of precedence, which only the complete parser applies.
      if (member === 0 || (seen & (member >= HOST ? HOST | HOSTNAME : member)) !== 0) return GIVE_UP
      seen |= member
      at += keyBytes(member)
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (body[at] !== COLON) return GIVE_UP
      at++
      if (body[at] === BLANK) at = skipBlanks(body, at)
      if (member === LINE) {
        if (body[at] !== QUOTE) return GIVE_UP
        isEmpty = body[at + 1] === QUOTE
        at = this.#text(at + 1)
      } else if (member === TIMESTAMP) at = this.#timestamp(at)
      else if (member === META) at = this.#meta(at)
      else {
        if (body[at] !== QUOTE) return GIVE_UP
        // A host of blanks counts as absent, which only the complete parser decides.
        if (member >= HOST && this.#isBlank(at + 1)) return GIVE_UP
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
    if (isEmpty && !this.#isEmptyCounted(at + 2 - from)) return GIVE_UP
    if ((seen & META) === 0) batch.meta.appendEmpty()
    this.#rest()
    batch.finishLine(host, app, level, env, file, this.#timestampMs, this.#timestampKind)
    return at + 1
  }

  /**
   * Counts a line without a text.
   *
   * @param bytes size of the line as sent
   * @returns false when the body has too many of them; the parser refuses it, unless it is malformed
   */
  #isEmptyCounted(bytes: number): boolean {
    this.#spareBytes -= Math.max(0, LEAST_LINE_BYTES - bytes)
    return this.#spareBytes >= 0
  }

  #rest(): void {
    const kept = this.#timestampKind === TIMESTAMP_OTHER
    if (!kept && !this.#truncated) {
      this.#batch.rest.appendEmpty()
      return
    }
    if (this.#clamped) this.retimed++
    const timestamp = kept ? this.#body.toString('utf8', this.#timestampStart, this.#timestampEnd) : undefined
    this.#batch.rest.appendText(restText({ timestamp, clamped: this.#clamped, truncated: this.#truncated }))
  }

  /** Writes the text that begins here into the line column, un-escaped. @returns the place after its quote */
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

  /**
   * Reads a text with escapes, like `#text`. The text is written un-escaped after a gap for the length, which is filled
   * last.
   */
  #escapedText(from: number): number {
    const column = this.#batch.lines
    column.startRow()
    column.reserve(this.#length - from + SENTINEL_BYTES)
    const target = column.bytes
    const start = column.length + 2 // most lengths take two bytes
    const quote = unescapeText(this.#body, from, target, start)
    if (quote < 0 || quote >= this.#length) return GIVE_UP
    const end = cutUtf8(target, start, unescaped.end, LINE_LIMIT_BYTES)
    this.#truncated = end !== unescaped.end
    column.length = placeText(target, start, end)
    return quote + 1
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

  /** Whether the word that begins here consists only of blanks; an empty one does not. */
  #isBlank(from: number): boolean {
    const body = this.#body
    const first = body[from] as number
    if (first > BLANK && first < 0x80 && first !== BACKSLASH) return false
    const end = this.#stringEnd(from)
    return end > from && (JSON.parse(body.toString('utf8', from - 1, end + 1)) as string).trim() === ''
  }

  /** Finds or adds the word that begins here, and stores its index in `#word`. */
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
    this.#skippedEnd = from + META_LIMIT_BYTES
    const end = this.#skipValue(from, SCANNED_NESTING)
    if (end < 0 || end > this.#skippedEnd) return GIVE_UP
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

  /** @returns the place of the closing quote; GIVE_UP for a bad escape, or for half a surrogate pair */
  #stringEnd(from: number): number {
    const body = this.#body
    let at = from
    for (;;) {
      let byte = body[at] as number
      while (byte !== QUOTE && byte !== BACKSLASH) byte = body[++at] as number
      if (byte === QUOTE) return at < this.#length ? at : GIVE_UP
      const kind = body[at + 1] as number
      if (kind === LETTER_U) {
        const unit = hexUnit(body, at + 2)
        if (unit < 0 || (unit >= 0xd800 && unit <= 0xdfff)) return GIVE_UP
        at += 6
      } else {
        if (ESCAPES[kind] === 0) return GIVE_UP
        at += 2
      }
    }
  }

  /** @returns the place after a value that is valid JSON and not too deep; otherwise GIVE_UP */
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
      if (at < 0 || at > this.#skippedEnd) return GIVE_UP
      at = skipBlanks(body, at)
      if (body[at] === close) return at + 1
      if (body[at] !== COMMA) return GIVE_UP
      at = skipBlanks(body, at + 1)
    }
  }
}
