import { finish, type Steps } from '../../../steps.ts'
import type { BucketRule, BusyBucket, Passes } from '../../contract/buckets.ts'
import type { StatePiece } from '../../contract/define-processor.ts'
import type { ExemptKeys } from '../../contract/exempt-keys.ts'
import { DEFAULT_STATE_BOUNDS, type StateBounds } from '../../contract/state-bounds.ts'
import { BucketTable, DEFAULT_BUCKET, NO_BUCKET, OVERFLOW_BUCKET } from './bucket-table.ts'
import { ColumnReader, ColumnWriter } from './columns.ts'
import { NO_RUN, RunPool } from './run-pool.ts'

/** Further runs of a bucket join the two oldest: components, section 5A.5. */
const MAX_RUNS_PER_BUCKET = 65_536
const FORMAT = 1
const SPARSE_FROM = 1024
/** Number of buckets that are forgotten or copied at a time. */
const MOVED_AT_A_TIME = 10_000
/** Number of buckets that are split at a time. */
const SPLIT_AT_A_TIME = 2_000
/** A piece that is sent as one record is cut at either limit. */
const MAX_PIECE_BUCKETS = 20_000
const MAX_PIECE_RUNS = 100_000

/** Result for an event; `OVERFLOW_…` when its key found no room and the shared bucket decided. */
export const DISCARDED = 0
export const PASSED = 1
export const OVERFLOW_DISCARDED = 2
export const OVERFLOW_PASSED = 3
export type Verdict = 0 | 1 | 2 | 3

/**
 * Pass times of all buckets of a throttle: an exact sliding log of runs (Specification, section 2, Throttle; components,
 * section 5A). The rule is given with each call, so that a change of it keeps the pass times.
 *
 * Time only moves forward here. Results do not depend on the place of a bucket in memory.
 */
export class ThrottleState {
  /** The latest time given to `advance`. */
  timeMs = Number.NEGATIVE_INFINITY
  /** Passes that joined a run because the run budget was used up: each may expire later than it should. */
  joinedPasses = 0
  readonly #bounds: StateBounds
  #buckets: BucketTable
  #runs = new RunPool()
  #exempt: ExemptKeys | undefined

  /** @param seed of the hash of keys: changes speed, never a verdict */
  constructor(bounds: StateBounds = DEFAULT_STATE_BOUNDS, seed = 0) {
    this.#bounds = bounds
    this.#buckets = new BucketTable(seed)
  }

  /**
   * Advances the time and forgets buckets that are empty by then.
   *
   * @returns false: more of them may remain, so it must be called again before any judgement
   */
  advance(nowMs: number, windowMs: number): boolean {
    if (nowMs > this.timeMs) this.timeMs = nowMs
    const buckets = this.#buckets
    for (let forgotten = 0; buckets.oldest !== NO_BUCKET; forgotten++) {
      const bucket = buckets.oldest
      const lastPassMs = this.#runs.times[buckets.lastRun[bucket] as number] as number
      if (this.timeMs - lastPassMs < windowMs) break
      if (forgotten === MOVED_AT_A_TIME) return false
      this.#releaseRuns(bucket)
      buckets.remove(bucket)
    }
    this.#forget(DEFAULT_BUCKET, windowMs)
    this.#forget(OVERFLOW_BUCKET, windowMs)
    return true
  }

  /**
   * Judges one event at the time of the last `advance`, and records its pass.
   *
   * @param key text of the bucket key; undefined for the default bucket
   */
  judge(key: string | undefined, rule: BucketRule): Verdict {
    if (key === undefined) return this.#judgeBucket(DEFAULT_BUCKET, rule)
    const bucket = this.#buckets.find(key)
    if (bucket !== NO_BUCKET) {
      const verdict = this.#judgeBucket(bucket, rule)
      if (verdict === PASSED) this.#buckets.touch(bucket)
      return verdict
    }
    if (this.#buckets.size >= this.#bounds.maxKeys) {
      const verdict = this.#judgeBucket(OVERFLOW_BUCKET, rule)
      return verdict === PASSED ? OVERFLOW_PASSED : OVERFLOW_DISCARDED
    }
    return this.#judgeNewKey(key, rule)
  }

  /** Sets the keys that are not judged; they may change later and are not part of a snapshot. */
  exempt(keys: ExemptKeys): void {
    this.#exempt = keys
  }

  /** Whether an event of that key passes without being judged or counted, at the time of the last `advance`. */
  isExempt(key: string | undefined): boolean {
    return this.#exempt?.holds(key, this.timeMs) ?? false
  }

  /** End of the exemption of a key, which may be shortly in the past; -Infinity without one. */
  exemptUntilMs(key: string | undefined): number {
    return this.#exempt?.untilMs(key) ?? Number.NEGATIVE_INFINITY
  }

  /**
   * Returns the events that a bucket has passed and not forgotten, oldest first. A key without a bucket has those of the
   * shared one.
   *
   * @param key undefined: the default bucket
   */
  passesOf(key: string | undefined): readonly Passes[] {
    if (key === undefined) return this.#runsOf(DEFAULT_BUCKET)
    const bucket = this.#buckets.find(key)
    return this.#runsOf(bucket === NO_BUCKET ? OVERFLOW_BUCKET : bucket)
  }

  /** Whether a key has a bucket of its own. */
  has(key: string): boolean {
    return this.#buckets.find(key) !== NO_BUCKET
  }

  /** Buckets that passed most events in the window before a time, busiest first; the order of equal ones is undefined. */
  busiest(limit: number, nowMs: number, windowMs: number): BusyBucket[] {
    const found: { readonly bucket: number; readonly count: number }[] = []
    let least = 0
    const consider = (bucket: number) => {
      // A bucket has at least as many events as it passed within the window.
      if ((this.#buckets.total[bucket] as number) <= least) return
      const count = this.#countSince(bucket, nowMs - windowMs)
      if (count <= least) return
      const before = found.findIndex(other => other.count < count)
      found.splice(before < 0 ? found.length : before, 0, { bucket, count })
      if (found.length > limit) found.pop()
      if (found.length === limit) least = found.at(-1)?.count ?? 0
    }
    for (let bucket = DEFAULT_BUCKET; bucket < this.#buckets.end; bucket++) consider(bucket)
    return found.map(({ bucket, count }) => ({
      ...this.#nameOf(bucket),
      count,
      passes: this.#runsOf(bucket).filter(({ timeMs }) => timeMs > nowMs - windowMs),
    }))
  }

  /** Number of buckets with a pass time, and their size. */
  measure() {
    return {
      buckets: this.#buckets.size,
      runs: this.#runs.live,
      joinedPasses: this.joinedPasses,
      bytes: this.#buckets.byteLength + this.#runs.byteLength,
      keyBytes: this.#buckets.keyByteLength,
    }
  }

  /** A copy of the state as bytes; a state that is restored from them continues without any difference. */
  *snapshot(): Steps<Uint8Array> {
    if (this.#sparse) yield* this.#repack()
    const writer = new ColumnWriter()
    writer.numbers(FORMAT, this.timeMs, this.joinedPasses)
    this.#runs.write(writer)
    this.#buckets.write(writer)
    return yield* writer.writing()
  }

  /** @throws RangeError when the bytes are not a snapshot of this format */
  static *restore(bytes: Uint8Array, bounds: StateBounds = DEFAULT_STATE_BOUNDS): Steps<ThrottleState> {
    const reader = new ColumnReader(bytes)
    const [format, timeMs = 0, joinedPasses = 0] = reader.numbers(3)
    if (format !== FORMAT) throw new RangeError(`unknown format ${format} of a throttle's state`)
    const state = new ThrottleState(bounds)
    state.timeMs = timeMs
    state.joinedPasses = joinedPasses
    state.#runs = yield* RunPool.read(reader)
    state.#buckets = yield* BucketTable.read(reader)
    if (!reader.atEnd) throw new RangeError("a throttle's state is followed by other bytes")
    return state
  }

  /** Hash of a bucket's key with 32 bits, the same in every state of the same seed. */
  hashOf(key: string | undefined): number {
    return this.#buckets.hashOf(key ?? '')
  }

  /**
   * Moves buckets out of this state, to be judged elsewhere from now on. The passes that keys without a bucket have in
   * common are copied into every share, because such a key may appear anywhere.
   *
   * @param shares those that move
   * @param shareOf returns the share of a key with that hash
   * @yields snapshots of a bounded size, for `absorb`, and undefined where the work may pause
   */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<StatePiece | undefined> {
    const pieces = new Map(shares.map(share => [share, this.#emptyPiece()]))
    for (const piece of pieces.values()) piece.#takeIn(this, OVERFLOW_BUCKET, OVERFLOW_BUCKET)
    const piece = pieces.get(shareOf(this.hashOf(undefined)))
    if (piece !== undefined) this.#moveTo(piece, DEFAULT_BUCKET, DEFAULT_BUCKET)
    let following: number
    let judged = 0
    for (let bucket = this.#buckets.oldest; bucket !== NO_BUCKET; bucket = following) {
      following = this.#buckets.after(bucket)
      if (++judged % SPLIT_AT_A_TIME === 0) yield undefined
      const share = shareOf(this.#buckets.hashAt(bucket))
      const piece = pieces.get(share)
      if (piece === undefined) continue
      this.#moveTo(piece, bucket, piece.#buckets.adopt(this.#buckets, bucket))
      this.#buckets.remove(bucket)
      if (piece.#buckets.size < MAX_PIECE_BUCKETS && piece.#runs.live < MAX_PIECE_RUNS) continue
      pieces.set(share, this.#emptyPiece())
      yield { share, data: finish(piece.snapshot()) }
    }
    for (const [share, piece] of pieces)
      if (piece.#runs.live > 0) yield { share, data: finish(piece.snapshot()) }
  }

  /** Adds the passes of another state of the same seed, as if they had happened here. */
  absorb(other: ThrottleState): void {
    this.timeMs = Math.max(this.timeMs, other.timeMs)
    this.joinedPasses += other.joinedPasses
    this.#takeIn(other, DEFAULT_BUCKET, DEFAULT_BUCKET)
    this.#takeIn(other, OVERFLOW_BUCKET, OVERFLOW_BUCKET)
    for (const bucket of other.#buckets.inOrderOfUse()) {
      const known = this.#buckets.findSame(other.#buckets, bucket)
      const isFull = known === NO_BUCKET && this.#buckets.size >= this.#bounds.maxKeys
      if (isFull) this.#takeIn(other, bucket, OVERFLOW_BUCKET)
      else this.#takeIn(other, bucket, known || this.#buckets.adopt(other.#buckets, bucket))
    }
  }

  /** Creates an empty state of the same seed, so that buckets can be moved without their keys being read. */
  #emptyPiece(): ThrottleState {
    const piece = new ThrottleState(this.#bounds)
    piece.#buckets = this.#buckets.emptyCopy()
    piece.timeMs = this.timeMs
    return piece
  }

  #moveTo(target: ThrottleState, from: number, to: number): void {
    target.#takeIn(this, from, to)
    this.#releaseRuns(from)
  }

  /** Merges the runs of a bucket of another state into one of this state, in the order of their times. */
  #takeIn(other: ThrottleState, from: number, to: number): void {
    const taken = other.#runsOf(from)
    if (taken.length === 0) return
    const known = this.#runsOf(to)
    this.#releaseRuns(to)
    const merged = known.length === 0 ? taken : [...known, ...taken].sort((a, b) => a.timeMs - b.timeMs)
    for (const { timeMs, count } of merged) this.#append(to, timeMs, count)
  }

  #nameOf(bucket: number): Pick<BusyBucket, 'kind' | 'key'> {
    if (bucket === DEFAULT_BUCKET) return { kind: 'default' }
    if (bucket === OVERFLOW_BUCKET) return { kind: 'shared' }
    return { kind: 'key', key: this.#buckets.keyAt(bucket) }
  }

  /** Number of passes after a time. */
  #countSince(bucket: number, sinceMs: number): number {
    const { times, counts, next } = this.#runs
    let count = this.#buckets.total[bucket] as number
    for (let run = this.#buckets.firstRun[bucket] as number; run !== NO_RUN; run = next[run] as number) {
      if ((times[run] as number) > sinceMs) break
      count -= counts[run] as number
    }
    return count
  }

  #runsOf(bucket: number): Passes[] {
    const { times, counts, next } = this.#runs
    const found: Passes[] = []
    for (let run = this.#buckets.firstRun[bucket] as number; run !== NO_RUN; run = next[run] as number)
      found.push({ timeMs: times[run] as number, count: counts[run] as number })
    return found
  }

  #judgeBucket(bucket: number, { limit, windowMs }: BucketRule): typeof PASSED | typeof DISCARDED {
    this.#forget(bucket, windowMs)
    if ((this.#buckets.total[bucket] as number) >= limit) return DISCARDED
    this.#record(bucket)
    return PASSED
  }

  /**
   * A key may have passed through the overflow bucket before it got its own. It starts with all pass times of the
   * overflow bucket, so that it cannot have its limit twice.
   */
  #judgeNewKey(key: string, { limit, windowMs }: BucketRule): Verdict {
    this.#forget(OVERFLOW_BUCKET, windowMs)
    if ((this.#buckets.total[OVERFLOW_BUCKET] as number) >= limit) return DISCARDED
    const bucket = this.#buckets.insert(key)
    this.#copyRuns(OVERFLOW_BUCKET, bucket)
    this.#record(bucket)
    return PASSED
  }

  /** Drops the runs that are older than the window. */
  #forget(bucket: number, windowMs: number): void {
    const { times } = this.#runs
    for (;;) {
      const run = this.#buckets.firstRun[bucket] as number
      if (run === NO_RUN || this.timeMs - (times[run] as number) < windowMs) return
      this.#dropOldest(bucket)
    }
  }

  #record(bucket: number): void {
    const { times, counts } = this.#runs
    const last = this.#buckets.lastRun[bucket] as number
    if (last !== NO_RUN && times[last] === this.timeMs) {
      counts[last] = (counts[last] as number) + 1
      this.#addToTotal(bucket, 1)
    } else {
      this.#append(bucket, this.timeMs, 1)
    }
  }

  /** Adds a run at the end, within the bounds of the bucket and of all buckets. */
  #append(bucket: number, timeMs: number, count: number): void {
    const buckets = this.#buckets
    const runs = this.#runs
    const last = buckets.lastRun[bucket] as number
    if (last === NO_RUN) {
      const run = runs.allocate(timeMs, count)
      buckets.firstRun[bucket] = run
      buckets.lastRun[bucket] = run
    } else {
      if ((buckets.moreRuns[bucket] as number) + 1 === MAX_RUNS_PER_BUCKET) this.#joinOldest(bucket)
      if (runs.live >= this.#bounds.maxEntries) {
        runs.times[last] = timeMs // Expires later than it should: the limit holds, some loss is possible.
        runs.counts[last] = (runs.counts[last] as number) + count
        this.joinedPasses += count
      } else {
        const run = runs.allocate(timeMs, count)
        runs.next[last] = run
        buckets.lastRun[bucket] = run
        buckets.moreRuns[bucket] = (buckets.moreRuns[bucket] as number) + 1
      }
    }
    this.#addToTotal(bucket, count)
  }

  /** Joins the two oldest runs into one with the later of the two times. */
  #joinOldest(bucket: number): void {
    const { counts, next } = this.#runs
    const oldest = this.#buckets.firstRun[bucket] as number
    const second = next[oldest] as number
    const count = counts[oldest] as number
    counts[second] = (counts[second] as number) + count
    this.#addToTotal(bucket, count) // Dropping the oldest subtracts again the count that the second one took over.
    this.#dropOldest(bucket)
  }

  #dropOldest(bucket: number): void {
    const buckets = this.#buckets
    const run = buckets.firstRun[bucket] as number
    const following = this.#runs.next[run] as number
    this.#addToTotal(bucket, -(this.#runs.counts[run] as number))
    buckets.firstRun[bucket] = following
    if (following === NO_RUN) buckets.lastRun[bucket] = NO_RUN
    else buckets.moreRuns[bucket] = (buckets.moreRuns[bucket] as number) - 1
    this.#runs.release(run)
  }

  #releaseRuns(bucket: number): void {
    while (this.#buckets.firstRun[bucket] !== NO_RUN) this.#dropOldest(bucket)
  }

  #addToTotal(bucket: number, count: number): void {
    this.#buckets.total[bucket] = (this.#buckets.total[bucket] as number) + count
  }

  #copyRuns(source: number, target: number): void {
    const runs = this.#runs
    for (let run = this.#buckets.firstRun[source] as number; run !== NO_RUN; run = runs.next[run] as number)
      this.#append(target, runs.times[run] as number, runs.counts[run] as number)
  }

  /** Whether more is released than in use, so that a copy would contain mostly gaps. */
  get #sparse(): boolean {
    const { extent } = this.#buckets
    const runExtent = this.#runs.extent
    return (
      (extent > SPARSE_FROM && this.#buckets.size * 2 < extent) ||
      (runExtent > SPARSE_FROM && this.#runs.live * 2 < runExtent)
    )
  }

  /** Packed beside the existing data, which may be read until all of it has been copied. */
  *#repack(): Steps {
    const packed = this.#emptyPiece()
    for (const bucket of [DEFAULT_BUCKET, OVERFLOW_BUCKET]) packed.#copyBucket(this, bucket, bucket)
    let copied = 0
    for (const bucket of this.#buckets.inOrderOfUse()) {
      packed.#copyBucket(this, bucket, packed.#buckets.adopt(this.#buckets, bucket))
      if (++copied % MOVED_AT_A_TIME === 0) yield
    }
    this.#buckets = packed.#buckets
    this.#runs = packed.#runs
  }

  #copyBucket(source: ThrottleState, from: number, to: number): void {
    const { times, counts, next } = source.#runs
    const before = source.#buckets
    const buckets = this.#buckets
    let last = NO_RUN
    for (let run = before.firstRun[from] as number; run !== NO_RUN; run = next[run] as number) {
      const copy = this.#runs.allocate(times[run] as number, counts[run] as number)
      if (last === NO_RUN) buckets.firstRun[to] = copy
      else this.#runs.next[last] = copy
      last = copy
    }
    buckets.lastRun[to] = last
    buckets.moreRuns[to] = before.moreRuns[from] as number
    buckets.total[to] = before.total[from] as number
  }
}
