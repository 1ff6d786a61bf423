import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { countMembers, isOrdered, withMember, withoutMember, withoutMembers } from '../json/ordered-object.ts'
import { canonicalTime } from '../times/canonical-time.ts'
import type { Event } from './event.ts'
import { growthAt, type WrittenSize } from './message-growth.ts'
import { readAt, type Segment, step } from './path-segments.ts'

/** A place in the envelope of an event (components, section 1.3). */
export interface FieldPath {
  readonly root: 'message' | 'metadata' | 'timestamp'
  /** Object keys as strings, array indexes as numbers. */
  readonly segments: readonly Segment[]
}

/** A field path that was parsed once. */
export interface Field {
  /** The path as it was written. */
  readonly text: string
  readonly root: FieldPath['root']
  /** Never fails: a missing value is undefined. */
  read(event: Event): JsonValue | undefined
  /**
   * A changed copy; the same event when the value cannot be written there (an index above 1000, no time for `timestamp`).
   *
   * @param size without it, the whole message is counted again after a large value. Callers write only one value of any size into an
   *   event
   */
  write(event: Event, value: JsonValue, size?: WrittenSize): Event
  /** A changed copy; the same event when the field is missing. */
  remove(event: Event): Event
  /** Units of a change at the path, for which each object and array on the way to it is copied; 0 when it is missing. */
  copyUnits(event: Event): number
  /** Units of writing at the path: like `copyUnits`, together with the elements of arrays that it makes longer. */
  writeUnits(event: Event): number
  /** Number of objects and arrays on the way to the value. */
  readonly depth: number
}

/** Error text for an invalid path in a request. */
export const FIELD_PATH_MESSAGE = 'Must be a valid data access syntax'

/** Maximum number of neighbours that are faster to remove one after the other. */
const FEW_NEIGHBOURS = 2
/** Objects with more members than this are hash tables, whose members are copied one by one. */
const FEW_MEMBERS = 64
const UNITS_PER_MEMBER = 64
/** Units per member of a small object, which is copied as a whole. */
const UNITS_PER_SLOT = 4
/** Binary logarithm of the elements that are copied per unit: 4. */
const ELEMENTS_AT_ONCE_BITS = 2

/** Highest array index that can be written. Larger ones would let a small option fill the memory with nulls. */
const MAX_WRITTEN_INDEX = 1000

const ROOT = /(message|metadata|timestamp)?/y
const SEGMENT = /\.([A-Za-z0-9_@$]+)|\."((?:[^"\\]|\\[\s\S])*)"|\.?\[(\d+)\]/y

/** @returns undefined when the text is not a field path */
export function parseFieldPath(text: string): FieldPath | undefined {
  if (text === '.') return { root: 'message', segments: [] }
  ROOT.lastIndex = 0
  const written = ROOT.exec(text)?.[1] as FieldPath['root'] | undefined
  const segments: Segment[] = []
  let at = written?.length ?? 0
  while (at < text.length) {
    SEGMENT.lastIndex = at
    const match = SEGMENT.exec(text)
    if (match === null) return undefined
    const [whole, bare, quoted, digits] = match
    segments.push(bare ?? quoted?.replace(/\\(["\\])/g, '$1') ?? Number(digits))
    at += whole.length
  }
  if (written === undefined && segments.length === 0) return undefined
  return { root: written ?? 'message', segments }
}

/** Removes values from events. */
export type Removal = Pick<Field, 'remove' | 'copyUnits'>

/** Removals of places, one after the other. Neighbouring members of the message itself are removed together, in one copy. */
export function removalsOf(paths: readonly string[]): Removal[] {
  const removals: Removal[] = []
  let keys: string[] = []
  const end = () => {
    if (keys.length > FEW_NEIGHBOURS) removals.push(membersRemoval(keys))
    else for (const key of keys) removals.push(messageField(key, [key]))
    keys = []
  }
  for (const path of paths) {
    const { root, segments = [] } = parseFieldPath(path) ?? {}
    const [key] = segments
    if (root === 'message' && typeof key === 'string' && segments.length === 1) {
      keys.push(key)
    } else {
      end()
      removals.push(fieldAt(path))
    }
  }
  end()
  return removals
}

function membersRemoval(removed: readonly string[]): Removal {
  const keys = new Set(removed)
  const names = [...keys]
  const isIn = (event: Event) => names.some(key => event.member(key) !== undefined)
  return {
    remove: event =>
      isIn(event) ? event.withMessage(withoutMembers(event.message as JsonObject, keys)) : event,
    copyUnits: event => (isIn(event) ? 1 + objectUnits(event.message as JsonObject) : 0),
  }
}

export function isFieldPath(text: string): boolean {
  return parseFieldPath(text) !== undefined
}

/** @throws RangeError when the text is not a field path: configurations are checked when they are saved */
export function fieldAt(text: string): Field {
  const path = fieldPathOf(text)
  switch (path.root) {
    case 'message':
      return messageField(text, path.segments)
    case 'metadata':
      return metadataField(text, path.segments)
    case 'timestamp':
      return timestampField(text, path.segments)
  }
}

function fieldPathOf(text: string): FieldPath {
  const path = parseFieldPath(text)
  if (path === undefined) throw new RangeError(`${JSON.stringify(text)} is not a field path`)
  return path
}

/** A field with its place among its siblings. */
export interface PlacedField {
  readonly field: Field
  /** The object around it; undefined for the whole message or metadata, and for an element of an array. */
  readonly parent: Field | undefined
  /** Its key in that object; '' without one. */
  readonly key: string
}

/** @throws RangeError like `fieldAt` */
export function placedFieldAt(text: string): PlacedField {
  const field = fieldAt(text)
  const { root, segments = [] } = parseFieldPath(text) ?? {}
  const key = segments.at(-1)
  if (typeof key !== 'string' || root === undefined || root === 'timestamp')
    return { field, parent: undefined, key: '' }
  const around = segments.slice(0, -1)
  const parent = root === 'message' ? messageField(text, around) : metadataField(text, around)
  return { field, parent, key }
}

/** A place that contains a field. */
export interface PlaceAround {
  readonly field: Field
  /** Whether the field is an element of it, or within one. */
  readonly isIndexed: boolean
}

/** Places that contain a field, from the whole message or metadata on; none for `timestamp`. @throws RangeError like `fieldAt` */
export function placesAround(text: string): PlaceAround[] {
  const { root, segments } = fieldPathOf(text)
  if (root === 'timestamp') return []
  const fieldOf = root === 'message' ? messageField : metadataField
  return segments.map((segment, depth) => ({
    field: fieldOf(text, segments.slice(0, depth)),
    isIndexed: typeof segment === 'number',
  }))
}

/** Whether the first path contains the place of the second, or is the same. Both must be valid. */
export function isAround(outer: string, inner: string): boolean {
  const [around, within] = [fieldPathOf(outer), fieldPathOf(inner)]
  return (
    around.root === within.root &&
    around.segments.every((segment, depth) => segment === within.segments[depth])
  )
}

function messageField(text: string, segments: readonly Segment[]): Field {
  const read = messageReader(segments)
  const growth = growthAt(segments)
  return {
    text,
    root: 'message',
    read,
    write: (event, value, size) => {
      const written = writeAt(event.message, segments, 0, value)
      return written === undefined ? event : event.withMessage(written, growth(event, value, size))
    },
    remove: event => {
      if (segments.length === 0) return event.withMessage({})
      // A check first keeps a line untouched when the field is missing.
      if (read(event) === undefined) return event
      return event.withMessage(removeAt(event.message, segments, 0), growth(event, undefined))
    },
    // A check first keeps the columns of a line unread when the field is missing.
    copyUnits: event => (read(event) === undefined ? 0 : copyUnitsAt(event.message, segments)),
    writeUnits: event => (segments.length === 0 ? 1 : writeUnitsAt(event.message, segments)),
    depth: segments.length,
  }
}

/** The event reads the first key, from the line's columns if possible. */
function messageReader(segments: readonly Segment[]): Field['read'] {
  const [first, ...others] = segments
  if (first === undefined) return event => event.message
  if (typeof first === 'number') return event => readAt(event.message, segments)
  if (others.length === 0) return event => event.member(first)
  return event => readAt(event.member(first), others)
}

function metadataField(text: string, segments: readonly Segment[]): Field {
  return {
    text,
    root: 'metadata',
    read: event => readAt(event.metadata, segments),
    write: (event, value) => {
      const written = writeAt(event.metadata, segments, 0, value)
      return isJsonObject(written) ? event.withMetadata(written) : event // Metadata is always an object.
    },
    remove: event => {
      if (segments.length === 0) return event.withMetadata({})
      const before = event.metadata
      const after = removeAt(before, segments, 0)
      return after === before ? event : event.withMetadata(after as JsonObject)
    },
    copyUnits: event => copyUnitsAt(event.metadata, segments),
    writeUnits: event => writeUnitsAt(event.metadata, segments),
    depth: segments.length,
  }
}

function timestampField(text: string, segments: readonly Segment[]): Field {
  const inside = segments.length > 0 // the timestamp is a string and has no members
  return {
    text,
    root: 'timestamp',
    read: event => (inside ? undefined : event.timestamp),
    write: (event, value) => {
      const time = inside || typeof value !== 'string' ? undefined : canonicalTime(value)
      return time === undefined ? event : event.withTimestamp(time)
    },
    remove: event => event,
    copyUnits: () => 0,
    writeUnits: () => 1,
    depth: segments.length,
  }
}

function copyUnitsAt(start: JsonValue, segments: readonly Segment[]): number {
  let units = 1
  let value: JsonValue | undefined = start
  for (const segment of segments) {
    if (Array.isArray(value)) units += value.length >> ELEMENTS_AT_ONCE_BITS
    else if (isJsonObject(value)) units += objectUnits(value)
    value = step(value, segment)
    if (value === undefined) return 0
  }
  return units
}

function writeUnitsAt(start: JsonValue, segments: readonly Segment[]): number {
  let units = 1
  let value: JsonValue | undefined = start
  for (const segment of segments) {
    const length = Array.isArray(value) ? value.length : 0
    if (isJsonObject(value) && typeof segment === 'string') units += objectUnits(value)
    else units += 1 + (length >> ELEMENTS_AT_ONCE_BITS)
    if (typeof segment === 'number') units += UNITS_PER_SLOT * Math.max(0, segment - length)
    value = step(value, segment)
  }
  return units
}

function objectUnits(object: JsonObject): number {
  const members = countMembers(object)
  return members * (members > FEW_MEMBERS || isOrdered(object) ? UNITS_PER_MEMBER : UNITS_PER_SLOT)
}

/** Copies along the path and creates parents; a parent of the wrong type is replaced. @returns undefined when refused */
function writeAt(
  target: JsonValue | undefined,
  segments: readonly Segment[],
  depth: number,
  value: JsonValue,
): JsonValue | undefined {
  const segment = segments[depth]
  if (segment === undefined) return value
  if (typeof segment === 'number' && segment > MAX_WRITTEN_INDEX) return undefined
  const child = writeAt(step(target, segment), segments, depth + 1, value)
  if (child === undefined) return undefined
  if (typeof segment === 'string') return withMember(isJsonObject(target) ? target : {}, segment, child)
  const elements = Array.isArray(target) ? [...target] : []
  while (elements.length < segment) elements.push(null)
  elements[segment] = child
  return elements
}

/** Copies along the path. @returns the target itself when the path is missing */
function removeAt(target: JsonValue, segments: readonly Segment[], depth: number): JsonValue {
  const segment = segments[depth] as Segment
  const child = step(target, segment)
  if (child === undefined) return target
  const last = depth === segments.length - 1
  const changed = last ? undefined : removeAt(child, segments, depth + 1)
  if (changed === child) return target
  if (Array.isArray(target)) {
    return changed === undefined
      ? target.toSpliced(segment as number, 1)
      : target.with(segment as number, changed)
  }
  const key = segment as string
  return changed === undefined
    ? withoutMember(target as JsonObject, key)
    : withMember(target as JsonObject, key, changed)
}
