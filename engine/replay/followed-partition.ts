import type { Clock } from '../clock/clock.ts'
import { type FoldScope, foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { RunWatch } from '../fold/run-watch.ts'
import { isTrimmed, type LogRecord, type Topic } from '../log/log.ts'
import { READ_BYTES } from '../log/records-between.ts'
import { untilAvailable } from '../log/until-available.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { Steps } from '../steps.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import type { ReplayedPartition } from './replay.ts'

/** Approximate time of folding without a rest. */
const STRETCH_MS = 10

/**
 * The fold of an account's part of a partition that another process owns, for watchers. It runs from the newest
 * checkpoint to the end of the log and then continues. It has no effects, and uses at most half of a processor's time.
 */
export class FollowedPartition {
  readonly #source: ReplayedPartition
  readonly #scope: FoldScope
  readonly #clock: Clock
  readonly #watch: RunWatch
  /** First offset that is shown. */
  #liveFrom = 0n
  #isShown = false
  #workedMs = 0

  constructor(source: ReplayedPartition, scope: FoldScope, clock: Clock, watch: RunWatch) {
    this.#source = source
    this.#scope = scope
    this.#clock = clock
    this.#watch = watch
  }

  /**
   * Follows the partition until the signal. It shows records that reach the log from now on.
   *
   * @throws LogError, FoldError when it cannot be folded
   */
  async run(signal: AbortSignal): Promise<void> {
    const { topic, partition } = this.#source
    const { next } = await this.#untilAvailable(() => topic.bounds(partition), signal)
    this.#liveFrom = next
    let fold = await this.#untilAvailable(() => this.#newestFold(), signal)
    while (!signal.aborted) {
      try {
        await this.#readOn(fold, signal)
      } catch (error) {
        if (!isTrimmed(error)) throw error
        // The next records were stored and trimmed in the meantime: the newest checkpoint is after them.
        const newest = await this.#untilAvailable(() => this.#newestFold(), signal)
        if (newest.nextOffset <= fold.nextOffset) throw error
        fold = newest
      }
    }
  }

  async #newestFold(): Promise<PartitionFold> {
    const { catalogue, topic, partition, checkpoints } = this.#source
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
    const identity = foldIdentity(topic, partition)
    return this.#worked(PartitionFold.restoring(catalogue, identity, kept?.body, this.#scope))
  }

  async #readOn(fold: PartitionFold, signal: AbortSignal): Promise<void> {
    const { topic, partition } = this.#source
    const read = () => topic.read(partition, fold.nextOffset, READ_BYTES)
    for (const record of await this.#untilAvailable(read, signal)) {
      if (signal.aborted) return
      await this.#apply(fold, record)
      await this.#rest()
    }
    if (fold.nextOffset >= this.#liveFrom) this.#show(fold)
    await this.#untilAvailable(() => topic.waitBeyond(partition, fold.nextOffset, signal), signal)
  }

  async #apply(fold: PartitionFold, record: LogRecord): Promise<void> {
    const isLive = record.offset >= this.#liveFrom
    if (isLive) this.#show(fold)
    await this.#worked(fold.applying(record, isLive ? this.#watch : undefined))
    fold.mail.discard()
    if (isLive) this.#liveFrom = fold.nextOffset
  }

  #show(fold: PartitionFold): void {
    if (!this.#isShown) fold.showPipelines(this.#watch)
    this.#isShown = true
  }

  async #worked<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const startedMs = this.#clock.monotonicMs()
      const { done, value } = steps.next()
      this.#workedMs += this.#clock.monotonicMs() - startedMs
      if (done) return value
      await this.#rest()
    }
  }

  /** Rests for as long as the work took, so that other work of this process does not wait. */
  async #rest(): Promise<void> {
    if (this.#workedMs < STRETCH_MS) return
    const workedMs = this.#workedMs
    this.#workedMs = 0
    await this.#clock.sleep(workedMs)
  }

  #untilAvailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return untilAvailable(call, this.#clock, { signal })
  }
}

/** Every partition of a topic, with its checkpoints. */
export function partitionsOf(catalogue: Catalogue, topic: Topic, checkpoints: Topic): ReplayedPartition[] {
  return Array.from({ length: topic.partitions }, (_, partition) => {
    return { catalogue, topic, checkpoints, partition }
  })
}
