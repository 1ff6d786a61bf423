import type { StoreTable } from '../../../schemas/log/tables.ts'
import type { TableBatch } from '../../fold/flush.ts'
import type { RowSums, StoreAudit } from '../../store/store-audit.ts'

/** Bytes of blocks whose sums are computed at once. */
export const WINDOW_BYTES = 32 * 1024 * 1024
/** Maximum number of blocks in a window, because small blocks cost more than their size suggests. */
const WINDOW_BLOCKS = 4096
/** Maximum number of windows per statement, which names their first offsets; further ones belong to the last. */
const MAX_WINDOWS = 4096

/** A run of batches with common sums. */
export interface ExpectedWindow {
  readonly first: bigint
  /** Offset of the last row. */
  last: bigint
  readonly sums: RowSums[]
}

/** The rows that the log gives for a table, as sums by window: only the open window is held in memory. */
export class ExpectedRows {
  readonly windows: ExpectedWindow[] = []
  readonly #audit: StoreAudit
  readonly #table: StoreTable
  #batches: TableBatch[] = []
  #bytes = 0
  /** The store computes the sums of one window while the next is folded. */
  #summing: Promise<void> = Promise.resolve()

  constructor(audit: StoreAudit, table: StoreTable) {
    this.#audit = audit
    this.#table = table
  }

  async add(batch: TableBatch): Promise<void> {
    this.#batches.push(batch)
    this.#bytes += blockBytes(batch)
    if (this.#bytes >= WINDOW_BYTES || this.#batches.length >= WINDOW_BLOCKS) await this.#endWindow()
  }

  /** Adds the windows that are still open. */
  async end(): Promise<void> {
    await this.#endWindow()
    await this.#summing
  }

  async #endWindow(): Promise<void> {
    const batches = this.#batches
    this.#batches = []
    this.#bytes = 0
    await this.#summing
    this.#summing = this.#sumUp(batches)
    // The next caller that waits for it gets the failure.
    this.#summing.catch(() => {})
  }

  async #sumUp(batches: readonly TableBatch[]): Promise<void> {
    const [first, last] = [batches[0], batches.at(-1)]
    if (first === undefined || last === undefined) return
    const sums = await this.#audit.blockSums(
      this.#table,
      batches.map(({ block }) => block),
    )
    const open = this.windows.at(-1)
    if (open === undefined || this.windows.length < MAX_WINDOWS) {
      this.windows.push({ first: first.first.offset, last: last.last.offset, sums })
      return
    }
    open.sums.push(...sums)
    open.last = last.last.offset
  }
}

export function blockBytes({ block }: TableBatch): number {
  return block.reduce((sum, chunk) => sum + chunk.length, 0)
}
