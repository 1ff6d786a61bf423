import { ELEVENTH_BEHAVIOUR, FIFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Position } from '../../../schemas/log/position.ts'
import type { LineTable } from '../../../schemas/log/tables.ts'
import {
  type LineBlock,
  type LineColumns,
  newLineBlock,
  type SimilarHeads,
} from '../../lines/native-block/line-block.ts'
import type { StoredLine } from '../../lines/stored-line/stored-line.ts'
import type { Steps } from '../../steps.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { TableBatch } from '../flush.ts'

/** A batch ends after the record with which it reaches one of these limits. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024
const MAX_BATCH_ROWS = 150_000
/**
 * Bytes that each row counts from the fifth behaviour on, for its positions, times and sizes, in addition to its record.
 */
const ROW_BYTES = 64

/**
 * The lines of a partition that wait for their batch to end. A batch begins with a record of lines, even if none of them
 * is stored. It ends before a record of another time slice or day, or after one that fills it: its end follows from the
 * log alone. Since the fifth behaviour it does not depend on the form in which the store takes a batch, so that this form
 * may change.
 */
export class OpenBatch {
  /** Created for the first line of a form: many folds never have one. */
  readonly #blocks = new Map<LineTable, LineBlock>()
  /** Table of the open batch. */
  #table: LineTable = 'lines'
  /** Log time of its first record; undefined without an open batch. */
  #beganMs: number | undefined
  /** Bytes on the log of the records since its first one. */
  #logBytes = 0
  #first: Position | undefined
  #last: Position | undefined

  get isOpen(): boolean {
    return this.#beganMs !== undefined
  }

  /**
   * Whether the batch must end after a record.
   *
   * @param behaviour number in force: before the fifth the bytes of the block decide
   */
  isFull(behaviour: number): boolean {
    const rows = this.#block?.rows ?? 0
    if (rows >= MAX_BATCH_ROWS) return true
    if (behaviour >= FIFTH_BEHAVIOUR) return this.#logBytes + rows * ROW_BYTES >= MAX_BATCH_BYTES
    return (this.#block?.bytes ?? 0) >= MAX_BATCH_BYTES
  }

  /** Begins a batch if none is open. @param behaviour number in force: it decides the form of all lines of the batch */
  begin(timeMs: number, behaviour: number): void {
    if (this.isOpen) return
    this.#beganMs = timeMs
    this.#table = behaviour >= ELEVENTH_BEHAVIOUR ? 'slotted_lines' : 'lines'
  }

  /** Counts a record of the log, unless none is open. */
  addRecord(bytes: number): void {
    if (this.isOpen) this.#logBytes += bytes
  }

  append(position: Position, line: StoredLine): void {
    this.#blockFor(position).append(position.offset, position.row, line)
  }

  /** Like `append`, in steps. Nothing else may be called between them. */
  appending(position: Position, line: StoredLine): Steps {
    return this.#blockFor(position).appending(position.offset, position.row, line)
  }

  /** Appends a line without level and fields: `fields` must receive them before anything else is called. */
  appendHead(position: Position, line: StoredLine): void {
    this.#blockFor(position).appendHead(position.offset, position.row, line)
  }

  /** Like `appendHead` for lines of one record, of which `first` is the first. */
  appendHeads(first: Position, heads: SimilarHeads): void {
    const last = { offset: first.offset, row: first.row + heads.to - heads.from - 1 }
    const block = this.#blockFor(first)
    this.#last = last
    block.appendHeads(first.offset, first.row, heads)
  }

  /** Columns of the levels and fields of all lines; undefined before the first line. */
  get fields(): LineColumns | undefined {
    return this.#block?.fields
  }

  /** End of its slice, log time; Infinity when none is open. */
  deadlineMs(sliceMs: number): number {
    if (this.#beganMs === undefined) return Number.POSITIVE_INFINITY
    return (Math.floor(this.#beganMs / sliceMs) + 1) * sliceMs
  }

  /** Whether the batch must end before a record of that time. */
  endsBefore(timeMs: number, sliceMs: number): boolean {
    const began = this.#beganMs
    if (began === undefined) return false
    const differs = (unitMs: number) => Math.floor(began / unitMs) !== Math.floor(timeMs / unitMs)
    return differs(sliceMs) || differs(DAY_MS)
  }

  get #block(): LineBlock | undefined {
    return this.#blocks.get(this.#table)
  }

  #blockFor(position: Position): LineBlock {
    this.#first ??= position
    this.#last = position
    const known = this.#block
    if (known !== undefined) return known
    const block = newLineBlock(this.#table)
    this.#blocks.set(this.#table, block)
    return block
  }

  /** Ends the batch. @returns its lines, or undefined without any */
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
    return { table: this.#table, block: block.take(), rows, first, last, sinceMs }
  }
}
