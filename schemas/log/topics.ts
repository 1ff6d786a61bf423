import { crc32 } from 'node:zlib'

/** The topics of an installation. Their numbers are part of the id of a stored line. */
export const TOPIC_NUMBERS = { 'weir.ingest': 0, 'weir.keyed': 1, 'weir.dead-letter': 2 } as const

export const INGEST_TOPIC = 'weir.ingest'
/** Events on their way to where the state of their key is, when an account's lines are on many partitions. */
export const KEYED_TOPIC = 'weir.keyed'
export const CONFIG_TOPIC = 'weir.config'
/** Events that failed, of pipelines that ask for them. */
export const DEAD_LETTER_TOPIC = 'weir.dead-letter'
/** Answers to idempotency keys, of one ingesting process for the others. Not there where the log has one process. */
export const KEYS_TOPIC = 'weir.keys'
/** Checkpoints of the partitions of the ingest topic, and those of the keyed topic. */
export const CHECKPOINT_TOPIC = 'weir.checkpoints'
export const KEYED_CHECKPOINT_TOPIC = 'weir.keyed-checkpoints'

/** The partition of an account's lines; all its routes share it. */
export function partitionOfAccount(account: string, partitions: number): number {
  return crc32(account) % partitions
}
