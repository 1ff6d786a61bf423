import { isJsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { textFormBytes } from '../../../json/json-size.ts'
import { sumOf } from '../../../windows/sum.ts'

/**
 * Strategies for merging the values of one key (components, section 5.18); `first` is called `discard` in the options.
 */
export type Strategy =
  | 'array'
  | 'shortest_array'
  | 'longest_array'
  | 'flat_unique'
  | 'concat'
  | 'concat_newline'
  | 'concat_raw'
  | 'discard'
  | 'retain'
  | 'min'
  | 'max'
  | 'sum'

/** Merged value of one key so far. It is plain JSON, so that a snapshot is its text. */
export interface Merged {
  /** `date`: the first value and the last, both as text of their format. */
  strategy: Strategy | 'date'
  value: JsonValue
  /** Last value, for a date. */
  last?: JsonValue
}

const SEPARATORS: Readonly<Record<string, string>> = { concat: ' ', concat_newline: '\n', concat_raw: '' }

/** @returns undefined when the value does not fit: the key stays absent until a fitting one */
export function beginMerging(strategy: Strategy, value: JsonValue): Merged | undefined {
  switch (strategy) {
    case 'array':
      return { strategy, value: [value] }
    case 'flat_unique': {
      const merged: Merged = { strategy, value: [] }
      addDistinct(merged, value)
      return merged
    }
    case 'shortest_array':
    case 'longest_array':
      return Array.isArray(value) ? { strategy, value } : undefined
    case 'concat':
      return typeof value === 'string' || Array.isArray(value) ? { strategy, value } : undefined
    case 'concat_newline':
    case 'concat_raw':
      return typeof value === 'string' ? { strategy, value } : undefined
    case 'min':
    case 'max':
    case 'sum':
      return isNumber(value) ? { strategy, value } : undefined
    default:
      return { strategy, value }
  }
}

/**
 * Merges a further value; a value that does not fit is skipped.
 *
 * @param isExact see `Event.isExact`
 * @returns approximate growth of the kept values, in bytes
 */
export function mergeInto(merged: Merged, next: JsonValue, isExact: boolean): number {
  const { strategy, value } = merged
  switch (strategy) {
    case 'array':
      ;(value as JsonValue[]).push(next)
      return textFormBytes(next)
    case 'flat_unique':
      return addDistinct(merged, next)
    case 'shortest_array':
    case 'longest_array':
      return mergeArrays(merged, next)
    case 'concat':
    case 'concat_newline':
    case 'concat_raw':
      return concatenate(merged, next)
    case 'retain':
      if (next === null) return 0
      merged.value = next
      return textFormBytes(next) - textFormBytes(value)
    case 'min':
    case 'max':
      if (isNumber(next) && (strategy === 'min' ? next < (value as number) : next > (value as number)))
        merged.value = next
      return 0
    case 'sum':
      if (isNumber(next)) merged.value = sumOf(value as number | bigint, next, isExact)
      return 0
    default:
      return 0
  }
}

function mergeArrays(merged: Merged, next: JsonValue): number {
  if (!Array.isArray(next)) return 0
  const held = merged.value as readonly JsonValue[]
  const wins = merged.strategy === 'shortest_array' ? next.length < held.length : next.length > held.length
  if (!wins) return 0
  merged.value = next
  return textFormBytes(next) - textFormBytes(held as JsonValue)
}

function concatenate(merged: Merged, next: JsonValue): number {
  const { value } = merged
  if (Array.isArray(value)) {
    if (!Array.isArray(next)) return 0
    merged.value = [...value, ...next]
  } else {
    if (typeof next !== 'string') return 0
    merged.value = `${value as string}${SEPARATORS[merged.strategy]}${next}`
  }
  return textFormBytes(next)
}

/** Texts of the values of a `flat_unique`, which are looked up repeatedly. */
const KNOWN = new WeakMap<Merged, Set<string>>()

/**
 * Adds the values of the members of an array or an object, and any other value itself. @returns approximate number of
 * added bytes
 */
function addDistinct(merged: Merged, next: JsonValue): number {
  const held = merged.value as JsonValue[]
  const known = KNOWN.get(merged) ?? new Set(held.map(canonicalJson))
  KNOWN.set(merged, known)
  const added = Array.isArray(next) ? next : isJsonObject(next) ? Object.values(next) : [next]
  let bytes = 0
  for (const value of added) {
    const text = canonicalJson(value)
    if (known.has(text)) continue
    known.add(text)
    held.push(value)
    bytes += textFormBytes(value)
  }
  return bytes
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
