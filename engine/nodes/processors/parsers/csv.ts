import Type from 'typebox'
import { CLOSED, defineParser, MAX_PARTS, objectOf } from './define-parser.ts'

/** One record of comma-separated values, the first line of the text; a quoted value may contain line breaks. */
export const csv = defineParser({
  id: 'parse_csv',
  options: Type.Object(
    {
      field_names: Type.Optional(
        Type.Array(Type.String({ minLength: 1, description: 'Name of a column' }), {
          description: 'Names of the columns; the result is an array when absent',
        }),
      ),
    },
    CLOSED,
  ),
  compile({ field_names: names = [] }) {
    if (names.length === 0) return valuesOf
    return text => {
      const values = valuesOf(text)
      return values && objectOf(values.map((value, place) => [names[place] ?? String(place), value]))
    }
  },
  examples: [
    { text: 'a,"b ""c"" , d",,e', value: ['a', 'b "c" , d', '', 'e'] },
    { text: '1,"two\nlines"\nnext,record', value: ['1', 'two\nlines'] },
    {
      text: '7,x,y',
      options: { field_names: ['id', 'name'] },
      value: objectOf([
        ['id', '7'],
        ['name', 'x'],
        ['2', 'y'],
      ]),
    },
    { text: '7', options: { field_names: ['id', 'name'] }, value: { id: '7' } },
    { text: '', value: [] },
  ],
})

const QUOTE = 0x22
const COMMA = 0x2c

/** RFC 4180. A quote within a value that does not begin with one is text, and so are characters behind a closing quote. */
function valuesOf(text: string): string[] | undefined {
  const values: string[] = []
  const commas = new NextMark(text, ',')
  const newlines = new NextMark(text, '\n')
  const returns = new NextMark(text, '\r')
  const lineEnd = (from: number) => Math.min(newlines.from(from), returns.from(from))
  let at = 0
  if (lineEnd(0) === 0) return values
  for (;;) {
    let value = ''
    if (text.charCodeAt(at) === QUOTE) {
      const [inside, end] = quotedValue(text, at + 1)
      value = inside
      at = end
    }
    const end = Math.min(commas.from(at), lineEnd(at))
    values.push(value + text.slice(at, end))
    if (text.charCodeAt(end) !== COMMA) return values
    if (values.length === MAX_PARTS) return undefined
    at = end + 1
  }
}

/** Places of a character in a text, asked for in ascending order: each part of the text is searched once. */
class NextMark {
  readonly #text: string
  readonly #mark: string
  #place = -1

  constructor(text: string, mark: string) {
    this.#text = text
    this.#mark = mark
  }

  /** Its first place from there on; the end of the text without one. */
  from(at: number): number {
    if (this.#place < at) {
      const place = this.#text.indexOf(this.#mark, at)
      this.#place = place < 0 ? this.#text.length : place
    }
    return this.#place
  }
}

/** The value after an opening quote, and the place behind its closing one; a missing one is at the end of the text. */
function quotedValue(text: string, from: number): [value: string, end: number] {
  let value = ''
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return [value + text.slice(at), text.length]
    if (text[quote + 1] !== '"') return [value + text.slice(at, quote), quote + 1]
    value += text.slice(at, quote + 1)
    at = quote + 2
  }
}
