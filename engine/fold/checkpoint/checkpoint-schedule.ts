import { DAY_MS, HOUR_MS } from '../../times/duration.ts'

/** A checkpoint is due when this many times its size has been read since the last one. */
const READ_FACTOR = 20
/** Minimum number of bytes read between two checkpoints, so that small states are not written all the time. */
const MIN_READ_BYTES = 8 * 1024 * 1024
/** Maximum log time with records between two checkpoints. */
const MAX_AGE_MS = HOUR_MS

/** Decides from the log alone when the next checkpoint of a partition is due. */
export class CheckpointSchedule {
  #readBytes = 0
  #lastBytes = 0
  #lastMs = 0
  #hasContent = false

  /** Log time of the newest checkpoint. A UTC day is closed when that of every partition is after its end. */
  get lastMs(): number {
    return this.#lastMs
  }

  /** Rough upper bound on the size of the next checkpoint. With short lines and long keys almost all input becomes state. */
  get nextBytes(): number {
    return this.#lastBytes + this.#readBytes
  }

  noteRead(bytes: number): void {
    this.#readBytes += bytes
  }

  /** A record was read that is not a control record. */
  noteContent(): void {
    this.#hasContent = true
  }

  /** @param timeMs log time */
  isDue(timeMs: number): boolean {
    if (this.#readBytes >= Math.max(MIN_READ_BYTES, READ_FACTOR * this.#lastBytes)) return true
    if (!this.#hasContent) return false
    if (timeMs - this.#lastMs >= MAX_AGE_MS) return true
    return Math.floor(timeMs / DAY_MS) !== Math.floor(this.#lastMs / DAY_MS)
  }

  /** A checkpoint was taken, or the fold began with it. */
  noteCheckpoint(bytes: number, timeMs: number): void {
    this.#lastBytes = bytes
    this.#lastMs = timeMs
    this.#readBytes = 0
    this.#hasContent = false
  }
}
