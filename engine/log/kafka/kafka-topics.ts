import kafkajs, { type Admin, type PartitionMetadata } from 'kafkajs'
import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import { partitionsDiffer } from '../appendable.ts'
import { LogError, MAX_RECORD_BYTES } from '../log.ts'
import { untilAvailable } from '../until-available.ts'
import { logErrorOf, typeOf } from './kafka-link.ts'
import { leastInSync, MIN_IN_SYNC, type WantedCopies } from './wanted-copies.ts'

/** Allowance for the parts of a batch apart from its values. */
const BATCH_OVERHEAD_BYTES = 65_536
const MAX_MESSAGE_BYTES = MAX_RECORD_BYTES + BATCH_OVERHEAD_BYTES
const CREATION_PAUSES = { firstMs: 50, longestMs: 200 }
const CREATION_PATIENCE_MS = 10_000

/** Settings that Weir requires of a topic, with the reason why other values are refused. */
const REQUIRED: readonly {
  readonly name: string
  readonly wanted: string
  readonly holds: (value: string) => boolean
  readonly because: string
}[] = [
  {
    name: 'message.timestamp.type',
    wanted: 'LogAppendTime',
    holds: value => value === 'LogAppendTime',
    because: 'windows and days depend on the times of the broker',
  },
  {
    name: 'retention.ms',
    wanted: '-1',
    holds: value => value === '-1',
    because: 'records must not be deleted before they are stored',
  },
  {
    name: 'retention.bytes',
    wanted: '-1',
    holds: value => value === '-1',
    because: 'records must not be deleted before they are stored',
  },
  {
    name: 'cleanup.policy',
    wanted: 'delete',
    holds: value => value === 'delete',
    because: 'compaction would remove records that are still needed',
  },
  {
    name: 'max.message.bytes',
    wanted: String(MAX_MESSAGE_BYTES),
    holds: value => Number(value) >= MAX_MESSAGE_BYTES,
    because: 'a request is a single record',
  },
  {
    name: 'unclean.leader.election.enable',
    wanted: 'false',
    holds: value => value === 'false',
    because: 'a broker without the acknowledged records could become leader and lose them',
  },
]

export interface WantedTopic {
  readonly name: string
  readonly partitions: number
  readonly copies: WantedCopies
}

/**
 * Creates a topic with the required settings, or checks the existing one. It waits for brokers that start or restart.
 *
 * @throws LogError LOG_PARTITIONS_DIFFER; LOG_UNAVAILABLE, not retriable when an operator must change something
 */
export function ensureTopic(admin: Admin, clock: Clock, wanted: WantedTopic): Promise<void> {
  const untilMs = clock.monotonicMs() + CREATION_PATIENCE_MS
  return untilAvailable(() => createOrCheck(admin, clock, wanted), clock, { untilMs })
}

async function createOrCheck(admin: Admin, clock: Clock, wanted: WantedTopic): Promise<void> {
  const { name, partitions, copies } = wanted
  try {
    if (!(await exists(admin, name))) await createTopic(admin, wanted)
    const present = await presentPartitions(admin, clock, name)
    if (present.length !== partitions) throw partitionsDiffer(name, present.length, partitions)
    const settings = await settingsOf(admin, clock, name)
    checkSettings(settings, name)
    await copies.check({
      topic: name,
      copies: Math.min(...present.map(({ replicas }) => replicas.length)),
      inSync: Number(settings.get(MIN_IN_SYNC) ?? 1),
    })
  } catch (error) {
    throw logErrorOf(error)
  }
}

async function exists(admin: Admin, topic: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] })
    return true
  } catch (error) {
    if (typesIn(error).includes('UNKNOWN_TOPIC_OR_PARTITION')) return false
    throw error
  }
}

async function createTopic(admin: Admin, { name, partitions, copies }: WantedTopic): Promise<void> {
  const replication = await copies.forCreation()
  const configEntries = REQUIRED.map(({ name: setting, wanted }) => ({ name: setting, value: wanted }))
  const inSync = leastInSync(replication)
  if (inSync > 1) configEntries.push({ name: MIN_IN_SYNC, value: String(inSync) })
  const topics = [{ topic: name, numPartitions: partitions, replicationFactor: replication, configEntries }]
  try {
    await admin.createTopics({ topics, waitForLeaders: false })
  } catch (error) {
    const types = typesIn(error)
    if (types.includes('TOPIC_ALREADY_EXISTS')) return
    if (types.includes('INVALID_REPLICATION_FACTOR'))
      throw new LogError(
        'LOG_UNAVAILABLE',
        `Kafka has fewer brokers than the ${replication} copies for topic ${name}: start more brokers, or set KAFKA_REPLICATION`,
        { cause: error },
      )
    throw error
  }
}

function typesIn(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { errors = [] } = error as { errors?: readonly Error[] }
  return [error, ...errors].map(typeOf)
}

/** The partitions of a topic, once all of them have a leader. */
function presentPartitions(admin: Admin, clock: Clock, topic: string): Promise<readonly PartitionMetadata[]> {
  return onceCreated(clock, async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    const partitions = topics[0]?.partitions ?? []
    if (partitions.length > 0 && partitions.every(({ leader }) => leader >= 0)) return partitions
    throw new LogError('LOG_UNAVAILABLE', `topic ${topic} has partitions without a leader`, {
      retriable: true,
    })
  })
}

/** Settings by name. A broker may know a new topic only after a moment. */
function settingsOf(admin: Admin, clock: Clock, topic: string): Promise<ReadonlyMap<string, string>> {
  const isUnknown = (error: unknown) =>
    error instanceof Error && typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION'
  return onceCreated(
    clock,
    async () => {
      const configNames = [...REQUIRED.map(({ name }) => name), MIN_IN_SYNC]
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames }],
      })
      const entries = resources[0]?.configEntries ?? []
      return new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
    },
    isUnknown,
  )
}

/** Repeats a call about a topic that brokers may not know completely yet. @throws the error of the last call */
function onceCreated<T>(
  clock: Clock,
  call: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = () => true,
): Promise<T> {
  const untilMs = clock.monotonicMs() + CREATION_PATIENCE_MS
  return new BackOff(clock, CREATION_PAUSES).repeat(
    call,
    error => mayRepeat(error) && clock.monotonicMs() < untilMs,
  )
}

function checkSettings(values: ReadonlyMap<string, string>, topic: string): void {
  for (const { name, wanted, holds, because } of REQUIRED) {
    const value = values.get(name)
    if (value === undefined || holds(value)) continue
    throw new LogError(
      'LOG_UNAVAILABLE',
      `topic ${topic} has ${name}=${value}, but Weir needs ${wanted}, because ${because}: change it with kafka-configs.sh, or let Weir create the topic`,
    )
  }
}
