import { isJsonObject, type JsonValue } from '../../schemas/json.ts'

/** Key of an object, or index of an array. */
export type Segment = string | number

/** The value at a path; undefined: it is missing. */
export function readAt(start: JsonValue | undefined, segments: readonly Segment[]): JsonValue | undefined {
  let value = start
  for (const segment of segments) {
    value = step(value, segment)
    if (value === undefined) return undefined
  }
  return value
}

/** The value at a segment; undefined: it is missing. */
export function step(value: JsonValue | undefined, segment: Segment): JsonValue | undefined {
  if (Array.isArray(value)) return typeof segment === 'number' ? value[segment] : undefined
  if (typeof segment !== 'string' || !isJsonObject(value)) return undefined
  return Object.hasOwn(value, segment) ? value[segment] : undefined
}
