import { isJsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { jsonBytes, textFormBytes } from '../../../json/json-size.ts'
import { entriesOf } from '../../../json/ordered-object.ts'

/** Levels of objects whose members are fields of their own; deeper objects are values. (Our choice.) */
const MAX_LEVELS = 8
/** Fields of one event that are profiled. (Our choice.) */
const MAX_LEAVES = 1_000
/** Length of a path; fields with longer ones count as fields beyond the bound. */
export const MAX_PATH_LENGTH = 512
const BARE_KEY = /^[A-Za-z0-9_@$]+$/

/** A field of an event that is not divided further. */
export interface LeafField {
  readonly path: string
  readonly value: JsonValue
  /** Size of its name and its value. */
  readonly bytes: number
}

/** Fields of a message, in its order. An empty object is a field; a message that is not an object is one field. */
export function leafFieldsOf(message: JsonValue): LeafField[] {
  const leaves: LeafField[] = []
  if (isJsonObject(message)) addLeaves(leaves, '', message, 1)
  else leaves.push({ path: '.', value: message, bytes: textFormBytes(message) })
  return leaves
}

function addLeaves(leaves: LeafField[], path: string, object: JsonValue, level: number): void {
  if (!isJsonObject(object)) return
  for (const [key, value] of entriesOf(object)) {
    if (leaves.length >= MAX_LEAVES) return
    const inner = `${path}.${BARE_KEY.test(key) ? key : quoted(key)}`
    const isDivided = isJsonObject(value) && level < MAX_LEVELS && entriesOf(value).length > 0
    if (isDivided) addLeaves(leaves, inner, value, level + 1)
    else leaves.push({ path: inner, value, bytes: jsonBytes(key) + jsonBytes(value) })
  }
}

function quoted(key: string): string {
  return `"${key.replaceAll(/["\\]/g, '\\$&')}"`
}
