import type { Kafka } from 'kafkajs'
import { mendKafkajs } from './kafkajs-mended.ts'

/**
 * The part of kafkajs that Weir uses: its connections and its protocol. Its producer and consumer are not used, because
 * they decide themselves when to repeat, when to send heartbeats and which records to deliver. A log must control this
 * itself. kafkajs exports this part only under a symbol. It has had no release since 2023, and its version is pinned.
 */

export interface KafkaCluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  /** Refreshes the leaders of all added topics. */
  refreshMetadata(): Promise<void>
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[]
  findBroker(options: { nodeId: number }): Promise<KafkaBroker>
  findGroupCoordinator(options: { groupId: string }): Promise<KafkaBroker>
}

export interface PartitionMetadata {
  readonly partitionId: number
  /** Node id; below 0 while there is none. */
  readonly leader: number
  readonly replicas: readonly number[]
}

export interface KafkaBroker {
  readonly connectionPool: { send<Answer>(exchange: KafkaExchange<Answer>): Promise<Answer> }
  listOffsets(request: {
    readonly isolationLevel: number
    readonly topics: readonly {
      readonly topic: string
      readonly partitions: readonly { readonly partition: number; readonly timestamp: number }[]
    }[]
  }): Promise<{
    readonly responses: readonly { readonly partitions: readonly { readonly offset: string }[] }[]
  }>
  joinGroup(request: {
    readonly groupId: string
    readonly sessionTimeout: number
    readonly rebalanceTimeout: number
    readonly memberId: string
    readonly protocolType: 'consumer'
    readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[]
  }): Promise<{
    readonly generationId: number
    readonly leaderId: string
    readonly memberId: string
    readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[]
  }>
  syncGroup(request: {
    readonly groupId: string
    readonly generationId: number
    readonly memberId: string
    readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[]
  }): Promise<{ readonly memberAssignment: Buffer }>
  heartbeat(request: {
    readonly groupId: string
    readonly groupGenerationId: number
    readonly memberId: string
  }): Promise<unknown>
  leaveGroup(request: { readonly groupId: string; readonly memberId: string }): Promise<unknown>
  offsetCommit(request: {
    readonly groupId: string
    readonly groupGenerationId: number
    readonly memberId: string
    readonly topics: readonly {
      readonly topic: string
      readonly partitions: readonly {
        readonly partition: number
        readonly offset: string
        readonly metadata: string
      }[]
    }[]
  }): Promise<unknown>
  offsetFetch(request: {
    readonly groupId: string
    readonly topics: readonly {
      readonly topic: string
      readonly partitions: readonly { readonly partition: number }[]
    }[]
  }): Promise<{
    readonly responses: readonly {
      readonly partitions: readonly {
        readonly partition: number
        readonly offset: string
        readonly metadata: string | null
      }[]
    }[]
  }>
  deleteRecords(request: {
    readonly topics: readonly {
      readonly topic: string
      readonly partitions: readonly { readonly partition: number; readonly offset: string }[]
    }[]
  }): Promise<unknown>
}

/** A request that Weir encodes itself, with the decoder of its answer. */
export interface KafkaExchange<Answer> {
  readonly request: {
    readonly apiKey: number
    readonly apiVersion: number
    readonly apiName: string
    readonly encode: () => Promise<unknown>
  }
  readonly response: {
    readonly decode: (bytes: Buffer) => Promise<Answer>
    readonly parse: (answer: Answer) => Promise<Answer>
  }
}

const CREATE_CLUSTER = 'private:Kafka:createCluster'

/** Separate connections to the brokers of a client, so that a waiting request does not delay others. */
export function clusterOf(kafka: Kafka): KafkaCluster {
  const create = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === CREATE_CLUSTER,
  ) as symbol
  // The declared type does not have members with symbols.
  const members = kafka as unknown as Record<symbol, (options: object) => KafkaCluster>
  return (members[create] as (options: object) => KafkaCluster)({
    metadataMaxAge: 300_000,
    allowAutoTopicCreation: false,
  })
}

mendKafkajs()
