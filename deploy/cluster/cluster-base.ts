import type { Logger } from 'pino'
import type { Clock } from '../../engine/clock/clock.ts'
import { guardedClock } from '../../engine/clock/guarded-clock.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { SealError } from '../../engine/configuration/seal.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { GuardedTopic, type LookForLostTail } from '../../engine/log/guarded-topic.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { KafkaGroup } from '../../engine/log/kafka/kafka-group.ts'
import { kafkaLog } from '../../engine/log/kafka/kafka-log.ts'
import { type Log, LogError, type Topic } from '../../engine/log/log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { registryLog } from '../../engine/log/registry-log.ts'
import { findLostTailNow } from '../../engine/replay/lost-tail.ts'
import { ReceivedPositions } from '../../engine/replay/received-positions.ts'
import type { Store } from '../../engine/store/store.ts'
import { CONFIG_TOPIC, INGEST_TOPIC, KEYS_TOPIC } from '../../schemas/log/topics.ts'
import { WireFormatError } from '../../schemas/log/wire-format.ts'
import { type Settings, SettingsError } from '../settings.ts'
import { kafkaClientOptions, kafkaTrouble } from './kafka-links.ts'
import { openSchemaRegistry } from './schema-registry.ts'

export const ENGINE_GROUP = 'weir.engine'
const MARKS_EVERY_MS = 1_000
/** Brokers that take longer to answer may have been away. */
const PROMPT_MS = 500

/** What every process of a cluster stands on. */
export interface ClusterBase {
  readonly settings: Settings
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly ingest: GuardedTopic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed'] & { readonly topic: GuardedTopic }
  readonly deadLetters: Topic
  /** Answers to idempotency keys that processes tell each other. */
  readonly keys: Topic
  readonly configuration: ConfigurationLog
  /** Shares the partitions among the engines. */
  readonly group: KafkaGroup
  /** What keyed partitions have of lost records. */
  readonly received: ReceivedPositions
  /** Asked where partitions must end, once it is open. */
  readonly witness: { store?: Store }
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
    const topics = await partitionedTopics(log, partitions)
    const { checkpoints, deadLetters } = topics
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
    const witness: ClusterBase['witness'] = {}
    const received = new ReceivedPositions(topics.keyed)
    const guarded = (topic: Topic, checkpointsOf: Topic) =>
      guardedTopic(topic, checkpointsOf, { group, received, witness, clock })
    const ingest = guarded(topics.ingest, checkpoints)
    const keyed = { ...topics.keyed, topic: guarded(topics.keyed.topic, topics.keyed.checkpoints) }
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
      received,
      witness,
    }
  } catch (error) {
    await log.close()
    throw kafkaTrouble(settings, error)
  }
}

/** A topic that takes nothing where its log ends before what checkpoints, engines, keyed partitions and the store know. */
function guardedTopic(
  topic: Topic,
  checkpoints: Topic,
  { group, received, witness, clock }: Pick<ClusterBase, 'group' | 'received' | 'witness' | 'clock'>,
): GuardedTopic {
  const mark = async (partition: number) => {
    const told = await group.progress(topic.name)
    return told.find(each => each.partition === partition)?.storedOffset ?? 0n
  }
  const look: LookForLostTail = (partition, floor) =>
    findLostTailNow({ topic, checkpoints, store: witness.store, mark, received }, partition, floor)
  return new GuardedTopic(topic, { look, monotonicMs: () => clock.monotonicMs() })
}

/**
 * Looks for partitions that engines have come further with than their log reaches, and for brokers that were away: the
 * leader that is elected then may lack records. Until the signal.
 */
export async function followMarks(
  { group, ingest, keyed, clock }: ClusterBase,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const topic of [ingest, keyed.topic]) {
      const askedMs = clock.monotonicMs()
      try {
        for (const { partition, storedOffset } of await group.progress(topic.name))
          await topic.noteMark(partition, storedOffset)
      } catch (error) {
        topic.doubt()
        logger.debug({ err: error }, 'how far the engines are is asked again')
      }
      if (clock.monotonicMs() - askedMs > PROMPT_MS) topic.doubt()
    }
    await clock.sleep(MARKS_EVERY_MS, signal)
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
