import { FIFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Position } from '../../schemas/log/position.ts'
import { newLineBlock } from '../lines/line-block.ts'
import type { LineBlock, StoredLine } from '../lines/stored-line.ts'
import { DAY_MS } from '../times/duration.ts'
import type { TableBatch } from './flush.ts'

/** A batch ends after the record that brings it to one of these. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024
const MAX_BATCH_ROWS = 150_000
/** Counts for each row from the fifth behaviour on, beside the bytes of its record: its positions, times and sizes. */
const ROW_BYTES = 64

/**
 * The lines of a partition that wait for their batch to end. It begins with a record of lines, also with one that
 * stores none, and ends before a record of another time slice or day, or after one that fills it: where it ends
 * follows from the log alone. Since the fifth behaviour it does not depend on the form in which the store takes a
 * batch, so that this form may change.
 */
export class OpenBatch {
  /** Made for the first line that comes: many a fold never has one. */
  #block: LineBlock | undefined
  /** Log time of its first record; undefined when none is open. */
  #beganMs: number | undefined
  /** Bytes on the log of the records since then. */
  #logBytes = 0
  #first: Position | undefined
  #last: Position | undefined

  get isOpen(): boolean {
    return this.#beganMs !== undefined
  }

  /**
   * Whether it must end after a record.
   *
   * @param behaviour number in force: before the fifth the bytes of the block decide
   */
  isFull(behaviour: number): boolean {
    const rows = this.#block?.rows ?? 0
    if (rows >= MAX_BATCH_ROWS) return true
    if (behaviour >= FIFTH_BEHAVIOUR) return this.#logBytes + rows * ROW_BYTES >= MAX_BATCH_BYTES
    return (this.#block?.bytes ?? 0) >= MAX_BATCH_BYTES
  }

  /** Begins one if none is open. */
  begin(timeMs: number): void {
    this.#beganMs ??= timeMs
  }

  /** Counts a record of the log, unless none is open. */
  addRecord(bytes: number): void {
    if (this.isOpen) this.#logBytes += bytes
  }

  append(position: Position, line: StoredLine): void {
    this.#block ??= newLineBlock()
    this.#block.append(position.offset, position.row, line)
    this.#first ??= position
    this.#last = position
  }

  /** End of its slice, log time; Infinity when none is open. */
  deadlineMs(sliceMs: number): number {
    if (this.#beganMs === undefined) return Number.POSITIVE_INFINITY
    return (Math.floor(this.#beganMs / sliceMs) + 1) * sliceMs
  }

  /** Whether it must end before a record of that time. */
  endsBefore(timeMs: number, sliceMs: number): boolean {
    const began = this.#beganMs
    if (began === undefined) return false
    const differs = (unitMs: number) => Math.floor(began / unitMs) !== Math.floor(timeMs / unitMs)
    return differs(sliceMs) || differs(DAY_MS)
  }

  /** Ends it. @returns its lines, or undefined when there are none */
  take(): TableBatch | undefined {
    const first = this.#first
    const last = this.#last
    const sinceMs = this.#beganMs ?? 0
    this.#beganMs = undefined
    this.#logBytes = 0
    this.#first = undefined
    this.#last = undefined
    const block = this.#block
    if (block === undefined || first === undefined || last === undefined) return undefined
    const { rows } = block
    return { table: 'lines', block: block.take(), rows, first, last, sinceMs }
  }
}
