import { LogError, type LogRecord, type ProducerPosition } from '../../log.ts'
import { decompressed } from './compression.ts'
import { crc32c } from './crc-32c.ts'
import {
  ATTRIBUTES_AT,
  BROKER_TIME_BIT,
  COMPRESSION_BITS,
  COUNT_AT,
  CRC_AT,
  FORMAT,
  FORMAT_AT,
  KNOWN_END_HEADER,
  LAST_OFFSET_AT,
  LEADER_EPOCH_AT,
  LENGTH_AT,
  MAX_TIME_AT,
  OFFSET_BYTES,
  PRODUCER_HEADER,
  RECORDS_AT,
  SEQUENCE_BYTES,
  SEQUENCE_HEADER,
  TIME_AT,
} from './record-batch.ts'
import { VarintReader } from './varint.ts'

/**
 * Records of the batches that a broker answered for one partition. Values share the memory of their batch.
 *
 * @param from  first offset wanted: a batch arrives as a whole
 * @param place topic and partition, for errors
 * @returns records in offset order. A batch that the answer contains only in part is left out, because the size of an
 *   answer is bounded
 * @throws LogError LOG_CORRUPT when a batch differs from its checksum or cannot be read
 */
export async function readBatches(batches: Buffer, from: bigint, place: string): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (let start = 0; start + RECORDS_AT <= batches.length; ) {
    const end = start + LEADER_EPOCH_AT + batches.readInt32BE(start + LENGTH_AT)
    if (end > batches.length) break
    if (end < start + RECORDS_AT) throw damaged(place, batches.readBigInt64BE(start), 'is too short')
    await readBatch(batches.subarray(start, end), from, place, records)
    start = end
  }
  return records
}

async function readBatch(batch: Buffer, from: bigint, place: string, into: LogRecord[]): Promise<void> {
  const base = batch.readBigInt64BE(0)
  if (batch[FORMAT_AT] !== FORMAT) throw damaged(place, base, `is of format ${batch[FORMAT_AT]}`)
  if (crc32c(batch, ATTRIBUTES_AT, batch.length) !== batch.readUInt32BE(CRC_AT))
    throw damaged(place, base, 'differs from its checksum')
  if (base + BigInt(batch.readInt32BE(LAST_OFFSET_AT)) < from) return
  try {
    const attributes = batch.readInt16BE(ATTRIBUTES_AT)
    const content = await decompressed(attributes & COMPRESSION_BITS, batch.subarray(RECORDS_AT))
    readRecords(content, batch.readInt32BE(COUNT_AT), { base, from, ...timesOf(batch, attributes) }, into)
  } catch (cause) {
    throw damaged(place, base, `cannot be read: ${(cause as Error).message}`, cause)
  }
}

interface BatchStart {
  readonly base: bigint
  readonly from: bigint
  /** Time from which the times of the records count, UNIX ms. */
  readonly baseTimeMs: number
  /** Time of all records, where the broker sets it. */
  readonly brokerTimeMs: number | undefined
}

function timesOf(batch: Buffer, attributes: number): Pick<BatchStart, 'baseTimeMs' | 'brokerTimeMs'> {
  const isOfBroker = (attributes & BROKER_TIME_BIT) !== 0
  return {
    baseTimeMs: Number(batch.readBigInt64BE(TIME_AT)),
    brokerTimeMs: isOfBroker ? Number(batch.readBigInt64BE(MAX_TIME_AT)) : undefined,
  }
}

function readRecords(content: Buffer, count: number, batch: BatchStart, into: LogRecord[]): void {
  const reader = new VarintReader(content, 0)
  for (let number = 0; number < count; number++) {
    const bytes = reader.read()
    const end = reader.at + bytes
    if (bytes < 0 || end > content.length) throw new RangeError('a record ends beyond its batch')
    const record = readRecord(reader, batch)
    if (record.offset >= batch.from) into.push(record)
    reader.at = end
  }
}

function readRecord(reader: VarintReader, { base, baseTimeMs, brokerTimeMs }: BatchStart): LogRecord {
  reader.at++ // Attributes, which are not used.
  const timeMs = baseTimeMs + reader.read()
  const offset = base + BigInt(reader.read())
  readBytes(reader) // The key, which Weir does not use.
  const value = readBytes(reader)
  const { producer, knownEnd } = readHeaders(reader)
  const appendTimeMs = brokerTimeMs ?? timeMs
  return knownEnd === undefined
    ? { value, producer, offset, appendTimeMs }
    : { value, producer, offset, appendTimeMs, knownEnd }
}

interface Headers {
  readonly producer: ProducerPosition | null
  readonly knownEnd: bigint | undefined
}

/** Headers of other names, which operators' own tools may have written, are passed over. */
function readHeaders(reader: VarintReader): Headers {
  let id: string | undefined
  let sequence: number | undefined
  let knownEnd: bigint | undefined
  for (let left = reader.read(); left > 0; left--) {
    const name = readBytes(reader)
    const value = readBytes(reader)
    if (name.length !== 1) continue
    if (name[0] === PRODUCER_HEADER) id = value.toString()
    if (name[0] === SEQUENCE_HEADER && value.length === SEQUENCE_BYTES) sequence = value.readUInt32BE()
    if (name[0] === KNOWN_END_HEADER && value.length === OFFSET_BYTES) knownEnd = value.readBigUInt64BE()
  }
  return { producer: id === undefined || sequence === undefined ? null : { id, sequence }, knownEnd }
}

/** Bytes behind their length; absent ones are empty. */
function readBytes(reader: VarintReader): Buffer {
  const length = Math.max(0, reader.read())
  const start = reader.at
  reader.at += length
  if (reader.at > reader.bytes.length) throw new RangeError('a record ends beyond its batch')
  return reader.bytes.subarray(start, reader.at)
}

function damaged(place: string, offset: bigint, what: string, cause?: unknown): LogError {
  return new LogError('LOG_CORRUPT', `The batch of ${place} that begins at offset ${offset} ${what}.`, {
    cause,
  })
}
