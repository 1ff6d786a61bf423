import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../../schemas/json.ts'
import { printingJson } from '../../json/json-printing.ts'
import { jsonText } from '../../json/json-text.ts'
import { isEmptyObject, keysOf } from '../../json/ordered-object.ts'
import type { Steps } from '../../steps.ts'
import type { FieldNames, NameNode } from './field-names.ts'
import { displayText, recordName } from './line-members.ts'
import type { RowFields } from './stored-line.ts'

export { FieldNames } from './field-names.ts'

/** Objects below the third level are kept as JSON text: ingestion, section 1.3. */
const MAX_FIELD_DEPTH = 3
/** Values of one step: a small part of a millisecond. */
const VALUES_OF_STEP = 2_000

/**
 * Adds the members of a parsed line as searchable fields, under their names in the record, and the text for display as
 * `message`.
 *
 * @param own members that the service itself gives the record (a sum of OWN_MEMBERS): they are not replaced
 */
export function addParsedFields(line: RowFields, object: JsonObject, own: number, names: FieldNames): void {
  for (const key of keysOf(object)) {
    const node = rootOf(key, object, own, names)
    if (node !== undefined) addValue(line, node, object[key] as JsonValue, 1, names)
  }
  addDisplay(line, object, names)
}

/** Adds the text for display as `message`, if it is that of another member. */
export function addDisplay(line: RowFields, object: JsonObject, names: FieldNames): void {
  if (typeof object.message === 'string') return
  const display = displayText(object)
  const node = display === undefined ? undefined : names.root('message')
  if (node !== undefined) addValue(line, node, display as string, 1, names)
}

/** Adds the fields below one member of the record, such as `_meta`; the depth counts from that member. */
export function addFieldsBelow(line: RowFields, member: string, object: JsonObject, names: FieldNames): void {
  const node = names.root(member)
  if (node !== undefined) addMembers(line, node, object, 1, names)
}

/** Like `addFieldsBelow`, in steps. */
export function* addingFieldsBelow(
  line: RowFields,
  member: string,
  object: JsonObject,
  names: FieldNames,
): Steps {
  const node = names.root(member)
  if (node !== undefined) yield* addingMembers(line, node, object, 1, names)
}

export function clearFields(line: RowFields): void {
  line.textFieldCount = 0
  line.numberFieldCount = 0
}

/** The node of a member of a parsed line; undefined when it is not a field. */
export function rootOf(
  key: string,
  object: JsonObject,
  own: number,
  names: FieldNames,
): NameNode | undefined {
  return names.rootOfKey(key) ?? rootOfMember(key, object, own, names)
}

/** The slow method, for keys whose name in the record depends on more than the key. */
function rootOfMember(key: string, object: JsonObject, own: number, names: FieldNames): NameNode | undefined {
  const name = recordName(key, object, own)
  return name === undefined ? undefined : names.root(name)
}

function addMembers(
  line: RowFields,
  parent: NameNode,
  object: JsonObject,
  depth: number,
  names: FieldNames,
): void {
  for (const key of keysOf(object)) {
    const node = names.child(parent, key)
    if (node !== undefined) addValue(line, node, object[key] as JsonValue, depth, names)
  }
}

function* addingMembers(
  line: RowFields,
  parent: NameNode,
  object: JsonObject,
  depth: number,
  names: FieldNames,
): Steps {
  let left = VALUES_OF_STEP
  for (const key of keysOf(object)) {
    const node = names.child(parent, key)
    if (node !== undefined) yield* addingValue(line, node, object[key] as JsonValue, depth, names)
    if (--left > 0) continue
    yield
    left = VALUES_OF_STEP
  }
}

/** Like `addValue`, in steps. */
function* addingValue(
  line: RowFields,
  node: NameNode,
  value: JsonValue,
  depth: number,
  names: FieldNames,
): Steps {
  if (Array.isArray(value) && value.length > 0) {
    let left = VALUES_OF_STEP
    for (const element of value) {
      if (typeof element === 'object') yield* addingValue(line, node, element, depth, names)
      else addValue(line, node, element, depth, names)
      if (--left > 0) continue
      yield
      left = VALUES_OF_STEP
    }
  } else if (isEntered(value, depth)) {
    yield* addingMembers(line, node, value as JsonObject, depth + 1, names)
  } else if (isJsonObject(value)) {
    if (names.accept(node)) addText(line, node.path, yield* printingJson(value))
  } else addValue(line, node, value, depth, names)
}

/** Adds a value of a line. @param depth of the objects around it */
export function addValue(
  line: RowFields,
  node: NameNode,
  value: JsonValue,
  depth: number,
  names: FieldNames,
): void {
  if (typeof value === 'string') {
    if (names.accept(node)) addText(line, node.path, value)
  } else if (typeof value === 'number') {
    if (names.accept(node)) addNumber(line, node.path, value)
  } else if (value instanceof NumberText) {
    if (names.accept(node)) addText(line, node.path, value.text)
  } else if (typeof value === 'object') {
    if (value !== null) addContainer(line, node, value, depth, names)
  } else if (names.accept(node)) {
    addText(line, node.path, String(value)) // A word, or an integer with all its digits.
    if (typeof value === 'bigint') addNumber(line, node.path, Number(value))
  }
}

function addContainer(
  line: RowFields,
  node: NameNode,
  value: JsonValue[] | JsonObject,
  depth: number,
  names: FieldNames,
): void {
  if (Array.isArray(value)) {
    for (const element of value) addValue(line, node, element, depth, names)
    if (value.length === 0 && names.accept(node)) addText(line, node.path, '[]')
  } else if (isEntered(value, depth)) {
    addMembers(line, node, value as JsonObject, depth + 1, names)
  } else if (names.accept(node)) {
    addText(line, node.path, jsonText(value))
  }
}

/** Whether a value is an object whose members are fields. @param depth of the objects around it */
export function isEntered(value: JsonValue, depth: number): boolean {
  return depth < MAX_FIELD_DEPTH && isJsonObject(value) && !isEmptyObject(value)
}

function addText(line: RowFields, name: string, value: string): void {
  const index = line.textFieldCount++
  line.textFieldNames[index] = name
  line.textFieldValues[index] = value
}

function addNumber(line: RowFields, name: string, value: number): void {
  const index = line.numberFieldCount++
  line.numberFieldNames[index] = name
  line.numberFieldValues[index] = value
}
