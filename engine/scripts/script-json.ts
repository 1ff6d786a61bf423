import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import {
  countMembers,
  type Entry,
  entriesOf,
  isIndexKey,
  isOrdered,
  keysOf,
  orderedObject,
} from '../json/ordered-object.ts'
import { HOLDS_ITSELF, MAX_VALUE_LEVELS, type ScriptRun, TOO_MANY_LEVELS, VALUE_BYTES } from './script-run.ts'
import { isScriptValue, REMOVED, ScriptArray, ScriptObject, type ScriptValue } from './script-value.ts'

/** Objects with more members are hash tables, whose members are copied one by one. */
const FEW_MEMBERS = 64
const STEPS_PER_MEMBER = 12
const STEPS_PER_ORDERED_MEMBER = 24
/** Binary logarithm of the members, or elements, of a small copy that a step pays for. */
const MEMBERS_PER_STEP_BITS = 0
const ELEMENTS_PER_STEP_BITS = 1
/** Binary logarithm of the characters of JSON that a step pays for: 4. */
const CHARACTERS_PER_STEP_BITS = 2
/** Characters of JSON text around a value or a key, or those of a short value. */
const FRAME_CHARACTERS = 4
/** The printing of a large integer takes a way of its own. */
const STEPS_PER_BIG_INTEGER = 16

type Change = JsonValue | typeof REMOVED

/**
 * The JSON of a value. Parts that did not change are those of the source, and a value without changes is the source itself.
 *
 * @param isFirst false: the result is a part of the same event as those since the last first one
 * @throws ScriptStop
 */
export function jsonOf(value: ScriptValue, run: ScriptRun, isFirst = true): JsonValue {
  if (isFirst) run.conversion++
  return converted(value, 0, run)
}

/** @param level arrays and objects around it in the result */
function converted(value: ScriptValue, level: number, run: ScriptRun): JsonValue {
  if (!(value instanceof ScriptObject) && !(value instanceof ScriptArray)) return value
  // Deeper values that the script received, and left where they were, stay as they are.
  if (level >= MAX_VALUE_LEVELS && level > value.level) throw TOO_MANY_LEVELS
  if (value.conversion === run.conversion) {
    if (value.converted === undefined) throw HOLDS_ITSELF
    countCopy(value.converted, level, run)
    return value.converted
  }
  value.conversion = run.conversion
  value.converted = undefined
  if (value instanceof ScriptObject) value.converted = convertedObject(value, level, run)
  else value.converted = convertedArray(value, level, run)
  return value.converted
}

function convertedObject(object: ScriptObject, level: number, run: ScriptRun): JsonObject {
  const { source, members } = object
  if (source === undefined) return newObject(object, level, run)
  if (level > object.level) countMovedMembers(source, members, level, run)
  if (members === undefined) return source
  run.spend(members.size)
  const changes = new Map<string, Change>()
  for (const [key, value] of members) {
    const before = Object.hasOwn(source, key) ? source[key] : undefined
    if (value === REMOVED) {
      if (before !== undefined) changes.set(key, REMOVED)
      continue
    }
    const json = converted(value, level + 1, run)
    if (Object.is(json, before)) continue
    countMember(key, json, run)
    changes.set(key, json)
  }
  if (changes.size === 0) return source
  spendOnObject(countMembers(source) + changes.size, isOrdered(source), run)
  return changedCopy(source, changes)
}

function newObject({ members = new Map() }: ScriptObject, level: number, run: ScriptRun): JsonObject {
  spendOnObject(members.size, false, run)
  const entries: Entry[] = []
  for (const [key, value] of members) {
    if (value === REMOVED) continue
    const json = converted(value as ScriptValue, level + 1, run)
    countMember(key, json, run)
    entries.push([key, json])
  }
  return orderedObject(entries)
}

function convertedArray(array: ScriptArray, level: number, run: ScriptRun): JsonValue[] {
  const { source, elements } = array
  if (source !== undefined && level > array.level && elements === undefined)
    countCopy(source as JsonValue[], level, run)
  if (elements === undefined) return source as JsonValue[]
  run.spend(elements.length >> ELEMENTS_PER_STEP_BITS)
  const isMoved = source === undefined || level > array.level
  let isChanged = elements.length !== source?.length
  const result: JsonValue[] = []
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index] as ScriptValue | JsonValue
    const json = isOfScript(element) ? converted(element, level + 1, run) : element
    isChanged ||= !Object.is(json, source?.[index])
    if (isMoved && json === element && typeof json === 'object') countCopy(json, level + 1, run)
    else if (isChanged || isMoved) run.make(scalarCharacters(json) + VALUE_BYTES)
    result.push(json)
  }
  return isChanged ? result : (source as JsonValue[])
}

function isOfScript(value: ScriptValue | JsonValue): value is ScriptValue {
  return typeof value !== 'object' || value === null || isScriptValue(value)
}

/** Counts the members of an object that stands deeper than before, without those that are converted. */
function countMovedMembers(
  source: JsonObject,
  members: ScriptObject['members'],
  level: number,
  run: ScriptRun,
): void {
  run.spend(countMembers(source))
  for (const key of keysOf(source)) {
    if (members?.has(key)) continue
    run.make(key.length + VALUE_BYTES)
    countCopy(source[key] as JsonValue, level + 1, run)
  }
}

function countMember(key: string, json: JsonValue, run: ScriptRun): void {
  run.make(key.length + scalarCharacters(json) + VALUE_BYTES)
}

function scalarCharacters(value: JsonValue): number {
  if (typeof value === 'string') return value.length
  return value instanceof NumberText ? value.text.length : 0
}

function spendOnObject(members: number, hasOrder: boolean, run: ScriptRun): void {
  if (hasOrder) run.spend(members * STEPS_PER_ORDERED_MEMBER)
  else if (members > FEW_MEMBERS) run.spend(members * STEPS_PER_MEMBER)
  else run.spend(members >> MEMBERS_PER_STEP_BITS)
}

/** A copy with other members, in the order of the source; new ones come last. */
function changedCopy(source: JsonObject, changes: ReadonlyMap<string, Change>): JsonObject {
  const copy = isOrdered(source) ? undefined : plainCopy(source, changes)
  if (copy !== undefined) return copy
  const entries: Entry[] = []
  for (const [key, value] of entriesOf(source)) {
    const change = changes.get(key) ?? value
    if (change !== REMOVED) entries.push([key, change])
  }
  for (const [key, value] of changes)
    if (value !== REMOVED && !Object.hasOwn(source, key)) entries.push([key, value])
  return orderedObject(entries)
}

/** The copy that an ordinary object has, which is made several times as fast; undefined: its keys are unusual. */
function plainCopy(source: JsonObject, changes: ReadonlyMap<string, Change>): JsonObject | undefined {
  const copy: JsonObject = {}
  for (const key in source) {
    if (key === '__proto__') return undefined
    const change = changes.get(key)
    if (change === undefined) copy[key] = source[key] as JsonValue
    else if (change !== REMOVED) copy[key] = change
  }
  for (const [key, value] of changes) {
    if (value === REMOVED || Object.hasOwn(source, key)) continue
    if (key === '__proto__' || isIndexKey(key)) return undefined
    copy[key] = value
  }
  return copy
}

/**
 * Counts a value that becomes a part of another one, or a text, before it does: values share their parts, so a small amount
 * of memory can be a long text.
 *
 * @param level arrays and objects around it
 */
function countCopy(value: JsonValue, level: number, run: ScriptRun): void {
  const count = (characters: number, steps = 0) => {
    run.spend(((characters + FRAME_CHARACTERS) >> CHARACTERS_PER_STEP_BITS) + steps)
    run.make(characters + FRAME_CHARACTERS)
  }
  const waiting: JsonValue[] = [value]
  const levels: number[] = [level]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const around = levels.pop() as number
    if (typeof next !== 'object' || next === null || next instanceof NumberText) {
      if (typeof next === 'bigint') count(String(next).length, STEPS_PER_BIG_INTEGER)
      else count(scalarCharacters(next))
      continue
    }
    if (around >= MAX_VALUE_LEVELS) throw TOO_MANY_LEVELS
    if (Array.isArray(next)) {
      count(next.length)
      for (const element of next) {
        waiting.push(element)
        levels.push(around + 1)
      }
    } else if (isJsonObject(next)) {
      const members = countMembers(next)
      count(members, isOrdered(next) ? members * STEPS_PER_ORDERED_MEMBER : members)
      for (const [key, member] of entriesOf(next)) {
        count(key.length)
        waiting.push(member)
        levels.push(around + 1)
      }
    }
  }
}
