import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import type { LogRecord } from '../log.ts'
import type { KafkaLink } from './kafka-link.ts'
import { fetchExchange } from './protocol/fetch-exchange.ts'

/** Time that a broker holds an empty fetch open; partitions that are followed in the meantime join the next one. */
const POLL_MS = 100
/** Bounds on the compressed size of one fetch; a larger batch still arrives as a whole. */
export const PARTITION_BYTES = 1024 * 1024
const FETCH_BYTES = 8 * 1024 * 1024
const PAUSES = { firstMs: 100, longestMs: 400 }

/** A partition whose head a reader waits for. */
export interface FollowedPartition {
  readonly topic: string
  readonly partition: number
  /** First offset that is not known yet. */
  readonly awaited: bigint
  /** Asks the broker once for the end of the partition. */
  look(): Promise<unknown>
  /** Receives fetched records and the present end of the partition. */
  take(records: readonly LogRecord[], end: bigint): void
}

/**
 * The single loop by which a process follows the heads of its partitions. Each leader gets a fetch for only those
 * partitions that a reader waits for. A reader that is busy causes no fetches, so the records held stay bounded.
 */
export class KafkaTail {
  readonly #link: KafkaLink
  readonly #backOff: BackOff
  /** Number of waiting readers per partition. */
  readonly #followed = new Map<FollowedPartition, number>()
  readonly #polled = new Map<number, Promise<void>>()
  #isAttending = false
  #closed = false

  constructor(link: KafkaLink, clock: Clock) {
    this.#link = link
    this.#backOff = new BackOff(clock, PAUSES)
  }

  /** Resolves when the wait does; the partition is followed until then. */
  async during(partition: FollowedPartition, wait: Promise<void>): Promise<void> {
    this.#followed.set(partition, (this.#followed.get(partition) ?? 0) + 1)
    void this.#attend()
    try {
      await wait
    } finally {
      const others = (this.#followed.get(partition) ?? 1) - 1
      if (others > 0) this.#followed.set(partition, others)
      else this.#followed.delete(partition)
    }
  }

  /** Resolves when all fetches have ended. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#polled.values())
  }

  /** Ensures that every leader of a followed partition is polled. */
  async #attend(): Promise<void> {
    if (this.#isAttending) return
    this.#isAttending = true
    try {
      while (!this.#closed && this.#followed.size > 0) {
        const byLeader = await this.#byLeader()
        for (const leader of byLeader.keys())
          if (!this.#polled.has(leader)) this.#polled.set(leader, this.#poll(leader))
        const found = [...byLeader.values()].reduce((sum, partitions) => sum + partitions.length, 0)
        if (found === this.#followed.size) return
        await this.#rest()
      }
    } finally {
      this.#isAttending = false
    }
  }

  async #poll(leader: number): Promise<void> {
    try {
      for (;;) {
        const partitions = this.#closed ? undefined : (await this.#byLeader()).get(leader)
        if (partitions === undefined) return
        await this.#fetch(leader, partitions)
        this.#backOff.reset()
      }
    } catch {
      // Direct calls to the partition report the error; this loop only tries again.
      await this.#rest()
      await Promise.all([...this.#followed.keys()].map(partition => partition.look().catch(() => undefined)))
    } finally {
      this.#polled.delete(leader)
      if (!this.#closed && this.#followed.size > 0) void this.#attend()
    }
  }

  async #fetch(leader: number, partitions: readonly FollowedPartition[]): Promise<void> {
    const broker = await this.#link.broker(leader)
    // A partition that got records is followed again as the last one, so the first ones do not keep the others waiting.
    const exchange = fetchExchange({
      maxWaitMs: POLL_MS,
      minBytes: 1,
      maxBytes: FETCH_BYTES,
      partitions: partitions.map(({ topic, partition, awaited }) => {
        return { topic, partition, from: awaited, maxBytes: PARTITION_BYTES }
      }),
    })
    const fetched = await broker.connectionPool.send(exchange)
    for (const { topic, partition, end, records } of fetched.partitions)
      partitions
        .find(followed => followed.topic === topic && followed.partition === partition)
        ?.take(records, end)
  }

  async #byLeader(): Promise<Map<number, FollowedPartition[]>> {
    const byLeader = new Map<number, FollowedPartition[]>()
    for (const partition of this.#followed.keys()) {
      // The leader of a partition without one is looked up again; the others continue.
      const leader = await this.#link.leaderOf(partition.topic, partition.partition).catch(() => undefined)
      if (leader === undefined) continue
      const others = byLeader.get(leader) ?? []
      byLeader.set(leader, others)
      others.push(partition)
    }
    return byLeader
  }

  async #rest(): Promise<void> {
    this.#link.doubt()
    await this.#backOff.pause()
  }
}
