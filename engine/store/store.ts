import type { Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import type { DamagedPart, KnownDamage } from './store-damage.ts'

/**
 * The store port: what the engine needs of ClickHouse. One contract suite (test/conformance/store-contract.ts)
 * holds for the embedded engine and for a server.
 */
export interface Store {
  /**
   * Brings the tables to the newest numbered migration, and remembers or checks the log's identity.
   *
   * @param wasFilled whether the log says that something was stored: a store that knows no log is refused then,
   *        and goes on being refused
   * @throws StoreError STORE_OF_ANOTHER_LOG when the store was filled from another log; STORE_LOST; LOGIN_REFUSED,
   *         DATABASE_MISSING, RIGHT_MISSING, NOT_TRUSTED of a server that says no; retriable when it is away: nothing
   *         was changed then, and it may be opened again
   */
  open(logId: string, wasFilled?: boolean): Promise<void>

  /**
   * Writes a worker's epoch before anything else of it is written. Inserts of lower epochs fail from then on.
   *
   * @throws StoreError FENCED when a higher epoch is there already
   */
  claim(owner: PartitionOwner): Promise<void>

  /**
   * Inserts one batch as one block, hence one part: visible whole or not at all.
   *
   * @throws StoreError FENCED (an owner with a higher epoch exists; nothing was stored),
   *         OUTCOME_UNKNOWN (retriable after `claim` of the next attempt and `settle`), UNAVAILABLE (nothing was
   *         stored; retriable), STATEMENT_FAILED (nothing was stored, nor would be the next time)
   */
  insert(insert: BatchInsert): Promise<void>

  /**
   * After a start, a takeover, a time-out: ends statements of this partition and table that still run, waits
   * until they are gone, then reads the highest stored position at or after `from`.
   *
   * @returns null when nothing is stored there
   */
  settle(target: PartitionTable, from: Position & { readonly timeMs: number }): Promise<Position | null>

  /**
   * How far the log of a partition must have been, by what is here of it: a look, which ends nothing.
   *
   * @param from where the newest checkpoint goes on: what lies below need not be looked at
   * @throws StoreError UNAVAILABLE, also while the store is not open yet
   */
  reached(
    target: Pick<PartitionTable, 'topic' | 'partition'>,
    from: Position & { readonly timeMs: number },
  ): Promise<StoreReach>

  /**
   * One read-only statement; user text reaches it only as a parameter.
   *
   * @throws StoreError UNAVAILABLE, also while the store is not open yet; STORE_DAMAGED; STATEMENT_FAILED
   */
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]>

  /** The same, row by row, for answers that are not held in memory. */
  queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]>

  /** What statements have met, and the last look has found, of damage. */
  readonly damage: KnownDamage

  /**
   * Looks which parts are damaged: those that a statement could not read and that are still there, and those that the
   * engine set aside at a start. Files are not read for it.
   *
   * @throws StoreError as `query`
   */
  findDamage(signal?: AbortSignal): Promise<readonly DamagedPart[]>

  /** Copies a closed UTC day of usage to `usage_days`, once; repeating it changes nothing. */
  closeDay(day: string): Promise<void>

  /** UTC days (YYYY-MM-DD) with lines that are not yet in `usage_days`, oldest first. */
  openDays(): Promise<string[]>

  /**
   * Removes lines of days that are, as a whole, past their retention at `nowMs`: only of closed days, and below the
   * given positions. Searches hide lines from their own time on.
   *
   * @returns number of lines removed
   */
  removeExpired(nowMs: number, settled: readonly SettledPartition[]): Promise<number>

  /**
   * Begins to index the words of lines that have come to rest: searches for whole words are faster then, and find the
   * same. Does nothing while few lines have none, or many come in.
   *
   * @param restMs for how long nothing may have changed, by the store's clock
   */
  indexWords(restMs: number): Promise<void>

  close(): Promise<void>
}

export interface PartitionTable {
  readonly topic: string
  readonly partition: number
  readonly table: StoreTable
}

export interface StoreReach {
  /** Offset of the newest owner's record; null: nobody has had the partition. */
  readonly owner: bigint | null
  /** Highest position of each table that has any. */
  readonly positions: ReadonlyMap<StoreTable, Position>
  /** Highest log time of a row, UNIX ms; 0: there is none. */
  readonly timeMs: number
}

export interface PartitionOwner {
  readonly topic: string
  readonly partition: number
  readonly epoch: Epoch
}

/** Offset of the worker's owner record, and how often it has settled since: compared in this order. */
export interface Epoch {
  readonly offset: bigint
  readonly attempt: number
}

export interface BatchInsert extends PartitionTable {
  readonly epoch: Epoch
  /**
   * The batch in ClickHouse's Native format: one block with the columns of the table in their order, without topic
   * and partition, which the insert names for all rows (schemas/log/tables.ts).
   */
  readonly block: readonly Uint8Array[]
  readonly rows: number
}

export interface SettledPartition {
  readonly topic: string
  readonly partition: number
  /** Rows at or above this offset are still needed for settling. */
  readonly checkpointOffset: bigint
}

export interface Statement {
  readonly sql: string
  /** Values of `{name:Type}` in the SQL. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

export type StoreErrorCode =
  | 'FENCED'
  | 'OUTCOME_UNKNOWN'
  | 'UNAVAILABLE'
  | 'STORE_OF_ANOTHER_LOG'
  | 'STORE_NEWER'
  | 'ENGINE_TOO_OLD'
  | 'STORE_LOST'
  | 'STORE_DAMAGED'
  | 'LOGIN_REFUSED'
  | 'DATABASE_MISSING'
  | 'RIGHT_MISSING'
  | 'NOT_TRUSTED'
  | 'STATEMENT_FAILED'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  readonly retriable: boolean
  /** What could not be read. */
  readonly damaged: DamagedPart | undefined

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { retriable?: boolean; cause?: unknown; damaged?: DamagedPart | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retriable = options.retriable ?? false
    this.damaged = options.damaged
  }
}
