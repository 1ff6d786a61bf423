import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { silentLogger } from '../../engine/logger.ts'
import {
  CHECKPOINT_TOPIC,
  CONFIG_TOPIC,
  DEAD_LETTER_TOPIC,
  INGEST_TOPIC,
  KEYED_CHECKPOINT_TOPIC,
  KEYED_TOPIC,
  KEYS_TOPIC,
  OUTBOX_CHECKPOINT_TOPIC,
  OUTBOX_TOPIC,
} from '../../schemas/log/topics.ts'
import type { Settings } from '../settings/settings.ts'
import { kafkaClientOptions, kafkaTrouble } from './kafka-links.ts'

export interface TopicFinding {
  /** undefined: as it should be; false: a risk. */
  readonly isWrong: boolean | undefined
  readonly sentence: string
}

const TOPICS = [
  ...[INGEST_TOPIC, KEYED_TOPIC, CONFIG_TOPIC, DEAD_LETTER_TOPIC, KEYS_TOPIC],
  ...[CHECKPOINT_TOPIC, KEYED_CHECKPOINT_TOPIC, OUTBOX_TOPIC, OUTBOX_CHECKPOINT_TOPIC],
]

/** Findings about the topics of an installation on Kafka. @throws SettingsError, LogError with a sentence */
export async function topicFindings(settings: Settings, stop: AbortSignal): Promise<TopicFinding[]> {
  const { kafkaTopicPrefix: prefix } = settings
  const admin = kafkaClient(kafkaClientOptions(settings, silentLogger)).admin({ retry: { retries: 1 } })
  stop.addEventListener('abort', () => void admin.disconnect())
  try {
    await admin.connect()
    const { brokers } = await admin.describeCluster()
    const there = new Set(await admin.listTopics())
    const wanted = TOPICS.map(topic => `${prefix}${topic}`)
    const present = wanted.filter(topic => there.has(topic))
    if (present.length === 0)
      return [
        finding(
          false,
          `${brokers.length} brokers answer, without topics of Weir yet: the first start creates them.`,
        ),
      ]
    const { topics } = await admin.fetchTopicMetadata({ topics: present })
    return findingsAbout(topics, wanted, { brokers: brokers.length, ...settings })
  } catch (error) {
    throw kafkaTrouble(settings, error)
  } finally {
    await admin.disconnect()
  }
}

interface Expected {
  readonly brokers: number
  readonly partitions: number
  /** Copies of new topics; undefined: as many as the brokers say. */
  readonly kafkaReplication: number | undefined
  readonly kafkaTopicPrefix: string
}

interface FoundTopic {
  readonly name: string
  readonly partitions: readonly {
    readonly leader: number
    readonly replicas: readonly number[]
    /** Replicas that are up to date. */
    readonly isr: readonly number[]
  }[]
}

/** @param wanted names of the topics of an installation, with their prefix */
export function findingsAbout(
  topics: readonly FoundTopic[],
  wanted: readonly string[],
  { brokers, partitions, kafkaReplication, kafkaTopicPrefix: prefix }: Expected,
): TopicFinding[] {
  const missing = wanted.filter(topic => !topics.some(({ name }) => name === topic))
  const replicas = Math.min(...topics.flatMap(topic => topic.partitions.map(each => each.replicas.length)))
  const findings = [
    ...missing.map(topic =>
      finding(true, `The topic ${topic} is missing: start a process of this version, which creates it.`),
    ),
    ...topics.flatMap(({ name, partitions: found }) => {
      const lacking = found.filter(({ isr, replicas: all }) => isr.length < all.length).length
      const leaderless = found.filter(({ leader }) => leader === -1).length
      return [
        ...(leaderless > 0
          ? [finding(true, `${leaderless} partitions of ${name} have no leader: start their brokers.`)]
          : []),
        ...(lacking > 0
          ? [finding(false, `${lacking} partitions of ${name} lack copies that are up to date.`)]
          : []),
        ...(name === `${prefix}${INGEST_TOPIC}` && found.length !== partitions
          ? [
              finding(
                true,
                `${name} has ${found.length} partitions, but WEIR_PARTITIONS is ${partitions}: set it to ${found.length}.`,
              ),
            ]
          : []),
      ]
    }),
    ...(replicas < Math.min(kafkaReplication ?? 1, brokers) || (replicas === 1 && brokers > 1)
      ? [
          finding(
            false,
            `Some topics have ${replicas} ${replicas === 1 ? 'copy' : 'copies'} on ${brokers} brokers: the loss of a broker loses lines.`,
          ),
        ]
      : []),
  ]
  return findings.length > 0
    ? findings
    : [
        finding(
          undefined,
          `${topics.length} topics on ${brokers} ${brokers === 1 ? 'broker' : 'brokers'} are as they should be.`,
        ),
      ]
}

function finding(isWrong: boolean | undefined, sentence: string): TopicFinding {
  return { isWrong, sentence }
}
