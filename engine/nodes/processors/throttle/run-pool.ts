import { capacityFor, grown, nextCapacity } from '../../../growing-columns.ts'
import type { Steps } from '../../../steps.ts'
import type { ColumnReader, ColumnWriter } from './columns.ts'

const START_CAPACITY = 16

/** Number that means no run. */
export const NO_RUN = 0

/**
 * Runs of a run-length log: a number of passes at one time. They are linked lists in flat columns, 16 bytes per run;
 * released runs are used again first.
 */
export class RunPool {
  times = new Float64Array(START_CAPACITY)
  counts = new Uint32Array(START_CAPACITY)
  /** The run after this one; for a released run the next released one. */
  next = new Uint32Array(START_CAPACITY)
  /** Number of used runs. */
  live = 0
  #end = NO_RUN + 1
  #free = NO_RUN

  allocate(timeMs: number, count: number): number {
    let run = this.#free
    if (run === NO_RUN) {
      if (this.#end === this.times.length) this.#grow(nextCapacity(this.times.length))
      run = this.#end++
    } else {
      this.#free = this.next[run] as number
    }
    this.times[run] = timeMs
    this.counts[run] = count
    this.next[run] = NO_RUN
    this.live++
    return run
  }

  release(run: number): void {
    this.next[run] = this.#free
    this.#free = run
    this.live--
  }

  get byteLength(): number {
    return this.times.byteLength + this.counts.byteLength + this.next.byteLength
  }

  /** Number of used and released runs: the size of a copy of the columns. */
  get extent(): number {
    return this.#end - 1
  }

  write(writer: ColumnWriter): void {
    writer.numbers(this.live, this.#end, this.#free)
    writer.column(this.times, this.#end)
    writer.column(this.counts, this.#end)
    writer.column(this.next, this.#end)
  }

  static *read(reader: ColumnReader): Steps<RunPool> {
    const pool = new RunPool()
    const [live = 0, end = 1, free = 0] = reader.numbers(3)
    pool.live = live
    pool.#end = end
    pool.#free = free
    pool.#grow(capacityFor(end, START_CAPACITY))
    yield* reader.reading(pool.times, end)
    yield* reader.reading(pool.counts, end)
    yield* reader.reading(pool.next, end)
    return pool
  }

  #grow(capacity: number): void {
    this.times = grown(this.times, capacity)
    this.counts = grown(this.counts, capacity)
    this.next = grown(this.next, capacity)
  }
}
