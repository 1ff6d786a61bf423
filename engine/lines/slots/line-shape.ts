import type { RowFields } from '../stored-line/stored-line.ts'

/**
 * The shape of a slotted line: all of the line that stands in none of its slots. It is a text with two parts, NAMES and
 * LITERALS, and a zero byte between them.
 *
 * LITERALS is the text of the line, where one byte stands for each value, in order: 1 for a slot, and others for words of
 * columns. No line that has a shape contains one of these bytes, because JSON forbids them. NAMES begins with byte 2; for
 * each slot, and each word that is a field, its kind and its path follow, with byte 2 behind them. Example: the line
 * `{"ok":true,"level":"info","tags":["a"]}` with level INFO has the slots `true` and `["a"]`, the NAMES `␂bok␂o␂` and the
 * LITERALS `{"ok":␁,"level":"␄","tags":␁}`.
 */

/** Kinds of slots. The path of a slot is the name of its field, as in the maps; only opaque slots have none. */
export const SLOT_KIND = {
  /** Content of a JSON string without escapes. */
  text: 't',
  /** Content of a JSON string without escapes that is the text for display, and hence also field `message`. */
  display: 'd',
  /** Number: `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, at most 15 digits, no negative zero. */
  number: 'n',
  /** `true` or `false`. */
  boolean: 'b',
  /** JSON of any kind. Its fields, if it has any, are in the maps. */
  opaque: 'o',
} as const

/** Contents of JSON strings that are words of other columns. They take no slot. */
export const WORD_KIND = {
  /** Field `app` that is the row's app. */
  app: 'a',
  /** Member `level` that is the row's level in lower case, of ASCII letters. It is not a field. */
  level: 'l',
  /** Member `level` that is the row's level in upper case, of ASCII letters. It is not a field. */
  upperLevel: 'u',
} as const

export type SlotKind = (typeof SLOT_KIND)[keyof typeof SLOT_KIND]
export type WordKind = (typeof WORD_KIND)[keyof typeof WORD_KIND]
export type ValueKind = SlotKind | WordKind

/** A longer text would be a shape that few lines share. */
export const MAX_LITERAL_BYTES = 1024

/** Bytes of words in LITERALS. */
const WORD_BYTE: Readonly<Record<WordKind, string>> = { a: '\x03', l: '\x04', u: '\x05' }
const SLOT_BYTE = '\x01'
const NAME_END = '\x02'
const NAMES_END = '\x00'
const VALUE_BYTES: ReadonlySet<string> = new Set([SLOT_BYTE, ...Object.values(WORD_BYTE)])

/** A value of a shape. */
export interface ValueName {
  readonly kind: ValueKind
  /** Empty for a value that is not a field. */
  readonly path: string
}

/** Words of a row to which its shape may refer. */
export interface RowWords {
  readonly app: string
  readonly level: string
}

/** A shape that was read. */
export interface LineShape {
  /** Slots, and words that are fields, in order. */
  readonly names: readonly ValueName[]
  /** Texts before, between and behind the values: one more than there are values. */
  readonly literals: readonly string[]
  /** Bytes that stand for the values. */
  readonly values: readonly string[]
}

export function isWord(kind: ValueKind): kind is WordKind {
  return kind in WORD_BYTE
}

/** The byte that stands for a value in LITERALS. */
export function byteOf(kind: ValueKind): string {
  return isWord(kind) ? WORD_BYTE[kind] : SLOT_BYTE
}

/**
 * The text of a shape.
 *
 * @param literals with a byte for each value
 * @returns undefined when two values have the same path, so that a path does not identify a value
 */
export function shapeText(names: readonly ValueName[], literals: string): string | undefined {
  const paths = new Set<string>()
  let text = NAME_END
  for (const { kind, path } of names) {
    if (kind === WORD_KIND.level || kind === WORD_KIND.upperLevel) continue
    if (kind !== SLOT_KIND.opaque) {
      if (paths.has(path)) return undefined
      paths.add(path)
    }
    text += kind + path + NAME_END
  }
  return text + NAMES_END + literals
}

/** @param text a shape; not the empty one of a whole line */
export function readShape(text: string): LineShape {
  const end = text.indexOf(NAMES_END)
  const names = text.slice(1, end).split(NAME_END).slice(0, -1)
  const literals: string[] = []
  const values: string[] = []
  let start = end + 1
  for (let at = start; at < text.length; at++) {
    const byte = text[at] as string
    if (!VALUE_BYTES.has(byte)) continue
    literals.push(text.slice(start, at))
    values.push(byte)
    start = at + 1
  }
  literals.push(text.slice(start))
  return {
    names: names.map(name => ({ kind: name[0] as ValueKind, path: name.slice(1) })),
    literals,
    values,
  }
}

/** The text of a line. @param slots at least as many as the shape has; others are ignored */
export function rebuiltLine(
  { literals, values }: LineShape,
  slots: readonly string[],
  words: RowWords,
): string {
  let text = literals[0] as string
  let slot = 0
  for (let index = 0; index < values.length; index++) {
    const byte = values[index] as string
    text += byte === SLOT_BYTE ? (slots[slot++] as string) : wordOf(byte, words)
    text += literals[index + 1] as string
  }
  return text
}

function wordOf(byte: string, { app, level }: RowWords): string {
  if (byte === WORD_BYTE.a) return app
  return byte === WORD_BYTE.l ? level.toLowerCase() : level
}

/**
 * Adds the fields that stand in the slots of a line, or in words. Searches do the same in their statements, and tests compare the two:
 * nothing else calls this.
 */
export function addSlotFields(
  fields: RowFields,
  { names }: LineShape,
  slots: readonly string[],
  { app }: RowWords,
): void {
  let next = 0
  for (const { kind, path } of names) {
    if (kind === WORD_KIND.app) {
      addText(fields, path, app)
      continue
    }
    const slot = slots[next++] as string
    if (kind === SLOT_KIND.opaque) continue
    if (kind === SLOT_KIND.number) addNumber(fields, path, Number(slot))
    else addText(fields, path, slot)
    if (kind === SLOT_KIND.display) addText(fields, 'message', slot)
  }
}

function addText(fields: RowFields, name: string, value: string): void {
  const index = fields.textFieldCount++
  fields.textFieldNames[index] = name
  fields.textFieldValues[index] = value
}

function addNumber(fields: RowFields, name: string, value: number): void {
  const index = fields.numberFieldCount++
  fields.numberFieldNames[index] = name
  fields.numberFieldValues[index] = value
}

/** Shapes are few, unless somebody sends many on purpose. */
const MAX_KNOWN = 1_000
const known = new Map<string, LineShape>()

/** Gives what `readShape` gives, and reads a shape that many lines have only once. */
export function knownShape(text: string): LineShape {
  let shape = known.get(text)
  if (shape === undefined) {
    shape = readShape(text)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(text, shape)
  }
  return shape
}
