import { BEHAVIOUR, FIFTH_BEHAVIOUR, FIRST_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { MAX_ROWS_PER_RECORD, type Position } from '../../schemas/log/position.ts'
import { type ValueForms, valueFormsOf } from '../lines/columns/value-forms.ts'
import { Stretch } from '../steps.ts'
import type { RunWatch } from './run-watch.ts'

/**
 * The present moment of a fold: log time, behaviour in force, and the present record with the positions of its results.
 * The parts of a fold share one moment, so no record is passed from part to part.
 */
export class FoldMoment {
  /** Log time t, UNIX ms. */
  timeMs = 0
  /** Observer of the present record. */
  watch: RunWatch | undefined
  /** Work that remains until other work has its turn. */
  readonly stretch = new Stretch()
  /** Nodes at which the events of the present record fail. */
  quarantinedNodes: ReadonlySet<string> | undefined
  #behaviour = FIRST_BEHAVIOUR
  #offset = 0n
  /** First row that the present record may use. */
  #firstRow = 0
  #row = 0

  /** Behaviour number in force: the highest that a record has carried. */
  get behaviour(): number {
    return this.#behaviour
  }

  /** Whether the fifth behaviour is in force: see `ValueForms.isExact`. */
  get isExact(): boolean {
    return this.#behaviour >= FIFTH_BEHAVIOUR
  }

  /** Forms of the values of events that are read now. */
  get forms(): ValueForms {
    return valueFormsOf(this.#behaviour)
  }

  /** Offset of the present record. */
  get offset(): bigint {
    return this.#offset
  }

  /** Row of the next result. */
  get row(): number {
    return this.#row
  }

  /** @returns false when this program does not know the behaviour */
  bringIntoForce(behaviour: number): boolean {
    if (behaviour > BEHAVIOUR) return false
    this.#behaviour = Math.max(this.#behaviour, behaviour)
    return true
  }

  /** Makes a record the present one. */
  enter(offset: bigint, timeMs: number, firstRow: number): void {
    this.timeMs = timeMs
    this.#offset = offset
    this.#firstRow = firstRow
    this.#row = firstRow
  }

  /** Row of a line that the present record yields. The position of each row is used once. */
  nextRow(): number {
    return this.#row++
  }

  /** The first of that many rows, which follow each other. @see nextRow */
  nextRows(count: number): number {
    const first = this.#row
    this.#row += count
    return first
  }

  /** Whether a row is beyond the maximum number of rows of a record. */
  isBeyondRecord(row: number): boolean {
    return row - this.#firstRow >= MAX_ROWS_PER_RECORD
  }

  /** Position of the next result of the present record. */
  nextPosition(): Position {
    return { offset: this.#offset, row: this.#row++ }
  }
}
