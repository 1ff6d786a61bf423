import type { BatchRulesSource } from '../../delivery/fold/batch-rules.ts'
import { DeliveryFold, type OutboxIdentity } from '../../delivery/fold/delivery-fold.ts'
import type { Lane, LaneCounts } from '../../delivery/fold/lane.ts'
import { LaneCursor, type LaneName } from '../../delivery/fold/lane-cursor.ts'
import { outboxRecord } from '../../delivery/fold/outbox-record.ts'
import type { LogRecord, Topic } from '../../log/log.ts'
import { READ_BYTES, recordsBetween } from '../../log/records-between.ts'
import { CheckpointLog } from '../checkpoint-log.ts'
import { type DeliveryTotals, deliveriesMismatch, type Mismatch } from './verification-report.ts'

/** Counts of the lanes of a partition before a record. */
export interface CountedLanes {
  readonly nextOffset: bigint
  readonly lanes: readonly (LaneName & { readonly counts: LaneCounts })[]
}

/** The outbox, whose counts are compared with its log. */
export interface VerifiedOutbox {
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly rules: BatchRulesSource
  /** Counts that a running worker shows; undefined without one. */
  servedAt(partition: number): CountedLanes | undefined
}

const NO_TOTALS: DeliveryTotals = {
  ...{ lanes: 0, handedOver: 0, delivered: 0, givenUp: 0, dropped: 0, waiting: 0 },
}

const COUNTERS = ['handedOver', 'delivered', 'givenUp', 'dropped'] as const satisfies (keyof LaneCounts)[]

/**
 * Compares the counts of an outbox partition with its log. Its fold is computed again from the oldest place that the log allows. The
 * counts in later checkpoints, and those that a running worker shows, must be the same. Then the events that wait are counted
 * on the log, without the counts: handed over = delivered + given up + dropped + waiting.
 */
export class LanesVerification {
  readonly #outbox: VerifiedOutbox
  readonly #identity: OutboxIdentity
  readonly #rest: () => Promise<void>
  readonly totals = { ...NO_TOTALS }

  /** @param rest called repeatedly, so that other work of this process gets its turn; throws to end the verification */
  constructor(outbox: VerifiedOutbox, partition: number, rest: () => Promise<void>) {
    const { name: topic, logId } = outbox.topic
    this.#outbox = outbox
    this.#identity = { topic, partition, logId }
    this.#rest = rest
  }

  /** @returns the first mismatch; undefined when all counts agree, or nothing can be computed again */
  async run(): Promise<Mismatch | undefined> {
    const { topic, servedAt } = this.#outbox
    const { partition } = this.#identity
    const served = servedAt(partition)
    const { first, next } = await topic.bounds(partition)
    const kept = await this.#kept()
    const fold = first === 0n ? this.#restored() : kept.find(state => state.neededFrom >= first)
    if (fold === undefined) return undefined
    const until = served?.nextOffset ?? next
    const stored = kept.map(state => ({ where: 'checkpoint', counts: countsOf(state) }))
    const shown = served === undefined ? [] : [{ where: 'running engine', counts: served }]
    for (const { where, counts } of [...stored, ...shown]) {
      if (counts.nextOffset < fold.nextOffset || counts.nextOffset > until) continue
      await this.#foldTo(fold, counts.nextOffset)
      const mismatch = this.#difference(countsOf(fold), counts, where)
      if (mismatch !== undefined) return mismatch
    }
    await this.#foldTo(fold, until)
    return this.#checkSums(fold)
  }

  /** Folds of the two newest checkpoints, older first. */
  async #kept(): Promise<DeliveryFold[]> {
    const { topic, checkpoints } = this.#outbox
    const { partition } = this.#identity
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newestTwo()
    return kept.map(({ body }) => this.#restored(body))
  }

  #restored(body?: Buffer): DeliveryFold {
    const { rules } = this.#outbox
    return body === undefined
      ? new DeliveryFold(rules, this.#identity)
      : DeliveryFold.restored(rules, this.#identity, body)
  }

  async #foldTo(fold: DeliveryFold, until: bigint): Promise<void> {
    const { topic } = this.#outbox
    const { partition } = this.#identity
    for await (const record of recordsBetween(topic, partition, { first: fold.nextOffset, next: until })) {
      fold.apply(record)
      for (let lane = fold.behindReports; lane !== undefined; lane = fold.behindReports)
        await this.#advance(lane, fold)
      // Errors and letters that follow from the reports were kept before.
      fold.takeAnswered()
      fold.takeTroubles()
      await this.#rest()
    }
  }

  async #advance(lane: Lane, fold: DeliveryFold): Promise<void> {
    const { topic } = this.#outbox
    const from = lane.cursor?.nextOffset ?? fold.nextOffset
    for (const record of await topic.read(this.#identity.partition, from, READ_BYTES)) {
      if (lane.isBlocked || record.offset >= fold.nextOffset) return
      fold.advance(lane, record)
    }
  }

  #difference(computed: CountedLanes, found: CountedLanes, where: string): Mismatch | undefined {
    const all = Map.groupBy([...computed.lanes, ...found.lanes], keyOf)
    for (const [key, [lane]] of all) {
      const [expected, given] = [computed, found].map(({ lanes }) => lanes.find(each => keyOf(each) === key))
      for (const count of COUNTERS) {
        const counts = [expected, given].map(each => each?.counts[count] ?? 0) as [number, number]
        if (counts[0] !== counts[1] && lane !== undefined)
          return this.#mismatch(lane, counts, { count: nameOf(count), where })
      }
    }
    return undefined
  }

  /** Counts the waiting events on the log. */
  async #checkSums(fold: DeliveryFold): Promise<Mismatch | undefined> {
    const waiting = await this.#waitingOnLog(fold)
    for (const lane of fold.lanes) {
      const found = waiting.get(lane) ?? 0
      this.#add(lane, found)
      if (lane.waiting !== found)
        return this.#mismatch(lane, [found, lane.waiting], { count: 'waiting', where: 'log' })
    }
    return undefined
  }

  /** Lets a copy of each cursor read to the end, as if all its batches had reports. */
  async #waitingOnLog(fold: DeliveryFold): Promise<Map<Lane, number>> {
    const { topic, rules } = this.#outbox
    const waiting = new Map<Lane, number>()
    const cursors: { readonly lane: Lane; readonly cursor: LaneCursor }[] = []
    for (const lane of fold.lanes)
      if (lane.cursor !== undefined && lane.waiting > 0)
        cursors.push({ lane, cursor: LaneCursor.restored(lane, rules, lane.cursor.snapshot()) })
    const next = fold.nextOffset
    let first = next
    for (const { cursor } of cursors) if (cursor.nextOffset < first) first = cursor.nextOffset
    for await (const record of recordsBetween(topic, this.#identity.partition, { first, next })) {
      for (const { lane, cursor } of cursors)
        waiting.set(lane, (waiting.get(lane) ?? 0) + this.#readBy(cursor, record))
      await this.#rest()
    }
    for (const { lane, cursor } of cursors) waiting.set(lane, (waiting.get(lane) ?? 0) + cursor.heldEvents)
    return waiting
  }

  /** @returns the events of batches that it has closed */
  #readBy(cursor: LaneCursor, record: LogRecord): number {
    if (record.offset >= cursor.nextOffset) cursor.apply(outboxRecord(this.#identity, record))
    let events = 0
    while (cursor.batch !== undefined) events += cursor.takeBatch().events
    return events
  }

  #add({ counts }: Lane, waiting: number): void {
    this.totals.lanes++
    this.totals.waiting += waiting
    for (const count of COUNTERS) this.totals[count] += counts[count]
  }

  #mismatch(
    { account, pipeline, node }: LaneName,
    [expected, found]: readonly [number, number],
    { count, where }: { readonly count: string; readonly where: string },
  ): Mismatch {
    const { topic, partition } = this.#identity
    return deliveriesMismatch({
      ...{ partition, expected, found },
      where: { topic, account, pipeline, node, count, in: where },
    })
  }
}

/** Counts of a fold or a worker. */
export function countsOf({ nextOffset, lanes }: Pick<DeliveryFold, 'nextOffset' | 'lanes'>): CountedLanes {
  return {
    nextOffset,
    lanes: Array.from(lanes, ({ account, pipeline, node, counts }) => {
      return { account, pipeline, node, counts: { ...counts } }
    }),
  }
}

function keyOf({ account, pipeline, node }: LaneName): string {
  return `${account} ${pipeline} ${node}`
}

/** Name of a count in texts. */
function nameOf(count: keyof LaneCounts): string {
  return count.replace(/[A-Z]/, letter => ` ${letter.toLowerCase()}`)
}
