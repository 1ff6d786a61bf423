import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { Event } from '../event/event.ts'
import { grown, nextCapacity } from '../growing-columns.ts'
import { isEmptyObject } from '../json/ordered-object.ts'
import type { MetricForm } from './metric-form.ts'

/** Means no window; the first window has the number 1. */
export const NO_WINDOW = 0
const START_CAPACITY = 16
/** Smaller columns stay when the last window is closed. */
const RETURNED_CAPACITY = 1024
const NO_METADATA: JsonObject = {}

/** Bounds of a window: [start, end) of event time, UNIX ms. It is emitted when the log time reaches its end. */
export interface WindowSpan {
  readonly startMs: number
  readonly endMs: number
}

/** A window that is about to be opened. */
export interface NewWindow extends WindowSpan {
  readonly form: MetricForm
  /** The first event, packed. */
  readonly first: string
  /** Metadata of the first event; undefined: they are not read. */
  readonly metadata: JsonObject | undefined
  /** Members of later metadata that the first event does not have. */
  readonly added?: JsonObject
  readonly value: JsonValue
  readonly merged: number
  /** Estimated size in bytes. */
  readonly bytes: number
}

/**
 * Flat columns of open windows; the values of a window stand at its number. An object per window would take several times the
 * memory. Released numbers are used again first.
 */
export class WindowColumns {
  startMs = new Float64Array(START_CAPACITY)
  endMs = new Float64Array(START_CAPACITY)
  /** Rises with each window that is opened. */
  age = new Float64Array(START_CAPACITY)
  merged = new Float64Array(START_CAPACITY)
  /** Estimated sizes in bytes. */
  bytes = new Uint32Array(START_CAPACITY)
  /** Numbers of the metric forms. */
  form = new Uint8Array(START_CAPACITY)
  group = new Uint32Array(START_CAPACITY)
  /** The next window of the group by start; for a released number the next released one. */
  next = new Uint32Array(START_CAPACITY)
  /** The window that was opened before all others. */
  oldest = NO_WINDOW
  #newest = NO_WINDOW
  /** Windows that were opened right before and after. */
  #older = new Uint32Array(START_CAPACITY)
  #newer = new Uint32Array(START_CAPACITY)
  /** First events in their packed form. */
  readonly first: string[] = ['']
  /** Metadata of first events; undefined until they are needed after a restart. */
  readonly metadata: (JsonObject | undefined)[] = [undefined]
  /** Members of later metadata that first events do not have. Few windows have any. */
  readonly added = new Map<number, JsonObject>()
  /** First events without their lines, for conditions; they are made when they are needed. */
  readonly detached = new Map<number, Event>()
  /** Values that are doubles; NaN: the value stands in `#values`. */
  #doubles = new Float64Array(START_CAPACITY)
  readonly #values = new Map<number, JsonValue>()
  #nextAge = 0
  #count = 0
  #end = NO_WINDOW + 1
  #released = NO_WINDOW

  /** Number of windows. */
  get count(): number {
    return this.#count
  }

  /** Adds a window behind all others. @returns its number */
  add(opened: NewWindow): number {
    const window = this.#allocate()
    this.startMs[window] = opened.startMs
    this.endMs[window] = opened.endMs
    this.age[window] = this.#nextAge++
    this.merged[window] = opened.merged
    this.bytes[window] = opened.bytes
    this.form[window] = opened.form.number
    this.first[window] = opened.first
    // Empty objects of many events would each take memory.
    const { metadata } = opened
    this.metadata[window] = metadata !== undefined && isEmptyObject(metadata) ? NO_METADATA : metadata
    if (opened.added !== undefined) this.added.set(window, opened.added)
    this.setValue(window, opened.value)
    this.#linkNewest(window)
    return window
  }

  #allocate(): number {
    let window = this.#released
    if (window === NO_WINDOW) {
      if (this.#end === this.startMs.length) this.#resize(nextCapacity(this.#end))
      window = this.#end++
    } else {
      this.#released = this.next[window] as number
    }
    this.#count++
    return window
  }

  remove(window: number): void {
    this.#unlink(window)
    this.first[window] = ''
    this.metadata[window] = undefined
    this.added.delete(window)
    this.detached.delete(window)
    this.#values.delete(window)
    this.next[window] = this.#released
    this.#released = window
    this.#count--
    if (this.#count === 0 && this.startMs.length > RETURNED_CAPACITY) this.#returnMemory()
  }

  /** Windows in the order in which they were opened. None must be added meanwhile, and only those before be removed. */
  *inOrderOfOpening(): Generator<number> {
    let window = this.oldest
    while (window !== NO_WINDOW) {
      const newer = this.#newer[window] as number
      yield window
      window = newer
    }
  }

  #linkNewest(window: number): void {
    this.#older[window] = this.#newest
    this.#newer[window] = NO_WINDOW
    if (this.#newest === NO_WINDOW) this.oldest = window
    else this.#newer[this.#newest] = window
    this.#newest = window
  }

  #unlink(window: number): void {
    const older = this.#older[window] as number
    const newer = this.#newer[window] as number
    if (older === NO_WINDOW) this.oldest = newer
    else this.#newer[older] = newer
    if (newer === NO_WINDOW) this.#newest = older
    else this.#older[newer] = older
  }

  valueOf(window: number): JsonValue {
    const double = this.#doubles[window] as number
    return Number.isNaN(double) ? (this.#values.get(window) as JsonValue) : double
  }

  setValue(window: number, value: JsonValue): void {
    if (typeof value === 'number' && !Number.isNaN(value)) {
      this.#doubles[window] = value
      if (this.#values.size > 0) this.#values.delete(window)
    } else {
      this.#doubles[window] = Number.NaN
      this.#values.set(window, value)
    }
  }

  #returnMemory(): void {
    this.#end = NO_WINDOW + 1
    this.#released = NO_WINDOW
    this.first.length = this.#end
    this.metadata.length = this.#end
    this.#resize(START_CAPACITY)
  }

  #resize(capacity: number): void {
    this.startMs = resized(this.startMs, capacity)
    this.endMs = resized(this.endMs, capacity)
    this.age = resized(this.age, capacity)
    this.merged = resized(this.merged, capacity)
    this.bytes = resized(this.bytes, capacity)
    this.form = resized(this.form, capacity)
    this.group = resized(this.group, capacity)
    this.next = resized(this.next, capacity)
    this.#older = resized(this.#older, capacity)
    this.#newer = resized(this.#newer, capacity)
    this.#doubles = resized(this.#doubles, capacity)
  }
}

function resized<Column extends Uint8Array | Uint32Array | Float64Array>(
  column: Column,
  capacity: number,
): Column {
  return capacity < column.length ? (column.slice(0, capacity) as Column) : grown(column, capacity)
}
