import { crc32 } from 'node:zlib'

/** The topics of an installation. Their numbers are part of the id of a stored line. */
export const TOPIC_NUMBERS = {
  ...{ 'weir.ingest': 0, 'weir.keyed': 1, 'weir.dead-letter': 2, 'weir.outbox': 3 },
} as const

/** @throws Error for a topic whose records do not become lines */
export function topicNumber(topic: string): number {
  const number = (TOPIC_NUMBERS as Readonly<Record<string, number>>)[topic]
  if (number === undefined) throw new Error(`topic ${topic} has no lines`)
  return number
}

export const INGEST_TOPIC = 'weir.ingest'
/** Events on their way to the partition of their key, for accounts whose lines are on many partitions. */
export const KEYED_TOPIC = 'weir.keyed'
export const CONFIG_TOPIC = 'weir.config'
/** Failed events of pipelines that keep them. */
export const DEAD_LETTER_TOPIC = 'weir.dead-letter'
/** Answers to idempotency keys that ingesting processes share. The topic exists only where several processes share the log. */
export const KEYS_TOPIC = 'weir.keys'
/** Checkpoints of the partitions of the ingest topic, and those of the keyed topic. */
export const CHECKPOINT_TOPIC = 'weir.checkpoints'
export const KEYED_CHECKPOINT_TOPIC = 'weir.keyed-checkpoints'
/** Events on their way to other systems. */
export const OUTBOX_TOPIC = 'weir.outbox'
export const OUTBOX_CHECKPOINT_TOPIC = 'weir.outbox-checkpoints'

/** The partition of an account's lines; all its entrances share it. */
export function partitionOfAccount(account: string, partitions: number): number {
  return crc32(account) % partitions
}
