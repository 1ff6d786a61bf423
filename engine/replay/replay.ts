import { setImmediate } from 'node:timers/promises'
import type { Event } from '../event/event.ts'
import type { Flush } from '../fold/flush.ts'
import { type FoldScope, foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { RunWatch } from '../fold/run-watch.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import { READ_BYTES } from '../log/records-between.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { Steps } from '../steps.ts'
import { type Arrival, explainArrivals, type IsAskedArrival } from './arrival-explanation.ts'
import { CheckpointLog, type KeptCheckpoint } from './checkpoint-log.ts'
import { type ExplainedRecord, explainRecord } from './line-explanation.ts'

/** Bytes that are folded without a rest. */
const STRETCH_BYTES = 256 * 1024

export interface ReplayedPartition {
  readonly catalogue: Catalogue
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly partition: number
}

/** The log no longer has the start of a replay. */
export class NoReplayError extends Error {
  override readonly name = 'NoReplayError'
}

/**
 * A repeated fold of a partition over the records that are still on the log. It gives the original results byte for byte,
 * and has no effects.
 */
export class PartitionReplay {
  readonly #source: ReplayedPartition
  readonly #fold: PartitionFold

  private constructor(source: ReplayedPartition, fold: PartitionFold) {
    this.#source = source
    this.#fold = fold
  }

  /**
   * Begins at the first possible place of the kept log: at its very beginning, else at its oldest checkpoint. @throws
   * NoReplayError
   */
  static async fromOldest(source: ReplayedPartition, scope?: FoldScope): Promise<PartitionReplay> {
    const { first } = await source.topic.bounds(source.partition)
    const kept = first === 0n ? undefined : await checkpointLogOf(source).oldest(first)
    return PartitionReplay.#from(source, first, kept, scope)
  }

  /**
   * Begins at the newest checkpoint.
   *
   * @throws CheckpointTooLargeError when that is larger than `maxBytes`; NoReplayError
   */
  static async fromNewest(
    source: ReplayedPartition,
    maxBytes: number,
    scope?: FoldScope,
  ): Promise<PartitionReplay> {
    const { first } = await source.topic.bounds(source.partition)
    const kept = await checkpointLogOf(source).newest(maxBytes)
    return PartitionReplay.#from(source, first, kept, scope)
  }

  /** Begins shortly before an offset, and folds everything from there on. @throws NoReplayError */
  static async reaching(
    source: ReplayedPartition,
    offset: bigint,
    scope?: FoldScope,
  ): Promise<PartitionReplay> {
    const { first } = await source.topic.bounds(source.partition)
    const kept = await checkpointLogOf(source).nearest(first, offset)
    return PartitionReplay.#from(source, first, kept, scope)
  }

  /** @param first oldest offset of the log, at which a replay without a checkpoint begins */
  static async #from(
    source: ReplayedPartition,
    first: bigint,
    kept: KeptCheckpoint | undefined,
    scope: FoldScope | undefined,
  ): Promise<PartitionReplay> {
    if (kept === undefined && first > 0n) throw beginsTooLate(source, first)
    const { catalogue, topic, partition } = source
    const restoring = PartitionFold.restoring(catalogue, foldIdentity(topic, partition), kept?.body, scope)
    return new PartitionReplay(source, await worked(restoring, setImmediate))
  }

  /** First offset that is not folded yet. */
  get nextOffset(): bigint {
    return this.#fold.nextOffset
  }

  /** Log time, UNIX ms. */
  get timeMs(): number {
    return this.#fold.timeMs
  }

  /** Fold of the records so far. */
  get fold(): PartitionFold {
    return this.#fold
  }

  /**
   * Folds the records below an offset, as far as the log has them.
   *
   * @param rest called repeatedly, so that other work of this process gets its turn
   * @param watch observes the effects of the records
   * @throws LogError LOG_OFFSET_OUT_OF_RANGE when the log was trimmed in the meantime; FoldError from the fold
   */
  async foldTo(until: bigint, rest: () => Promise<void>, watch?: RunWatch): Promise<void> {
    for await (const record of this.records(until, rest)) {
      await worked(this.#fold.applying(record, watch), rest)
      this.#fold.mail.discard()
    }
  }

  /**
   * Like `foldTo`, and explains lines of an account, for each record that contains any.
   *
   * @param isAsked whether a line must be explained
   */
  async *explanations(
    until: bigint,
    rest: () => Promise<void>,
    account: string,
    isAsked: (line: Event, index: number) => boolean,
  ): AsyncIterable<ExplainedRecord> {
    for await (const record of this.records(until, rest)) {
      const explained = await worked(explainRecord(this.#fold, record, account, isAsked), rest)
      this.#fold.mail.discard()
      if (explained !== undefined) yield explained
    }
  }

  /**
   * Like `foldTo`, and explains events of the account that came from other partitions, for each record that brings any.
   */
  async *arrivals(
    until: bigint,
    rest: () => Promise<void>,
    isAsked: IsAskedArrival,
  ): AsyncIterable<readonly Arrival[]> {
    for await (const record of this.records(until, rest)) {
      const arrivals = await worked(explainArrivals(this.#fold, record, isAsked), rest)
      this.#fold.mail.discard()
      if (arrivals.length > 0) yield arrivals
    }
  }

  /** Records below an offset that are not folded yet; the caller folds each before it takes the next. */
  async *records(until: bigint, rest: () => Promise<void>, readBytes = READ_BYTES): AsyncIterable<LogRecord> {
    const { topic, partition } = this.#source
    let stretchBytes = 0
    while (this.#fold.nextOffset < until) {
      const records = await topic.read(partition, this.#fold.nextOffset, Math.min(readBytes, READ_BYTES))
      if (records.length === 0) return
      for (const record of records) {
        if (record.offset >= until) return
        yield record
        stretchBytes += record.value.length
        if (stretchBytes < STRETCH_BYTES) continue
        stretchBytes = 0
        await rest()
      }
    }
  }

  /**
   * Folds until everything below an offset has become part of a flush, or the log ends.
   *
   * @param rest called repeatedly, so that other work of this process gets its turn
   * @throws LogError LOG_OFFSET_OUT_OF_RANGE when the log has been trimmed in the meantime; FoldError like the fold
   */
  async *flushes(until: bigint, rest: () => Promise<void>): AsyncIterable<Flush> {
    const { topic, partition } = this.#source
    const fold = this.#fold
    let stretchBytes = 0
    while (fold.nextOffset < until || !fold.atRest) {
      const records = await topic.read(partition, fold.nextOffset, READ_BYTES)
      if (records.length === 0) return
      for (const record of records) {
        for (const flush of await worked(fold.applying(record), rest)) {
          yield flush
          if (flush.nextOffset >= until) return
        }
        fold.mail.discard()
        if (fold.nextOffset >= until && fold.atRest) return
        stretchBytes += record.value.length
        if (stretchBytes < STRETCH_BYTES) continue
        stretchBytes = 0
        await rest()
      }
    }
  }
}

/** Does the work with rests between its stretches. */
async function worked<Result>(steps: Steps<Result>, rest: () => Promise<void>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await rest()
  }
}

function beginsTooLate({ topic, partition }: ReplayedPartition, first: bigint): NoReplayError {
  return new NoReplayError(`partition ${partition} of ${topic.name} begins at ${first} and has no checkpoint`)
}

function checkpointLogOf({ checkpoints, topic, partition }: ReplayedPartition): CheckpointLog {
  return new CheckpointLog(checkpoints, { topic, partition })
}
