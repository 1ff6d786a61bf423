import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import kafkajs, { Kafka, type KafkaConfig } from 'kafkajs'

const { CompressionCodecs, CompressionTypes } = kafkajs
// Weir writes records with Zstandard, which kafkajs leaves to others.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async ({ buffer }: { buffer: Buffer }) => zstdCompressSync(buffer),
  decompress: async (buffer: Buffer) => zstdDecompressSync(buffer),
})

/** A broker that a test may end, hold and start again; its data stays. */
export interface KafkaBroker {
  /** Its number in the metadata of topics. */
  readonly id: number
  /** `host:port` for clients; the same after each start. */
  readonly address: string
  /** Id of its process on this machine; undefined while it is down, and in a container. */
  readonly pid: number | undefined
  /** Folder of its logs on this machine; undefined in a container. */
  readonly data?: string
  /** Resolves when it serves clients. With three brokers it needs another one that is up. */
  start(): Promise<void>
  /** Resolves when it has gone. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Connections stay, and nothing answers, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
}

export interface KafkaCluster {
  /** Name for messages: "Kafka 4.4.0 from its jars". */
  readonly name: string
  /** Addresses for clients, `host:port`. */
  readonly bootstrap: readonly string[]
  /** Empty for a cluster that was there before the tests. */
  readonly brokers: readonly KafkaBroker[]
  /** TLS and credentials of a client; empty when none are needed. */
  readonly security: Pick<KafkaConfig, 'ssl' | 'sasl'>
  /** A client of the test's own that prints nothing. @param config beyond addresses and security, or instead */
  client(config?: Partial<KafkaConfig>): Kafka
  /** Its data goes, too. */
  stop(): Promise<void>
}

export function kafkaCluster(cluster: Omit<KafkaCluster, 'client'>): KafkaCluster {
  const { bootstrap, security } = cluster
  return {
    ...cluster,
    client: config =>
      new Kafka({
        clientId: 'weir-test',
        brokers: [...bootstrap],
        logCreator: () => () => {},
        ...copyOf(security),
        ...config,
      }),
  }
}

/** A copy: kafkajs keeps the password in the object that it gets, whatever is spread over that object later. */
function copyOf(security: KafkaCluster['security']): KafkaCluster['security'] {
  return { ...security, ...(security.sasl && { sasl: { ...security.sasl } }) }
}
