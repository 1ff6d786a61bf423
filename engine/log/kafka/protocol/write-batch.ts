import { bytePool } from '../../../memory/byte-pool.ts'
import type { NewRecord } from '../../log.ts'
import { compressed, NOT_COMPRESSED, ZSTD } from './compression.ts'
import { crc32c } from './crc-32c.ts'
import {
  ATTRIBUTES_AT,
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
  PRODUCER_EPOCH_AT,
  PRODUCER_HEADER,
  PRODUCER_ID_AT,
  PRODUCER_SEQUENCE_AT,
  RECORDS_AT,
  SEQUENCE_BYTES,
  SEQUENCE_HEADER,
  TIME_AT,
} from './record-batch.ts'
import { writeZigzag, zigzagBytes } from './varint.ts'

/** Below this size, compression gains nothing. */
const WORTHWHILE_BYTES = 512
const NO_KEY = 1 // -1 as a number of a record
const NO_PRODUCER = -1n
/** Attributes, difference of the time, absent key, number of headers. */
const FIXED_BYTES = 4
const SEQUENCE_HEADER_BYTES = 3 + SEQUENCE_BYTES
const KNOWN_END_HEADER_BYTES = 3 + OFFSET_BYTES

/** A record with everything that its size depends on. */
interface SizedRecord {
  readonly record: NewRecord
  readonly knownEnd: bigint
  readonly idBytes: number
  /** Size without the field of the length itself. */
  readonly bytes: number
}

/**
 * Writes records as one batch. Their times are those of the broker.
 *
 * @param before bytes to leave free before the batch, for the request that carries it
 * @returns a buffer that ends with the batch
 */
export async function writeBatch(records: readonly NewRecord[], before: number): Promise<Buffer> {
  const sized = records.map(sizedRecord)
  const bytes = sized.reduce((sum, each) => sum + zigzagBytes(each.bytes) + each.bytes, 0)
  if (bytes < WORTHWHILE_BYTES) {
    const batch = Buffer.allocUnsafe(before + RECORDS_AT + bytes)
    writeRecords(batch, before + RECORDS_AT, sized)
    return withHead(batch, before, NOT_COMPRESSED, records.length)
  }
  const content = await compressedRecords(sized, bytes)
  const batch = Buffer.allocUnsafe(before + RECORDS_AT + content.length)
  content.copy(batch, before + RECORDS_AT)
  return withHead(batch, before, ZSTD, records.length)
}

async function compressedRecords(records: readonly SizedRecord[], bytes: number): Promise<Buffer> {
  const piece = bytePool.borrow(bytes)
  try {
    const plain = Buffer.from(piece, 0, bytes)
    writeRecords(plain, 0, records)
    return await compressed(plain)
  } finally {
    bytePool.giveBack(piece)
  }
}

function sizedRecord(record: NewRecord, place: number): SizedRecord {
  const { value, producer } = record
  const knownEnd = record.knownEnd?.() ?? 0n
  const idBytes = producer === null ? 0 : Buffer.byteLength(producer.id)
  let bytes = FIXED_BYTES + zigzagBytes(place) + zigzagBytes(value.length) + value.length
  if (producer !== null) bytes += 2 + zigzagBytes(idBytes) + idBytes + SEQUENCE_HEADER_BYTES
  if (knownEnd > 0n) bytes += KNOWN_END_HEADER_BYTES
  return { record, knownEnd, idBytes, bytes }
}

function writeRecords(into: Buffer, start: number, records: readonly SizedRecord[]): void {
  let at = start
  for (const [place, record] of records.entries()) at = writeRecord(into, at, record, place)
}

/** @returns its end */
function writeRecord(into: Buffer, start: number, sized: SizedRecord, place: number): number {
  const { value, producer } = sized.record
  let at = writeZigzag(into, start, sized.bytes)
  into[at++] = 0 // Attributes.
  into[at++] = 0 // Difference of the time.
  at = writeZigzag(into, at, place)
  into[at++] = NO_KEY
  at = writeZigzag(into, at, value.length)
  at += value.copy(into, at)
  at = writeZigzag(into, at, (producer === null ? 0 : 2) + (sized.knownEnd > 0n ? 1 : 0))
  if (producer !== null) {
    at = writeHeaderName(into, at, PRODUCER_HEADER, sized.idBytes)
    at += into.write(producer.id, at)
    at = writeHeaderName(into, at, SEQUENCE_HEADER, SEQUENCE_BYTES)
    at = into.writeUInt32BE(producer.sequence, at)
  }
  if (sized.knownEnd > 0n) {
    at = writeHeaderName(into, at, KNOWN_END_HEADER, OFFSET_BYTES)
    at = into.writeBigUInt64BE(sized.knownEnd, at)
  }
  return at
}

/** Writes a name of one character, and the length of the value. @returns the end */
function writeHeaderName(into: Buffer, start: number, name: number, valueBytes: number): number {
  const at = writeZigzag(into, start, 1)
  into[at] = name
  return writeZigzag(into, at + 1, valueBytes)
}

/** Writes everything before the records of a batch. */
function withHead(batch: Buffer, start: number, compression: number, count: number): Buffer {
  batch.writeBigInt64BE(0n, start)
  batch.writeInt32BE(batch.length - start - LEADER_EPOCH_AT, start + LENGTH_AT)
  batch.writeInt32BE(0, start + LEADER_EPOCH_AT)
  batch[start + FORMAT_AT] = FORMAT
  batch.writeInt16BE(compression, start + ATTRIBUTES_AT)
  batch.writeInt32BE(count - 1, start + LAST_OFFSET_AT)
  batch.writeBigInt64BE(0n, start + TIME_AT)
  batch.writeBigInt64BE(0n, start + MAX_TIME_AT)
  batch.writeBigInt64BE(NO_PRODUCER, start + PRODUCER_ID_AT)
  batch.writeInt16BE(0, start + PRODUCER_EPOCH_AT)
  batch.writeInt32BE(0, start + PRODUCER_SEQUENCE_AT)
  batch.writeInt32BE(count, start + COUNT_AT)
  batch.writeUInt32BE(crc32c(batch, start + ATTRIBUTES_AT, batch.length), start + CRC_AT)
  return batch
}
