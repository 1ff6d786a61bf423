import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { boundedJsonBytes } from '../json/bounded-size.ts'
import { jsonBytes } from '../json/json-size.ts'
import { hasOtherMembers } from '../json/ordered-object.ts'
import type { Event } from './event.ts'
import { type Segment, step } from './path-segments.ts'

/**
 * Size of a value that is written, as far as its writer knows it: 'any' if the value is to be counted however large it is, or the
 * bytes by which it is longer than the value that is there.
 */
export type WrittenSize = 'any' | number

/** Larger values are left to the count of the whole message: an option may have very many changes of one event. */
const MAX_COUNTED_BYTES = 4_096

/**
 * Prepares the size of the message after a member is written, or removed where the value is undefined. It is counted by the member alone,
 * because most changes are far smaller than their message.
 *
 * @returns undefined when the size before is not known, the place is not a member of an object, or a value is large. A removed value
 *   must be there
 */
export function growthAt(
  segments: readonly Segment[],
): (event: Event, value: JsonValue | undefined, size?: WrittenSize) => number | undefined {
  const frames = framesBytes(segments)
  const last = segments.length - 1
  return (event, value, size) => {
    const before = event.countedBytes
    if (before === undefined) return undefined
    if (typeof size === 'number') return before + size
    let around = event.message
    let depth = 0
    for (; depth < last; depth++) {
      const child = step(around, segments[depth] as Segment)
      if (!isParent(child, segments[depth + 1] as Segment)) break
      around = child
    }
    const key = segments[depth]
    const frame = frames[depth]
    if (typeof key !== 'string' || !isJsonObject(around) || frame === undefined) return undefined
    const known = Object.hasOwn(around, key) ? around[key] : undefined
    const replaced = known === undefined ? 0 : boundedJsonBytes(known, MAX_COUNTED_BYTES)
    if (replaced > MAX_COUNTED_BYTES) return undefined
    if (value === undefined) return before - replaced - nameBytes(around, key)
    const bytes = size === 'any' ? jsonBytes(value) : boundedJsonBytes(value, MAX_COUNTED_BYTES)
    if (size !== 'any' && bytes > MAX_COUNTED_BYTES) return undefined
    return before - replaced + frame + bytes + (known === undefined ? nameBytes(around, key) : 0)
  }
}

/** Bytes of the name of a member, with its colon and the comma that separates it from others. */
function nameBytes(object: JsonObject, key: string): number {
  return jsonBytes(key) + ':'.length + (hasOtherMembers(object, key) ? ','.length : 0)
}

/**
 * Bytes of the objects that are made around a value behind each segment of its path; undefined if one of them is an array, whose other
 * elements may be there.
 */
function framesBytes(segments: readonly Segment[]): (number | undefined)[] {
  const frames: (number | undefined)[] = Array(segments.length)
  let bytes: number | undefined = 0
  for (let depth = segments.length - 1; depth >= 0; depth--) {
    frames[depth] = bytes
    const segment = segments[depth] as Segment
    bytes =
      bytes === undefined || typeof segment === 'number'
        ? undefined
        : bytes + jsonBytes(segment) + '{:}'.length
  }
  return frames
}

/** Whether a part of a value is entered, and not replaced. */
function isParent(value: JsonValue | undefined, segment: Segment): value is JsonValue {
  return typeof segment === 'number' ? Array.isArray(value) : isJsonObject(value)
}
