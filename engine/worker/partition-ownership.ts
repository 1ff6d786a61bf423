import type { Position } from '../../schemas/log/position.ts'
import { isLineTable, type LineTable } from '../../schemas/log/tables.ts'
import type { TableBatch } from '../fold/flush.ts'
import { wordFilters } from '../lines/word-filter/word-filters.ts'
import type { Logger } from '../logger.ts'
import { type BatchInsert, type Epoch, type Store, StoreError } from '../store/store.ts'
import { inTurns, type LoopTurns } from '../turns/loop-turns.ts'

/** Error of a worker that ended because its partition has a newer owner. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError'
}

export interface OwnedPartition {
  readonly store: Store
  readonly topic: string
  readonly partition: number
  readonly logger: Logger
  readonly turns: LoopTurns
}

/**
 * A worker's ownership of a partition in the store: its epoch, and inserts that are stored exactly once under it. An
 * insert with an unknown outcome is settled under a raised epoch, so that a late statement of this worker is fenced, too.
 */
export class PartitionOwnership {
  readonly #owned: OwnedPartition
  #epoch: Epoch = { offset: 0n, attempt: 0 }
  /** The batch whose last insert has an unknown outcome. */
  #doubt: TableBatch | undefined

  constructor(owned: OwnedPartition) {
    this.#owned = owned
  }

  /** Offset of the worker's owner record. */
  get epochOffset(): bigint {
    return this.#epoch.offset
  }

  /**
   * Takes the partition with a new epoch: inserts of lower epochs fail from then on.
   *
   * @throws ReplacedError when a newer worker has it; StoreError, retriable, when the store is unavailable
   */
  async take(ownerOffset: bigint): Promise<void> {
    this.#epoch = { offset: ownerOffset, attempt: 0 }
    await this.#claim()
  }

  /**
   * One insert, to be repeated after a retriable error until it succeeds.
   *
   * @throws ReplacedError, StoreError as above
   */
  async insert(batch: TableBatch): Promise<void> {
    if (await this.#isStoredAfterDoubt(batch)) return
    const { store, topic, partition } = this.#owned
    const { table, block, rows } = batch
    const filters = isLineTable(table) ? await this.#filtersOf(table, block) : {}
    try {
      await store.insert({ topic, partition, table, epoch: this.#epoch, block, rows, ...filters })
    } catch (error) {
      if (error instanceof StoreError && error.code === 'OUTCOME_UNKNOWN') this.#doubt = batch
      throw this.#translated(error)
    }
  }

  async #filtersOf(table: LineTable, block: TableBatch['block']): Promise<Pick<BatchInsert, 'filters'>> {
    const { block: filters } = await inTurns(wordFilters(block, table), this.#owned.turns.begin())
    return { filters }
  }

  async #isStoredAfterDoubt(batch: TableBatch): Promise<boolean> {
    if (this.#doubt !== batch) return false
    const { store, topic, partition, logger } = this.#owned
    const { table, first, last, sinceMs } = batch
    this.#epoch = { offset: this.#epoch.offset, attempt: this.#epoch.attempt + 1 }
    await this.#claim()
    const highest = await store.settle({ topic, partition, table }, { ...first, timeMs: sinceMs })
    this.#doubt = undefined
    const stored = highest !== null && isAtLeast(highest, last)
    logger.warn({ partition, table, stored }, 'an insert of unknown outcome was settled')
    return stored
  }

  async #claim(): Promise<void> {
    const { store, topic, partition } = this.#owned
    try {
      await store.claim({ topic, partition, epoch: this.#epoch })
    } catch (error) {
      throw this.#translated(error)
    }
  }

  #translated(error: unknown): unknown {
    if (!(error instanceof StoreError) || error.code !== 'FENCED') return error
    return new ReplacedError(`partition ${this.#owned.partition} is owned by a newer worker`, {
      cause: error,
    })
  }
}

function isAtLeast(a: Position, b: Position): boolean {
  return a.offset > b.offset || (a.offset === b.offset && a.row >= b.row)
}
