import { pointerTo } from '../../../engine/event/problem.ts'
import { jsonText } from '../../../engine/json/json-text.ts'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'

/** A member that differs, with a JSON pointer to it; `before` or `after` is absent where it does not exist. */
export interface JsonDifference {
  readonly path: string
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** Returns the changes that turn one value into the other. It descends while both are containers of the same kind. */
export function jsonDifferences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path = '',
): JsonDifference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap(key => jsonDifferences(before[key], after[key], pointerTo(path, key)))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return after.flatMap((element, index) => jsonDifferences(before[index], element, pointerTo(path, index)))
  if (before !== undefined && after !== undefined && jsonText(before) === jsonText(after)) return []
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
}

/** Whether two values have no differences. It ends at the first one. */
export function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  if (isJsonObject(one) && isJsonObject(other)) {
    const names = Object.keys(one)
    return (
      names.length === Object.keys(other).length &&
      names.every(name => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
    )
  }
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((element, index) => isSameJson(element, other[index]))
  return typeof one !== 'string' && typeof other !== 'string' && jsonText(one) === jsonText(other)
}
