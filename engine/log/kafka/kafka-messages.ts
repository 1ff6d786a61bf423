import type { LogRecord, NewRecord } from '../log.ts'
import type { FetchedTopic, KafkaMessage } from './kafkajs-cluster.ts'

/** Headers of a record: its producer id and sequence, and the end of the partition that its writer knew. */
const PRODUCER_HEADER = 'p'
const SEQUENCE_HEADER = 's'
const KNOWN_END_HEADER = 'e'
const SEQUENCE_BYTES = 4
const OFFSET_BYTES = 8

export function messageOf({ value, producer, knownEnd }: NewRecord): KafkaMessage {
  const headers: Record<string, Buffer> = {}
  if (producer !== null) {
    const sequence = Buffer.alloc(SEQUENCE_BYTES)
    sequence.writeUInt32BE(producer.sequence)
    headers[PRODUCER_HEADER] = Buffer.from(producer.id)
    headers[SEQUENCE_HEADER] = sequence
  }
  const end = knownEnd?.() ?? 0n
  if (end > 0n) {
    const offset = Buffer.alloc(OFFSET_BYTES)
    offset.writeBigUInt64BE(end)
    headers[KNOWN_END_HEADER] = offset
  }
  return { value, headers }
}

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
