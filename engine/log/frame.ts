import { crc32 } from 'node:zlib'
import type { LogRecord, NewRecord } from './log.ts'
import { MAX_RECORD_BYTES } from './log.ts'

/**
 * One record in a segment file, little-endian:
 *
 * | at | bytes | what |
 * |---|---|---|
 * | 0 | 4 | mark of the partition |
 * | 4 | 4 | CRC-32 of everything that follows, seeded with the mark |
 * | 8 | 4 | bytes that follow this field |
 * | 12 | 8 | offset |
 * | 20 | 8 | append time, UNIX ms, a double |
 * | 28 | 4 | place: number of records of the same flush before this one |
 * | 32 | 4 | sequence of the producer |
 * | 36 | 1 | bytes of the producer id; 0: no producer |
 * | 37 | … | producer id, value |
 *
 * A flush begins only when the previous one is durable. A whole frame with offset `o` and place `p` therefore proves that
 * every record below `o - p` was durable once. Recovery uses this to distinguish a torn tail, which it cuts, from damage,
 * which it reports. The mark is derived from the random id of the log. Without it, bytes of another partition, or bytes
 * that a sender put into a value, could look like a frame.
 */
const CRC_AT = 4
const LENGTH_AT = 8
const OFFSET_AT = 12
const TIME_AT = 20
const PLACE_AT = 28
const SEQUENCE_AT = 32
const ID_LENGTH_AT = 36
const ID_AT = 37
const MAX_ID_BYTES = 255
const MAX_FRAME_BYTES = ID_AT + MAX_ID_BYTES + MAX_RECORD_BYTES
/** Bytes that are needed to find the length of a frame. */
export const FRAME_PREFIX_BYTES = OFFSET_AT

export interface Frame {
  readonly record: LogRecord
  /** The record's offset as a number. */
  readonly offset: number
  readonly place: number
  /** Length of the whole frame. */
  readonly bytes: number
}

/** Bytes that a record takes in a segment file. */
export function frameBytes({ value, producer }: Pick<NewRecord, 'value' | 'producer'>): number {
  return ID_AT + (producer === null ? 0 : Buffer.byteLength(producer.id)) + value.length
}

/** The mark with which every frame of a partition begins. */
export function frameMark(logId: string, partition: number): number {
  return crc32(`${logId}/${partition}`)
}

export interface FramePosition {
  readonly offset: number
  readonly appendTimeMs: number
  readonly place: number
}

/** Writes the frame of a record into `into`. @returns its end */
export function writeFrame(
  into: Buffer,
  at: number,
  { value, producer }: Pick<NewRecord, 'value' | 'producer'>,
  { offset, appendTimeMs, place }: FramePosition,
  mark: number,
): number {
  const idBytes = producer === null ? 0 : into.write(producer.id, at + ID_AT)
  const valueStart = at + ID_AT + idBytes
  const end = valueStart + value.length
  value.copy(into, valueStart)
  into.writeUInt32LE(mark, at)
  into.writeUInt32LE(end - at - OFFSET_AT, at + LENGTH_AT)
  writeOffset(into, at + OFFSET_AT, offset)
  into.writeDoubleLE(appendTimeMs, at + TIME_AT)
  into.writeUInt32LE(place, at + PLACE_AT)
  into.writeUInt32LE(producer?.sequence ?? 0, at + SEQUENCE_AT)
  into.writeUInt8(idBytes, at + ID_LENGTH_AT)
  into.writeUInt32LE(crc32(into.subarray(at + LENGTH_AT, end), mark), at + CRC_AT)
  return end
}

/**
 * Length of the frame that begins at `at`, by its prefix alone.
 *
 * @returns undefined when no frame of this format can begin there
 */
export function frameLength(buffer: Buffer, at: number, mark: number): number | undefined {
  if (buffer.readUInt32LE(at) !== mark) return undefined
  const bytes = OFFSET_AT + buffer.readUInt32LE(at + LENGTH_AT)
  return bytes >= ID_AT && bytes <= MAX_FRAME_BYTES ? bytes : undefined
}

/**
 * Reads the frame that begins at `at`; its value shares memory with the buffer.
 *
 * @returns undefined when it is incomplete or damaged
 */
export function readFrame(buffer: Buffer, at: number, mark: number): Frame | undefined {
  if (at + ID_AT > buffer.length) return undefined
  const bytes = frameLength(buffer, at, mark)
  if (bytes === undefined || at + bytes > buffer.length) return undefined
  const crc = crc32(buffer.subarray(at + LENGTH_AT, at + bytes), mark)
  if (crc !== buffer.readUInt32LE(at + CRC_AT)) return undefined
  const idBytes = buffer.readUInt8(at + ID_LENGTH_AT)
  const valueStart = at + ID_AT + idBytes
  if (valueStart > at + bytes) return undefined
  const offset = readOffset(buffer, at + OFFSET_AT)
  const producer =
    idBytes === 0
      ? null
      : {
          id: buffer.toString('utf8', at + ID_AT, valueStart),
          sequence: buffer.readUInt32LE(at + SEQUENCE_AT),
        }
  const record: LogRecord = {
    offset: BigInt(offset),
    appendTimeMs: buffer.readDoubleLE(at + TIME_AT),
    value: buffer.subarray(valueStart, at + bytes),
    producer,
  }
  return { record, offset, place: buffer.readUInt32LE(at + PLACE_AT), bytes }
}

/** All whole frames in bytes that need not begin with one, such as a torn tail after a crash. */
export function* findFrames(buffer: Buffer, mark: number): Iterable<Frame> {
  const wanted = Buffer.alloc(4)
  wanted.writeUInt32LE(mark)
  let at = buffer.indexOf(wanted)
  while (at !== -1) {
    const frame = readFrame(buffer, at, mark)
    if (frame !== undefined) yield frame
    at = buffer.indexOf(wanted, at + (frame?.bytes ?? 1))
  }
}

function writeOffset(buffer: Buffer, at: number, offset: number): void {
  buffer.writeUInt32LE(offset % 2 ** 32, at)
  buffer.writeUInt32LE(Math.floor(offset / 2 ** 32), at + 4)
}

function readOffset(buffer: Buffer, at: number): number {
  return buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * 2 ** 32
}
