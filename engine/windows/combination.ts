import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { jsonBytes } from '../json/json-size.ts'
import { withMember } from '../json/ordered-object.ts'
import { sumOf } from './sum.ts'

/** Combined value of the events of a window. */
export interface Combined {
  /** The value, or what it is made from: see `Combination.shown`. */
  value: JsonValue
  /** Number of events whose values are in it. */
  merged: number
}

/**
 * Way to combine the values of metrics: components, section 5.1. A value is first prepared, so that a condition can be judged on
 * the result before anything changes.
 */
export interface Combination<Prepared = unknown> {
  /**
   * @param keepsRepeats see `CostMeter.keepsRepeats`
   * @returns undefined when the value does not fit
   */
  prepare(combined: Readonly<Combined>, value: JsonValue, keepsRepeats?: boolean): Prepared | undefined
  /** The `.value.value` of the metric, with a prepared value or without one. */
  shown(combined: Readonly<Combined>, prepared?: Prepared): JsonValue
  /** Adds a prepared value. @returns growth in bytes, about */
  accept(combined: Combined, prepared: Prepared): number
}

type Numeric = number | bigint

/** Combinations whose value is replaced by the prepared one. */
function replacing<Value extends JsonValue>(
  prepare: (held: Value, next: Value) => Value | undefined,
): Combination<Value> {
  return {
    prepare: ({ value }, next) => prepare(value as Value, next as Value),
    shown: ({ value }, prepared) => prepared ?? value,
    accept(combined, prepared) {
      const before = combined.value
      combined.value = prepared
      combined.merged++
      const isNumber = typeof prepared === 'number' || typeof prepared === 'bigint'
      return isNumber ? 0 : jsonBytes(prepared) - jsonBytes(before)
    },
  }
}

const sum = replacing<Numeric>((held, next) => sumOf(held, next))
const last = replacing<Numeric>((_held, next) => next)
// Large integers are not arguments of `Math.min`.
const min = replacing<Numeric>((held, next) => {
  if (next < held) return next
  return held
})
const max = replacing<Numeric>((held, next) => {
  if (next > held) return next
  return held
})

/** Arithmetic mean: the value is the sum. */
const mean: Combination<Numeric> = {
  prepare: ({ value }, next) => sumOf(value as Numeric, next as Numeric),
  shown({ value, merged }, prepared) {
    if (prepared !== undefined) return Number(prepared) / (merged + 1)
    return merged === 1 ? value : Number(value) / merged
  },
  accept(combined, prepared) {
    combined.value = prepared
    combined.merged++
    return 0
  },
}

/** Values of a set by which others are recognised. It is made again after a restart. */
const KNOWN = new WeakMap<JsonValue[], Set<JsonValue>>()

/** A union with another set that is prepared. */
interface United {
  /** Values of the window without the repeats that the first set has; undefined: it has none. */
  readonly distinct: JsonValue[] | undefined
  readonly added: readonly JsonValue[]
}

const union: Combination<United> = {
  prepare({ value }, next, keepsRepeats = false) {
    const values = listIn(value, 'values')
    const known = knownIn(values)
    const added = [...new Set(listIn(next, 'values'))].filter(each => !known.has(each))
    const hasRepeats = !keepsRepeats && known.size < values.length
    return { distinct: hasRepeats ? [...known] : undefined, added }
  },
  shown({ value }, united) {
    if (united === undefined) return value
    const { distinct, added } = united
    if (distinct === undefined && added.length === 0) return value
    return withList(value, 'values', [...(distinct ?? listIn(value, 'values')), ...added])
  },
  accept(combined, { distinct, added }) {
    let removedBytes = 0
    if (distinct !== undefined) {
      removedBytes = jsonBytes(listIn(combined.value, 'values')) - jsonBytes(distinct)
      OWN.add(distinct)
      combined.value = withList(combined.value, 'values', distinct)
    }
    const values = ownList(combined, 'values')
    const known = knownIn(values)
    for (const each of added) {
      values.push(each)
      known.add(each)
    }
    combined.merged++
    return (added.length === 0 ? 0 : jsonBytes([...added])) - removedBytes
  },
}

function knownIn(values: JsonValue[]): Set<JsonValue> {
  const known = KNOWN.get(values) ?? new Set(values)
  KNOWN.set(values, known)
  return known
}

const intersection = replacing<JsonValue>((held, next) => {
  const present = new Set(listIn(next, 'values'))
  const values = listIn(held, 'values')
  const left = values.filter(each => present.has(each))
  return left.length === values.length ? held : withList(held, 'values', left)
})

const samples: Combination<JsonValue[]> = {
  prepare: (_combined, next) => listIn(next, 'samples'),
  shown: ({ value }, added = []) =>
    added.length === 0 ? value : withList(value, 'samples', [...listIn(value, 'samples'), ...added]),
  accept(combined, added) {
    const list = ownList(combined, 'samples')
    for (const each of added) list.push(each)
    combined.merged++
    return added.length === 0 ? 0 : jsonBytes(added)
  },
}

const histogram = replacing<JsonValue>((held, next) => {
  const buckets = listIn(held, 'buckets') as JsonObject[]
  const others = listIn(next, 'buckets') as JsonObject[]
  const hasSameLimits =
    buckets.length === others.length &&
    buckets.every(({ upper_limit: limit }, index) => isEqual(limit, others[index]?.upper_limit))
  if (!hasSameLimits) return undefined
  const added = buckets.map((bucket, index) => withSum(bucket, others[index] as JsonObject, 'count'))
  return withSums(withList(held, 'buckets', added), next as JsonObject)
})

const summary = replacing<JsonValue>((held, next) =>
  withSums(withList(held, 'quantiles', listIn(next, 'quantiles')), next as JsonObject),
)

/** The result of a script is the whole message, so its value is not that of a metric. */
const script = replacing<JsonValue>((_held, next) => next)

const COMBINATIONS = {
  sum,
  last,
  min,
  max,
  mean,
  union,
  intersection,
  samples,
  histogram,
  summary,
  script,
} as const

export type CombinationName = keyof typeof COMBINATIONS

export function combinationNamed(name: CombinationName): Combination {
  // A caller keeps the state of a combination, and does not read it.
  return COMBINATIONS[name] as unknown as Combination
}

function listIn(value: JsonValue, key: string): JsonValue[] {
  const list = isJsonObject(value) ? value[key] : undefined
  return Array.isArray(list) ? list : []
}

function withList(value: JsonValue, key: string, list: JsonValue[]): JsonObject {
  return withMember(value as JsonObject, key, list)
}

/** Lists that belong to a window alone; that of the first event is copied when it first grows. */
const OWN = new WeakSet<JsonValue[]>()

function ownList(combined: Combined, key: string): JsonValue[] {
  const list = listIn(combined.value, key)
  if (OWN.has(list)) return list
  const copy = [...list]
  OWN.add(copy)
  combined.value = withList(combined.value, key, copy)
  return copy
}

function withSum(held: JsonObject, next: JsonObject, key: string): JsonObject {
  return withMember(held, key, sumOf(held[key] as Numeric, next[key] as Numeric))
}

/** Adds up the members `count` and `sum`. */
function withSums(held: JsonObject, next: JsonObject): JsonObject {
  return withSum(withSum(held, next, 'count'), next, 'sum')
}

function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (typeof one === typeof other) return one === other
  return Number(one) === Number(other)
}
