import type { Position } from '../position.ts'
import { newLineBlock } from '../store/line-block.ts'
import type { LineBlock, StoredLine } from '../store/stored-line.ts'
import type { TableBatch } from './flush.ts'

const DAY_MS = 86_400_000
/** A batch ends after the record that brings it to one of these. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024
const MAX_BATCH_ROWS = 150_000

/**
 * The lines of a partition that wait for their batch to end. It begins with a record of lines, also with one that
 * stores none, and ends before a record of another time slice or day, or after one that fills it: where it ends
 * follows from the log alone.
 */
export class OpenBatch {
  /** Made for the first line that comes: many a fold never has one. */
  #block: LineBlock | undefined
  /** Log time of its first record; undefined when none is open. */
  #beganMs: number | undefined
  #first: Position | undefined
  #last: Position | undefined

  get isOpen(): boolean {
    return this.#beganMs !== undefined
  }

  get isFull(): boolean {
    if (this.#block === undefined) return false
    return this.#block.bytes >= MAX_BATCH_BYTES || this.#block.rows >= MAX_BATCH_ROWS
  }

  /** Begins one if none is open. */
  begin(timeMs: number): void {
    this.#beganMs ??= timeMs
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
    this.#first = undefined
    this.#last = undefined
    const block = this.#block
    if (block === undefined || first === undefined || last === undefined) return undefined
    const { rows } = block
    return { table: 'lines', block: block.take(), rows, first, last, sinceMs }
  }
}
