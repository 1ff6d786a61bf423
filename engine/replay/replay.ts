import type { Event } from '../event/event.ts'
import type { Flush } from '../fold/flush.ts'
import { type FoldScope, foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { RunWatch } from '../fold/run-watch.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import type { Steps } from '../steps.ts'
import { type Arrival, explainArrivals, type IsAskedArrival } from './arrival-explanation.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import { type ExplainedRecord, explainRecord } from './line-explanation.ts'

const READ_BYTES = 1024 * 1024
/** Folded without a rest. */
const STRETCH_BYTES = 256 * 1024

export interface ReplayedPartition {
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly partition: number
}

/** The log has let go of what a replay would have to begin with. */
export class NoReplayError extends Error {
  override readonly name = 'NoReplayError'
}

/**
 * The fold of a partition once more, over the records that the log still has: it gives what was given then, byte for
 * byte, and has no effect on anything.
 */
export class PartitionReplay {
  readonly #source: ReplayedPartition
  readonly #fold: PartitionFold

  private constructor(source: ReplayedPartition, fold: PartitionFold) {
    this.#source = source
    this.#fold = fold
  }

  /** Begins where the kept log can first be folded: at its very beginning, else at its oldest checkpoint. @throws NoReplayError */
  static async fromOldest(source: ReplayedPartition, scope?: FoldScope): Promise<PartitionReplay> {
    const { first } = await source.topic.bounds(source.partition)
    const kept = first === 0n ? undefined : await checkpointLogOf(source).oldest(first)
    if (kept === undefined && first > 0n) throw beginsTooLate(source, first)
    const fold = new PartitionFold(foldIdentity(source.topic, source.partition), kept?.body, scope)
    return new PartitionReplay(source, fold)
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
    if (kept === undefined && first > 0n) throw beginsTooLate(source, first)
    const fold = new PartitionFold(foldIdentity(source.topic, source.partition), kept?.body, scope)
    return new PartitionReplay(source, fold)
  }

  /** Begins near before an offset: everything from there on is folded. @throws NoReplayError */
  static async reaching(
    source: ReplayedPartition,
    offset: bigint,
    scope?: FoldScope,
  ): Promise<PartitionReplay> {
    const { first } = await source.topic.bounds(source.partition)
    const kept = await checkpointLogOf(source).nearest(first, offset)
    if (kept === undefined && first > 0n) throw beginsTooLate(source, first)
    const fold = new PartitionFold(foldIdentity(source.topic, source.partition), kept?.body, scope)
    return new PartitionReplay(source, fold)
  }

  /** First offset that is not folded yet. */
  get nextOffset(): bigint {
    return this.#fold.nextOffset
  }

  /** Log time, UNIX ms. */
  get timeMs(): number {
    return this.#fold.timeMs
  }

  /** What is folded so far. */
  get fold(): PartitionFold {
    return this.#fold
  }

  /**
   * Folds the records below an offset, or those that the log has.
   *
   * @param rest called again and again: others of this process get their turn in it
   * @param watch sees what the records do
   * @throws LogError LOG_OFFSET_OUT_OF_RANGE when the log has been trimmed meanwhile; FoldError as the fold
   */
  async foldTo(until: bigint, rest: () => Promise<void>, watch?: RunWatch): Promise<void> {
    for await (const record of this.records(until, rest)) {
      await worked(this.#fold.applying(record, watch), rest)
      this.#fold.outbox.discard()
    }
  }

  /**
   * The same, and tells what becomes of some lines of an account: of each record that holds any of its lines.
   *
   * @param isAsked about which of them somebody wants to know
   */
  async *explanations(
    until: bigint,
    rest: () => Promise<void>,
    account: string,
    isAsked: (line: Event, index: number) => boolean,
  ): AsyncIterable<ExplainedRecord> {
    for await (const record of this.records(until, rest)) {
      const explained = await worked(explainRecord(this.#fold, record, account, isAsked), rest)
      this.#fold.outbox.discard()
      if (explained !== undefined) yield explained
    }
  }

  /** The same of events of the account in scope that came from other partitions: of each record that brings any of those. */
  async *arrivals(
    until: bigint,
    rest: () => Promise<void>,
    isAsked: IsAskedArrival,
  ): AsyncIterable<readonly Arrival[]> {
    for await (const record of this.records(until, rest)) {
      const arrivals = await worked(explainArrivals(this.#fold, record, isAsked), rest)
      this.#fold.outbox.discard()
      if (arrivals.length > 0) yield arrivals
    }
  }

  /** Records that are not folded yet, below an offset: whoever takes one folds it before the next. */
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
   * Folds on until everything below an offset has become part of a flush, or the log ends.
   *
   * @param rest called again and again: others of this process get their turn in it
   * @throws LogError LOG_OFFSET_OUT_OF_RANGE when the log has been trimmed meanwhile; FoldError as the fold
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
        fold.outbox.discard()
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
