import { CONFIG_TOPIC, INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord, type Topic } from './log.ts'

/** Records of a partition that are known of, and that its log does not have (any more). */
export interface LostTail {
  readonly topic: string
  readonly partition: number
  /** First and last of them. */
  readonly from: bigint
  readonly to: bigint
}

/**
 * Looks for what is missing at the end of a partition.
 *
 * @param floor lowest offset beyond all that this process was given
 * @throws LogError, StoreError when it cannot be found out
 */
export type LookForLostTail = (partition: number, floor: bigint) => Promise<LostTail | undefined>

/** A refusal is looked at again when that much time has passed. */
const LOOK_AGAIN_MS = 1_000

/**
 * A topic whose partitions take appends only once it is known that they end where they should: one that has lost its
 * end would give offsets a second time, to lines that would then never be stored.
 */
export class GuardedTopic implements Topic {
  /** The topic itself, for who accepts a loss. */
  readonly inner: Topic
  readonly #look: LookForLostTail
  readonly #monotonicMs: () => number
  readonly #guards: readonly PartitionGuard[]
  readonly #onAppended: (partition: number, next: bigint) => void

  constructor(
    inner: Topic,
    options: {
      readonly look: LookForLostTail
      readonly monotonicMs: () => number
      /** Told where the partition ends after each append. */
      readonly onAppended?: (partition: number, next: bigint) => void
    },
  ) {
    this.inner = inner
    this.#look = options.look
    this.#monotonicMs = options.monotonicMs
    this.#onAppended = options.onAppended ?? (() => undefined)
    this.#guards = Array.from({ length: inner.partitions }, () => new PartitionGuard())
  }

  get name(): string {
    return this.inner.name
  }

  get logId(): string {
    return this.inner.logId
  }

  get partitions(): number {
    return this.inner.partitions
  }

  /** What is missing where, as far as it was looked for. */
  get losses(): readonly LostTail[] {
    return this.#guards.flatMap(({ lost }) => lost ?? [])
  }

  /** Looks at every partition. What cannot be found out now is looked for before the first append. */
  async lookAtAll(): Promise<void> {
    for (let partition = 0; partition < this.partitions; partition++)
      await this.lookAt(partition).catch(error => {
        if (!(error as { retriable?: boolean }).retriable) throw error
      })
  }

  /** Looks at a partition, anew when it was looked at before. @returns what is missing of it */
  async lookAt(partition: number): Promise<LostTail | undefined> {
    const guard = this.#guard(partition)
    guard.lookedAtMs = this.#monotonicMs()
    guard.lost = await this.#look(partition, guard.floor)
    guard.isOpen = guard.lost === undefined
    return guard.lost
  }

  /** The log was away, or may have been: another end may be there now. Each partition is looked at again. */
  doubt(): void {
    for (const guard of this.#guards) guard.isOpen = false
  }

  /** Somebody tells how far a partition is; looked into when that is further than was seen. */
  async noteMark(partition: number, mark: bigint): Promise<void> {
    const guard = this.#guard(partition)
    if (mark <= guard.seen || mark <= guard.floor) return
    guard.seen = (await this.inner.bounds(partition)).next
    if (guard.seen < mark) await this.lookAt(partition)
  }

  async append(partition: number, record: NewRecord): Promise<Appended> {
    const guard = this.#guard(partition)
    if (!guard.isOpen) await this.#open(partition, guard)
    const { floor } = guard
    const appended = await this.inner.append(partition, record)
    if (appended.offset < floor) throw this.#steppedBack(partition, guard, appended)
    if (guard.floor <= appended.offset) guard.floor = appended.offset + 1n
    this.#onAppended(partition, guard.floor)
    return appended
  }

  read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    return this.inner.read(partition, from, maxBytes)
  }

  bounds(partition: number): Promise<Bounds> {
    return this.inner.bounds(partition)
  }

  waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void> {
    return this.inner.waitBeyond(partition, offset, signal)
  }

  trim(partition: number, before: bigint): Promise<void> {
    return this.inner.trim(partition, before)
  }

  offsetAtTime(partition: number, timeMs: number): Promise<bigint | null> {
    return this.inner.offsetAtTime(partition, timeMs)
  }

  /** Appends that come meanwhile wait, in their order. */
  async #open(partition: number, guard: PartitionGuard): Promise<void> {
    const isRecent = this.#monotonicMs() - guard.lookedAtMs < LOOK_AGAIN_MS
    if (guard.looking !== undefined || guard.lost === undefined || !isRecent) {
      guard.looking ??= this.lookAt(partition)
        .catch((cause: Error) => {
          throw cause instanceof LogError
            ? cause
            : new LogError('LOG_UNAVAILABLE', cause.message, { retriable: true, cause })
        })
        .finally(() => {
          guard.looking = undefined
        })
      await guard.looking
    }
    if (guard.lost !== undefined) throw new TailLostError(guard.lost)
  }

  /** The end went while this process was at work: an election on a broker that lacked records, a topic made anew. */
  #steppedBack(partition: number, guard: PartitionGuard, { offset }: Appended): LogError {
    guard.isOpen = false
    const message = `The end of ${this.name}/${partition} went back from ${guard.floor} to ${offset} while it was written.`
    return new LogError('LOG_UNAVAILABLE', message)
  }

  #guard(partition: number): PartitionGuard {
    return this.#guards[partition] ?? new PartitionGuard()
  }
}

class PartitionGuard {
  isOpen = false
  /** Offset beyond the last that this process was given. */
  floor = 0n
  /** Where the partition ended when that was last asked. */
  seen = 0n
  lost: LostTail | undefined
  lookedAtMs = Number.NEGATIVE_INFINITY
  looking: Promise<LostTail | undefined> | undefined
}

/** What the topics are called on the command line. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  [INGEST_TOPIC]: 'ingest',
  [KEYED_TOPIC]: 'keyed',
  [CONFIG_TOPIC]: 'config',
}

/** Says what is missing and which command accepts it. */
export class TailLostError extends LogError {
  readonly lost: LostTail

  constructor(lost: LostTail) {
    super('LOG_TAIL_LOST', lostTailSentence(lost))
    this.lost = lost
  }
}

export function lostTailSentence(lost: LostTail): string {
  return (
    `${lostTailPlace(lost)}, but records up to ${lost.to} are known of: the end of its log was lost, and nothing is taken ` +
    `there. Put the log back from where it is whole; or accept the loss: ${acceptLossCommand(lost)}`
  )
}

/** How each sentence about a lost tail begins, whoever says it and however much they know of. */
export function lostTailPlace({ topic, partition, from }: LostTail): string {
  return `Partition ${partition} of ${topic} ends before record ${from}`
}

/** The command that goes on without the records that are missing. */
export function acceptLossCommand({ topic, partition, from, to }: LostTail): string {
  const name = SHORT_NAMES[topic] ?? topic
  return `weir log accept-loss --topic ${name} --partition ${partition} --from ${from} --to ${to}`
}
