import { DEAD_LETTER_TOPIC, INGEST_TOPIC, KEYED_TOPIC, OUTBOX_TOPIC } from '../../../schemas/log/topics.ts'
import type { PartitionName } from '../run-watch.ts'

/** The topics that a fold sends to, by their purpose. */
export type TargetTopic = 'ingest' | 'keyed' | 'deadLetters' | 'outbox'

const TOPICS: Readonly<Record<TargetTopic, string>> = {
  ingest: INGEST_TOPIC,
  keyed: KEYED_TOPIC,
  deadLetters: DEAD_LETTER_TOPIC,
  outbox: OUTBOX_TOPIC,
}

/** A partition that a fold sends to. */
export interface Target {
  readonly topic: TargetTopic
  readonly partition: number
}

/** The full name of a target's partition. */
export function nameOfTarget({ topic, partition }: Target): PartitionName {
  return { topic: TOPICS[topic], partition }
}
