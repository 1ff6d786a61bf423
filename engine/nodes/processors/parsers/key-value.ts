import Type from 'typebox'
import type { JsonObject } from '../../../../schemas/json.ts'
import { ObjectBuilder } from '../../../json/ordered-object.ts'
import { CLOSED, defineParser, MAX_PARTS } from './define-parser.ts'

const BLANK = 0x20
const TAB = 0x09
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const BACKSLASH = 0x5c

/** Quotes without an end that are looked for, so that the time stays in proportion to the text. (Our choice.) */
const MAX_OPEN_QUOTES = 100

/** Pairs of keys and values. A key alone is true, and a repeated one collects its values. */
export const keyValue = defineParser({
  id: 'parse_key_value',
  options: Type.Object(
    {
      key_value_delimiter: Type.Optional(
        Type.String({ minLength: 1, description: 'Between key and value; = when absent' }),
      ),
      field_delimiter: Type.Optional(
        Type.String({ minLength: 1, description: 'Between pairs; a blank when absent' }),
      ),
    },
    CLOSED,
  ),
  compile({ key_value_delimiter: between = '=', field_delimiter: after = ' ' }) {
    const [betweenParts, afterPair] = [new Delimiter(between), new Delimiter(after)]
    return text => new PairReader(text, betweenParts, afterPair).read()
  },
  examples: [
    { text: 'a=1 b', value: { a: '1', b: true } },
    {
      text: 'msg="two words" path=\'/a b\' say="a \\"quoted\\" \\n word" empty=',
      value: { msg: 'two words', path: '/a b', say: 'a "quoted" \\n word', empty: '' },
    },
    { text: 'a=1 a=2 a a=3 b b=x', value: { a: ['1', '2', '3'], b: 'x' } },
    {
      text: 'door : n2 , open: "yes, it is",alone',
      options: { key_value_delimiter: ':', field_delimiter: ',' },
      value: { door: 'n2', open: 'yes, it is', alone: true },
    },
    { text: 'a="b c=1', value: { a: '"b', c: '1' } },
    { text: '' },
    { text: '"a"b=1' },
    { text: '=1' },
  ],
})

class PairReader {
  readonly #text: string
  readonly #between: Delimiter
  readonly #after: Delimiter
  readonly #values = new ObjectBuilder()
  #at = 0
  /** Next place of each delimiter, which is looked for once per place. */
  #nextBetween = -1
  #nextAfter = -1
  #openQuotes = 0
  #pairs = 0

  constructor(text: string, between: Delimiter, after: Delimiter) {
    this.#text = text
    this.#between = between
    this.#after = after
  }

  /** @returns undefined when nothing was read, something is left, or there are too many pairs */
  read(): JsonObject | undefined {
    for (;;) {
      this.#skipBlanks()
      if (this.#after.isAt(this.#text, this.#at)) {
        this.#at += this.#after.length
      } else if (this.#at >= this.#text.length) {
        return this.#pairs > 0 ? this.#values.built() : undefined
      } else if (++this.#pairs > MAX_PARTS || !this.#readPair()) {
        return undefined
      }
    }
  }

  #readPair(): boolean {
    const key = this.#readPart(true)
    if (key === undefined || key === '') return false
    if (!this.#isBetween()) this.#skipBlanks()
    if (!this.#isBetween()) {
      if (this.#values.get(key) === undefined) this.#values.set(key, true)
      return this.#isBehindPart()
    }
    this.#at += this.#between.length
    this.#skipBlanks()
    const value = this.#readPart(false)
    if (value === undefined) return false
    this.#note(key, value)
    return this.#isBehindPart()
  }

  #isBetween(): boolean {
    return this.#between.isAt(this.#text, this.#at)
  }

  #note(key: string, value: string): void {
    const known = this.#values.get(key)
    if (known === undefined || known === true) this.#values.set(key, value)
    else if (Array.isArray(known)) known.push(value)
    else this.#values.set(key, [known, value])
  }

  /** Whether the next pair can begin here, or the text is over. */
  #isBehindPart(): boolean {
    if (this.#after.isBlank) return true // Blanks were passed already.
    this.#skipBlanks()
    return this.#isPartEnd(false)
  }

  /** Whether the text is over, or a delimiter is here; the one within a pair ends only its key. */
  #isPartEnd(isKey: boolean): boolean {
    if (this.#at >= this.#text.length || this.#after.isAt(this.#text, this.#at)) return true
    return isKey && this.#isBetween()
  }

  /** @returns undefined for a quoted part that is followed by other text */
  #readPart(isKey: boolean): string | undefined {
    const text = this.#text
    const quoted = this.#quotedPart()
    if (quoted !== undefined) return isBlank(text, this.#at) || this.#isPartEnd(isKey) ? quoted : undefined
    if (this.#nextAfter < this.#at) this.#nextAfter = this.#after.nextIn(text, this.#at)
    let end = this.#nextAfter
    if (isKey) {
      if (this.#nextBetween < this.#at) this.#nextBetween = this.#between.nextIn(text, this.#at)
      end = Math.min(end, this.#nextBetween)
    }
    let from = this.#at
    this.#at = end
    while (from < end && isBlank(text, from)) from++
    while (end > from && isBlank(text, end - 1)) end--
    return text.slice(from, end)
  }

  /** The part in quotes at the present place; undefined without one. A backslash before a double quote is left out. */
  #quotedPart(): string | undefined {
    const text = this.#text
    const quote = text.charCodeAt(this.#at)
    if ((quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) || this.#openQuotes >= MAX_OPEN_QUOTES)
      return undefined
    let part = ''
    let from = this.#at + 1
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit === quote) {
        this.#at = at + 1
        return part + text.slice(from, at)
      }
      if (unit !== BACKSLASH) continue
      if (text.charCodeAt(at + 1) === DOUBLE_QUOTE) {
        part += text.slice(from, at)
        from = at + 1
      }
      at++
    }
    this.#openQuotes++
    return undefined
  }

  /** Passes over blanks with which no delimiter of other characters begins. */
  #skipBlanks(): void {
    while (isBlank(this.#text, this.#at)) {
      if (this.#between.isAtBlank(this.#text, this.#at) || this.#after.isAtBlank(this.#text, this.#at)) return
      this.#at++
    }
  }
}

class Delimiter {
  readonly #text: string
  readonly #first: number
  /** Whether it has only characters that are ignored around delimiters. */
  readonly isBlank: boolean
  readonly #beginsWithBlank: boolean

  constructor(text: string) {
    this.#text = text
    this.#first = text.charCodeAt(0)
    this.isBlank = /^[ \t]*$/.test(text)
    this.#beginsWithBlank = !this.isBlank && isBlank(text, 0)
  }

  get length(): number {
    return this.#text.length
  }

  isAt(text: string, at: number): boolean {
    if (text.charCodeAt(at) !== this.#first) return false
    return this.#text.length === 1 || text.startsWith(this.#text, at)
  }

  /** Whether it is here, and begins with a blank, but is not blank as a whole. */
  isAtBlank(text: string, at: number): boolean {
    return this.#beginsWithBlank && this.isAt(text, at)
  }

  /** Its next place; the end of the text without one. */
  nextIn(text: string, from: number): number {
    const next = text.indexOf(this.#text, from)
    return next < 0 ? text.length : next
  }
}

function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit === BLANK || unit === TAB
}
