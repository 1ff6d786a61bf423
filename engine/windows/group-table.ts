import { grown, nextCapacity } from '../growing-columns.ts'
import { copiedText } from '../nodes/contract/values-key.ts'
import { NO_WINDOW, type WindowColumns } from './window-columns.ts'

/** Means no group; the first group has the number 1. */
export const NO_GROUP = 0
const START_CAPACITY = 16

/** Numbers of the last emitted window of a group, by field. Change operators compare with them. */
export type Retained = ReadonlyMap<string, number>

/** A group without open windows, until it is forgotten. */
export interface IdleGroup {
  readonly group: number
  readonly endMs: number
}

/** Groups with open windows, or with numbers of their last emitted window, in flat columns by their number. */
export class GroupTable {
  readonly #numbers = new Map<string, number>()
  readonly #keys: string[] = ['']
  /** Log times of the last events, UNIX ms. */
  lastMs = new Float64Array(START_CAPACITY)
  /** The open window with the earliest start. */
  firstWindow = new Uint32Array(START_CAPACITY)
  /** Only change operators need them. */
  readonly retained = new Map<number, Retained>()
  /** Entries of the groups without open windows. */
  readonly idle = new Map<number, IdleGroup>()
  readonly #released: number[] = []
  readonly #windows: WindowColumns

  constructor(windows: WindowColumns) {
    this.#windows = windows
  }

  get size(): number {
    return this.#numbers.size
  }

  find(key: string): number {
    return this.#numbers.get(key) ?? NO_GROUP
  }

  keyOf(group: number): string {
    return this.#keys[group] as string
  }

  /** Adds a group that is not present. */
  add(key: string, lastMs: number): number {
    const group = this.#released.pop() ?? this.#keys.length
    if (group === this.lastMs.length) this.#grow(nextCapacity(group))
    const copy = copiedText(key)
    this.#numbers.set(copy, group)
    this.#keys[group] = copy
    this.lastMs[group] = lastMs
    this.firstWindow[group] = NO_WINDOW
    return group
  }

  remove(group: number): void {
    this.#numbers.delete(this.keyOf(group))
    this.#keys[group] = ''
    this.retained.delete(group)
    this.idle.delete(group)
    this.#released.push(group)
  }

  /** Groups in the order in which they were added. */
  all(): Iterable<number> {
    return this.#numbers.values()
  }

  /** Adds an open window. Of windows with the same start, the one that was added last comes last. */
  link(window: number, group: number): void {
    const { next, startMs, group: groups } = this.#windows
    groups[window] = group
    const start = startMs[window] as number
    let before = NO_WINDOW
    let after = this.firstWindow[group] as number
    while (after !== NO_WINDOW && (startMs[after] as number) <= start) {
      before = after
      after = next[after] as number
    }
    next[window] = after
    if (before === NO_WINDOW) this.firstWindow[group] = window
    else next[before] = window
  }

  unlink(window: number, group: number): void {
    const { next } = this.#windows
    const after = next[window] as number
    let before = this.firstWindow[group] as number
    if (before === window) {
      this.firstWindow[group] = after
      return
    }
    while (next[before] !== window) before = next[before] as number
    next[before] = after
  }

  /** Open windows of a group, by their starts. */
  windowsOf(group: number): number[] {
    const windows: number[] = []
    let window = this.firstWindow[group] as number
    for (; window !== NO_WINDOW; window = this.#windows.next[window] as number) windows.push(window)
    return windows
  }

  #grow(capacity: number): void {
    this.lastMs = grown(this.lastMs, capacity)
    this.firstWindow = grown(this.firstWindow, capacity)
  }
}
