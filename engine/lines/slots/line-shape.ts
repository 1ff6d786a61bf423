import type { RowFields } from '../stored-line/stored-line.ts'

/**
 * The shape of a slotted line: all of the line that stands in none of its slots. It is a text with two parts, NAMES and
 * LITERALS, and a zero byte between them.
 *
 * LITERALS is the text of the line, where one byte (1) stands for each slot, in order. No line that has a shape contains
 * one of these bytes, because JSON forbids them. NAMES begins with byte 2; for each slot, its kind and its path follow,
 * with byte 2 behind them. Example: the line `{"ok":true,"tags":["a"]}` has the slots `true` and `["a"]`, the NAMES
 * `␂bok␂o␂` and the LITERALS `{"ok":␁,"tags":␁}`.
 */

/** Kinds of slots. The path of a slot is the name of its field, as in the maps; only opaque slots have none. */
export const SLOT_KIND = {
  /** Content of a JSON string without escapes. */
  text: 't',
  /** The same; it is also the text for display, hence field `message` in addition. */
  display: 'd',
  /** Number: `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, at most 15 digits, no negative zero. */
  number: 'n',
  /** `true` or `false`. */
  boolean: 'b',
  /** JSON of any kind. Its fields, if it has any, are in the maps. */
  opaque: 'o',
} as const

export type SlotKind = (typeof SLOT_KIND)[keyof typeof SLOT_KIND]

/** A longer text would be a shape that few lines share. */
export const MAX_LITERAL_BYTES = 1024

const SLOT = '\x01'
const NAME_END = '\x02'
const NAMES_END = '\x00'

export interface SlotName {
  readonly kind: SlotKind
  /** Empty for an opaque slot. */
  readonly path: string
}

/** A shape that was read. */
export interface LineShape {
  readonly names: readonly SlotName[]
  /** Texts before, between and behind the slots: one more than there are slots. */
  readonly literals: readonly string[]
}

/**
 * The text of a shape.
 *
 * @param literals with a byte for each slot, see `joinedLiterals`
 * @returns undefined when two slots have the same path, so that a path does not identify a slot
 */
export function shapeText(names: readonly SlotName[], literals: string): string | undefined {
  const paths = new Set<string>()
  let text = NAME_END
  for (const { kind, path } of names) {
    if (kind !== SLOT_KIND.opaque) {
      if (paths.has(path)) return undefined
      paths.add(path)
    }
    text += kind + path + NAME_END
  }
  return text + NAMES_END + literals
}

export function joinedLiterals(literals: readonly string[]): string {
  return literals.join(SLOT)
}

/** @param text a shape; not the empty one of a whole line */
export function readShape(text: string): LineShape {
  const end = text.indexOf(NAMES_END)
  const names = text.slice(1, end).split(NAME_END).slice(0, -1)
  return {
    names: names.map(name => ({ kind: name[0] as SlotKind, path: name.slice(1) })),
    literals: text.slice(end + 1).split(SLOT),
  }
}

/** The text of a line. @param slots at least as many as the shape has; others are ignored */
export function rebuiltLine({ literals }: LineShape, slots: readonly string[]): string {
  let text = literals[0] as string
  for (let slot = 1; slot < literals.length; slot++)
    text += (slots[slot - 1] as string) + (literals[slot] as string)
  return text
}

/** Adds the fields that stand in the slots of a line. */
export function addSlotFields(fields: RowFields, { names }: LineShape, slots: readonly string[]): void {
  for (const [index, { kind, path }] of names.entries()) {
    const slot = slots[index] as string
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
