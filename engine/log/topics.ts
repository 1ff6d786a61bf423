import { crc32 } from 'node:zlib'

/** The topics of an installation. Their numbers are part of the id of a stored line. */
export const TOPIC_NUMBERS = { 'weir.ingest': 0, 'weir.keyed': 1, 'weir.dead-letter': 2 } as const

export const INGEST_TOPIC = 'weir.ingest'
export const CONFIG_TOPIC = 'weir.config'
export const CHECKPOINT_TOPIC = 'weir.checkpoints'

/** The partition of an account's lines; all its routes share it. */
export function partitionOfAccount(account: string, partitions: number): number {
  return crc32(account) % partitions
}
