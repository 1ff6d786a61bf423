import type { LogRecord, NewRecord } from '../log.ts'
import type { FetchedTopic, KafkaMessage } from './kafkajs-cluster.ts'

/** Headers of a record: its producer id and sequence. */
const PRODUCER_HEADER = 'p'
const SEQUENCE_HEADER = 's'
const SEQUENCE_BYTES = 4

export function messageOf({ value, producer }: NewRecord): KafkaMessage {
  if (producer === null) return { value, headers: {} }
  const sequence = Buffer.alloc(SEQUENCE_BYTES)
  sequence.writeUInt32BE(producer.sequence)
  return { value, headers: { [PRODUCER_HEADER]: Buffer.from(producer.id), [SEQUENCE_HEADER]: sequence } }
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
  return {
    value: value ?? Buffer.alloc(0),
    producer,
    offset: BigInt(offset),
    appendTimeMs: Number(timestamp),
  }
}
