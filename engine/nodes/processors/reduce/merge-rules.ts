import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { parseFieldPath } from '../../../event/field-path.ts'
import { textFormBytes } from '../../../json/json-size.ts'
import { parseJson } from '../../../json/json-text.ts'
import { orderedObject } from '../../../json/ordered-object.ts'
import { compileTimeFormat, type TimeFormat } from '../../../times/time-format.ts'
import { beginMerging, type Merged, mergeInto, type Strategy } from './merged-value.ts'

/** Options of `reduce` for the merging of keys. */
export interface MergeOptions {
  readonly group_by?: readonly string[] | undefined
  readonly merge_strategies?: readonly { readonly field: string; readonly strategy: Strategy }[] | undefined
  readonly date_formats?: readonly { readonly field: string; readonly format: string }[] | undefined
}

/** Merged values of a group. */
export interface MergedEvent {
  readonly message: Map<string, Merged>
  readonly metadata: Map<string, Merged>
}

/**
 * Rules for merging events, per root-level key; values below a key are not merged separately (components, section 5.18).
 */
export class MergeRules {
  readonly #strategies: ReadonlyMap<string, Strategy>
  readonly #dates: ReadonlyMap<string, TimeFormat>
  /** Whether the whole message makes the group. */
  readonly #keepsAll: boolean

  constructor({
    group_by: groupBy = [],
    merge_strategies: strategies = [],
    date_formats: dates = [],
  }: MergeOptions) {
    this.#strategies = new Map([
      ...strategies.map(({ field, strategy }) => [rootKeyOf(field), strategy] as const),
      // Values that the events of a group have in common stay unchanged.
      ...groupBy.flatMap(field => {
        const path = parseFieldPath(field)
        const root = path?.root === 'message' ? path.segments[0] : undefined
        return root === undefined ? [] : [[String(root), 'discard'] as const]
      }),
    ])
    this.#keepsAll = groupBy.some(isWholeMessage)
    this.#dates = new Map(dates.map(({ field, format }) => [rootKeyOf(field), compileTimeFormat(format)]))
  }

  /**
   * Merges an event.
   *
   * @param nowMs log time, for dates without a year
   * @returns approximate growth of the kept values, in bytes
   */
  add(merged: MergedEvent, { message, metadata, origin, forms }: Event, nowMs: number): number {
    let bytes = 0
    if (isJsonObject(message))
      for (const [key, value] of Object.entries(message))
        bytes += this.#addMember(merged.message, key, value, {
          nowMs,
          isLine: origin !== null,
          isExact: forms.isExact,
        })
    for (const [key, value] of Object.entries(metadata))
      bytes += addValue(merged.metadata, key, value, 'discard', forms.isExact)
    return bytes
  }

  #addMember(
    held: Map<string, Merged>,
    key: string,
    value: JsonValue,
    {
      nowMs,
      isLine,
      isExact,
    }: { readonly nowMs: number; readonly isLine: boolean; readonly isExact: boolean },
  ): number {
    const strategy = this.#strategyFor(key, isLine)
    if (strategy !== undefined) return addValue(held, key, value, strategy, isExact)
    const merged = held.get(key)
    if (merged === undefined || merged.strategy === 'date') {
      const date = this.#dateOf(key, value, nowMs)
      if (merged !== undefined) {
        if (date !== undefined) merged.last = typeof merged.value === 'string' ? date : numberOf(date)
        return 0
      }
      if (date !== undefined) {
        const first = typeof value === 'string' ? date : numberOf(date)
        held.set(key, { strategy: 'date', value: first, last: first })
        return 2 * (Buffer.byteLength(key) + textFormBytes(date))
      }
    }
    return addValue(held, key, value, usual(value), isExact)
  }

  /** Undefined: the strategy follows from the value. */
  #strategyFor(key: string, isLine: boolean): Strategy | undefined {
    if (this.#keepsAll) return 'discard'
    const named = this.#strategies.get(key)
    // The sent time of a line is that of the first one, like that of its envelope; adding up times has no meaning.
    return named ?? (isLine && key === 'timestamp' && !this.#dates.has(key) ? 'discard' : undefined)
  }

  /** Text in the format of the date; undefined if it is not a date. */
  #dateOf(key: string, value: JsonValue, nowMs: number): string | undefined {
    const format = this.#dates.get(key)
    if (format === undefined || !['string', 'number', 'bigint'].includes(typeof value)) return undefined
    const instant = format.read(String(value), nowMs)
    return instant === undefined ? undefined : format.write(instant)
  }

  /** @param isExact whether the keys keep their order, see `ValueForms.isExact` */
  result(merged: ReadonlyMap<string, Merged>, isExact: boolean): JsonObject {
    const members = [...merged].map(([key, { value }]) => [key, value] as const)
    const ends = [...merged].flatMap(([key, { last }]) =>
      last === undefined ? [] : [[`${key}_end`, last] as const],
    )
    return isExact ? orderedObject([...members, ...ends]) : Object.fromEntries([...members, ...ends])
  }
}

function addValue(
  held: Map<string, Merged>,
  key: string,
  value: JsonValue,
  strategy: Strategy,
  isExact: boolean,
): number {
  const merged = held.get(key)
  if (merged !== undefined) return mergeInto(merged, value, isExact)
  const begun = beginMerging(strategy, value)
  if (begun === undefined) return 0
  held.set(key, begun)
  return Buffer.byteLength(key) + textFormBytes(value)
}

/** Rule for fields without a strategy: numbers are added up, other values keep the first. */
function usual(value: JsonValue): Strategy {
  return typeof value === 'number' || typeof value === 'bigint' ? 'sum' : 'discard'
}

/** @param field the path of a member of the message itself */
function rootKeyOf(field: string): string {
  return String(parseFieldPath(field)?.segments[0])
}

/** The number of a written date. A format may write a text that does not have the form of a number. */
function numberOf(date: string): JsonValue {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(date) ? parseJson(date) : date
}

function isWholeMessage(field: string): boolean {
  const path = parseFieldPath(field)
  return path?.root === 'message' && path.segments.length === 0
}
