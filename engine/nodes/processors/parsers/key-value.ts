import Type from 'typebox'
import type { JsonValue } from '../../../../schemas/json.ts'
import { CLOSED, defineParser, MAX_PARTS, objectOf } from './define-parser.ts'

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
    return text => {
      const values = new PairReader(text, between, after).read()
      return values && objectOf([...values])
    }
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
  readonly #values = new Map<string, JsonValue>()
  #at = 0
  #openQuotes = 0
  #pairs = 0

  constructor(text: string, between: string, after: string) {
    this.#text = text
    this.#between = new Delimiter(text, between)
    this.#after = new Delimiter(text, after)
  }

  /** @returns undefined when nothing was read, something is left, or there are too many pairs */
  read(): ReadonlyMap<string, JsonValue> | undefined {
    for (;;) {
      this.#skipBlanks()
      if (this.#after.isAt(this.#at)) {
        this.#at += this.#after.text.length
      } else if (this.#at >= this.#text.length) {
        return this.#values.size > 0 ? this.#values : undefined
      } else if (++this.#pairs > MAX_PARTS || !this.#readPair()) {
        return undefined
      }
    }
  }

  #readPair(): boolean {
    const key = this.#readPart([this.#between, this.#after])
    if (key === undefined || key === '') return false
    if (!this.#between.isAt(this.#at)) this.#skipBlanks()
    if (!this.#between.isAt(this.#at)) {
      if (!this.#values.has(key)) this.#values.set(key, true)
      return this.#isBehindPart()
    }
    this.#at += this.#between.text.length
    this.#skipBlanks()
    const value = this.#readPart([this.#after])
    if (value === undefined) return false
    this.#note(key, value)
    return this.#isBehindPart()
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
    return this.#at >= this.#text.length || this.#after.isAt(this.#at)
  }

  /** @returns undefined for a quoted part that is followed by other text */
  #readPart(ends: readonly Delimiter[]): string | undefined {
    const quoted = this.#quotedPart()
    if (quoted !== undefined) {
      const isEnd = this.#at >= this.#text.length || isBlank(this.#text, this.#at)
      return isEnd || ends.some(end => end.isAt(this.#at)) ? quoted : undefined
    }
    const end = Math.min(this.#text.length, ...ends.map(delimiter => delimiter.nextFrom(this.#at)))
    const part = this.#text.slice(this.#at, end)
    this.#at = end
    return trimBlanks(part)
  }

  /** The part in quotes at the present place; undefined without one. */
  #quotedPart(): string | undefined {
    const quote = this.#text[this.#at]
    if ((quote !== '"' && quote !== "'") || this.#openQuotes >= MAX_OPEN_QUOTES) return undefined
    let part = ''
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at] as string
      if (character === quote) {
        this.#at = at + 1
        return part
      }
      if (character === '\\' && at + 1 < this.#text.length) {
        const next = this.#text[++at] as string
        part += next === '"' ? next : `\\${next}`
      } else {
        part += character
      }
    }
    this.#openQuotes++
    return undefined
  }

  /** Passes over blanks with which no delimiter of other characters begins. */
  #skipBlanks(): void {
    const isDelimiter = () =>
      [this.#between, this.#after].some(delimiter => !delimiter.isBlank && delimiter.isAt(this.#at))
    while (isBlank(this.#text, this.#at) && !isDelimiter()) this.#at++
  }
}

/** A delimiter with its next place, which is looked for once per place. */
class Delimiter {
  readonly text: string
  /** Whether it has only characters that are ignored around delimiters. */
  readonly isBlank: boolean
  readonly #whole: string
  #next = -1

  constructor(whole: string, text: string) {
    this.#whole = whole
    this.text = text
    this.isBlank = trimBlanks(text) === ''
  }

  isAt(at: number): boolean {
    return this.#whole.startsWith(this.text, at)
  }

  nextFrom(at: number): number {
    if (this.#next < at) {
      const next = this.#whole.indexOf(this.text, at)
      this.#next = next < 0 ? Number.POSITIVE_INFINITY : next
    }
    return this.#next
  }
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t'
}

function trimBlanks(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isBlank(text, from)) from++
  while (to > from && isBlank(text, to - 1)) to--
  return text.slice(from, to)
}
