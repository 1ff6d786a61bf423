import type { JsonObject } from '../../../schemas/json.ts'
import { saysLevel } from './level.ts'

/**
 * Members that the service adds to a record if it knows them (the stored line, section 2). A set of them is a sum of
 * these numbers.
 */
export const OWN_MEMBERS = {
  _tag: 1,
  _file: 2,
  _mac: 4,
  _ip: 8,
  _env: 16,
  _ipremote: 32,
  _meta: 64,
  _label: 128,
  _annotation: 256,
  _timestamp: 512,
  _drift: 1024,
  _truncated: 2048,
  _other: 4096,
} as const

/** Members that every record has: a line's values under these names are left out. */
const ALWAYS_OWN = new Set([
  '_id',
  '_lid',
  '_account',
  '_ts',
  '_host',
  '_app',
  '_line',
  '_logtype',
  '_retention',
  '_mezmo_line_size',
])

/** Root names that get a leading underscore, with the new names: parsing, section 3.1. */
const COLLIDING_NAMES: ReadonlyMap<string, string> = new Map(
  [
    'source',
    'type',
    'tag',
    'auth',
    'bytes',
    'connect',
    'method',
    'namespace',
    'path',
    'pod',
    'request',
    'response',
    'service',
    'space',
    'status',
    'timestamp',
    'user',
  ].map(name => [name, `_${name}`]),
)

const OWN_BITS: ReadonlyMap<string, number> = new Map(Object.entries(OWN_MEMBERS))
const COLLIDING_BITS: ReadonlyMap<string, number> = new Map(
  [...COLLIDING_NAMES.keys()].map((key, index) => [key, 1 << index] as const),
)
const UNDERSCORE = 0x5f

/**
 * The name of a parsed line's member in its record. The service's own values are never replaced. `message` and `level`
 * are texts in every record: a value of another kind is named `_message` or `_level`. If the line has both `status` and
 * `_status`, a further underscore distinguishes them. (The last two are our choice.)
 *
 * @param own members that the service itself gives this record: a sum of OWN_MEMBERS
 * @returns undefined when the record lacks the field, because the service's value has its name
 */
export function recordName(key: string, object: JsonObject, own: number): string | undefined {
  if (key.charCodeAt(0) === UNDERSCORE) return isOwn(key, own) ? undefined : key
  if (key === 'message') return typeof object.message === 'string' ? key : free('_message', object, own)
  if (key === 'level') return saysLevel(object.level) ? undefined : free('_level', object, own)
  const underscored = COLLIDING_NAMES.get(key)
  return underscored === undefined ? key : free(underscored, object, own)
}

/** Name of a key in the record as far as the key alone decides, with the members of line or service that change it. */
export interface KeyRule {
  readonly name: string
  /** Members of the service that replace it: a sum of OWN_MEMBERS. */
  readonly own: number
  /** The service gives every record a member of this name. */
  readonly isAlwaysOwn: boolean
  /** A bit per colliding key; 0 for all others. A line that has it and the same bit of `underscored` needs `recordName`. */
  readonly collides: number
  readonly underscored: number
}

/** @param key other than `message` and `level`, whose names depend on their values */
export function keyRule(key: string): KeyRule {
  const collides = COLLIDING_BITS.get(key) ?? 0
  const name = collides === 0 ? key : `_${key}`
  const underscored = key.charCodeAt(0) === UNDERSCORE ? (COLLIDING_BITS.get(key.slice(1)) ?? 0) : 0
  return { name, own: OWN_BITS.get(name) ?? 0, isAlwaysOwn: ALWAYS_OWN.has(name), collides, underscored }
}

/** True for keys whose name in the record depends on the key alone. */
export function hasFixedName(key: string): boolean {
  const first = key.charCodeAt(0)
  return first !== UNDERSCORE && key !== 'message' && key !== 'level' && !COLLIDING_NAMES.has(key)
}

/** The text for display: member `message`, else `msg`, the first that is a string. */
export function displayText(object: JsonObject): string | undefined {
  if (typeof object.message === 'string') return object.message
  return typeof object.msg === 'string' ? object.msg : undefined
}

/** The name, or the next one with a further underscore that the line does not contain itself. */
function free(wanted: string, object: JsonObject, own: number): string | undefined {
  let name = wanted
  while (Object.hasOwn(object, name)) name = `_${name}`
  return isOwn(name, own) ? undefined : name
}

function isOwn(name: string, own: number): boolean {
  return ALWAYS_OWN.has(name) || ((OWN_BITS.get(name) ?? 0) & own) !== 0
}
