import type { Position } from '../../../schemas/log/position.ts'
import type { StoreTable } from '../../../schemas/log/tables.ts'
import type { TableBatch } from '../flush.ts'
import { FullFieldDays } from './full-field-days.ts'
import { OpenBatch } from './open-batch.ts'
import { OpenMinute } from './open-minute.ts'

/** The rows of a partition that wait for the next flush, and the highest position per table. */
export class OpenTables {
  readonly lines = new OpenBatch()
  readonly fullDays = new FullFieldDays()
  readonly minute = new OpenMinute()
  readonly #given = new Map<StoreTable, Position>()

  /** Log time at which rows must be flushed even without a record. */
  deadlineMs(sliceMs: number): number {
    return Math.min(this.lines.deadlineMs(sliceMs), this.minute.deadlineMs)
  }

  /** Whether rows must be flushed before a record of that time. */
  endsBefore(timeMs: number, sliceMs: number): boolean {
    return this.lines.endsBefore(timeMs, sliceMs) || this.minute.endsBefore(timeMs)
  }

  /**
   * Ends the open batch. Counts and errors are added when their minute is over. Their position is that of the record that
   * caused the end, which no earlier flush of them can have.
   *
   * @param offset of the record that causes the end
   */
  take(offset: bigint, timeMs: number): TableBatch[] {
    return this.#noted([
      ...this.#takeLines(),
      ...(this.minute.isOver(timeMs) ? this.minute.take(offset) : []),
    ])
  }

  /**
   * Ends everything at accepted lost records.
   *
   * @param reached tables that have rows of the lost records, hence everything that was counted before them
   */
  takeAtGap(offset: bigint, reached: ReadonlySet<StoreTable>): TableBatch[] {
    const counted = this.minute.take(offset).filter(({ table }) => !reached.has(table))
    return this.#noted([...this.#takeLines(), ...counted])
  }

  /** Highest position in a table so far. */
  given(table: StoreTable): Position | undefined {
    return this.#given.get(table)
  }

  get allGiven(): { readonly table: string; readonly offset: number; readonly row: number }[] {
    return [...this.#given].map(([table, { offset, row }]) => ({ table, offset: Number(offset), row }))
  }

  restoreGiven(given: Readonly<OpenTables['allGiven']>): void {
    for (const { table, offset, row } of given)
      this.#given.set(table as StoreTable, { offset: BigInt(offset), row })
  }

  #takeLines(): TableBatch[] {
    const lines = this.lines.take()
    return [...(lines === undefined ? [] : [lines]), ...this.fullDays.take()]
  }

  #noted(tables: TableBatch[]): TableBatch[] {
    for (const { table, last } of tables) this.#given.set(table, last)
    return tables
  }
}
