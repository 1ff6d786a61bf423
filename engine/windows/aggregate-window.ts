import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { Event } from '../event/event.ts'
import { type HeldEvent, packedEventJson, releasedEvent, unpackedEvent } from '../event/held-event.ts'
import { jsonBytes } from '../json/json-size.ts'
import { exactJsonText } from '../json/json-text.ts'
import { entriesOf, orderedObject, withMember } from '../json/ordered-object.ts'
import { canonicalTimeOf } from '../times/instant.ts'
import type { Combined } from './combination.ts'
import { formNumbered, type MetricForm, SCRIPT_FORM } from './metric-form.ts'
import type { WindowColumns, WindowSpan } from './window-columns.ts'

/** Member of the metadata that describes the window. */
const AGGREGATE = 'aggregate'

/**
 * Events of a group in a window of event time, merged into one: components, section 5.1. The object only points to the columns; it
 * is made when the window is needed, and means nothing after the window was closed.
 */
export class AggregateWindow implements Combined, WindowSpan {
  /** Number of the window in its columns. */
  readonly number: number
  readonly #columns: WindowColumns

  constructor(columns: WindowColumns, number: number) {
    this.#columns = columns
    this.number = number
  }

  get startMs(): number {
    return this.#columns.startMs[this.number] as number
  }

  get endMs(): number {
    return this.#columns.endMs[this.number] as number
  }

  /** Rises with each window that is opened on the node. */
  get age(): number {
    return this.#columns.age[this.number] as number
  }

  get form(): MetricForm {
    return formNumbered(this.#columns.form[this.number] as number)
  }

  get first(): HeldEvent {
    return unpackedEvent(this.#columns.first[this.number] as string)
  }

  get value(): JsonValue {
    return this.#columns.valueOf(this.number)
  }

  set value(value: JsonValue) {
    this.#columns.setValue(this.number, value)
  }

  get merged(): number {
    return this.#columns.merged[this.number] as number
  }

  set merged(merged: number) {
    this.#columns.merged[this.number] = merged
  }

  /** Estimated size in bytes. */
  get bytes(): number {
    return this.#columns.bytes[this.number] as number
  }

  get #added(): JsonObject | undefined {
    return this.#columns.added.get(this.number)
  }

  /** Prepares the merge of an event's value; see `Combination.prepare`. @returns undefined when it does not fit */
  prepare(value: JsonValue, keepsRepeats: boolean): unknown {
    return this.form.combination.prepare(this, value, keepsRepeats)
  }

  /** Merges an event. @param prepared result of `prepare` @returns growth in bytes, about */
  merge(event: Event, prepared: unknown): number {
    const bytes = this.form.combination.accept(this, prepared) + this.#addMetadata(event.metadata)
    if (bytes !== 0) this.#columns.bytes[this.number] = this.bytes + bytes
    return bytes
  }

  #addMetadata(metadata: JsonObject): number {
    const { metadata: ofFirsts, added: ofLater } = this.#columns
    const first = ofFirsts[this.number] ?? releasedEvent(this.first).metadata
    ofFirsts[this.number] = first
    if (metadata === first) return 0
    let bytes = 0
    for (const [key, value] of entriesOf(metadata)) {
      if (Object.hasOwn(first, key)) continue
      const added = ofLater.get(this.number)
      if (added !== undefined && Object.hasOwn(added, key)) continue
      ofLater.set(this.number, withMember(added ?? {}, key, value))
      bytes += key.length + jsonBytes(value)
    }
    return bytes
  }

  /** The accumulator as an event, for conditions. @param prepared value that is not merged yet */
  shown(prepared?: unknown): Event {
    const { detached } = this.#columns
    const first = detached.get(this.number) ?? detachedEvent(releasedEvent(this.first))
    detached.set(this.number, first)
    const event = first.withMessage(this.#message(first.message, prepared))
    return this.#added === undefined ? event : event.withMetadata(joined(event.metadata, this.#added))
  }

  #message(first: JsonValue, prepared?: unknown): JsonValue {
    if (this.merged === 1 && prepared === undefined) return first
    const value = this.form.combination.shown(this, prepared)
    return this.form === SCRIPT_FORM ? value : withNumber(first as JsonObject, value)
  }

  /**
   * The emitted event.
   *
   * @param nowMs log time of the emission, UNIX ms
   * @param first the first event, if it was read with others
   */
  emitted(nowMs: number, first = releasedEvent(this.first)): Event {
    const { message, metadata } = first
    const after = this.#message(message)
    const event = after === message ? first : first.withMessage(after)
    const facts = {
      start_timestamp: this.startMs,
      end_timestamp: this.endMs,
      event_count: this.merged,
      flush_timestamp: nowMs,
    }
    const own = this.#added === undefined ? metadata : joined(metadata, this.#added)
    const timestamp = canonicalTimeOf({ epochMs: nowMs, nanos: 0 })
    return event.withMetadata(withMember(own, AGGREGATE, facts)).withTimestamp(timestamp)
  }

  /** JSON text for a snapshot; `windowOfSnapshot` reads it. @param group text of the common values of the group */
  json(group: string): string {
    const first = packedEventJson(this.#columns.first[this.number] as string)
    const parts = [
      JSON.stringify(group),
      ...[this.startMs, this.endMs].map(exactJsonText),
      JSON.stringify(this.form.name),
      first,
      exactJsonText(this.value),
      String(this.merged),
      String(this.bytes),
      this.#added === undefined ? 'null' : exactJsonText(this.#added),
    ]
    return `[${parts.join(',')}]`
  }
}

/** A copy of an event without its line, whose bytes belong to a whole record. */
export function detachedEvent({ message, metadata, timestamp }: Event): Event {
  return Event.of(message, metadata, timestamp)
}

/** Components, section 5.1: in the order of their ends, then of opening. */
export function byEnd(one: AggregateWindow, other: AggregateWindow): number {
  return one.endMs - other.endMs || one.age - other.age
}

/** The oldest windows of a group beyond their number's bound, without those that end already. @param windows by their starts */
export function surplusOf(
  windows: readonly AggregateWindow[],
  ending: readonly AggregateWindow[],
  maxGroupWindows: number,
): readonly AggregateWindow[] {
  if (windows.length <= maxGroupWindows) return []
  const left = windows.filter(({ number }) => !ending.some(window => window.number === number))
  return left.slice(0, Math.max(0, left.length - maxGroupWindows))
}

/** The `.value.value` of a metric. */
export function numberOf(message: JsonValue): JsonValue {
  return ((message as JsonObject).value as JsonObject).value as JsonValue
}

function withNumber(message: JsonObject, value: JsonValue): JsonObject {
  return withMember(message, 'value', withMember(message.value as JsonObject, 'value', value))
}

function joined(first: JsonObject, added: JsonObject): JsonObject {
  return orderedObject([...entriesOf(first), ...entriesOf(added)])
}
