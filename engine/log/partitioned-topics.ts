import {
  CHECKPOINT_TOPIC,
  DEAD_LETTER_TOPIC,
  INGEST_TOPIC,
  KEYED_CHECKPOINT_TOPIC,
  KEYED_TOPIC,
  OUTBOX_CHECKPOINT_TOPIC,
  OUTBOX_TOPIC,
} from '../../schemas/log/topics.ts'
import type { Log, Topic } from './log.ts'

/** A topic, and the topic with checkpoints of its partitions. */
export interface CheckpointedTopic {
  readonly topic: Topic
  readonly checkpoints: Topic
}

export interface PartitionedTopics {
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly keyed: CheckpointedTopic
  readonly deadLetters: Topic
  readonly outbox: CheckpointedTopic
}

/** Opens the topics that have one partition for each partition of the lines. @throws LogError like `Log.topic` */
export async function openPartitionedTopics(log: Log, partitions: number): Promise<PartitionedTopics> {
  const ingest = await log.topic(INGEST_TOPIC, partitions)
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, partitions)
  const topic = await log.topic(KEYED_TOPIC, partitions)
  return {
    ingest,
    checkpoints,
    keyed: { topic, checkpoints: await log.topic(KEYED_CHECKPOINT_TOPIC, partitions) },
    deadLetters: await log.topic(DEAD_LETTER_TOPIC, partitions),
    outbox: {
      topic: await log.topic(OUTBOX_TOPIC, partitions),
      checkpoints: await log.topic(OUTBOX_CHECKPOINT_TOPIC, partitions),
    },
  }
}
