import type { Logger } from 'pino'
import type { Clock } from '../../engine/clock/clock.ts'
import { guardedClock } from '../../engine/clock/guarded-clock.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { SealError } from '../../engine/configuration/seal.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { KafkaGroup } from '../../engine/log/kafka/kafka-group.ts'
import { kafkaLog } from '../../engine/log/kafka/kafka-log.ts'
import { type Log, LogError, type Topic } from '../../engine/log/log.ts'
import { registryLog } from '../../engine/log/registry-log.ts'
import {
  CONFIG_TOPIC,
  INGEST_TOPIC,
  KEYS_TOPIC,
  openPartitionedTopics,
  type PartitionedTopics,
} from '../../engine/log/topics.ts'
import { WireFormatError } from '../../schemas/wire-format.ts'
import { type Settings, SettingsError } from '../settings.ts'
import { kafkaClientOptions, kafkaTrouble } from './kafka-links.ts'
import { openSchemaRegistry } from './schema-registry.ts'

export const ENGINE_GROUP = 'weir.engine'

/** What every process of a cluster stands on. */
export interface ClusterBase {
  readonly settings: Settings
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed']
  readonly deadLetters: Topic
  /** Answers to idempotency keys that processes tell each other. */
  readonly keys: Topic
  readonly configuration: ConfigurationLog
  /** Shares the partitions among the engines. */
  readonly group: KafkaGroup
}

/** Opens the log on Kafka and the configuration on it. @throws SettingsError, LogError with a sentence */
export async function openClusterBase(settings: Settings, logger: Logger): Promise<ClusterBase> {
  const clock = guardedClock(systemClock())
  const entropy = systemEntropy()
  const { kafkaTopicPrefix: prefix, kafkaReplication: replication, partitions } = settings
  const kafka = kafkaClient(kafkaClientOptions(settings, logger))
  const schemas = await openSchemaRegistry(settings)
  const brokers = await kafkaLog({ kafka, clock, logger, prefix, replication }).catch(error => {
    throw kafkaTrouble(settings, error)
  })
  const log = schemas === undefined ? brokers : registryLog(brokers, schemas.ids, schemas.lookup)
  try {
    const { ingest, checkpoints, keyed, deadLetters } = await partitionedTopics(log, partitions)
    const keys = await log.topic(KEYS_TOPIC, partitions)
    const configuration = await openConfiguration(settings, { log, clock, entropy, logger })
    const group = new KafkaGroup({
      kafka,
      clock,
      logger,
      groupId: `${prefix}${ENGINE_GROUP}`,
      topic: `${prefix}${INGEST_TOPIC}`,
      prefix,
      partitions,
      sessionTimeoutMs: settings.kafkaSessionTimeoutMs,
    })
    return {
      settings,
      clock,
      entropy,
      log,
      ingest,
      checkpoints,
      keyed,
      deadLetters,
      keys,
      configuration,
      group,
    }
  } catch (error) {
    await log.close()
    throw kafkaTrouble(settings, error)
  }
}

async function partitionedTopics(log: Log, partitions: number): Promise<PartitionedTopics> {
  try {
    return await openPartitionedTopics(log, partitions)
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'LOG_PARTITIONS_DIFFER') throw error
    throw new SettingsError([
      `WEIR_PARTITIONS is ${partitions}, which the log was not made with. ${error.message} Set WEIR_PARTITIONS to the ` +
        'number that it has: partitions added later would split the keys of what is counted per key.',
    ])
  }
}

async function openConfiguration(
  { secretKey }: Settings,
  { log, clock, entropy, logger }: Pick<ClusterBase, 'log' | 'clock' | 'entropy'> & { logger: Logger },
): Promise<ConfigurationLog> {
  const topic = await log.topic(CONFIG_TOPIC, 1)
  try {
    return await ConfigurationLog.open({
      topic,
      clock,
      entropy,
      secretKey: Buffer.from(secretKey as string, 'hex'),
      logger,
    })
  } catch (cause) {
    if (cause instanceof WireFormatError)
      throw new SettingsError([`the configuration on Kafka cannot be read: ${cause.message}`])
    if (!(cause instanceof SealError)) throw cause
    throw new SettingsError([
      'WEIR_SECRET_KEY is not the key that secrets on the log were written with: set the one of the other processes',
    ])
  }
}
