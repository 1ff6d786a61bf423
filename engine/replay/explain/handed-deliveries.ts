import { outgoingType } from '../../../schemas/log/outgoing.ts'
import type { Position } from '../../../schemas/log/position.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import type { BatchRulesSource } from '../../delivery/fold/batch-rules.ts'
import { DeliveryFold, type OutboxIdentity } from '../../delivery/fold/delivery-fold.ts'
import { HandedEvents } from '../../delivery/fold/handed-events.ts'
import type { AnsweredBatch, Lane } from '../../delivery/fold/lane.ts'
import type { LaneName } from '../../delivery/fold/lane-cursor.ts'
import { outboxRecord } from '../../delivery/fold/outbox-record.ts'
import { batchId } from '../../delivery/sending/batch-id.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import { sourceKey } from '../../fold/spread/spread-account.ts'
import { isTrimmed, type Topic } from '../../log/log.ts'
import { READ_BYTES, recordsBetween } from '../../log/records-between.ts'
import { CheckpointLog } from '../checkpoint-log.ts'

/** Assumed maximum difference between the clocks of brokers. */
const CLOCKS_DIFFER_MS = 1_000

/** An event that a node handed over to the outbox. */
export interface HandedOver extends LaneName {
  /** Partition that handed it over. The partition of the outbox has the same number. */
  readonly source: PartitionName
  readonly position: Position
  /** The log's clock when the record was appended with which it was handed over, UNIX ms. */
  readonly appendTimeMs: number
}

/** A batch that contains an event. */
export interface FoundBatch {
  /** Repeats have the same id. */
  readonly id: string
  /** Number in its lane. */
  readonly number: number
}

/** Reason for which an event was given up. */
export interface GivenUp {
  readonly code: string
  readonly field: string | null
  readonly message: string
  /** Status of the answer; null: there was none. */
  readonly status: number | null
}

/**
 * Fate of an event. `waiting`: it is in a closed batch, or in none yet; `dropped`: its pipeline was deleted first; `not kept`:
 * the log no longer contains what would show it.
 */
export type Delivery =
  | {
      readonly state: 'delivered' | 'given up'
      readonly batch: FoundBatch
      readonly attempts: number
      /** Log time of the report, UNIX ms. */
      readonly atMs: number
      readonly failure: GivenUp | undefined
    }
  | { readonly state: 'waiting'; readonly batch: FoundBatch | undefined }
  | { readonly state: 'dropped' | 'not kept' }

export interface ExplainedOutbox {
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly rules: BatchRulesSource
}

/** Place of an event in the outbox. */
interface Place {
  readonly offset: number
  readonly row: number
}

interface Wanted extends HandedOver {
  readonly place: Place
}

/** Finds out from the kept log what became of events that were handed over. */
export class HandedDeliveries {
  readonly #outbox: ExplainedOutbox
  readonly #rest: () => Promise<void>
  /** Deliveries that were found, by node and position. */
  readonly #found = new Map<string, Delivery>()

  /** @param rest called repeatedly, so that other work of this process gets its turn */
  constructor(outbox: ExplainedOutbox, rest: () => Promise<void>) {
    this.#outbox = outbox
    this.#rest = rest
  }

  /** Delivery of an event that was followed. */
  of(event: Omit<HandedOver, 'appendTimeMs'>): Delivery | undefined {
    return this.#found.get(keyOf(event))
  }

  async follow(events: readonly HandedOver[]): Promise<void> {
    const unknown = events.filter(event => this.of(event) === undefined)
    const byPartition = Map.groupBy(unknown, ({ source }) => source.partition)
    for (const [partition, group] of byPartition) {
      try {
        await new OutboxReplay(this.#outbox, partition, this.#rest).follow(group, this.#found)
      } catch (error) {
        if (!isTrimmed(error)) throw error
      }
      for (const event of group)
        if (this.of(event) === undefined) this.#found.set(keyOf(event), { state: 'not kept' })
    }
  }
}

/** Folds an outbox partition until the reports about some events have been read, or the log ends. */
class OutboxReplay {
  readonly #outbox: ExplainedOutbox
  readonly #identity: OutboxIdentity
  readonly #rest: () => Promise<void>

  constructor(outbox: ExplainedOutbox, partition: number, rest: () => Promise<void>) {
    const { name: topic, logId } = outbox.topic
    this.#outbox = outbox
    this.#identity = { topic, partition, logId }
    this.#rest = rest
  }

  /** @param found receives the deliveries that the log shows */
  async follow(events: readonly HandedOver[], found: Map<string, Delivery>): Promise<void> {
    const { next } = await this.#outbox.topic.bounds(this.#identity.partition)
    const wanted = new Set(await this.#placesOf(events, next, found))
    if (wanted.size === 0) return
    const fold = await this.#foldBefore([...wanted])
    if (fold === undefined) return
    const settle = (event: Wanted, delivery: Delivery) => {
      found.set(keyOf(event), delivery)
      wanted.delete(event)
    }
    await this.#foldTo(fold, next, answered => {
      for (const event of wanted) {
        const delivery = this.#deliveryIn(answered, event)
        if (delivery !== undefined) settle(event, delivery)
      }
      return wanted.size === 0
    })
    for (const event of wanted) settle(event, await this.#presentDelivery(fold, event))
  }

  /** Finds the events on the log. Those that have not arrived wait. */
  async #placesOf(
    events: readonly HandedOver[],
    next: bigint,
    found: Map<string, Delivery>,
  ): Promise<Wanted[]> {
    const { topic } = this.#outbox
    const { partition } = this.#identity
    const { first } = await topic.bounds(partition)
    const sinceMs = Math.min(...events.map(({ appendTimeMs }) => appendTimeMs)) - CLOCKS_DIFFER_MS
    const from = (await topic.offsetAtTime(partition, sinceMs)) ?? next
    const sought = new Map(events.map(event => [keyOf(event), event]))
    const places: Wanted[] = []
    for await (const record of recordsBetween(topic, partition, { first: from, next }, READ_BYTES)) {
      if (schemaIdOf(record.value) !== outgoingType.id) continue
      const { content } = outboxRecord(this.#identity, record)
      if (content.kind !== 'handed') continue
      for (const part of content.parts.filter(each => each instanceof HandedEvents))
        for (const [event, row] of soughtIn(part, content, sought)) {
          places.push({ ...event, place: { offset: Number(record.offset), row } })
          sought.delete(keyOf(event))
        }
      if (sought.size === 0) return places
      await this.#rest()
    }
    // Where the log was trimmed up to that time, they may have been in a part that is gone.
    const isWhole = from > first || first === 0n
    for (const key of sought.keys()) if (isWhole) found.set(key, { state: 'waiting', batch: undefined })
    return places
  }

  /** The newest fold at which none of the events had a report; undefined: the log has none. */
  async #foldBefore(events: readonly Wanted[]): Promise<DeliveryFold | undefined> {
    const { topic, checkpoints, rules } = this.#outbox
    const { partition } = this.#identity
    const { first, next } = await topic.bounds(partition)
    const log = new CheckpointLog(checkpoints, { topic, partition })
    for (let upTo = next; ; ) {
      const kept = await log.nearest(first, upTo)
      if (kept === undefined) break
      const fold = DeliveryFold.restored(rules, this.#identity, kept.body)
      if (fold.neededFrom >= first && events.every(event => isOpenIn(fold, event))) return fold
      upTo = kept.nextOffset - 1n
    }
    return first === 0n ? new DeliveryFold(rules, this.#identity) : undefined
  }

  /** @param isDone receives batches with their reports, and ends it */
  async #foldTo(
    fold: DeliveryFold,
    next: bigint,
    isDone: (answered: readonly AnsweredBatch[]) => boolean,
  ): Promise<void> {
    const { topic } = this.#outbox
    const { partition } = this.#identity
    for await (const record of recordsBetween(topic, partition, { first: fold.nextOffset, next })) {
      fold.apply(record)
      for (let lane = fold.behindReports; lane !== undefined; lane = fold.behindReports)
        await this.#advance(lane, fold)
      fold.takeTroubles()
      if (isDone(fold.takeAnswered())) return
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

  #deliveryIn(answered: readonly AnsweredBatch[], event: Wanted): Delivery | undefined {
    for (const { lane, batch, report, timeMs: atMs } of answered) {
      const index = isSameLane(lane, event) ? indexIn(batch.stretches, event.place) : undefined
      if (index === undefined) continue
      const failed = report.failures.find(({ row, count }) => index >= row && index < row + count)
      const state = failed === undefined ? 'delivered' : 'given up'
      const id = batchId(this.#identity, lane, batch)
      const found = { id, number: batch.number }
      return { state, batch: found, attempts: report.attempts, atMs, failure: failed && reasonOf(failed) }
    }
    return undefined
  }

  /** Delivery of an event without a report. */
  async #presentDelivery(fold: DeliveryFold, event: Wanted): Promise<Delivery> {
    const lane = fold.lane(event.account, event.pipeline, event.node)
    while (lane !== undefined && fold.lags(lane)) await this.#advance(lane, fold)
    if (lane?.cursor === undefined) return { state: 'dropped' }
    const { closed } = lane.cursor.snapshot()
    const batch = closed.find(({ stretches }) => indexIn(stretches, event.place) !== undefined)
    const id = batch && batchId(this.#identity, event, batch)
    return { state: 'waiting', batch: batch && { id: String(id), number: batch.number } }
  }
}

/** Events of a part that are sought, with their rows in the record. */
function* soughtIn(
  part: HandedEvents,
  { account, source }: { readonly account: string; readonly source: string },
  sought: ReadonlyMap<string, HandedOver>,
): Generator<readonly [HandedOver, number]> {
  const { pipeline, node, firstRow, positions } = part
  for (const [index, position] of positions.entries()) {
    const event = sought.get(keyIn(source, { account, pipeline, node, position }))
    if (event !== undefined) yield [event, firstRow + index]
  }
}

/** Whether an event has no report yet: its lane has not read it, or it is in a batch. */
function isOpenIn(fold: DeliveryFold, { account, pipeline, node, place }: Wanted): boolean {
  if (BigInt(place.offset) >= fold.nextOffset) return true
  const cursor = fold.lane(account, pipeline, node)?.cursor
  if (cursor === undefined) return false
  if (BigInt(place.offset) >= cursor.nextOffset) return true
  const { open, closed } = cursor.snapshot()
  return [...open, ...closed].some(({ stretches }) => indexIn(stretches, place) !== undefined)
}

/** Index of an event in a batch; undefined: it is not in it. */
function indexIn(
  stretches: readonly { readonly offset: number; readonly row: number; readonly count: number }[],
  { offset, row }: Place,
): number | undefined {
  let index = 0
  for (const stretch of stretches) {
    if (stretch.offset === offset && row >= stretch.row && row < stretch.row + stretch.count)
      return index + row - stretch.row
    index += stretch.count
  }
  return undefined
}

function reasonOf({ code, field, message, status }: GivenUp): GivenUp {
  return { code, field, message, status }
}

function isSameLane(one: LaneName, other: LaneName): boolean {
  return one.account === other.account && one.pipeline === other.pipeline && one.node === other.node
}

function keyOf(event: Omit<HandedOver, 'appendTimeMs'>): string {
  return keyIn(sourceKey(event.source), event)
}

function keyIn(
  source: string,
  { account, pipeline, node, position }: LaneName & { readonly position: Position },
) {
  return `${source} ${account} ${pipeline} ${node} ${position.offset} ${position.row}`
}
