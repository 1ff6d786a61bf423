import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'

/** Characters that JSON text escapes or may escape; half a surrogate pair is escaped. */
const MAY_BE_ESCAPED = /["\\]|[^ -\ud7ff\ue000-\uffff]/

/** Length of `textForm(value)` in UTF-8 bytes, computed without building that text. */
export function textFormBytes(value: JsonValue): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : jsonBytes(value)
}

/** Length of the JSON text of a value in UTF-8 bytes. */
export function jsonBytes(value: JsonValue): number {
  switch (typeof value) {
    case 'string':
      return stringBytes(value)
    case 'number':
      return Number.isFinite(value) ? String(value).length : 'null'.length
    case 'bigint':
      return String(value).length
    case 'boolean':
      return value ? 'true'.length : 'false'.length
    default:
      if (value instanceof NumberText) return value.text.length
      return value === null ? 'null'.length : containerBytes(value)
  }
}

function containerBytes(value: JsonValue[] | JsonObject): number {
  let bytes = 2 // the brackets
  if (Array.isArray(value)) {
    for (const element of value) bytes += jsonBytes(element)
    return bytes + Math.max(0, value.length - 1)
  }
  const keys = Object.keys(value)
  for (const key of keys) bytes += stringBytes(key) + 1 + jsonBytes(value[key] as JsonValue)
  return bytes + Math.max(0, keys.length - 1)
}

function stringBytes(text: string): number {
  return MAY_BE_ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2
}
