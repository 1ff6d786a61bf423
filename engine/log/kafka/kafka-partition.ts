import { AppendQueue, type StoredGroup, type WaitingAppend } from '../append-queue.ts'
import { assertAppendable, assertReadable, closedError } from '../appendable.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord } from '../log.ts'
import { OffsetWaiters } from '../offset-waiters.ts'
import { FetchedRecords } from './fetched-records.ts'
import { isOutOfRange, type KafkaLink } from './kafka-link.ts'
import { type KafkaTail, PARTITION_BYTES } from './kafka-tail.ts'
import type { KafkaBroker } from './kafkajs-cluster.ts'
import { fetchExchange, READ_UNCOMMITTED } from './protocol/fetch-exchange.ts'
import { produceExchange } from './protocol/produce-exchange.ts'

/** Minimum size of a fetch; smaller fetches cost the same. */
const LEAST_FETCH_BYTES = 64 * 1024
const EARLIEST = -2
const LATEST = -1
/** Only the broker knows the available space; its answer to a write says that the space is used up. */
const UNBOUNDED = { admit: () => undefined, settle: () => undefined }

export interface PartitionLinks {
  /** Connections for requests that are answered at once. */
  readonly link: KafkaLink
  readonly tail: KafkaTail
}

/** One partition of a topic on Kafka. */
export class KafkaPartition {
  /** Name on Kafka. */
  readonly topic: string
  readonly partition: number
  readonly #links: PartitionLinks
  readonly #queue: AppendQueue
  readonly #fetched = new FetchedRecords()
  readonly #waiters = new OffsetWaiters()
  readonly #awaited: bigint[] = []
  /** The highest next offset seen so far. */
  #next = 0n
  #closed = false

  constructor(topic: string, partition: number, links: PartitionLinks) {
    this.topic = topic
    this.partition = partition
    this.#links = links
    this.#queue = new AppendQueue(UNBOUNDED, group => this.#store(group))
  }

  /** The lowest offset that a reader waits for. */
  get awaited(): bigint {
    return this.#awaited.toSorted((a, b) => Number(a - b))[0] ?? this.#next
  }

  async append(record: NewRecord): Promise<Appended> {
    this.#assertOpen()
    assertAppendable(record)
    return this.#queue.append(record, 0)
  }

  async read(from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    this.#assertOpen()
    const held = this.#fetched.take(from, maxBytes)
    if (held.length > 0) return held
    try {
      this.#fetched.replace(await this.#fetch(from, maxBytes))
    } catch (error) {
      if (!isOutOfRange(error)) throw error
      const { first, next } = await this.bounds()
      assertReadable(this.topic, this.partition, from, Number(first), Number(next))
      // The leader is new and does not know the progress of its followers yet; the offset becomes valid again.
      throw new LogError('LOG_UNAVAILABLE', `${this.topic}/${this.partition} does not have ${from} yet.`, {
        retriable: true,
        cause: error,
      })
    }
    return this.#fetched.take(from, maxBytes)
  }

  async bounds(): Promise<Bounds> {
    this.#assertOpen()
    const [first, next] = await Promise.all([this.#offsetAt(EARLIEST), this.#offsetAt(LATEST)])
    this.#advance(next)
    return { first, next }
  }

  async waitBeyond(offset: bigint, signal: AbortSignal): Promise<void> {
    this.#assertOpen()
    if (signal.aborted || this.#next > offset) return
    this.#awaited.push(offset)
    try {
      await this.#links.tail.during(this, this.#waiters.wait(Number(offset), signal))
    } finally {
      this.#awaited.splice(this.#awaited.indexOf(offset), 1)
    }
  }

  async trim(before: bigint): Promise<void> {
    const { first, next } = await this.bounds()
    const offset = before < next ? before : next
    if (offset <= first) return
    this.#fetched.trim(offset)
    const partitions = [{ partition: this.partition, offset: String(offset) }]
    await this.#ask(broker => broker.deleteRecords({ topics: [{ topic: this.topic, partitions }] }))
  }

  async offsetAtTime(timeMs: number): Promise<bigint | null> {
    this.#assertOpen()
    const offset = await this.#offsetAt(Math.max(0, Math.ceil(timeMs)))
    return offset < 0n ? null : offset
  }

  /** Adds fetched records of the tail. */
  take(records: readonly LogRecord[], next: bigint): void {
    if (records.length > 0) this.#fetched.replace(records.filter(({ offset }) => offset >= this.awaited))
    this.#advance(next)
  }

  /** Reads the bounds, and wakes readers whose records exist. */
  async look(): Promise<void> {
    await this.bounds()
  }

  /** Waits for outstanding appends. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.close()
    this.#waiters.close()
  }

  /** Stores the whole group with one request. While it is repeated, later appends wait. */
  async #store(group: readonly WaitingAppend[]): Promise<StoredGroup> {
    const records = group.map(({ record }) => record)
    const exchange = await produceExchange(this.topic, this.partition, records)
    const { topics } = await this.#ask(broker => broker.connectionPool.send(exchange))
    const produced = topics[0]?.partitions[0]
    if (produced === undefined) throw new Error('Kafka answered a produce request without a partition')
    return { first: Number(produced.baseOffset), appendTimeMs: Number(produced.logAppendTime) }
  }

  async #fetch(from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    const bytes = Math.min(Math.max(maxBytes, LEAST_FETCH_BYTES), PARTITION_BYTES)
    const { topic, partition } = this
    const exchange = fetchExchange({
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: bytes,
      partitions: [{ topic, partition, from, maxBytes: bytes }],
    })
    const { partitions } = await this.#ask(broker => broker.connectionPool.send(exchange))
    return partitions[0]?.records ?? []
  }

  async #offsetAt(timestamp: number): Promise<bigint> {
    const partitions = [{ partition: this.partition, timestamp }]
    const { responses } = await this.#ask(broker =>
      broker.listOffsets({ isolationLevel: READ_UNCOMMITTED, topics: [{ topic: this.topic, partitions }] }),
    )
    return BigInt(responses[0]?.partitions[0]?.offset ?? -1)
  }

  #ask<Answer>(call: (broker: KafkaBroker) => Promise<Answer>): Promise<Answer> {
    return this.#links.link.ask(this.topic, this.partition, call)
  }

  #advance(next: bigint): void {
    if (next <= this.#next) return
    this.#next = next
    this.#waiters.advance(Number(next))
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError()
  }
}
