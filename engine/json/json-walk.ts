import { parseExactJson } from './exact-json.ts'
import { textFormBytes } from './json-size.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const SLASH = 0x2f
const PLUS = 0x2b
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const LETTER_E = 0x65
const LETTER_U = 0x75
const LOWER_CASE = 0x20

/** Result of every step for bytes that are not JSON; positions are never negative. */
const NOT_JSON = -1
/** A decimal number of at most so many digits is printed with the same digits. */
const EXACT_DIGITS = 15
/** A number with so many zeros behind the point is printed with an exponent. */
const ZEROS_OF_EXPONENT = 6
/** Numbers of one walk whose printed size is found. That takes several times as long as the walk over them. */
const MEASURED_NUMBERS = 1_000
/** Members of the outermost object whose positions are kept. */
const KEPT_MEMBERS = 128
/** Keys of one walk that are compared with each other. */
const MOST_KEYS = 1_024
const KEY_SLOTS = 4_096
/** Slots that a key may try; only keys that were made for it need more. */
const MOST_PROBES = 8

const WORDS = ['true', 'false', 'null'].map(word => Buffer.from(word))
/** 1: this byte follows a backslash and both stand for one character. */
const IS_ESCAPE = new Uint8Array(256)
for (const letter of '"\\/bfnrt') IS_ESCAPE[letter.charCodeAt(0)] = 1

/** Numbers that are kept of a member: positions of its key without the quotes and of its value, and whether that is plain. */
export const MEMBER = {
  keyStart: 0,
  keyEnd: 1,
  valueStart: 2,
  valueEnd: 3,
  /** 1: the value is a string without escapes. */
  isPlain: 4,
  numbers: 5,
} as const

/**
 * Reads JSON in one pass over its bytes and creates no values. It reports whether it is valid, the size of its compact text, and the
 * positions of the members of its outermost object. One instance is used for all texts; the results are valid until the
 * next walk.
 */
export class JsonWalk {
  /** Positions of the value itself, without the blanks around it. */
  start = 0
  end = 0
  /** Arrays, objects, members at all depths, and numbers that may be printed differently, such as any with more than 15 digits. */
  parts = 0
  /** Whether the value reached the limit: it may continue behind it. */
  isCutOff = false
  /** Whether the walk ended at an array or object below the deepest level. All bytes before it are JSON. */
  isTooDeep = false
  /** Number of members of the outermost object; negative: their positions are not known. */
  members = 0
  /** The numbers of each member, see `MEMBER`. */
  readonly places = new Uint32Array(KEPT_MEMBERS * MEMBER.numbers)
  #bytes: Uint8Array = WORDS[0] as Buffer
  #view: DataView = new DataView(new ArrayBuffer(0))
  #limit = 0
  #compactBytes = 0
  /** False: keys may be equal, so only a parse decides which members there are. */
  #areKeysDistinct = true
  #isCompact = true
  /** Numbers that may be printed differently: with an exponent, more than 15 digits, or a form such as `1.50`. */
  #otherNumbers = 0
  #hasEscapes = false
  #objects = 0
  #keys = 0
  #walks = 0
  readonly #keyHashes = new Uint32Array(KEY_SLOTS)
  readonly #keyWalks = new Uint32Array(KEY_SLOTS)

  /** Size in UTF-8 bytes of `jsonText(parseExactJson(text))`; undefined: only a parse can find it. */
  get compactBytes(): number | undefined {
    return this.#areKeysDistinct && this.#otherNumbers <= MEASURED_NUMBERS ? this.#compactBytes : undefined
  }

  /** Whether the text of the value is certainly compact: `jsonText(parseExactJson(text))` is the same. */
  get isCompact(): boolean {
    return this.#areKeysDistinct && this.#isCompact
  }

  /**
   * Reads the value that begins at `start`, which may have blanks before it.
   *
   * @param bytes valid UTF-8
   * @param levels maximum depth of its objects and arrays
   * @param limit end of the bytes that may be read
   * @returns the position behind the value and the blanks that follow it; negative when the bytes are not JSON, or nested too deeply
   */
  value(bytes: Uint8Array, start: number, limit: number, levels: number): number {
    if (this.#view.buffer !== bytes.buffer) this.#view = new DataView(bytes.buffer)
    this.#bytes = bytes
    this.#limit = limit
    this.#compactBytes = 0
    this.#areKeysDistinct = true
    this.members = 0
    this.parts = 0
    this.isCutOff = false
    this.isTooDeep = false
    this.#objects = 0
    this.#keys = 0
    this.#otherNumbers = 0
    if (++this.#walks > 0xffffffff) {
      this.#keyWalks.fill(0)
      this.#walks = 1
    }
    this.start = this.#blanks(start)
    this.#isCompact = true
    this.end = this.#value(this.start, levels, true)
    const isCompact = this.#isCompact
    const behind = this.end < 0 ? NOT_JSON : this.#blanks(this.end)
    this.#isCompact = isCompact
    return behind
  }

  #blanks(from: number): number {
    const bytes = this.#bytes
    let at = from
    while (at < this.#limit) {
      const byte = bytes[at] as number
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
      at++
    }
    if (at > from) this.#isCompact = false
    return at
  }

  #value(at: number, levels: number, isOutermost: boolean): number {
    if (at >= this.#limit) return this.#cutOff()
    switch (this.#bytes[at]) {
      case QUOTE:
        return this.#string(at + 1)
      case OBJECT:
        return levels === 0 ? this.#tooDeep() : this.#object(at + 1, levels - 1, isOutermost)
      case ARRAY:
        return levels === 0 ? this.#tooDeep() : this.#array(at + 1, levels - 1)
      case 0x74:
        return this.#word(at, WORDS[0] as Buffer)
      case 0x66:
        return this.#word(at, WORDS[1] as Buffer)
      case 0x6e:
        return this.#word(at, WORDS[2] as Buffer)
      default:
        return this.#number(at)
    }
  }

  #word(start: number, word: Buffer): number {
    const behind = start + word.length
    if (behind > this.#limit) return this.#cutOff()
    for (let index = 1; index < word.length; index++)
      if (this.#bytes[start + index] !== word[index]) return NOT_JSON
    this.#compactBytes += word.length
    return behind
  }

  #array(start: number, levels: number): number {
    this.#compactBytes += 2
    this.parts++
    let at = this.#blanks(start)
    if (this.#is(at, ARRAY_END)) return at + 1
    for (;;) {
      at = this.#value(at, levels, false)
      if (at < 0) return NOT_JSON
      at = this.#blanks(at)
      if (this.#is(at, ARRAY_END)) return at + 1
      if (!this.#is(at, COMMA)) return NOT_JSON
      this.#compactBytes++
      at = this.#blanks(at + 1)
    }
  }

  #object(start: number, levels: number, isOutermost: boolean): number {
    this.#compactBytes += 2
    this.parts++
    const object = ++this.#objects
    let at = this.#blanks(start)
    if (this.#is(at, OBJECT_END)) return at + 1
    for (;;) {
      if (!this.#is(at, QUOTE)) return NOT_JSON
      const keyStart = at + 1
      this.#hasEscapes = false
      const keyBehind = this.#string(keyStart)
      if (keyBehind < 0) return NOT_JSON
      this.parts++
      this.#noteKey(object, keyStart, keyBehind - 1)
      at = this.#blanks(keyBehind)
      if (!this.#is(at, COLON)) return NOT_JSON
      const valueStart = this.#blanks(at + 1)
      this.#hasEscapes = false
      at = this.#value(valueStart, levels, false)
      if (at < 0) return NOT_JSON
      if (isOutermost) this.#noteMember(keyStart, keyBehind - 1, valueStart, at)
      at = this.#blanks(at)
      this.#compactBytes++
      if (this.#is(at, OBJECT_END)) return at + 1
      if (!this.#is(at, COMMA)) return NOT_JSON
      this.#compactBytes++
      at = this.#blanks(at + 1)
    }
  }

  #is(at: number, byte: number): boolean {
    if (at < this.#limit) return this.#bytes[at] === byte
    this.isCutOff = true
    return false
  }

  #cutOff(): typeof NOT_JSON {
    this.isCutOff = true
    return NOT_JSON
  }

  #tooDeep(): typeof NOT_JSON {
    this.isTooDeep = true
    return NOT_JSON
  }

  #noteMember(keyStart: number, keyEnd: number, valueStart: number, valueEnd: number): void {
    const member = this.members
    if (!this.#areKeysDistinct || member === KEPT_MEMBERS) this.members = NOT_JSON
    if (this.members < 0) return
    const { places } = this
    const at = member * MEMBER.numbers
    places[at + MEMBER.keyStart] = keyStart
    places[at + MEMBER.keyEnd] = keyEnd
    places[at + MEMBER.valueStart] = valueStart
    places[at + MEMBER.valueEnd] = valueEnd
    places[at + MEMBER.isPlain] = this.#bytes[valueStart] === QUOTE && !this.#hasEscapes ? 1 : 0
    this.members++
  }

  /** Compares a key with those of the same object by their hashes. A key with an escape may be any other. */
  #noteKey(object: number, start: number, end: number): void {
    if (this.#hasEscapes || ++this.#keys > MOST_KEYS) this.#areKeysDistinct = false
    if (!this.#areKeysDistinct) return
    const hash = this.#hashOf(start, end, object)
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const slot = (hash + probe) & (KEY_SLOTS - 1)
      if (this.#keyWalks[slot] !== this.#walks) {
        this.#keyWalks[slot] = this.#walks
        this.#keyHashes[slot] = hash
        return
      }
      if (this.#keyHashes[slot] === hash) break
    }
    this.#areKeysDistinct = false
  }

  #hashOf(start: number, end: number, seed: number): number {
    const bytes = this.#bytes
    const offset = bytes.byteOffset
    let hash = Math.imul(seed, 0x9e3779b1) ^ (end - start)
    let at = start
    for (; at + 4 <= end; at += 4) {
      hash = Math.imul(hash ^ this.#view.getInt32(offset + at, true), 0x5bd1e995)
      hash ^= hash >>> 15
    }
    for (; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x5bd1e995)
    return (hash ^ (hash >>> 13)) >>> 0
  }

  /** @param start position behind the opening quote @returns the position behind the closing one */
  #string(start: number): number {
    const bytes = this.#bytes
    const view = this.#view
    const offset = bytes.byteOffset
    const end = this.#limit
    let at = start
    for (;;) {
      // Four bytes at once: the highest bit of a byte is set if the byte is a control character, a quote or a backslash.
      while (at + 4 <= end) {
        const word = view.getInt32(offset + at, true)
        const quotes = word ^ 0x22222222
        const slashes = word ^ 0x5c5c5c5c
        const special =
          ((word - 0x20202020) & ~word) |
          ((quotes - 0x01010101) & ~quotes) |
          ((slashes - 0x01010101) & ~slashes)
        if ((special & 0x80808080) !== 0) break
        at += 4
      }
      let byte = 0
      while (at < end) {
        byte = bytes[at] as number
        if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break
        at++
      }
      if (byte === QUOTE) break
      if (byte !== BACKSLASH) return at === end ? this.#cutOff() : NOT_JSON
      at = this.#escape(at + 1)
      if (at < 0) return NOT_JSON
    }
    this.#compactBytes += at - start + 2
    return at + 1
  }

  /** Corrects the size for an escape that is printed in another length. @returns the position behind it */
  #escape(at: number): number {
    this.#hasEscapes = true
    if (at >= this.#limit) return this.#cutOff()
    const letter = this.#bytes[at] as number
    if (IS_ESCAPE[letter] === 1) {
      if (letter === SLASH) this.#noteOtherSize(-1)
      return at + 1
    }
    if (letter !== LETTER_U) return NOT_JSON
    if (at + 5 > this.#limit) return this.#cutOff()
    const unit = this.#hexUnit(at + 1)
    if (unit < 0) return NOT_JSON
    const sent = 6
    if (unit < 0xd800 || unit > 0xdfff) {
      this.#noteOtherSize(printedBytes(unit) - sent)
      return at + 5
    }
    const low = unit < 0xdc00 && this.#isEscapeU(at + 5) ? this.#hexUnit(at + 7) : NOT_JSON
    const isPair = low >= 0xdc00 && low <= 0xdfff
    // Half a surrogate pair is printed as an escape, too.
    this.#noteOtherSize(isPair ? 4 - 2 * sent : 0)
    return isPair ? at + 11 : at + 5
  }

  /** A part of the text is printed in another way. */
  #noteOtherSize(difference: number): void {
    this.#compactBytes += difference
    this.#isCompact = false
  }

  #isEscapeU(at: number): boolean {
    return at + 6 <= this.#limit && this.#bytes[at] === BACKSLASH && this.#bytes[at + 1] === LETTER_U
  }

  #hexUnit(start: number): number {
    let unit = 0
    for (let at = start; at < start + 4; at++) {
      const byte = this.#bytes[at] as number
      const letter = byte | LOWER_CASE
      if (isDigit(byte)) unit = unit * 16 + byte - ZERO
      else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x57
      else return NOT_JSON
    }
    return unit
  }

  #number(start: number): number {
    const bytes = this.#bytes
    const first = bytes[start] === MINUS ? start + 1 : start
    const point = this.#digits(first)
    if (point === first || (bytes[first] === ZERO && point > first + 1)) return NOT_JSON
    let at = point
    let isAsPrinted = point - first <= EXACT_DIGITS && (first === start || bytes[first] !== ZERO)
    if (this.#is(at, POINT)) {
      at = this.#digits(point + 1)
      if (at === point + 1) return NOT_JSON
      isAsPrinted = at - first <= EXACT_DIGITS + 1 && bytes[at - 1] !== ZERO && !this.#isSmall(first, point)
    }
    if (at < this.#limit && ((bytes[at] as number) | LOWER_CASE) === LETTER_E) {
      const sign = at + 1
      const exponent = this.#is(sign, MINUS) || this.#is(sign, PLUS) ? sign + 1 : sign
      at = this.#digits(exponent)
      if (at === exponent) return NOT_JSON
      isAsPrinted = false
    }
    this.#compactBytes += at - start
    if (!isAsPrinted) this.#noteOtherNumber(start, at)
    return at
  }

  #noteOtherNumber(start: number, end: number): void {
    this.parts++
    const difference =
      ++this.#otherNumbers > MEASURED_NUMBERS
        ? 0
        : printedNumberBytes(this.#bytes, start, end) - (end - start)
    this.#noteOtherSize(difference)
  }

  /** Whether a decimal number is printed with an exponent. */
  #isSmall(first: number, point: number): boolean {
    if (this.#bytes[first] !== ZERO) return false
    let at = point + 1
    while (this.#is(at, ZERO)) at++
    return at - point > ZEROS_OF_EXPONENT
  }

  #digits(from: number): number {
    let at = from
    while (at < this.#limit && isDigit(this.#bytes[at] as number)) at++
    if (at === this.#limit) this.isCutOff = true
    return at
  }
}

/**
 * Finds a member by its key, which must be ASCII.
 *
 * @param places numbers of members, of which those from `from` to `to` are searched
 * @returns index of the member's first number; negative: there is none
 */
export function memberAt(
  bytes: Uint8Array,
  places: Uint32Array,
  from: number,
  to: number,
  key: string,
): number {
  for (let member = from; member < to; member += MEMBER.numbers) {
    const start = places[member + MEMBER.keyStart] as number
    if ((places[member + MEMBER.keyEnd] as number) - start !== key.length) continue
    let at = 0
    while (at < key.length && bytes[start + at] === key.charCodeAt(at)) at++
    if (at === key.length) return member
  }
  return -1
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

/** Bytes of a UTF-16 unit in a printed text that was sent as an escape. It is not half a surrogate pair. */
function printedBytes(unit: number): number {
  if (unit === QUOTE || unit === BACKSLASH) return 2
  if (unit < 0x20) return (unit >= 0x08 && unit <= 0x0a) || unit === 0x0c || unit === 0x0d ? 2 : 6
  if (unit < 0x80) return 1
  return unit < 0x800 ? 2 : 3
}

function printedNumberBytes(bytes: Uint8Array, start: number, end: number): number {
  return textFormBytes(parseExactJson(Buffer.from(bytes.subarray(start, end)).toString('latin1')))
}
