import type { Logger } from 'pino'
import type { Clock } from '../../engine/clock/clock.ts'
import { guardedClock } from '../../engine/clock/guarded-clock.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { quarantinedNodes } from '../../engine/configuration/kinds/quarantine.ts'
import { homesOfSpread } from '../../engine/configuration/kinds/spread.ts'
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
import { outboxWitnesses } from '../../engine/replay/lost-outbox-tail.ts'
import { findLostTail, findLostTailNow } from '../../engine/replay/lost-tail.ts'
import { ReceivedPositions } from '../../engine/replay/received-positions.ts'
import type { Store } from '../../engine/store/store.ts'
import { CONFIG_TOPIC, INGEST_TOPIC, KEYS_TOPIC } from '../../schemas/log/topics.ts'
import { WireFormatError } from '../../schemas/log/wire-format.ts'
import { installationOutbound, type OwnListener } from '../outbound/installation-outbound.ts'
import type { NetworkOutbound } from '../outbound/network-outbound.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'
import { kafkaClientOptions, kafkaTrouble } from './kafka-links.ts'
import { openSchemaRegistry } from './schema-registry.ts'

export const ENGINE_GROUP = 'weir.engine'
const MARKS_EVERY_MS = 1_000
/** Brokers that take longer to answer may have been unavailable. */
const PROMPT_MS = 500

/** Connections and topics that every process of a cluster uses. */
export interface ClusterBase {
  readonly settings: Settings
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly ingest: GuardedTopic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed'] & { readonly topic: GuardedTopic }
  readonly deadLetters: Topic
  readonly outbox: PartitionedTopics['outbox'] & { readonly topic: GuardedTopic }
  readonly outbound: NetworkOutbound
  /** Present listeners of the process: nothing connects to them. */
  readonly listeners: OwnListener[]
  /** Answers to idempotency keys that processes share. */
  readonly keys: Topic
  readonly configuration: ConfigurationLog
  /** Distributes the partitions over the engines. */
  readonly group: KafkaGroup
  /** Positions that other partitions, and dead letters, have received from a partition. */
  readonly received: ReceivedPositions
  /** Once open, the store takes part in finding where partitions must end. */
  readonly witness: { store?: Store }
}

/** Opens the log on Kafka and the configuration on it. @throws SettingsError, LogError with a sentence */
export async function openClusterBase(settings: Settings, logger: Logger): Promise<ClusterBase> {
  const clock = guardedClock(systemClock())
  const entropy = systemEntropy()
  const { kafkaTopicPrefix: prefix, kafkaReplication: replication, partitions } = settings
  const kafka = kafkaClient(kafkaClientOptions(settings, logger))
  const schemas = await openSchemaRegistry(settings, clock)
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
    const received = new ReceivedPositions(topics, () => homesOfSpread(configuration, partitions))
    const guarded = (topic: Topic, checkpointsOf: Topic) =>
      guardedTopic(topic, checkpointsOf, { configuration, group, received, witness, clock, logger })
    const ingest = guarded(topics.ingest, checkpoints)
    const keyed = { ...topics.keyed, topic: guarded(topics.keyed.topic, topics.keyed.checkpoints) }
    const outbox = { ...topics.outbox, topic: guardedOutbox(topics.outbox, clock) }
    const listeners: OwnListener[] = []
    const outbound = installationOutbound(settings, ingest.logId, () =>
      listeners.flatMap(listener => listener.addresses()),
    )
    return {
      settings,
      clock,
      entropy,
      log,
      ingest,
      checkpoints,
      keyed,
      deadLetters,
      outbox,
      outbound,
      listeners,
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

/**
 * A topic that accepts nothing for a partition whose log ends before its known end. Checkpoints, engines, the store,
 * dead letters and receivers of events know that end.
 */
function guardedTopic(
  topic: Topic,
  checkpoints: Topic,
  {
    configuration,
    group,
    received,
    witness,
    clock,
    logger,
  }: Pick<ClusterBase, 'configuration' | 'group' | 'received' | 'witness' | 'clock'> & { logger: Logger },
): GuardedTopic {
  const mark = marksOf(group, topic.name)
  const look: LookForLostTail = async (partition, floor) => {
    const { store } = witness
    const lost = await findLostTailNow({ topic, checkpoints, store, mark, received }, partition, floor)
    // Only this process may know of these records, and the command that accepts their loss is another one.
    if (lost !== undefined)
      await group.announceEnd(topic.name, partition, lost.to + 1n).catch(error => {
        logger.warn({ err: error }, 'other processes do not learn yet where a partition must end')
      })
    return lost
  }
  return new GuardedTopic(topic, {
    look,
    monotonicMs: () => clock.monotonicMs(),
    quarantinedNodes: partition => quarantinedNodes(configuration, topic.name, partition),
  })
}

/** The topic of the outbox, which accepts nothing behind a lost end. Its checkpoints and this process know that end. */
function guardedOutbox(outbox: PartitionedTopics['outbox'], clock: Clock): GuardedTopic {
  const witnesses = outboxWitnesses(outbox)
  return new GuardedTopic(outbox.topic, {
    look: (partition, floor) => findLostTail(witnesses, partition, floor),
    monotonicMs: () => clock.monotonicMs(),
  })
}

/** Lowest offset above all offsets that processes have reported for a partition. */
export function marksOf(group: KafkaGroup, topic: string): (partition: number) => Promise<bigint> {
  return async partition => {
    const [progress, ends] = await Promise.all([group.progress(topic), group.announcedEnds(topic)]).catch(
      (cause: Error) => {
        // A new cluster, or one that has just lost a broker, has no coordinator of groups for a moment.
        throw new LogError('LOG_UNAVAILABLE', `Kafka: ${cause.message}`, { retriable: true, cause })
      },
    )
    const stored = progress.find(each => each.partition === partition)?.storedOffset ?? 0n
    const announced = ends.get(partition) ?? 0n
    return announced > stored ? announced : stored
  }
}

/**
 * Looks, until the signal, for partitions whose log ends before the progress of engines, and for brokers that were
 * unavailable. A newly elected leader may lack records. Checks the end of the configuration, too.
 */
export async function followMarks(
  { group, ingest, keyed, configuration, clock }: ClusterBase,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const topic of [ingest, keyed.topic]) {
      const askedMs = clock.monotonicMs()
      try {
        await topic.noteIdentity()
        for (const { partition, storedOffset } of await group.progress(topic.name))
          await topic.noteMark(partition, storedOffset)
        // All processes then print the same numbers.
        for (const [partition, end] of await group.announcedEnds(topic.name))
          await topic.noteMark(partition, end)
      } catch (error) {
        topic.doubt()
        logger.debug({ err: error }, 'the progress of the engines is requested again')
      }
      if (clock.monotonicMs() - askedMs > PROMPT_MS) topic.doubt()
    }
    await configuration.noteEnd().catch(error => {
      logger.debug({ err: error }, 'the end of the configuration is looked at again')
    })
    await clock.sleep(MARKS_EVERY_MS, signal)
  }
}

async function partitionedTopics(log: Log, partitions: number): Promise<PartitionedTopics> {
  try {
    return await openPartitionedTopics(log, partitions)
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'LOG_PARTITIONS_DIFFER') throw error
    throw new SettingsError([
      `WEIR_PARTITIONS is ${partitions}, but the log was created with another number. ${error.message} Set WEIR_PARTITIONS to the ` +
        'number of the log: partitions added later would split the keys of counted events.',
    ])
  }
}

async function openConfiguration(
  { secretKey, maxAccountCharacters, changeBytesPerHour }: Settings,
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
      accountCharacters: maxAccountCharacters,
      changeBytesPerHour,
    })
  } catch (cause) {
    if (cause instanceof WireFormatError)
      throw new SettingsError([`the configuration on Kafka cannot be read: ${cause.message}`])
    if (!(cause instanceof SealError)) throw cause
    throw new SettingsError([
      'WEIR_SECRET_KEY differs from the key that encrypted the secrets on the log: set the key of the other processes',
    ])
  }
}
