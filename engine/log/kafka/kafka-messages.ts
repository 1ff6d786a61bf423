import type { LogRecord } from '../log.ts'
import type { FetchedTopic } from './kafkajs-cluster.ts'

/** Headers of a record: its producer id and sequence, and the end of the partition that its writer knew. */
const PRODUCER_HEADER = 'p'
const SEQUENCE_HEADER = 's'
const KNOWN_END_HEADER = 'e'

export function recordOf({
  value,
  headers,
  offset,
  timestamp,
}: FetchedTopic['partitions'][number]['messages'][number]): LogRecord {
  const id = headers[PRODUCER_HEADER]
  const sequence = headers[SEQUENCE_HEADER]
  const producer =
    id === undefined || sequence === undefined
      ? null
      : { id: id.toString(), sequence: sequence.readUInt32BE() }
  const knownEnd = headers[KNOWN_END_HEADER]?.readBigUInt64BE()
  return {
    value: value ?? Buffer.alloc(0),
    producer,
    offset: BigInt(offset),
    appendTimeMs: Number(timestamp),
    ...(knownEnd !== undefined && { knownEnd }),
  }
}
