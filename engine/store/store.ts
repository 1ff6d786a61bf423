import type { Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import type { DamagedPart, KnownDamage } from './store-damage.ts'
import type { StoreSearches } from './store-searches.ts'
import type { StoreSize } from './store-size.ts'

export { StoreError, type StoreErrorCode } from './store-error.ts'

/**
 * The store port: the engine's own store of lines, errors and counts. One contract suite
 * (test/conformance/store-contract.ts) holds for the embedded engine and for a server; its part about searches
 * (store-search-contract.ts) also holds for the stores of tests.
 */
export interface Store extends StoreSearches {
  /**
   * Brings the tables to the newest migration, and records or checks the log's identity.
   *
   * @param wasFilled whether the log shows that something was stored: a store without a log is refused then, also at
   *   later attempts
   * @throws StoreError
   *   - STORE_OF_ANOTHER_LOG when the store was filled from another log; STORE_LOST
   *   - LOGIN_REFUSED, DATABASE_MISSING, RIGHT_MISSING, NOT_TRUSTED when a server refuses
   *   - a retriable one when the store is unavailable: nothing was changed, and it can be opened again
   */
  open(logId: string, wasFilled?: boolean): Promise<void>

  /**
   * Writes a worker's epoch before any other data of the worker. Inserts of lower epochs fail from then on.
   *
   * @throws StoreError FENCED when there is a higher epoch already
   */
  claim(owner: PartitionOwner): Promise<void>

  /**
   * Inserts one batch as one block, hence one part: visible as a whole or not at all.
   *
   * @throws StoreError
   *   - FENCED: an owner with a higher epoch exists; nothing was stored
   *   - OUTCOME_UNKNOWN: retriable after `claim` of the next attempt and `settle`
   *   - UNAVAILABLE: nothing was stored; retriable
   *   - STATEMENT_FAILED: nothing was stored, and a retry would fail as well
   */
  insert(insert: BatchInsert): Promise<void>

  /**
   * Settles a table after a start, a takeover or a time-out. It ends running statements of this partition and table,
   * waits for their end, and reads the highest stored position at or after `from`.
   *
   * @returns null when nothing is stored there
   */
  settle(target: PartitionTable, from: Position & { readonly timeMs: number }): Promise<Position | null>

  /**
   * Records durably that everything of a partition below an offset is stored; this mark reveals an older copy of the
   * store. An offset below the known one changes nothing.
   *
   * @throws StoreError UNAVAILABLE, retriable; STATEMENT_FAILED
   */
  markStored(target: Pick<PartitionTable, 'topic' | 'partition'>, mark: StoredMark): Promise<void>

  /**
   * The newest owner of a partition and the highest mark. It only reads, and ends no statements.
   *
   * @throws StoreError UNAVAILABLE, also while the store is not open yet
   */
  standing(target: Pick<PartitionTable, 'topic' | 'partition'>): Promise<StoreStanding>

  /**
   * Position that the log of a partition must have reached, according to the stored rows. It only reads, and ends no
   * statements.
   *
   * @param from lower rows need not be read, nor earlier ones: where the newest checkpoint continues, or records were lost
   * @throws StoreError UNAVAILABLE, also while the store is not open yet
   */
  reached(
    target: Pick<PartitionTable, 'topic' | 'partition'>,
    from: Position & { readonly timeMs: number },
  ): Promise<StoreReach>

  /** Damage that statements have met, or that the last check has found. */
  readonly damage: KnownDamage

  /**
   * Finds damaged parts: those that a statement could not read and that still exist, and those that the engine set aside
   * at a start. It reads no files.
   *
   * @throws StoreError as the searches do
   */
  findDamage(signal?: AbortSignal): Promise<readonly DamagedPart[]>

  /** Measures the store. It reads few lines. @throws StoreError as the searches do */
  size(signal?: AbortSignal): Promise<StoreSize>

  /** Copies a closed UTC day of usage to `usage_days`, once; repeating it changes nothing. */
  closeDay(day: string): Promise<void>

  /** UTC days (YYYY-MM-DD) with lines that are not yet in `usage_days`, oldest first. */
  openDays(): Promise<string[]>

  /**
   * Removes lines of days that are, as a whole, past their retention at `nowMs`: only of closed days, and below the given
   * positions. Searches hide each line once its own retention is over.
   *
   * @returns number of lines removed
   */
  removeExpired(nowMs: number, settled: readonly SettledPartition[]): Promise<number>

  /**
   * Begins to index the words of lines after a quiet time, so that searches for whole words are faster, with the same
   * results. It does nothing if few lines lack the index, or many arrive.
   *
   * @param restMs minimum time without changes, by the store's clock
   */
  indexWords(restMs: number): Promise<void>

  close(): Promise<void>
}

export interface PartitionTable {
  readonly topic: string
  readonly partition: number
  readonly table: StoreTable
}

export interface StoredMark {
  /** Everything below this offset is stored. */
  readonly storedTo: bigint
  /** Log time there, UNIX ms: everything of earlier days is stored. */
  readonly settledMs: number
}

export interface StoreStanding {
  /** Offset of the newest owner's record; null: the partition never had an owner. */
  readonly owner: bigint | null
  /** The highest mark; null without one. */
  readonly mark: StoredMark | null
}

export interface StoreReach {
  /** Offset of the newest owner's record; null: the partition never had an owner. */
  readonly owner: bigint | null
  /** Highest position of each table that has any. */
  readonly positions: ReadonlyMap<StoreTable, Position>
  /** Highest log time of a row, UNIX ms; 0 without rows. */
  readonly timeMs: number
}

export interface PartitionOwner {
  readonly topic: string
  readonly partition: number
  readonly epoch: Epoch
}

/** Offset of the worker's owner record, and the number of its settlements since: compared in this order. */
export interface Epoch {
  readonly offset: bigint
  readonly attempt: number
}

export interface BatchInsert extends PartitionTable {
  readonly epoch: Epoch
  /**
   * The batch in ClickHouse's Native format: one block with the columns of the table in their order. Topic and partition
   * are left out, because the insert names them for all rows (schemas/log/tables.ts).
   */
  readonly block: readonly Uint8Array[]
  readonly rows: number
  /** Block of table `word_filters` with the words of the lines, which is stored first. Lines without it are read by searches. */
  readonly filters?: readonly Uint8Array[]
}

export interface SettledPartition {
  readonly topic: string
  readonly partition: number
  /** Rows at or above this offset are still needed for settling. */
  readonly checkpointOffset: bigint
}
