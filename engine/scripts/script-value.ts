import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { countMembers, keysOf } from '../json/ordered-object.ts'

/** Value of a variable or an expression. `undefined` is null. */
export type ScriptValue = null | boolean | number | bigint | string | NumberText | ScriptObject | ScriptArray

/** Result of an operation on types that it does not work on: the statement around it does nothing. */
export const VOID = Symbol('void')
export type Void = typeof VOID

/** Mark of a member that was removed. */
export const REMOVED = Symbol('removed')

/**
 * An object of a script: a private copy that shares the members of its source until they change. Keys keep their order, and
 * none of them has a special meaning.
 */
export class ScriptObject {
  readonly source: JsonObject | undefined
  /** Arrays and objects around it in the value that the script received. */
  readonly level: number
  /** Members that differ from the source, or that may: arrays and objects are here as soon as they were read. */
  members: Map<string, ScriptValue | typeof REMOVED> | undefined
  /** Number of the conversion that has met it last, and the result of that. */
  conversion = 0
  converted: JsonObject | undefined

  constructor(source: JsonObject | undefined, level: number) {
    this.source = source
    this.level = level
    this.members = source === undefined ? new Map() : undefined
  }

  /** A missing member is null. */
  get(key: string): ScriptValue {
    const own = this.members?.get(key)
    if (own !== undefined) return own === REMOVED ? null : own
    const { source } = this
    if (source === undefined || !Object.hasOwn(source, key)) return null
    const value = source[key] as JsonValue
    if (typeof value !== 'object' || value === null || value instanceof NumberText) return value
    const member = containerOf(value, this.level + 1)
    this.members ??= new Map()
    this.members.set(key, member)
    return member
  }

  /** Adds or replaces a member; null removes it. A member that comes back has its former place. */
  set(key: string, value: ScriptValue): void {
    this.members ??= new Map()
    if (value !== null) this.members.set(key, value)
    else if (this.members.has(key) || (this.source !== undefined && Object.hasOwn(this.source, key)))
      this.members.set(key, REMOVED)
  }

  /** Adds a member of a literal, which may be null. */
  put(key: string, value: ScriptValue): void {
    this.members ??= new Map()
    this.members.set(key, value)
  }

  /** Upper bound for the number of its members. */
  memberBound(): number {
    return (this.source === undefined ? 0 : countMembers(this.source)) + (this.members?.size ?? 0)
  }

  /** Names of its members, in their order. */
  keys(): string[] {
    const { source, members } = this
    const keys: string[] = []
    if (source !== undefined)
      for (const key of keysOf(source)) if (members?.get(key) !== REMOVED) keys.push(key)
    for (const [key, value] of members ?? [])
      if (value !== REMOVED && (source === undefined || !Object.hasOwn(source, key))) keys.push(key)
    return keys
  }
}

/** An array of a script: a private copy, made when it is first needed. */
export class ScriptArray {
  readonly source: readonly JsonValue[] | undefined
  /** @see ScriptObject.level */
  readonly level: number
  /** Elements that differ from the source, or may. An array or object of the source stays itself until it is read. */
  elements: (ScriptValue | JsonValue)[] | undefined
  conversion = 0
  converted: JsonValue[] | undefined

  constructor(source: readonly JsonValue[] | undefined, level: number) {
    this.source = source
    this.level = level
    this.elements = source === undefined ? [] : undefined
  }

  get length(): number {
    return (this.elements ?? (this.source as readonly JsonValue[])).length
  }

  /** Whether a change copies the elements first. */
  get isShared(): boolean {
    return this.elements === undefined
  }

  /** Whether reading an element copies the elements first, because it is an array or object. */
  copiesFor(index: number): boolean {
    const value = this.elements === undefined ? this.source?.[index] : undefined
    return typeof value === 'object' && value !== null && !(value instanceof NumberText)
  }

  /** @param index an integer; null: there is no such element */
  at(index: number): ScriptValue {
    const value = (this.elements ?? (this.source as readonly JsonValue[]))[index]
    if (value === undefined) return null
    if (typeof value !== 'object' || value === null || isScriptValue(value)) return value as ScriptValue
    const element = containerOf(value, this.level + 1)
    this.own()[index] = element
    return element
  }

  /** The elements, which may be changed. */
  own(): (ScriptValue | JsonValue)[] {
    this.elements ??= [...(this.source as readonly JsonValue[])]
    return this.elements
  }
}

/** @param level arrays and objects around it */
export function scriptValueOf(value: JsonValue, level = 0): ScriptValue {
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return value
  return containerOf(value, level)
}

function containerOf(value: JsonValue[] | JsonObject, level: number): ScriptObject | ScriptArray {
  return Array.isArray(value) ? new ScriptArray(value, level) : new ScriptObject(value, level)
}

/** Whether an object is a value of scripts, and not an array or object of JSON. */
export function isScriptValue(
  value: JsonValue | ScriptValue,
): value is NumberText | ScriptObject | ScriptArray {
  return value instanceof ScriptObject || value instanceof ScriptArray || value instanceof NumberText
}

/** Components, section 5.11: false, null, 0 and "" are false. */
export function isTrue(value: ScriptValue): boolean {
  return value !== null && value !== false && value !== 0 && value !== ''
}
