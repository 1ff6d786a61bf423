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
  joinedLiterals,
  MAX_LITERAL_BYTES,
  SLOT_KIND,
  type SlotKind,
  type SlotName,
  shapeText,
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
}

/** A number that stands in a slot. With so few digits, its text gives the same double wherever it is rounded correctly. */
const CANONICAL_NUMBER = /^(?:-(?![0.]+$))?(?:0|[1-9]\d*)(?:\.\d+)?$/
const MAX_CANONICAL_DIGITS = 15

/**
 * Splits a line into its shape and slots.
 *
 * @param text JSON text of the object, which may have blanks behind it; without half surrogate pairs
 * @param own members that the service itself gives the record: a sum of OWN_MEMBERS
 * @param names must have accepted those of the line
 * @param fields all fields of the line; those that stand in slots are removed
 * @returns undefined, and leaves the fields, when the line must be stored whole
 */
export function splitLine(
  text: string,
  object: JsonObject,
  own: number,
  names: FieldNames,
  fields: RowFields,
): SplitLine | undefined {
  const values = valuesOf(text, object, own, names)
  if (values === undefined) return undefined
  const hasRest = values.length > SLOTS
  const kinds = values.slice(0, SLOTS).map(value => kindOf(value, text, names))
  if (hasRest) kinds[SLOTS - 1] = SLOT_KIND.opaque
  const isDisplayed = markDisplay(values, kinds, object, names)
  const slotted = slotsOf(text, values, kinds, hasRest)
  if (slotted === undefined) return undefined
  clearFields(fields)
  for (const [index, { node, value, depth }] of values.entries())
    if (node !== undefined && (kinds[index] ?? SLOT_KIND.opaque) === SLOT_KIND.opaque)
      addValue(fields, node, value, depth, names)
  if (!isDisplayed) addDisplay(fields, object, names)
  return slotted
}

/** @returns undefined when a key repeats, has an escape, or collides with another one of its line */
function valuesOf(
  text: string,
  root: JsonObject,
  own: number,
  names: FieldNames,
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
      const end = readValue(start, object[key] as JsonValue, node, depth)
      if (end === 0) return 0
      at = nextPart(text, end)
    }
    return members === countMembers(object) ? at + 1 : 0
  }

  function readValue(start: number, value: JsonValue, node: NameNode | undefined, depth: number): number {
    // If the key repeats, the value is another one than that of the text.
    if (node !== undefined && text[start] === '{' && isEntered(value, depth))
      return readMembers(start, value as JsonObject, node, depth + 1)
    const end = valueEnd(text, start)
    if (value !== null) values.push({ start, end, value, depth, node })
    return end
  }
}

/** Whether the name of a key has a further underscore, because the line has the name with one. */
function collides(key: string, node: NameNode | undefined): boolean {
  return node !== undefined && node.path.length > key.length + 1
}

function kindOf({ start, end, value, node }: LineValue, text: string, names: FieldNames): SlotKind {
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
  kinds: SlotKind[],
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

function slotsOf(
  text: string,
  values: readonly LineValue[],
  kinds: readonly SlotKind[],
  hasRest: boolean,
): SplitLine | undefined {
  const names: SlotName[] = []
  const literals: string[] = []
  const slots: string[] = []
  let literalStart = 0
  for (const [index, kind] of kinds.entries()) {
    const { start, end, node } = values[index] as LineValue
    // The quotes of a text belong to the shape.
    const quote = kind === SLOT_KIND.text || kind === SLOT_KIND.display ? 1 : 0
    const slotEnd = hasRest && index === SLOTS - 1 ? text.length : end - quote
    literals.push(text.slice(literalStart, start + quote))
    slots.push(text.slice(start + quote, slotEnd))
    names.push({ kind, path: kind === SLOT_KIND.opaque ? '' : (node as NameNode).path })
    literalStart = slotEnd
  }
  literals.push(text.slice(literalStart))
  const joined = joinedLiterals(literals)
  if (Buffer.byteLength(joined) > MAX_LITERAL_BYTES) return undefined
  const shape = shapeText(names, joined)
  return shape === undefined ? undefined : { shape, slots }
}
