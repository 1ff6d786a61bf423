import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { jsonBytes } from './json-size.ts'
import { entriesOf, isOrdered } from './ordered-object.ts'

/**
 * Length of the JSON text of a value in UTF-8 bytes. A longer value is not walked to its end.
 *
 * @returns any number above `most` for a longer value
 */
export function boundedJsonBytes(value: JsonValue, most: number): number {
  if (typeof value === 'string') return value.length > most ? value.length : jsonBytes(value)
  if (Array.isArray(value)) return arrayBytes(value, most)
  if (!isJsonObject(value)) return jsonBytes(value)
  return isOrdered(value) ? orderedBytes(value, most) : objectBytes(value, most)
}

function arrayBytes(elements: readonly JsonValue[], most: number): number {
  let bytes = '[]'.length + Math.max(0, elements.length - 1)
  for (let at = 0; at < elements.length && bytes <= most; at++)
    bytes += boundedJsonBytes(elements[at] as JsonValue, most - bytes)
  return bytes
}

function objectBytes(object: JsonObject, most: number): number {
  let bytes = '{'.length
  for (const key in object) {
    bytes += memberBytes(key, object[key] as JsonValue, most - bytes)
    if (bytes > most) break
  }
  return bytes === '{'.length ? '{}'.length : bytes
}

/** Bounded length of an object with an order of its own, which the other loop reads several times slower than a list. */
function orderedBytes(object: JsonObject, most: number): number {
  let bytes = '{'.length
  for (const [key, value] of entriesOf(object)) {
    bytes += memberBytes(key, value, most - bytes)
    if (bytes > most) break
  }
  return bytes === '{'.length ? '{}'.length : bytes
}

/** Length of a member with its colon, and with the comma or bracket behind it. */
function memberBytes(key: string, value: JsonValue, most: number): number {
  const name = boundedJsonBytes(key, most) + ':,'.length
  return name > most ? name : name + boundedJsonBytes(value, most - name)
}
