import { jsonText } from '../../engine/json/json-text.ts'
import { MarkedKeys } from '../../engine/json/marked-keys.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'

/** A name such as `"10"`, which a JavaScript object always lists before all other names. */
const NUMERIC_NAME = /"(?:\d|\\u003\d)+"\s*:/
const INDENT = '  '
/** A longer text is not read a second time: that would take four times as long as the first. */
const MAX_ORDERED_CHARACTERS = 262_144

/** Names of the members of objects in the order sent, if it differs from that of the object. */
const sentOrders = new WeakMap<JsonObject, readonly string[]>()

/**
 * Remembers the order in which members were sent, for `indentedJsonText`, while their objects exist.
 *
 * @param text text of the value; for more than 250,000 characters the order of the objects is used
 * @param value parsed value of the text; its nesting has a bounded depth
 */
export function rememberOrder(text: string, value: JsonValue): void {
  if (text.length > MAX_ORDERED_CHARACTERS || !NUMERIC_NAME.test(text)) return
  const keys = new MarkedKeys()
  compareOrder(value, JSON.parse(keys.markedText(text)) as JsonValue, keys)
}

function compareOrder(value: JsonValue, marked: JsonValue, keys: MarkedKeys): void {
  if (Array.isArray(value) && Array.isArray(marked)) {
    for (const [index, element] of value.entries()) compareOrder(element, marked[index] as JsonValue, keys)
  } else if (isJsonObject(value) && isJsonObject(marked)) {
    const names = Object.keys(marked).map(key => keys.unmarked(key))
    if (Object.keys(value).some((name, index) => name !== names[index])) sentOrders.set(value, names)
    for (const name of names)
      compareOrder(value[name] as JsonValue, marked[keys.marked(name)] as JsonValue, keys)
  }
}

/** Members of an object in the order sent, as far as it is remembered. */
export function sentEntries(object: JsonObject): [name: string, value: JsonValue][] {
  const names = sentOrders.get(object) ?? Object.keys(object)
  return names.map(name => [name, object[name] as JsonValue])
}

/** An object with these members, which remembers their order. A repeated name has its first place and its last value. */
export function orderedAsSent(entries: readonly (readonly [name: string, value: JsonValue])[]): JsonObject {
  const object = Object.fromEntries(entries)
  const names = [...new Set(entries.map(([name]) => name))]
  if (Object.keys(object).some((name, index) => name !== names[index])) sentOrders.set(object, names)
  return object
}

/** Length of `indentedJsonText`, roughly and at least; counting ends beyond the limit. */
export function indentedLength(value: JsonValue, limit: number, indent = 0): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length + 2 : 1
  const inner = indent + INDENT.length
  const parts = Array.isArray(value) ? value.entries() : Object.entries(value)
  let length = 2
  for (const [name, part] of parts) {
    const nameLength = typeof name === 'string' ? name.length + 4 : 0
    length += 2 + inner + nameLength + indentedLength(part, limit - length, inner)
    if (length > limit) break
  }
  return length
}

/** JSON text on several lines, indented by two blanks, with members in the order sent. */
export function indentedJsonText(value: JsonValue, indent = ''): string {
  const inner = indent + INDENT
  const lines = (parts: readonly string[]) => `\n${inner}${parts.join(`,\n${inner}`)}\n${indent}`
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[${lines(value.map(element => indentedJsonText(element, inner)))}]`
  }
  if (!isJsonObject(value)) return jsonText(value)
  const names = sentOrders.get(value) ?? Object.keys(value)
  if (names.length === 0) return '{}'
  const members = names.map(name => `${jsonText(name)}: ${indentedJsonText(value[name] as JsonValue, inner)}`)
  return `{${lines(members)}}`
}
