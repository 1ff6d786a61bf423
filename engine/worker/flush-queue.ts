import type { Flush, TableBatch } from '../fold/flush.ts'
import { bytePool } from '../memory/byte-pool.ts'
import type { StoredMark } from '../store/store.ts'
import type { KeptCheckpoints } from './kept-checkpoints.ts'
import type { PartitionOwnership } from './partition-ownership.ts'
import type { Retries } from './retries.ts'
import { SettledTables } from './settled-tables.ts'

/** Maximum number of flushes that wait for the store: one is being inserted while the next is built. */
const MAX_WAITING = 2

export interface FlushQueueOptions {
  readonly kept: KeptCheckpoints
  readonly ownership: PartitionOwnership
  readonly retries: Retries
  /** Notes in the store that everything before a checkpoint is stored. */
  readonly markStored: (mark: StoredMark) => Promise<void>
  /** Whether checkpoints should be written so that the log can free space. */
  readonly spaceIsShort?: (() => boolean) | undefined
  /** Trims the log as far as the checkpoints of its partitions allow. */
  readonly freeRoom?: (() => Promise<void>) | undefined
  readonly onRoomChanged?: (() => void) | undefined
}

/** Progress of a partition in the store. */
export interface StoredProgress {
  /** First offset that is not in the store yet. */
  readonly storedOffset: bigint
  /** Log time of the newest checkpoint that was written. */
  readonly settledMs: number
}

/**
 * The flushes of a partition on their way to the store, in order. One insert runs at a time. A checkpoint is written only
 * after everything before it is stored.
 */
export class FlushQueue {
  readonly #options: FlushQueueOptions
  readonly #waiting: Flush[] = []
  #settled = new SettledTables()
  #progress: StoredProgress = { storedOffset: 0n, settledMs: 0 }
  #batches = 0
  #rows = 0
  #wakeReader = () => {}
  #wakeStorer = () => {}

  constructor(options: FlushQueueOptions) {
    this.#options = options
  }

  /** @param settled positions of the store from which the partition continues */
  begin(settled: SettledTables, progress: StoredProgress): void {
    this.#settled = settled
    this.#progress = progress
  }

  get progress(): StoredProgress {
    return this.#progress
  }

  get counts(): { readonly batches: number; readonly rows: number; readonly waitingFlushes: number } {
    return { batches: this.#batches, rows: this.#rows, waitingFlushes: this.#waiting.length }
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  add(flush: Flush): void {
    this.#waiting.push(flush)
    this.#wakeStorer()
  }

  /** Resolves when the queue is not full, or `wake` has been called. */
  whenRoom(): Promise<void> {
    if (!this.isFull) return Promise.resolve()
    return new Promise(resolve => {
      this.#wakeReader = resolve
    })
  }

  /** Resolves when a flush waits, or `wake` has been called. */
  whenWaiting(): Promise<void> {
    if (!this.isEmpty) return Promise.resolve()
    return new Promise(resolve => {
      this.#wakeStorer = resolve
    })
  }

  /** Ends all waits. */
  wake(): void {
    this.#wakeReader()
    this.#wakeStorer()
  }

  /** Stores the first flush. @returns false without one */
  async storeNext(signal?: AbortSignal): Promise<boolean> {
    const [flush] = this.#waiting
    if (flush === undefined) return false
    await this.store(flush, signal)
    this.#waiting.shift()
    this.#wakeReader()
    return true
  }

  async storeAll(signal?: AbortSignal): Promise<void> {
    while (await this.storeNext(signal));
  }

  /**
   * Stores the tables of a flush, then writes its checkpoint. A signal ends only the wait for an unavailable store, with
   * its error. An insert that has begun is finished, so that another process does not repeat it.
   */
  async store(flush: Flush, signal?: AbortSignal): Promise<void> {
    for (const batch of flush.tables) {
      if (this.#settled.has(batch, flush.gap)) continue
      await this.#insert(batch, signal)
      this.#batches++
      this.#rows += batch.rows
    }
    if (flush.gap !== undefined) this.#settled.pass(flush.gap)
    this.#progress = { ...this.#progress, storedOffset: flush.nextOffset }
    if (flush.checkpoint !== null) await this.#writeCheckpoint(flush, flush.checkpoint, signal)
  }

  async #insert(batch: TableBatch, signal: AbortSignal | undefined): Promise<void> {
    const { ownership, retries } = this.#options
    let attempts = 0
    const insert = () => {
      attempts++
      return ownership.insert(batch)
    }
    await retries.run(`insert into ${batch.table}`, insert, signal)
    // After a failure, an earlier statement may still read the block: its memory is left to the collector.
    if (attempts === 1) bytePool.giveBackAll(batch.block)
  }

  async #writeCheckpoint(
    { nextOffset, timeMs }: Flush,
    checkpoint: Buffer,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { kept, ownership, retries, markStored, onRoomChanged, spaceIsShort, freeRoom } = this.#options
    // The mark is set before the checkpoint, so a store whose mark is below a checkpoint is an older copy.
    const mark = () => markStored({ storedTo: nextOffset, settledMs: timeMs })
    await retries.run('mark what is stored', mark, signal)
    await retries.run('write a checkpoint', () => kept.write(ownership.epochOffset, nextOffset, checkpoint))
    this.#progress = { ...this.#progress, settledMs: timeMs }
    onRoomChanged?.()
    // Trims before the next checkpoint is written, so that there are never more than two and the one being written.
    if (spaceIsShort?.() === true) await freeRoom?.()
  }
}
