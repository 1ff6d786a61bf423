import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import kafkajs, { type ICustomPartitioner, type Producer } from 'kafkajs'
import { untilAborted } from '../../engine/clock/until-aborted.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
// Repairs kafkajs.
import '../../engine/log/kafka/kafkajs-cluster.ts'
import { silentLogger } from '../../engine/logger.ts'
import type { KafkaCompression, KafkaOutcome, KafkaProduction } from '../../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../../engine/outbound/outbound.ts'
import { OutboundError, type OutboundErrorCode } from '../../engine/outbound/outbound-error.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { LateSocket } from './late-socket.ts'
import { lz4Frame } from './lz4-frame.ts'

const CONNECT_MS = 30_000
const REQUEST_MS = MINUTE_MS
/**
 * Clusters with open connections, for each account and login. When a further one is needed, the least recently used one is closed after
 * its last answer.
 */
const MAX_CLUSTERS = 256
const ALL_REPLICAS = -1

const { CompressionTypes, CompressionCodecs, Partitioners } = kafkajs
const TYPES: Readonly<Record<KafkaCompression, number>> = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
}

const zstdCompressed = promisify<Buffer, Buffer>(zstdCompress)

/** Adds compressions that kafkajs lacks. */
function addCodecs(): void {
  const codec = (compress: (bytes: Buffer) => Promise<Buffer>) => () => ({
    compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer),
    decompress: () => Promise.reject(new Error('producers receive no records')),
  })
  CompressionCodecs[CompressionTypes.ZSTD] = codec(bytes => zstdCompressed(bytes))
  CompressionCodecs[CompressionTypes.LZ4] = codec(async bytes => lz4Frame(bytes))
  CompressionCodecs[CompressionTypes.Snappy] = codec(async bytes => (await import('snappy')).compress(bytes))
}

addCodecs()

interface OpenCluster {
  readonly producer: Producer
  /** Reasons of connections that failed since the last send began. */
  readonly failures: OutboundErrorCode[]
  /** Ends when the cluster is free for the next request. */
  free: Promise<unknown>
}

/** Sends records to clusters of Kafka that users named, and keeps their connections for later ones. */
export class KafkaProducers {
  readonly #outbound: Pick<Outbound, 'connect' | 'connectTls'>
  readonly #clusters = new Map<string, OpenCluster>()

  constructor(outbound: Pick<Outbound, 'connect' | 'connectTls'>) {
    this.#outbound = outbound
  }

  /**
   * Sends the records of one request. Requests of one account to one cluster are sent one after the other.
   *
   * @param signal ends the wait; records on their way may be written nevertheless
   * @throws the reason of the signal
   */
  async send(production: KafkaProduction, signal: AbortSignal): Promise<KafkaOutcome> {
    const cluster = this.#clusterOf(production)
    const produced = cluster.free.then(() => {
      signal.throwIfAborted()
      return produce(cluster, production)
    })
    cluster.free = produced.catch(() => {})
    return untilAborted(produced, signal)
  }

  async close(): Promise<void> {
    const clusters = [...this.#clusters.values()]
    this.#clusters.clear()
    await Promise.all(clusters.map(({ producer }) => producer.disconnect()))
  }

  #clusterOf({ owner = '', brokers, tls, login }: KafkaProduction): OpenCluster {
    const key = JSON.stringify([owner, brokers, tls, login])
    const cluster = this.#clusters.get(key) ?? this.#opened({ brokers, tls, login })
    this.#clusters.delete(key)
    this.#clusters.set(key, cluster)
    const [[oldest, unused] = []] = this.#clusters
    if (this.#clusters.size > MAX_CLUSTERS && oldest !== undefined) {
      this.#clusters.delete(oldest)
      void unused?.free.then(() => unused.producer.disconnect()).catch(() => {})
    }
    return cluster
  }

  #opened({
    brokers,
    tls,
    login,
  }: Pick<KafkaProduction, 'brokers'> & {
    tls: KafkaProduction['tls'] | undefined
    login: KafkaProduction['login'] | undefined
  }): OpenCluster {
    const failures: OutboundErrorCode[] = []
    const client = kafkaClient({
      brokers: brokers.map(({ host, port }) => `${host}:${port}`),
      logger: silentLogger,
      sasl: login,
      requestTimeoutMs: REQUEST_MS,
      // Every broker that the cluster names is reached here, so its address is judged.
      socketFactory: ({ host, port, onConnect }) => {
        const signal = AbortSignal.timeout(CONNECT_MS)
        const address = { host, port }
        const opening =
          tls === undefined
            ? this.#outbound.connect(address, signal)
            : this.#outbound.connectTls(address, tls, signal)
        opening.catch((error: unknown) =>
          failures.push(error instanceof OutboundError ? error.code : 'NOT_CONNECTED'),
        )
        return new LateSocket(opening, onConnect) as never
      },
    })
    return {
      producer: client.producer({ createPartitioner: stickyPartitioner, retry: { retries: 0 } }),
      failures,
      free: Promise.resolve(),
    }
  }
}

async function produce(
  { producer, failures }: OpenCluster,
  production: KafkaProduction,
): Promise<KafkaOutcome> {
  failures.length = 0
  try {
    await producer.connect()
    if (production.records.length === 0) return { error: null }
    await producer.send({
      topic: production.topic,
      ...{ acks: ALL_REPLICAS, timeout: REQUEST_MS, compression: TYPES[production.compression] },
      messages: production.records.map(({ timestampMs, headers, ...record }) => ({
        ...{ ...record, headers: { ...headers }, timestamp: String(timestampMs) },
        ...{ stickiness: production.stickiness },
      })),
    })
    return { error: null }
  } catch (error) {
    return outcomeOf(error, failures)
  }
}

/** Records without a key go where one with their `stickiness` as key would go. */
const stickyPartitioner: ICustomPartitioner = () => {
  const partitionOf = Partitioners.DefaultPartitioner()
  return ({ message, ...others }) => {
    const { stickiness } = message as { readonly stickiness?: string }
    return partitionOf({ ...others, message: { ...message, key: message.key ?? stickiness ?? null } })
  }
}

/** @param failures of the connections that were tried */
function outcomeOf(error: unknown, failures: readonly OutboundErrorCode[]): KafkaOutcome {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { name, type } = cause as { readonly name: string; readonly type?: string }
    if (name === 'KafkaJSSASLAuthenticationError') return { error: 'SASL_AUTHENTICATION_FAILED' }
    if (type !== undefined) return { error: type }
    if (name === 'KafkaJSRequestTimeoutError') return { failure: 'TIMED_OUT' }
  }
  // A broker that is only away may have a neighbour whose address is denied.
  const [first = 'BROKEN'] = failures
  return { failure: failures.every(each => each === first) ? first : 'NOT_CONNECTED' }
}
