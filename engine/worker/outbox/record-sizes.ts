import type { LogRecord } from '../../log/log.ts'

/** Bytes after which older records count half in the mean. */
const WINDOW_BYTES = 64 * 1024 * 1024
/** Bytes of records between two marks. 20 GiB have 20,000 marks. */
const MARK_BYTES = 1024 * 1024

/** A place on the log. */
interface Mark {
  readonly offset: bigint
  /** Size of the records that were noted before it. */
  readonly bytes: number
}

type Sized = Pick<LogRecord, 'value' | 'offset'>

/** Sizes of the records of a partition: their mean, and how many bytes lie behind a place. */
export class RecordSizes {
  #meanBytes = 0
  #meanRecords = 0
  /** Rising; the first is where noting began. */
  #marks: Mark[] = [{ offset: 0n, bytes: 0 }]
  #bytes = 0

  /** Mean size of a record in bytes; 0 before the first one. */
  get mean(): number {
    return this.#meanRecords === 0 ? 0 : this.#meanBytes / this.#meanRecords
  }

  /** Begins to note records at an offset. */
  begin(offset: bigint): void {
    this.#marks = [{ offset, bytes: 0 }]
    this.#bytes = 0
  }

  /** Notes the next records. */
  note(records: readonly Sized[]): void {
    this.sample(records)
    for (const { offset, value } of records) {
      const last = this.#marks.at(-1) as Mark
      if (this.#bytes - last.bytes >= MARK_BYTES) this.#marks.push({ offset, bytes: this.#bytes })
      this.#bytes += value.length
    }
  }

  /** Notes records from anywhere, for the mean alone. */
  sample(records: readonly Pick<LogRecord, 'value'>[]): void {
    for (const { value } of records) this.#meanBytes += value.length
    this.#meanRecords += records.length
    if (this.#meanBytes < WINDOW_BYTES) return
    this.#meanBytes /= 2
    this.#meanRecords /= 2
  }

  /**
   * Size of the records from an offset to the newest one that was noted, in bytes. The size of those since the last mark is estimated by the
   * mean, and so is that of records before the first that was noted.
   */
  bytesFrom(offset: bigint): number {
    const { offset: marked, bytes } = this.#markAt(offset)
    return Math.max(0, this.#bytes - bytes - Number(offset - marked) * this.mean)
  }

  /** Forgets marks that are only needed for places before an offset. */
  forget(offset: bigint): void {
    const kept = this.#marks.findLastIndex(mark => mark.offset <= offset)
    if (kept > 0) this.#marks = this.#marks.slice(kept)
  }

  /** The last mark at or before an offset; without one, the first. */
  #markAt(offset: bigint): Mark {
    let [low, high] = [0, this.#marks.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#marks[middle] as Mark).offset <= offset) low = middle
      else high = middle
    }
    return this.#marks[low] as Mark
  }
}
