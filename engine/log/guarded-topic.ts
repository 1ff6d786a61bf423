import { CONFIG_TOPIC, INGEST_TOPIC, KEYED_TOPIC, OUTBOX_TOPIC } from '../../schemas/log/topics.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord, type Topic } from './log.ts'

/** Records of a partition that are known to have existed, and that its log does not have. */
export interface LostTail {
  readonly topic: string
  readonly partition: number
  /** First and last missing offset. */
  readonly from: bigint
  readonly to: bigint
}

/**
 * Looks for missing records at the end of a partition.
 *
 * @param floor lowest offset above everything that this process knows
 * @throws LogError, StoreError when the search is not possible
 */
export type LookForLostTail = (partition: number, floor: bigint) => Promise<LostTail | undefined>

/** Returns the nodes at which the events of records of a partition fail, by offset. */
export type QuarantinedNodes = (partition: number) => ReadonlyMap<bigint, ReadonlySet<string>>

const NO_QUARANTINE: ReturnType<QuarantinedNodes> = new Map()

/** Interval between checks of a partition that refuses appends. */
const LOOK_AGAIN_MS = 1_000

/**
 * A topic whose partitions accept appends only after a check that they end where they should. A partition that lost its
 * end would otherwise give offsets a second time, to lines that would then never be stored. Its records name the nodes at which an
 * operator has put them into quarantine, so that every fold knows that before it applies them.
 */
export class GuardedTopic implements Topic {
  /** The topic itself, for the command that accepts a loss. */
  readonly inner: Topic
  readonly #look: LookForLostTail
  readonly #monotonicMs: () => number
  readonly #guards: readonly PartitionGuard[]
  readonly #onAppended: (partition: number, next: bigint) => void
  readonly #quarantinedNodes: QuarantinedNodes
  #renewed: string | undefined

  constructor(
    inner: Topic,
    options: {
      readonly look: LookForLostTail
      readonly monotonicMs: () => number
      /** Called after each append with the partition's next offset. */
      readonly onAppended?: (partition: number, next: bigint) => void
      /** Records in quarantine; absent: there are none. */
      readonly quarantinedNodes?: QuarantinedNodes
    },
  ) {
    this.inner = inner
    this.#look = options.look
    this.#monotonicMs = options.monotonicMs
    this.#onAppended = options.onAppended ?? (() => undefined)
    this.#quarantinedNodes = options.quarantinedNodes ?? (() => NO_QUARANTINE)
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

  /** Missing records of all partitions that were checked. */
  get losses(): readonly LostTail[] {
    return this.#guards.flatMap(({ lost }) => lost ?? [])
  }

  /**
   * Missing records of all partitions that were checked. A partition whose log has grown since is checked again: another
   * process may have accepted its loss, and nothing need be appended here.
   */
  async presentLosses(): Promise<readonly LostTail[]> {
    for (const { partition, from } of this.losses)
      try {
        if ((await this.bounds(partition)).next > from) await this.lookAt(partition)
      } catch {
        // While the log or the store is unavailable, the last result counts.
      }
    return this.losses
  }

  /** Sentence about a topic that was created again while this process ran; it no longer accepts records. */
  get renewed(): string | undefined {
    return this.#renewed
  }

  /** Checks whether the topic was created again. Its former offsets and ids are not those of the present topic. */
  async noteIdentity(): Promise<void> {
    const id = await this.inner.presentId?.()
    if (id === undefined || id === this.logId || this.#renewed !== undefined) return
    this.#renewed = renewedSentence(this.name)
    this.doubt()
    await this.lookAtAll()
  }

  /** Checks every partition. A check that is not possible now happens before the first append. */
  async lookAtAll(): Promise<void> {
    for (let partition = 0; partition < this.partitions; partition++)
      await this.lookAt(partition).catch(error => {
        if (!(error as { retriable?: boolean }).retriable) throw error
      })
  }

  /** Checks a partition, again if it was checked before. @returns its missing records */
  async lookAt(partition: number): Promise<LostTail | undefined> {
    const guard = this.#guard(partition)
    guard.lookedAtMs = this.#monotonicMs()
    guard.lost = await this.#look(partition, guard.floor)
    // An end from before the loss would hide marks between it and the present end.
    if (guard.lost !== undefined) guard.seen = guard.lost.from
    guard.isOpen = guard.lost === undefined && this.#renewed === undefined
    return guard.lost
  }

  /** Marks every partition for a new check: the log was, or may have been, unavailable and may end elsewhere now. */
  doubt(): void {
    for (const guard of this.#guards) {
      guard.isOpen = false
      guard.seen = 0n
    }
  }

  /**
   * Receives another process's report on a partition's end; a check follows when it is above the known end. From then on
   * this process also refuses what lands below the end that other processes know.
   */
  async noteMark(partition: number, mark: bigint): Promise<void> {
    const guard = this.#guard(partition)
    if (mark <= guard.seen) return
    guard.seen = (await this.inner.bounds(partition)).next
    guard.know(guard.seen > mark ? guard.seen : mark)
    if (guard.seen < mark) await this.lookAt(partition)
  }

  async append(partition: number, record: NewRecord): Promise<Appended> {
    const guard = this.#guard(partition)
    if (!guard.isOpen) await this.#open(partition, guard)
    let sentFloor = guard.floor
    // The record carries the end that it is compared with here, so that readers also know that it is refused.
    const knownEnd = () => {
      sentFloor = guard.floor
      return sentFloor
    }
    const appended = await this.inner.append(partition, { ...record, knownEnd })
    if (appended.offset < sentFloor) throw this.#steppedBack(partition, guard, sentFloor, appended)
    guard.know(appended.offset + 1n)
    this.#onAppended(partition, guard.floor)
    return appended
  }

  async read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    this.#assertNotRenewed()
    const records = await this.inner.read(partition, from, maxBytes)
    const nodes = this.#quarantinedNodes(partition)
    return nodes.size === 0 ? records : records.map(record => inQuarantine(record, nodes.get(record.offset)))
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

  /** Opens a partition for later appends, which wait in their order. */
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
    this.#assertNotRenewed()
  }

  #assertNotRenewed(): void {
    if (this.#renewed !== undefined) throw new LogError('LOG_TAIL_LOST', this.#renewed)
  }

  /**
   * The end moved back while this process ran: a broker without the records became leader, or the topic was created
   * again.
   */
  #steppedBack(partition: number, guard: PartitionGuard, floor: bigint, { offset }: Appended): LogError {
    guard.isOpen = false
    const message = `The end of ${this.name}/${partition} went back from ${floor} to ${offset} while it was written.`
    return new LogError('LOG_UNAVAILABLE', message)
  }

  #guard(partition: number): PartitionGuard {
    return this.#guards[partition] ?? new PartitionGuard()
  }
}

function inQuarantine(record: LogRecord, nodes: ReadonlySet<string> | undefined): LogRecord {
  return nodes === undefined ? record : { ...record, quarantinedNodes: nodes }
}

class PartitionGuard {
  isOpen = false
  /** Lowest offset above all records that this process knows. */
  floor = 0n
  /** End of the partition at the last check. */
  seen = 0n
  lost: LostTail | undefined
  lookedAtMs = Number.NEGATIVE_INFINITY
  looking: Promise<LostTail | undefined> | undefined

  know(end: bigint): void {
    if (end > this.floor) this.floor = end
  }
}

function renewedSentence(topic: string): string {
  return (
    `The topic ${topic} was created again while this process ran. Nothing is accepted there. Accept the loss of its records, ` +
    'which "weir verify" names, and start this process again'
  )
}

/** Names of the topics on the command line. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  [INGEST_TOPIC]: 'ingest',
  [KEYED_TOPIC]: 'keyed',
  [OUTBOX_TOPIC]: 'outbox',
  [CONFIG_TOPIC]: 'config',
}

/** Error that names the missing records and the command that accepts their loss. */
export class TailLostError extends LogError {
  readonly lost: LostTail

  constructor(lost: LostTail) {
    super('LOG_TAIL_LOST', lostTailSentence(lost))
    this.lost = lost
  }
}

export function lostTailSentence(lost: LostTail): string {
  return (
    `${lostTailPlace(lost)}, but records up to ${lost.to} are known to have existed: the end of its log was lost. Nothing is accepted ` +
    `there. Restore the log from a complete copy, or accept the loss: ${acceptLossCommand(lost)}`
  )
}

/**
 * Advice beside a lost tail. The configuration may be complete as far as it is known, and yet be old, if its log and its
 * marks were restored from the same older copy.
 */
export const OLDER_CONFIGURATION =
  'If parts of the data folder were restored from an older copy, the configuration may be of that older moment, too: check tokens, ' +
  'keys and members ("weir token list", "weir key list", "weir member list"), and revoke and delete again those that were revoked or deleted since'

/** Beginning of every message about a lost tail, the same for all sources and amounts. */
export function lostTailPlace({ topic, partition, from }: LostTail): string {
  return `Partition ${partition} of ${topic} ends before record ${from}`
}

const PLACE = /Partition (\d+) of (\S+) ends before record (\d+)/

/** Whether a sentence reports a lost tail whose place has a record by now: the loss was accepted. */
export async function isFilledPlace(sentence: string, topic: Topic): Promise<boolean> {
  const [, partition, name, from] = PLACE.exec(sentence) ?? []
  if (from === undefined || name !== topic.name) return false
  return (await topic.bounds(Number(partition))).next > BigInt(from)
}

/** The command that continues without the missing records. */
export function acceptLossCommand({ topic, partition, from, to }: LostTail): string {
  const name = SHORT_NAMES[topic] ?? topic
  return `weir log accept-loss --topic ${name} --partition ${partition} --from ${from} --to ${to}`
}

/**
 * Troubles of partitions that are present ones. A worker that has stopped at a lost tail continues to report it for a moment after the
 * loss was accepted.
 */
export async function presentTroubles(
  reported: ReadonlyMap<number, string>,
  topics: readonly Topic[],
): Promise<ReadonlyMap<number, string>> {
  const present = new Map(reported)
  for (const [partition, sentence] of reported)
    for (const topic of topics) if (await isFilledPlace(sentence, topic)) present.delete(partition)
  return present
}
