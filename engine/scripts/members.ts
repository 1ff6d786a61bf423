import { isIndexKey } from '../json/ordered-object.ts'
import { characterAt, codePointsOf, unitOf } from './code-points.ts'
import { type ScriptRun, VALUE_BYTES } from './script-run.ts'
import { ScriptArray, ScriptObject, type ScriptValue } from './script-value.ts'
import { scan } from './string-methods.ts'

/** Name of a member, or index of an element. */
export type Key = string | number

/** Highest index that can be written beyond the end of an array: components, section 1.3. */
const MAX_WRITTEN_INDEX = 1000
/** Binary logarithm of the elements that are copied per step: 16. */
const COPIED_PER_STEP_BITS = 4

/** Reads a member; null: there is none. @param key of any type */
export function memberOf(value: ScriptValue, key: ScriptValue, run: ScriptRun): ScriptValue {
  if (typeof key === 'string') {
    if (value instanceof ScriptObject) return value.get(key)
    if (key === 'length') return lengthOf(value, run)
    return value instanceof ScriptArray && isIndexKey(key) ? elementAt(value, Number(key), run) : null
  }
  if (typeof key === 'bigint') return value instanceof ScriptObject ? value.get(String(key)) : null
  if (typeof key !== 'number') return null
  if (value instanceof ScriptArray) return elementAt(value, key, run)
  if (value instanceof ScriptObject) return value.get(String(key))
  if (typeof value !== 'string' || !Number.isSafeInteger(key) || key < 0) return null
  scan(value, run)
  return characterAt(value, unitOf(value, key)) || null
}

/** The member `length`, which texts and arrays have. */
export function lengthOf(value: ScriptValue, run: ScriptRun): ScriptValue {
  if (value instanceof ScriptArray) return value.length
  if (value instanceof ScriptObject) return value.get('length')
  if (typeof value !== 'string') return null
  scan(value, run)
  return codePointsOf(value)
}

/** @returns null when there is no such element */
export function elementAt(array: ScriptArray, index: number, run: ScriptRun): ScriptValue {
  if (array.copiesFor(index)) run.spend(array.length >> COPIED_PER_STEP_BITS)
  return array.at(index)
}

/** Adds elements. @returns the new length */
export function push(array: ScriptArray, values: readonly ScriptValue[], run: ScriptRun): number {
  if (array.isShared) run.spend(array.length >> COPIED_PER_STEP_BITS)
  run.make(values.length * VALUE_BYTES)
  run.pushed.push({ array, length: array.length })
  const elements = array.own()
  for (const value of values) elements.push(value)
  return elements.length
}

/** Removes the elements that the present statement has added. */
export function undoPushes(run: ScriptRun): void {
  for (let last = run.pushed.pop(); last !== undefined; last = run.pushed.pop())
    last.array.own().length = last.length
}

/**
 * Writes a member of a value, and creates missing parents. Null removes a member, and replaces an element. Nothing happens where
 * a parent is neither array nor object, or an index lies far beyond the end.
 *
 * @param keys at least one
 * @returns the value with the member: another one if the given one was null
 */
export function withWritten(
  root: ScriptValue,
  keys: readonly Key[],
  value: ScriptValue,
  run: ScriptRun,
): ScriptValue {
  if (root === null) return value === null ? root : (newParent(keys, 0, value, run) ?? root)
  let parent = root
  for (let depth = 0; depth < keys.length; depth++) {
    const key = keys[depth] as Key
    const isLast = depth === keys.length - 1
    const next = isLast ? null : memberOf(parent, key, run)
    if (next !== null) {
      parent = next
      continue
    }
    if (!isLast && value === null) return root
    const member = isLast ? value : newParent(keys, depth + 1, value, run)
    if (member !== undefined) put(parent, key, member, run)
    return root
  }
  return root
}

/** Arrays and objects around a value, for the keys from an index on. @returns undefined when an index is too large */
function newParent(
  keys: readonly Key[],
  from: number,
  value: ScriptValue,
  run: ScriptRun,
): ScriptValue | undefined {
  let member = value
  for (let depth = keys.length - 1; depth >= from; depth--) {
    const key = keys[depth] as Key
    const parent: ScriptArray | ScriptObject =
      typeof key === 'number' ? new ScriptArray(undefined, 0) : new ScriptObject(undefined, 0)
    if (!put(parent, key, member, run)) return undefined
    member = parent
  }
  return member
}

/** @returns whether it could be written */
function put(parent: ScriptValue, key: Key, value: ScriptValue, run: ScriptRun): boolean {
  if (parent instanceof ScriptObject) {
    const name = String(key)
    run.make(name.length + VALUE_BYTES)
    parent.set(name, value)
    return true
  }
  if (!(parent instanceof ScriptArray)) return false
  const index = typeof key === 'string' && isIndexKey(key) ? Number(key) : key
  const { length } = parent
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0) return false
  if (index > Math.max(length, MAX_WRITTEN_INDEX)) return false
  if (value === null && index >= length) return true
  if (parent.isShared) run.spend(length >> COPIED_PER_STEP_BITS)
  const missing = Math.max(0, index - length)
  run.spend(missing)
  run.make((missing + 1) * VALUE_BYTES)
  const elements = parent.own()
  while (elements.length < index) elements.push(null)
  elements[index] = value
  return true
}
