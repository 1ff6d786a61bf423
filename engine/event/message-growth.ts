import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import { jsonBytes } from '../json/json-size.ts'
import { countMembers } from '../json/ordered-object.ts'
import type { Event } from './event.ts'
import { readAt, type Segment } from './path-segments.ts'

/** Longer texts are left to the count of the whole message: an option may have very many changes of one event. */
const MAX_COUNTED_UNITS = 4_096

/**
 * Prepares the size of the message after a member is written, or removed where the value is undefined. It is counted by the member alone,
 * because most changes are far smaller than their message.
 *
 * @returns undefined when the size before is not known, the place is not a member of an object that is there, or a value is large.
 *   A large value is counted if `isCounted` is set
 */
export function growthAt(
  segments: readonly Segment[],
): (event: Event, value: JsonValue | undefined, isCounted?: boolean) => number | undefined {
  const around = segments.slice(0, -1)
  const key = segments.at(-1)
  if (typeof key !== 'string') return () => undefined
  const memberBytes = (value: JsonValue) => jsonBytes(key) + ':'.length + jsonBytes(value)
  return (event, value, isCounted = false) => {
    const before = event.countedBytes
    if (before === undefined || !(isCounted || isSmall(value))) return undefined
    const object = readAt(event.message, around)
    if (!isJsonObject(object)) return undefined
    const known = Object.hasOwn(object, key) ? object[key] : undefined
    if (!isSmall(known)) return undefined
    if (known !== undefined && value !== undefined) return before - jsonBytes(known) + jsonBytes(value)
    const commas = countMembers(object) > (known === undefined ? 0 : 1) ? 1 : 0
    if (value !== undefined) return before + memberBytes(value) + commas
    return known === undefined ? before : before - memberBytes(known) - commas
  }
}

function isSmall(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.length <= MAX_COUNTED_UNITS
  return typeof value !== 'object' || value === null
}
