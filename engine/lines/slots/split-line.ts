import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { SLOTS } from '../../../schemas/log/tables.ts'
import { nextPart, valueEnd } from '../../json/json-source.ts'
import { skipBlanks, stringEnd } from '../../json/marked-keys.ts'
import { countMembers } from '../../json/ordered-object.ts'
import type { NameNode } from '../stored-line/field-names.ts'
import {
  addDisplay,
  addValue,
  clearFields,
  type FieldNames,
  isEntered,
  rootOf,
} from '../stored-line/line-fields.ts'
import type { RowFields } from '../stored-line/stored-line.ts'
import {
  byteOf,
  isWord,
  MAX_LITERAL_BYTES,
  type RowWords,
  SLOT_KIND,
  shapeText,
  type ValueKind,
  type ValueName,
  WORD_KIND,
  type WordKind,
} from './line-shape.ts'

/** A line as its shape and the texts of its slots. */
export interface SplitLine {
  readonly shape: string
  readonly slots: readonly string[]
}

/** A value of a line that can stand in a slot: any but null and an object that is entered. */
interface LineValue {
  /** Its place in the text. */
  readonly start: number
  readonly end: number
  readonly value: JsonValue
  /** Number of objects around it. */
  readonly depth: number
  /** Node of its name; undefined when it is not a field. */
  readonly node: NameNode | undefined
  /** Kind of a value that is a word of the row; undefined for others. */
  readonly word: WordKind | undefined
}

/** A number that stands in a slot. With so few digits, its text gives the same double wherever it is rounded correctly. */
const CANONICAL_NUMBER = /^(?:-(?![0.]+$))?(?:0|[1-9]\d*)(?:\.\d+)?$/
const MAX_CANONICAL_DIGITS = 15

const LOWER_CASE_WORD = /^[a-z]+$/

/** Members of a row that `splitLine` needs in addition to the text of its line. */
export interface SplitContext {
  /** Members that the service itself gives the record: a sum of OWN_MEMBERS. */
  readonly own: number
  readonly words: RowWords
  /** They must have accepted those of the line. */
  readonly names: FieldNames
  /** Whether the block can have another line of this shape. */
  admits(shape: string): boolean
}

/**
 * Splits a line into its shape and slots.
 *
 * @param text JSON text of the object, which may have blanks behind it; without half surrogate pairs
 * @param fields all fields of the line; those that stand in slots or words are removed
 * @returns undefined, and leaves the fields, when the line must be stored whole
 */
export function splitLine(
  text: string,
  object: JsonObject,
  context: SplitContext,
  fields: RowFields,
): SplitLine | undefined {
  const { names } = context
  const values = valuesOf(text, object, context)
  if (values === undefined) return undefined
  const last = lastSlot(values)
  const kept = last === undefined ? values : values.slice(0, last + 1)
  const kinds = kept.map(value => kindOf(value, text, names))
  if (last !== undefined) kinds[last] = SLOT_KIND.opaque
  const isDisplayed = markDisplay(values, kinds, object, names)
  const slotted = slotsOf(text, values, kinds, last)
  if (slotted === undefined || !context.admits(slotted.shape)) return undefined
  clearFields(fields)
  for (const [index, { node, value, depth }] of values.entries())
    if (node !== undefined && (kinds[index] ?? SLOT_KIND.opaque) === SLOT_KIND.opaque)
      addValue(fields, node, value, depth, names)
  if (!isDisplayed) addDisplay(fields, object, names)
  return slotted
}

/** The value whose slot has the rest of the line; undefined when there are enough slots. */
function lastSlot(values: readonly LineValue[]): number | undefined {
  let slots = 0
  let last: number | undefined
  for (const [index, { word }] of values.entries()) {
    if (word !== undefined) continue
    if (++slots === SLOTS) last = index
    else if (slots > SLOTS) return last
  }
  return undefined
}

/** @returns undefined when a key repeats, has an escape, or collides with another one of its line */
function valuesOf(
  text: string,
  root: JsonObject,
  { own, words, names }: SplitContext,
): readonly LineValue[] | undefined {
  const values: LineValue[] = []
  const isRead = readMembers(0, root, undefined, 1) !== 0
  return isRead ? values : undefined

  /** @returns the place behind the object; 0 when the line must be stored whole */
  function readMembers(
    from: number,
    object: JsonObject,
    parent: NameNode | undefined,
    depth: number,
  ): number {
    let members = 0
    let at = skipBlanks(text, from + 1)
    for (; text[at] !== '}'; members++) {
      const keyEnd = stringEnd(text, at)
      const key = text.slice(at + 1, keyEnd - 1)
      if (key.includes('\\')) return 0
      const node = parent === undefined ? rootOf(key, object, own, names) : names.child(parent, key)
      if (parent === undefined && collides(key, node)) return 0
      const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
      const value = object[key] as JsonValue
      const word = parent === undefined ? wordKind(key, value, words, node, names) : undefined
      const end = readValue(start, value, node, depth, word)
      if (end === 0) return 0
      at = nextPart(text, end)
    }
    return members === countMembers(object) ? at + 1 : 0
  }

  function readValue(
    start: number,
    value: JsonValue,
    node: NameNode | undefined,
    depth: number,
    word: WordKind | undefined,
  ): number {
    // If the key repeats, the value is another one than that of the text.
    if (node !== undefined && text[start] === '{' && isEntered(value, depth))
      return readMembers(start, value as JsonObject, node, depth + 1)
    const end = valueEnd(text, start)
    // A word whose text has escapes is longer than the word.
    const isWord = word !== undefined && end - start === (value as string).length + 2
    if (value !== null) values.push({ start, end, value, depth, node, word: isWord ? word : undefined })
    return end
  }
}

/** Kind of a member of the line's object that may be a word of the row. */
function wordKind(
  key: string,
  value: JsonValue,
  { app, level }: RowWords,
  node: NameNode | undefined,
  names: FieldNames,
): WordKind | undefined {
  if (typeof value !== 'string') return undefined
  if (key === 'app') {
    const isField = node !== undefined && names.isAccepted(node.path)
    return isField && value === app ? WORD_KIND.app : undefined
  }
  return key === 'level' && node === undefined ? levelKind(value, level) : undefined
}

/**
 * Kind of a text that is the level of its row; undefined for others.
 *
 * @param level of the row
 */
export function levelKind(text: string, level: string): WordKind | undefined {
  if (text === level) return WORD_KIND.upperLevel
  return LOWER_CASE_WORD.test(text) && text.toUpperCase() === level ? WORD_KIND.level : undefined
}

/** Whether the name of a key has a further underscore, because the line has the name with one. */
function collides(key: string, node: NameNode | undefined): boolean {
  return node !== undefined && node.path.length > key.length + 1
}

function kindOf({ start, end, value, node, word }: LineValue, text: string, names: FieldNames): ValueKind {
  if (word !== undefined) return word
  if (node === undefined || !names.isAccepted(node.path)) return SLOT_KIND.opaque
  if (typeof value === 'boolean') return SLOT_KIND.boolean
  const source = text.slice(start, end)
  if (typeof value === 'string') return source.includes('\\') ? SLOT_KIND.opaque : SLOT_KIND.text
  return isCanonicalNumber(source) ? SLOT_KIND.number : SLOT_KIND.opaque
}

function isCanonicalNumber(source: string): boolean {
  if (source.length > MAX_CANONICAL_DIGITS + '-.'.length || !CANONICAL_NUMBER.test(source)) return false
  return source.replace(/[-.]/g, '').length <= MAX_CANONICAL_DIGITS
}

/** Makes the text for display a slot of its own kind. @returns whether field `message` stands in it */
function markDisplay(
  values: readonly LineValue[],
  kinds: ValueKind[],
  object: JsonObject,
  names: FieldNames,
): boolean {
  if (typeof object.message === 'string' || !names.isAccepted('message')) return false
  const slot = kinds.findIndex(
    (kind, index) =>
      kind === SLOT_KIND.text && values[index]?.depth === 1 && values[index].node?.path === 'msg',
  )
  if (slot < 0) return false
  kinds[slot] = SLOT_KIND.display
  return true
}

/** @param last value whose slot reaches to the end of the text, if any */
function slotsOf(
  text: string,
  values: readonly LineValue[],
  kinds: readonly ValueKind[],
  last: number | undefined,
): SplitLine | undefined {
  const names: ValueName[] = []
  const slots: string[] = []
  let literals = ''
  let literalStart = 0
  for (const [index, kind] of kinds.entries()) {
    const { start, end, node } = values[index] as LineValue
    // The quotes of a text belong to the shape.
    const quote = hasQuotes(kind) ? 1 : 0
    const valueEnd = index === last ? text.length : end - quote
    literals += text.slice(literalStart, start + quote) + byteOf(kind)
    if (!isWord(kind)) slots.push(text.slice(start + quote, valueEnd))
    names.push({ kind, path: kind === SLOT_KIND.opaque || node === undefined ? '' : node.path })
    literalStart = valueEnd
  }
  literals += text.slice(literalStart)
  if (Buffer.byteLength(literals) > MAX_LITERAL_BYTES) return undefined
  const shape = shapeText(names, literals)
  return shape === undefined ? undefined : { shape, slots }
}

function hasQuotes(kind: ValueKind): boolean {
  return kind === SLOT_KIND.text || kind === SLOT_KIND.display || isWord(kind)
}
