import { groupStatus, type PartitionStatus } from '../../engine/log/kafka/group-status.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { silentLogger } from '../../engine/logger.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { readSettings, type Settings, SettingsError } from '../settings/settings.ts'
import { ENGINE_GROUP } from './cluster-base.ts'
import { kafkaClientOptions, kafkaTrouble } from './kafka-links.ts'

/** @throws SettingsError, LogError with a sentence */
export async function clusterStatus(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PartitionStatus[]> {
  const settings = readSettings(environment)
  if (settings.kafkaBrokers.length === 0) throw new SettingsError(['KAFKA_BROKERS is not set'])
  return partitionsOfCluster(settings)
}

/** @throws LogError with a sentence */
export async function partitionsOfCluster(settings: Settings): Promise<PartitionStatus[]> {
  const { kafkaTopicPrefix: prefix } = settings
  const kafka = kafkaClient(kafkaClientOptions(settings, silentLogger))
  try {
    return await groupStatus(kafka, `${prefix}${ENGINE_GROUP}`, `${prefix}${INGEST_TOPIC}`)
  } catch (error) {
    throw kafkaTrouble(settings, error)
  }
}
