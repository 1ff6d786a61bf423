import { jsonText } from '../../../engine/json/json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'

/** A member of a row, by its path: `title`, or `actor.email`. A member whose name has dots takes precedence. */
export function fieldValue(row: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(row, path)) return row[path]
  let value: JsonValue | undefined = row
  for (const name of path.split('.')) {
    if (Array.isArray(value) && /^\d{1,9}$/.test(name)) value = value[Number(name)]
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return value
}

/** A value in a cell: texts as they are, nothing for null, and other values as JSON. */
export function fieldText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : jsonText(value)
}

/** A row with only some fields, in the requested order. Fields that it lacks are null. */
export function withFields(row: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map(field => [field, fieldValue(row, field) ?? null]))
}
