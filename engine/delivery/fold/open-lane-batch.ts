import type { BatchRun, LaneBatch } from '../../../schemas/log/lanes-checkpoint.ts'
import type { BatchRules } from './batch-rules.ts'

/** Facts that do not change while a batch is open. */
export type BatchHead = Pick<LaneBatch, 'version' | 'type' | 'options' | 'split' | 'openedMs'>

/** A batch that takes further events. It contains their places on the log, and not the events themselves. */
export class OpenLaneBatch {
  readonly head: BatchHead
  readonly rules: BatchRules
  #events = 0
  #bytes = 0
  readonly #runs: { offset: number; row: number; count: number }[] = []

  constructor(head: BatchHead, rules: BatchRules) {
    this.head = head
    this.rules = rules
  }

  static restored(batch: LaneBatch, rules: BatchRules): OpenLaneBatch {
    const { version, type, options, split, openedMs, events, bytes, stretches } = batch
    const open = new OpenLaneBatch({ version, type, options, split, openedMs }, rules)
    open.#events = events
    open.#bytes = bytes
    open.#runs.push(...stretches.map(run => ({ ...run })))
    return open
  }

  /** Log time at which it is closed. */
  get deadlineMs(): number {
    return this.head.openedMs + this.rules.limits.maxAgeMs
  }

  /** Number of runs of consecutive rows. */
  get runs(): number {
    return this.#runs.length
  }

  /** Number of its events. */
  get events(): number {
    return this.#events
  }

  /** Offset of the record with its first event. */
  get firstOffset(): number {
    return (this.#runs[0] as BatchRun).offset
  }

  get isFull(): boolean {
    const { maxBytes, maxEvents } = this.rules.limits
    return this.#events >= maxEvents || this.#bytes >= maxBytes
  }

  /** Whether an event of that size goes into it. */
  takes(bytes: number): boolean {
    return this.#bytes + bytes <= this.rules.limits.maxBytes
  }

  /** Adds the next event. @returns whether it began a run of rows */
  add(offset: number, row: number, bytes: number): boolean {
    this.#events++
    this.#bytes += bytes
    const last = this.#runs.at(-1)
    if (last !== undefined && last.offset === offset && last.row + last.count === row) {
      last.count++
      return false
    }
    this.#runs.push({ offset, row, count: 1 })
    return true
  }

  /** @param number 0: it stays open */
  toBatch(number: number, closedMs: number): LaneBatch {
    const stretches = this.#runs.map(run => ({ ...run }))
    return { ...this.head, number, closedMs, events: this.#events, bytes: this.#bytes, stretches }
  }
}
