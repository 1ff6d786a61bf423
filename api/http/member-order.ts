import { jsonText } from '../../engine/json/json-text.ts'
import { markedKey, unmarkedKey, withMarkedKeys } from '../../engine/json/marked-keys.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'

/** A name such as `"10"`, which any object here has ahead of all other names, whatever came first. */
const NUMERIC_NAME = /"(?:\d|\\u003\d)+"\s*:/
const INDENT = '  '
/** A text that is longer is not read a second time: that would take four times as long as the first. */
const MAX_ORDERED_CHARACTERS = 262_144

/** Names of the members of objects where their order is another one than that of the object. */
const sentOrders = new WeakMap<JsonObject, readonly string[]>()

/**
 * Remembers the order in which members were sent, for `indentedJsonText`, as long as their objects are there.
 *
 * @param text at most a quarter of a million characters; the order of a longer one is that of the objects
 * @param value what the text stands for; it is nested in a bounded depth
 */
export function rememberOrder(text: string, value: JsonValue): void {
  if (text.length <= MAX_ORDERED_CHARACTERS && NUMERIC_NAME.test(text))
    compareOrder(value, JSON.parse(withMarkedKeys(text)) as JsonValue)
}

function compareOrder(value: JsonValue, marked: JsonValue): void {
  if (Array.isArray(value) && Array.isArray(marked)) {
    for (const [index, element] of value.entries()) compareOrder(element, marked[index] as JsonValue)
  } else if (isJsonObject(value) && isJsonObject(marked)) {
    const names = Object.keys(marked).map(unmarkedKey)
    if (Object.keys(value).some((name, index) => name !== names[index])) sentOrders.set(value, names)
    for (const name of names) compareOrder(value[name] as JsonValue, marked[markedKey(name)] as JsonValue)
  }
}

/** JSON text on several lines, indented by two blanks, members in the order in which they were sent. */
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
