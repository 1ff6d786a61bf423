import { STORE_TABLES } from '../../../schemas/log/tables.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import type { AcceptedGap } from '../../fold/flush.ts'
import type { LostTail } from '../../log/guarded-topic.ts'
import { LogError, type Topic } from '../../log/log.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { expiredRetention } from '../../store/retention.ts'
import type { Store } from '../../store/store.ts'
import { addedUsage, NO_USAGE, type StoreAudit, sameUsage, type UsageSums } from '../../store/store-audit.ts'
import { DAY_MS, HOUR_MS } from '../../times/duration.ts'
import { findLostTail } from '../lost-tail.ts'
import { isOlder, storedPart } from '../older-store.ts'
import { LanesVerification, type VerifiedOutbox } from './lanes-verification.ts'
import { PartitionVerification } from './partition-verification.ts'
import {
  type DayReport,
  type DeliveryTotals,
  filterMismatch,
  lostTailMismatch,
  type Mismatch,
  olderStoreMismatch,
  type PartitionReport,
  partitionMismatch,
  usageMismatch,
  type VerificationEvent,
  type VerificationReport,
} from './verification-report.ts'

/** Maximum lead of log time over the wall clock. */
const MAX_AHEAD_MS = HOUR_MS
/** Number of attempts when the log is trimmed during the replay of a partition. */
const ATTEMPTS = 3

/** A topic whose records are stored. */
export interface VerifiedTopic {
  readonly topic: Topic
  readonly checkpoints: Topic
  /** Offset below which a running worker has stored everything; undefined without one. */
  storedOffset(partition: number): bigint | undefined
  /** Looks for records that the end of a partition lacks; absent: by checkpoints and store. */
  lookAt?(partition: number): Promise<LostTail | undefined>
}

export interface TopicEnd extends Required<Pick<VerifiedTopic, 'lookAt'>> {
  readonly topic: Pick<Topic, 'name' | 'partitions'>
}

export interface VerificationPorts {
  readonly catalogue: Catalogue
  /** The topic of the lines comes first. */
  readonly topics: readonly VerifiedTopic[]
  /** Absent if no pipeline can send to other systems. */
  readonly outbox?: VerifiedOutbox
  /** Further topics, of which nothing is stored: only their ends are looked at. */
  readonly ends?: readonly TopicEnd[] | undefined
  readonly store: Store
  readonly audit: StoreAudit
  readonly clock: Clock
  /** The shortest retention, in days, with which lines of an account can ever have been stored. */
  leastRetentionDays(account: string): number
}

export interface VerificationOptions {
  readonly signal: AbortSignal
  report(event: VerificationEvent): void
  /** Called repeatedly during the work, so that other work of this process gets its turn. */
  rest(): Promise<void>
}

/**
 * Compares the store with the log, without any effect. It first reports every lost end of the log. Then it recomputes the
 * rows and compares counts and digests per partition and hour, then the usage of closed days and the usage projection. It
 * ends at the first mismatch.
 *
 * @throws LogError, StoreError, FoldError when it cannot continue
 */
export async function verify(
  ports: VerificationPorts,
  options: VerificationOptions,
): Promise<VerificationReport> {
  return new Verification(ports, options).run()
}

interface StoredPartition extends Pick<VerifiedTopic, 'topic' | 'checkpoints'> {
  readonly partition: number
  readonly storedOffset: bigint | undefined
}

/** Span over all partitions: days inside it were recomputed as a whole. */
interface Recomputed {
  fromMs: number
  untilMs: number
  readonly usage: Map<string, UsageSums>
  /** The log is incomplete for days with such a gap. */
  readonly gaps: AcceptedGap[]
}

class Verification {
  readonly #ports: VerificationPorts
  readonly #options: VerificationOptions
  readonly #partitions: PartitionReport[] = []
  readonly #days: DayReport[] = []
  #deliveries: DeliveryTotals | undefined
  readonly #recomputed: Recomputed = {
    fromMs: 0,
    untilMs: Number.POSITIVE_INFINITY,
    usage: new Map(),
    gaps: [],
  }

  constructor(ports: VerificationPorts, options: VerificationOptions) {
    this.#ports = ports
    this.#options = options
  }

  async run(): Promise<VerificationReport> {
    const { topics } = this.#ports
    const lostTails = await this.#lostTails()
    const [lost] = lostTails
    if (lost !== undefined) return { ...(await this.#report(lost)), lostTails }
    const older = await this.#olderStore()
    if (older !== undefined) return this.#report(older)
    // All ends are taken first, at once, because the engine continues during the verification.
    const all = topics.flatMap(({ topic, checkpoints, storedOffset }) =>
      Array.from({ length: topic.partitions }, (_, partition) => {
        return { topic, checkpoints, partition, storedOffset: storedOffset(partition) }
      }),
    )
    const partitions: StoredPartition[] = []
    for (const verified of all) if (await isOfInterest(verified)) partitions.push(verified)
    this.#options.report({ type: 'began', partitions: partitions.length, records: await this.#records() })
    for (const partition of partitions) {
      const mismatch = await this.#verifyPartition(partition)
      if (mismatch !== undefined) return this.#report(mismatch)
    }
    const deliveries = await this.#verifyDeliveries()
    if (deliveries !== undefined) return this.#report(deliveries)
    return this.#report((await this.#noPartition()) ?? (await this.#verifyDays()) ?? null)
  }

  async #report(mismatch: Mismatch | null): Promise<VerificationReport> {
    const damaged = await this.#ports.store.findDamage(this.#options.signal)
    const report = { partitions: this.#partitions, days: this.#days, mismatch, damaged }
    return this.#deliveries === undefined ? report : { ...report, deliveries: this.#deliveries }
  }

  /** All partitions that end before their known end: each loss must be accepted or repaired. */
  async #lostTails(): Promise<Mismatch[]> {
    const { topics, ends = [], store } = this.#ports
    const found: Mismatch[] = []
    const looked = topics.map(verified => ({
      topic: verified.topic,
      lookAt: verified.lookAt ?? (partition => findLostTail({ ...verified, store }, partition)),
    }))
    for (const { topic, lookAt } of [...looked, ...ends]) {
      for (let partition = 0; partition < topic.partitions; partition++) {
        const lost = await lookAt(partition)
        if (lost !== undefined) found.push(namingTopic(lostTailMismatch(lost), topic.name))
      }
    }
    return found
  }

  /** The first partition for which the store has less than its checkpoints include. */
  async #olderStore(): Promise<Mismatch | undefined> {
    const { topics, store } = this.#ports
    for (const { topic, checkpoints } of topics) {
      for (let partition = 0; partition < topic.partitions; partition++) {
        const part = await storedPart({ topic, checkpoints, store }, partition)
        if (part !== undefined && isOlder(part)) return namingTopic(olderStoreMismatch(part), topic.name)
      }
    }
    return undefined
  }

  /** Number of records on the log, for the display of progress. */
  async #records(): Promise<number> {
    let records = 0
    for (const { topic } of this.#ports.topics) {
      for (let partition = 0; partition < topic.partitions; partition++) {
        const { first, next } = await topic.bounds(partition)
        records += Number(next - first)
      }
    }
    return records
  }

  #verifyPartition(verified: StoredPartition): Promise<Mismatch | undefined> {
    const { report } = this.#options
    const { topic, partition } = verified
    return whileTrimmed(async () => {
      const verification = await PartitionVerification.begin({
        ...this.#ports,
        ...verified,
        rest: this.#rest,
        progress: (records, lines) => report({ type: 'progress', partition, records, lines }),
      })
      const mismatch = await verification.run()
      if (mismatch === undefined) await this.#takeIn(verification)
      return mismatch && namingTopic(mismatch, topic.name)
    })
  }

  /** Compares the counts of each outbox partition that was used. */
  async #verifyDeliveries(): Promise<Mismatch | undefined> {
    const { outbox } = this.#ports
    const partitions = outbox?.topic.partitions ?? 0
    for (let partition = 0; outbox !== undefined && partition < partitions; partition++) {
      if ((await outbox.topic.bounds(partition)).next === 0n) continue
      const mismatch = await whileTrimmed(async () => {
        const verification = new LanesVerification(outbox, partition, this.#rest)
        const found = await verification.run()
        if (found === undefined) this.#deliveries = summed(this.#deliveries, verification.totals)
        return found
      })
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }

  readonly #rest = async () => {
    await this.#options.rest()
    this.#options.signal.throwIfAborted()
  }

  async #takeIn(verification: PartitionVerification): Promise<void> {
    const partition = await verification.report()
    this.#partitions.push(partition)
    this.#options.report({ type: 'partition', ...partition })
    const recomputed = this.#recomputed
    recomputed.fromMs = Math.max(recomputed.fromMs, partition.fromMs)
    recomputed.untilMs = Math.min(recomputed.untilMs, partition.untilMs)
    recomputed.gaps.push(...verification.gaps)
    for (const [day, usage] of verification.usage)
      recomputed.usage.set(day, addedUsage(recomputed.usage.get(day) ?? NO_USAGE, usage))
  }

  async #noPartition(): Promise<Mismatch | undefined> {
    const { audit, topics, outbox } = this.#ports
    // Errors of deliveries have places of the outbox.
    const all = [...topics, ...(outbox === undefined ? [] : [outbox])]
    const known = all.map(({ topic: { name, partitions } }) => ({ name, partitions }))
    for (const table of STORE_TABLES) {
      const stray = await audit.firstOfNoPartition(known, table)
      if (stray !== undefined) return partitionMismatch(table, stray)
    }
    return undefined
  }

  async #verifyDays(): Promise<Mismatch | undefined> {
    for (const day of await this.#ports.audit.days()) {
      this.#options.signal.throwIfAborted()
      const mismatch = await this.#verifyDay(day)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }

  async #verifyDay(day: string): Promise<Mismatch | undefined> {
    const { audit, clock } = this.#ports
    const closed = await audit.closedUsage(day)
    const isOver = Date.parse(day) + DAY_MS <= clock.wallMs() + MAX_AHEAD_MS
    if (closed !== undefined && !isOver)
      return usageMismatch('closed-early', day, { expected: NO_USAGE, found: closed })
    const mismatch = closed && (await this.#verifyClosed(day, closed))
    if (mismatch !== undefined) return mismatch
    const projection = await audit.firstProjectionDifference(day)
    if (projection !== undefined)
      return usageMismatch('projection', day, projection, { part: projection.part })
    const unfiltered = await audit.firstWithoutFilter(day)
    if (unfiltered !== undefined) return filterMismatch(day, unfiltered)
    const report = { day, isClosed: closed !== undefined, isRecomputed: this.#isRecomputed(day) }
    this.#days.push(report)
    this.#options.report({ type: 'day', ...report })
    return undefined
  }

  /** Compares a closed day with the log if the log still has all of the day, otherwise with the lines. */
  async #verifyClosed(day: string, closed: UsageSums): Promise<Mismatch | undefined> {
    const { audit, clock, leastRetentionDays } = this.#ports
    const expected = this.#recomputed.usage.get(day) ?? NO_USAGE
    if (this.#isRecomputed(day) && sameUsage(expected, closed)) return undefined
    const past = expiredRetention(day, clock.wallMs())
    const difference = await audit.firstUsageDifference(day, account => leastRetentionDays(account) <= past)
    if (difference !== undefined) {
      const { account, app, host, tags } = difference
      return usageMismatch('usage', day, difference, { account, app, host, tags: tags.join(',') })
    }
    return this.#isRecomputed(day) ? usageMismatch('usage', day, { expected, found: closed }) : undefined
  }

  #isRecomputed(day: string): boolean {
    const { fromMs, untilMs, gaps } = this.#recomputed
    const startMs = Date.parse(day)
    const hasGap = gaps.some(gap => gap.sinceMs < startMs + DAY_MS && gap.untilMs >= startMs)
    return !hasGap && fromMs < startMs && startMs + DAY_MS <= untilMs
  }
}

/** If the log is trimmed during the replay, it begins again with the remaining records. */
async function whileTrimmed<Found>(replay: () => Promise<Found>): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await replay()
    } catch (error) {
      const wasTrimmed = error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE'
      if (!wasTrimmed || attempt === ATTEMPTS) throw error
    }
  }
}

function summed(one: DeliveryTotals | undefined, other: DeliveryTotals): DeliveryTotals {
  if (one === undefined) return other
  const sum = { ...one }
  for (const count of Object.keys(sum) as (keyof DeliveryTotals)[]) sum[count] += other[count]
  return sum
}

/** Keyed partitions that were never used are left out. */
async function isOfInterest({ topic, partition }: StoredPartition): Promise<boolean> {
  return topic.name === INGEST_TOPIC || (await topic.bounds(partition)).next > 0n
}

/** A mismatch without a topic belongs to the topic of the lines. */
function namingTopic(mismatch: Mismatch, topic: string): Mismatch {
  return topic === INGEST_TOPIC ? mismatch : { ...mismatch, where: { ...mismatch.where, topic } }
}
