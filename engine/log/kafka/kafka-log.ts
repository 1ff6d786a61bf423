import type { Admin, Kafka } from 'kafkajs'
import type { Clock } from '../../clock/clock.ts'
import { type Logger, silentLogger } from '../../logger.ts'
import { assertPartition, assertTopic, closedError, partitionsDiffer } from '../appendable.ts'
import type { Appended, Bounds, Log, LogRecord, LogSpace, NewRecord, Topic } from '../log.ts'
import { KafkaLink, logErrorOf } from './kafka-link.ts'
import { KafkaPartition, type PartitionLinks } from './kafka-partition.ts'
import { KafkaTail } from './kafka-tail.ts'
import { ensureTopic } from './kafka-topics.ts'
import { clusterOf } from './kafkajs-cluster.ts'
import { topicIdExchange } from './protocol/topic-id.ts'
import { WantedCopies } from './wanted-copies.ts'

const DEFAULT_PATIENCE_MS = 5_000

export interface KafkaLogOptions {
  readonly kafka: Kafka
  readonly clock: Clock
  /** Receives warnings about topics that keep fewer copies than possible. */
  readonly logger?: Logger | undefined
  /** Copies of each record. Default: 3, or the number of brokers if lower. */
  readonly replication?: number | undefined
  /** Prefix of all topic names, so that several installations can share brokers. */
  readonly prefix?: string | undefined
  /** Time during which a call is repeated while brokers are unavailable, before its caller gets an error. */
  readonly patienceMs?: number | undefined
}

/**
 * A log on the brokers of a Kafka cluster, shared by any number of processes. @throws LogError when the cluster is
 * unavailable
 */
export async function kafkaLog(options: KafkaLogOptions): Promise<Log> {
  const log = new KafkaLog(options)
  await log.open()
  return log
}

class KafkaLog implements Log {
  readonly #options: KafkaLogOptions
  readonly #admin: Admin
  /** Connections for requests that are answered at once. Waiting for new records uses separate connections. */
  readonly #link: KafkaLink
  readonly #tailLink: KafkaLink
  readonly #tail: KafkaTail
  readonly #copies: WantedCopies
  readonly #topics = new Map<string, Promise<KafkaTopic>>()
  #closed = false

  constructor(options: KafkaLogOptions) {
    this.#options = options
    const { kafka, clock, logger = silentLogger, replication, patienceMs = DEFAULT_PATIENCE_MS } = options
    this.#admin = kafka.admin({ retry: { retries: 5, initialRetryTime: 50, maxRetryTime: 250 } })
    this.#copies = new WantedCopies({ admin: this.#admin, clock, logger, asked: replication })
    this.#link = new KafkaLink({ cluster: clusterOf(kafka), clock, patienceMs })
    this.#tailLink = new KafkaLink({ cluster: clusterOf(kafka), clock, patienceMs })
    this.#tail = new KafkaTail(this.#tailLink, clock)
  }

  async open(): Promise<void> {
    try {
      await Promise.all([this.#link.open(), this.#tailLink.open()])
      await this.#admin.connect()
    } catch (error) {
      await this.close()
      throw logErrorOf(error)
    }
  }

  topic(name: string, partitions: number): Promise<Topic> {
    if (this.#closed) return Promise.reject(closedError())
    assertTopic(name, partitions)
    const opened = this.#topics.get(name) ?? this.#open(name, partitions)
    this.#topics.set(name, opened)
    opened.catch(() => this.#topics.delete(name))
    return opened.then(topic => {
      if (topic.partitions !== partitions) throw partitionsDiffer(name, topic.partitions, partitions)
      return topic
    })
  }

  space(): LogSpace {
    return {
      usedBytes: 0,
      limitBytes: Number.MAX_SAFE_INTEGER,
      reservedBytes: 0,
      takesIngest: true,
      takesControl: true,
    }
  }

  /** The brokers manage their own space. */
  reserve(): void {}

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const topics = await Promise.allSettled(this.#topics.values())
    await Promise.all(topics.map(async topic => topic.status === 'fulfilled' && (await topic.value.close())))
    // A fetch at an unavailable broker ends with its connection.
    await Promise.all([
      this.#link.close(),
      this.#tailLink.close(),
      this.#tail.close(),
      this.#admin.disconnect(),
    ])
    await this.#tailLink.close()
  }

  async #open(name: string, partitions: number): Promise<KafkaTopic> {
    const { clock, prefix = '' } = this.#options
    const kafkaName = `${prefix}${name}`
    await ensureTopic(this.#admin, clock, { name: kafkaName, partitions, copies: this.#copies })
    await Promise.all([this.#link.follow([kafkaName]), this.#tailLink.follow([kafkaName])])
    const links = { link: this.#link, tail: this.#tail }
    const logId = await idOf(kafkaName, this.#link)
    return new KafkaTopic({ name, kafkaName, logId, partitions }, links)
  }
}

function idOf(kafkaName: string, link: KafkaLink): Promise<string> {
  return link.ask(kafkaName, 0, broker => broker.connectionPool.send(topicIdExchange(kafkaName)))
}

interface TopicIdentity {
  readonly name: string
  /** Topic name with the prefix. */
  readonly kafkaName: string
  readonly logId: string
  readonly partitions: number
}

class KafkaTopic implements Topic {
  readonly name: string
  readonly logId: string
  readonly presentId: () => Promise<string>
  readonly #partitions: readonly KafkaPartition[]

  constructor({ name, kafkaName, logId, partitions }: TopicIdentity, links: PartitionLinks) {
    this.name = name
    this.presentId = () => idOf(kafkaName, links.link)
    this.logId = logId
    this.#partitions = Array.from(
      { length: partitions },
      (_, partition) => new KafkaPartition(kafkaName, partition, links),
    )
  }

  get partitions(): number {
    return this.#partitions.length
  }

  async append(partition: number, record: NewRecord): Promise<Appended> {
    return this.#partition(partition).append(record)
  }

  async read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    return this.#partition(partition).read(from, maxBytes)
  }

  async bounds(partition: number): Promise<Bounds> {
    return this.#partition(partition).bounds()
  }

  async waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void> {
    return this.#partition(partition).waitBeyond(offset, signal)
  }

  async trim(partition: number, before: bigint): Promise<void> {
    return this.#partition(partition).trim(before)
  }

  async offsetAtTime(partition: number, timeMs: number): Promise<bigint | null> {
    return this.#partition(partition).offsetAtTime(timeMs)
  }

  async close(): Promise<void> {
    await Promise.all(this.#partitions.map(partition => partition.close()))
  }

  #partition(partition: number): KafkaPartition {
    assertPartition(this.name, this.partitions, partition)
    return this.#partitions[partition] as KafkaPartition
  }
}
