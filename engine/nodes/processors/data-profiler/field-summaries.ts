import { isJsonObject, type JsonValue, NumberText } from '../../../../schemas/json.ts'
import { keysOf } from '../../../json/ordered-object.ts'
import { canonicalTime } from '../../../times/canonical-time.ts'
import type { ProfiledField, ValueKind } from '../../contract/profile-view.ts'
import { type LeafField, MAX_PATH_LENGTH } from './leaf-fields.ts'
import { cutText } from './line-templates.ts'

const MAX_FIELDS = 1_000
const MAX_VALUES = 500
/** Distinct integers that are kept; with more of them only the numbers are. */
const MAX_INTEGERS = 65
/** Length of a kept value, in UTF-16 units. */
const VALUE_LENGTH = 50
/** Distinct values of all fields together: a bound on the memory. (Our choice.) */
const MAX_ALL_VALUES = 50_000

/** Sum over numbers. */
interface Numbers {
  count: number
  min: number
  max: number
  sum: number
}

interface Times {
  count: number
  min: string
  max: string
}

interface Summary {
  events: number
  eventBytes: number
  bytes: number
  /** Events by value: see `keyOf`. */
  readonly values: Map<string, number>
  otherValues: number
  /** Number of the values that are integers; undefined: there were too many. */
  integers: number | undefined
  numbers: Numbers | undefined
  times: Times | undefined
}

/** A field in a snapshot, or a part of its values. */
export type KeptField = readonly [path: string, summary: KeptSummary, values: readonly KeptValue[]]
export type KeptValue = readonly [key: string, events: number]

export interface KeptSummary extends Readonly<Omit<Summary, 'values' | 'integers'>> {
  readonly hasManyIntegers: boolean
}

/** Fields beyond the bound in a snapshot. */
export type KeptOthers = readonly [events: number, bytes: number]

const VALUES_AT_A_TIME = 250
/** JSON has one zero; added to a negative zero, this gives it. */
const POSITIVE_ZERO = 0
const KIND_OF: Readonly<Record<string, ValueKind>> = {
  t: 'text',
  b: 'boolean',
  i: 'integer',
  n: 'null',
  a: 'array',
  o: 'object',
}
const NOTHING: KeptSummary = {
  events: 0,
  eventBytes: 0,
  bytes: 0,
  otherValues: 0,
  numbers: undefined,
  times: undefined,
  hasManyIntegers: false,
}

/** Bounds of a profile; larger ones than those of the specification have no effect. */
export interface FieldBounds {
  readonly maxFields: number
  /** Distinct values of all fields. */
  readonly maxValues: number
}

/** Summaries of the leaf fields of all events, by path. */
export class FieldSummaries {
  readonly #fields = new Map<string, Summary>()
  readonly #maxFields: number
  readonly #maxValues: number
  #values = 0
  #otherEvents = 0
  #otherBytes = 0

  constructor({ maxFields, maxValues }: FieldBounds) {
    this.#maxFields = Math.min(maxFields, MAX_FIELDS)
    this.#maxValues = Math.min(maxValues, MAX_ALL_VALUES)
  }

  get size(): number {
    return this.#fields.size
  }

  /** Number of distinct values of all fields. */
  get values(): number {
    return this.#values
  }

  /** @param eventBytes size of the event that has the field */
  add({ path, value, bytes }: LeafField, eventBytes: number): void {
    const summary = path.length > MAX_PATH_LENGTH ? undefined : this.#summaryAt(path)
    if (summary === undefined) {
      this.#otherEvents++
      this.#otherBytes += bytes
      return
    }
    summary.events++
    summary.eventBytes += eventBytes
    summary.bytes += bytes
    this.#note(summary, value)
  }

  #note(summary: Summary, value: JsonValue): void {
    if (typeof value === 'number' || typeof value === 'bigint') {
      addNumber(summary, Number(value) + POSITIVE_ZERO)
      if (typeof value === 'bigint' || Number.isInteger(value)) this.#noteInteger(summary, `i${value}`, 1)
      return
    }
    const time = typeof value === 'string' ? canonicalTime(value) : undefined
    if (time !== undefined) addTime(summary, time)
    else if (!(value instanceof NumberText)) this.#noteValue(summary, keyOf(value), 1)
  }

  /** Counts an integer, unless there are too many distinct ones. */
  #noteInteger(summary: Summary, key: string, events: number): void {
    if (summary.integers === undefined) return
    if (summary.values.has(key) || summary.integers < MAX_INTEGERS) this.#noteValue(summary, key, events)
    else this.#removeIntegers(summary)
  }

  #removeIntegers(summary: Summary): void {
    summary.integers = undefined
    for (const key of summary.values.keys()) {
      if (key[0] !== 'i') continue
      summary.values.delete(key)
      this.#values--
    }
  }

  #noteValue(summary: Summary, key: string, events: number): void {
    const known = summary.values.get(key)
    if (known === undefined && (summary.values.size >= MAX_VALUES || this.#values >= this.#maxValues)) {
      summary.otherValues += events
      return
    }
    summary.values.set(key, (known ?? 0) + events)
    if (known !== undefined) return
    this.#values++
    if (key[0] === 'i' && summary.integers !== undefined) summary.integers++
  }

  #summaryAt(path: string): Summary | undefined {
    let summary = this.#fields.get(path)
    if (summary === undefined && this.#fields.size < this.#maxFields) {
      const { hasManyIntegers: _, ...nothing } = NOTHING
      summary = { ...nothing, values: new Map(), integers: 0 }
      this.#fields.set(path, summary)
    }
    return summary
  }

  /** Fields of a snapshot, in the order in which they were met. A field with many values is given in parts. */
  *kept(): Generator<KeptField> {
    for (const [path, { values, integers, ...summary }] of this.#fields) {
      const all = [...values]
      yield [path, { ...summary, hasManyIntegers: integers === undefined }, all.slice(0, VALUES_AT_A_TIME)]
      for (let from = VALUES_AT_A_TIME; from < all.length; from += VALUES_AT_A_TIME)
        yield [path, NOTHING, all.slice(from, from + VALUES_AT_A_TIME)]
    }
  }

  keptOthers(): KeptOthers {
    return [this.#otherEvents, this.#otherBytes]
  }

  putOthers([events, bytes]: KeptOthers): void {
    this.#otherEvents += events
    this.#otherBytes += bytes
  }

  put([path, kept, values]: KeptField): void {
    const summary = this.#summaryAt(path)
    if (summary === undefined) {
      this.putOthers([kept.events, kept.bytes])
      return
    }
    summary.events += kept.events
    summary.eventBytes += kept.eventBytes
    summary.bytes += kept.bytes
    summary.otherValues += kept.otherValues
    summary.numbers = sumOfNumbers(summary.numbers, kept.numbers)
    summary.times = sumOfTimes(summary.times, kept.times)
    if (kept.hasManyIntegers) this.#removeIntegers(summary)
    for (const [key, events] of values) {
      if (key[0] === 'i') this.#noteInteger(summary, key, events)
      else this.#noteValue(summary, key, events)
    }
  }

  fields(): ProfiledField[] {
    return Array.from(this.#fields, ([field, { values, integers: _, numbers, ...summary }]) => ({
      field,
      ...summary,
      values: Array.from(values, ([key, events]) => ({
        kind: KIND_OF[key[0] as string] as ValueKind,
        value: key.slice(1),
        events,
      })),
      numbers: numbers && {
        count: numbers.count,
        min: numbers.min,
        max: numbers.max,
        mean: numbers.sum / numbers.count,
      },
    }))
  }
}

/** Text of a value that is neither a number nor a time: a letter for its kind, then the value. */
function keyOf(value: JsonValue): string {
  if (value === null) return 'n'
  if (typeof value === 'string') return `t${cutText(value, VALUE_LENGTH)}`
  if (Array.isArray(value)) return `a${value.length}`
  if (!isJsonObject(value)) return `b${String(value)}`
  const keys = [...keysOf(value)].sort().join(',')
  return `o${cutText(keys, VALUE_LENGTH)}`
}

/** A long integer may be beyond the numbers that can be compared. */
function addNumber(summary: Summary, value: number): void {
  if (!Number.isFinite(value)) return
  summary.numbers = sumOfNumbers(summary.numbers, { count: 1, min: value, max: value, sum: value })
}

function addTime(summary: Summary, time: string): void {
  summary.times = sumOfTimes(summary.times, { count: 1, min: time, max: time })
}

function sumOfNumbers(one: Numbers | undefined, other: Numbers | undefined): Numbers | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    count: one.count + other.count,
    min: Math.min(one.min, other.min),
    max: Math.max(one.max, other.max),
    sum: Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, one.sum + other.sum)),
  }
}

function sumOfTimes(one: Times | undefined, other: Times | undefined): Times | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    count: one.count + other.count,
    min: isLater(one.min, other.min) ? other.min : one.min,
    max: isLater(one.max, other.max) ? one.max : other.max,
  }
}

/** Canonical times differ in their number of digits, so `Z` must not be compared with a point. */
function isLater(one: string, other: string): boolean {
  return one.slice(0, -1) > other.slice(0, -1)
}
