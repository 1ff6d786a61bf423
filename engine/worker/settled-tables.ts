import type { Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { STORE_TABLES } from '../../schemas/log/tables.ts'
import type { AcceptedGap, TableBatch } from '../fold/flush.ts'
import { FoldError } from '../fold/fold-error.ts'
import type { FoldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { Store } from '../store/store.ts'

/**
 * The stored position of each table beyond the checkpoint that a worker begins with. Batches up to these positions are
 * computed again but not stored again.
 */
export class SettledTables {
  readonly #highest: Map<StoreTable, Position>
  /** Everything below this offset is stored, even if retention has removed rows since. */
  readonly #storedTo: bigint

  constructor(highest = new Map<StoreTable, Position>(), storedTo = 0n) {
    this.#highest = highest
    this.#storedTo = storedTo
  }

  /**
   * Asks the store, once for each table, for the highest position from the checkpoint on.
   *
   * @param storedTo everything below it is known to be stored
   */
  static async read(
    store: Store,
    identity: FoldIdentity,
    fold: PartitionFold,
    storedTo = 0n,
  ): Promise<SettledTables> {
    const { topic, partition } = identity
    const highest = new Map<StoreTable, Position>()
    for (const table of STORE_TABLES) {
      const from = { offset: fold.nextOffset, row: 0, timeMs: fold.timeMs }
      const position = await store.settle({ topic, partition, table }, from)
      const known = fold.storedPosition(table)
      if (position === null || position.offset < storedTo) continue
      if (known === undefined || isBefore(known, position)) highest.set(table, position)
    }
    return new SettledTables(highest, storedTo)
  }

  /** First offset from which on no record has rows in the store. */
  get endOffset(): bigint {
    let end = this.#storedTo
    for (const { offset } of this.#highest.values()) if (offset >= end) end = offset + 1n
    return end
  }

  /**
   * Whether a batch is stored already. A table with rows of lost records has everything before them, even if it was
   * stored in another batch.
   *
   * @param gap lost records behind the batch
   * @throws FoldError when the store ends within a batch, or beyond the end of one. The store and the log then do not
   *   belong together, or this program computes other batches than the one that stored them
   */
  has({ table, first, last }: TableBatch, gap?: AcceptedGap): boolean {
    if (last.offset < this.#storedTo) return true
    const highest = this.#highest.get(table)
    if (highest === undefined) return false
    if (isBefore(last, highest) || (gap !== undefined && isInGap(highest, gap))) return true
    this.#highest.delete(table)
    if (!isBefore(highest, last)) return true
    const where = `${highest.offset}/${highest.row}`
    throw new FoldError(
      `table ${table} ends at position ${where}, which is not the end of a batch (${first.offset}/${first.row} to ${last.offset}/${last.row}): the store and the log do not belong together`,
    )
  }

  /** Rows of lost records stay unchanged; the rows of later records are not stored yet. */
  pass({ to }: AcceptedGap): void {
    for (const [table, { offset }] of this.#highest) if (offset < to) this.#highest.delete(table)
  }

  toString(): string {
    return (
      [...this.#highest].map(([table, { offset, row }]) => `${table} ${offset}/${row}`).join(', ') ||
      'nothing'
    )
  }
}

function isInGap({ offset }: Position, { from, to }: AcceptedGap): boolean {
  return offset >= from && offset < to
}

function isBefore(a: Position, b: Position): boolean {
  return a.offset < b.offset || (a.offset === b.offset && a.row < b.row)
}
