import { setImmediate } from 'node:timers/promises'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { Clock } from '../clock/clock.ts'
import { InTurn } from '../configuration/in-turn.ts'
import { FoldError } from '../fold/fold-error.ts'
import type { HeldState } from '../graph/compiled-node.ts'
import { LogError } from '../log/log.ts'
import type { PartitionedTopics } from '../log/partitioned-topics.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { CheckpointTooLargeError } from './checkpoint-log.ts'
import { PartitionReplay, type ReplayedPartition } from './replay.ts'

/** Time limit of a look: clients of the API give up after 15 s. */
const PATIENCE_MS = 5_000
/** Time for an engine of this process to reach the present end; after it, the partition is folded separately. */
const ENGINE_PATIENCE_MS = 500
const POLL_MS = 5
/** Maximum size of a checkpoint, which contains all accounts of a partition and is read as a whole. */
const MAX_CHECKPOINT_BYTES = 256 * 1024 * 1024

/** State of a node of a pipeline's deployed revision. */
export interface MemoryPlace {
  readonly account: string
  readonly pipeline: string
  readonly node: string
}

/** Memory of a node on one partition at a log time, UNIX ms. It changes, so callers must not keep it. */
export interface PresentState {
  readonly memory: HeldState
  readonly timeMs: number
}

/** A fold that follows its partition. */
export interface FollowingFold {
  readonly nextOffset: bigint
  readonly timeMs: number
  /** Whether a record is applied in part: the memory then belongs to no single moment. */
  readonly isApplying: boolean
  memoryOf(account: string, pipeline: string, node: string): HeldState | undefined
}

/** The folds of this process. */
export interface FollowingFolds {
  /** The fold of a partition; absent if another process works on it, or it was not read yet. */
  foldOf(topic: 'ingest' | 'keyed', partition: number): FollowingFold | undefined
}

export interface PresentMemoryOptions {
  readonly catalogue: Catalogue
  readonly topics: Pick<PartitionedTopics, 'ingest' | 'checkpoints' | 'keyed'>
  /** Folds of the engine of this process, if it has one. */
  readonly engine?: FollowingFolds | undefined
  readonly clock: Clock
}

/** The memory cannot be read now; the message gives the reason. */
export class MemoryUnavailableError extends Error {
  override readonly name = 'MemoryUnavailableError'
}

/**
 * Present state of nodes, for the API of any process. The log is the source: if an engine of this process has folded the
 * partition to its end, that state is used. Otherwise the partition is folded from its newest checkpoint only for the
 * answer.
 */
export class PresentMemory {
  readonly #options: PresentMemoryOptions
  readonly #turns = new InTurn()

  constructor(options: PresentMemoryOptions) {
    this.#options = options
  }

  /**
   * Shows the state of a node on every partition that may have some, one after the other.
   *
   * @param isSpread whether the account is, or was, on several partitions
   * @throws MemoryUnavailableError when it takes longer than a few seconds, or exceeds the memory limit
   */
  async look(place: MemoryPlace, isSpread: boolean, show: (state: PresentState) => void): Promise<void> {
    const { clock } = this.#options
    const untilMs = clock.monotonicMs() + PATIENCE_MS
    const rest = async () => {
      if (clock.monotonicMs() >= untilMs) throw tooLate()
      await setImmediate()
    }
    const over = new AbortController()
    const late = clock.sleep(PATIENCE_MS, over.signal).then(() => {
      if (!over.signal.aborted) throw tooLate()
    })
    // An account has at most one fold at a time, however many requests it makes.
    const looked = this.#turns.run(place.account, async () => {
      for (const source of this.#sources(place.account, isSpread))
        await this.#lookAt(source, place, rest, show)
    })
    try {
      await Promise.race([looked, late])
    } catch (error) {
      throw unavailable(error)
    } finally {
      over.abort()
    }
  }

  *#sources(account: string, isSpread: boolean): Iterable<MemorySource> {
    const { catalogue, topics } = this.#options
    const { ingest, checkpoints, keyed } = topics
    const home = partitionOfAccount(account, ingest.partitions)
    yield { topicName: 'ingest', catalogue, topic: ingest, checkpoints, partition: home }
    for (let partition = 0; isSpread && partition < keyed.topic.partitions; partition++)
      yield { topicName: 'keyed', catalogue, ...keyed, partition }
  }

  async #lookAt(
    source: MemorySource,
    { account, pipeline, node }: MemoryPlace,
    rest: () => Promise<void>,
    show: (state: PresentState) => void,
  ): Promise<void> {
    await rest()
    const { next } = await source.topic.bounds(source.partition)
    const fold = (await this.#followingFold(source, next)) ?? (await foldedTo(source, account, next, rest))
    const memory = fold.memoryOf(account, pipeline, node)
    if (memory !== undefined) show({ memory, timeMs: fold.timeMs })
  }

  /** The fold of an engine of this process, once it has reached that offset. */
  async #followingFold(
    { topicName, partition }: MemorySource,
    until: bigint,
  ): Promise<FollowingFold | undefined> {
    const { engine, clock } = this.#options
    const untilMs = clock.monotonicMs() + ENGINE_PATIENCE_MS
    for (;;) {
      const fold = engine?.foldOf(topicName, partition)
      if (fold === undefined) return undefined
      if (fold.nextOffset >= until && !fold.isApplying) return fold
      if (clock.monotonicMs() >= untilMs) return undefined
      await clock.sleep(POLL_MS)
    }
  }
}

interface MemorySource extends ReplayedPartition {
  readonly topicName: 'ingest' | 'keyed'
}

/** A fold of only this account, which needs memory only for its part. */
async function foldedTo(
  source: MemorySource,
  account: string,
  until: bigint,
  rest: () => Promise<void>,
): Promise<FollowingFold> {
  const replay = await PartitionReplay.fromNewest(source, MAX_CHECKPOINT_BYTES, { account })
  await rest()
  await replay.foldTo(until, rest)
  return replay.fold
}

function tooLate(): MemoryUnavailableError {
  return new MemoryUnavailableError(
    `Reading the state of the node took longer than ${PATIENCE_MS / 1000} s: try it again later`,
  )
}

function unavailable(error: unknown): unknown {
  if (error instanceof CheckpointTooLargeError)
    return new MemoryUnavailableError(
      `The state of the partition exceeds ${MAX_CHECKPOINT_BYTES / 1024 ** 2} MiB: only a process whose engine works on the partition can answer`,
    )
  if (error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE')
    return new MemoryUnavailableError('The log was trimmed while it was read: try it again')
  if (error instanceof FoldError) return new MemoryUnavailableError(error.message, { cause: error })
  return error
}
