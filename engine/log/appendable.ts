import assert from 'node:assert/strict'
import { LogError, MAX_RECORD_BYTES, type NewRecord } from './log.ts'

const MAX_ID_BYTES = 255

/** Checks a record before it waits for its flush: all logs of Weir accept and refuse the same records. */
export function assertAppendable({ value, producer }: NewRecord): void {
  if (value.length > MAX_RECORD_BYTES) {
    const message = `A record of ${value.length} bytes is larger than the ${MAX_RECORD_BYTES} bytes that the log takes.`
    throw new LogError('LOG_RECORD_TOO_LARGE', message)
  }
  if (producer === null) return
  const idBytes = Buffer.byteLength(producer.id)
  assert(
    idBytes > 0 && idBytes <= MAX_ID_BYTES,
    `A producer id has 1 to ${MAX_ID_BYTES} bytes, not ${idBytes}.`,
  )
  const { sequence } = producer
  assert(
    Number.isInteger(sequence) && sequence >= 0 && sequence < 2 ** 31,
    `A sequence is a whole number from 0 to below 2^31, not ${sequence}.`,
  )
}

export function assertPartition(topic: string, partitions: number, partition: number): void {
  const exists = Number.isInteger(partition) && partition >= 0 && partition < partitions
  assert(exists, `Topic ${topic} has the partitions 0 to ${partitions - 1}, not ${partition}.`)
}

/** Topic names become folder names. */
export function assertTopic(name: string, partitions: number): void {
  assert(/^[a-z][a-z0-9._-]{0,99}$/.test(name), `${JSON.stringify(name)} is not a topic name.`)
  assert(
    Number.isInteger(partitions) && partitions >= 1 && partitions <= 4096,
    `A topic has 1 to 4096 partitions, not ${partitions}.`, // 12 bits in the id of a stored line
  )
}

export function closedError(): LogError {
  return new LogError('LOG_CLOSED', 'The log has been closed.')
}

export function partitionsDiffer(name: string, there: number, wanted: number): LogError {
  const message = `Topic ${name} has ${there} partitions, not ${wanted}: their number is fixed when a topic is created.`
  return new LogError('LOG_PARTITIONS_DIFFER', message)
}

/** @throws LogError LOG_OFFSET_OUT_OF_RANGE when `from` is not within `first` to `next` */
export function assertReadable(
  topic: string,
  partition: number,
  from: bigint,
  first: number,
  next: number,
): void {
  if (from >= first && from <= next) return
  const message = `Offset ${from} of ${topic}/${partition} is not kept: it has the offsets ${first} to ${next}.`
  throw new LogError('LOG_OFFSET_OUT_OF_RANGE', message)
}
