import { crc32 } from 'node:zlib'

/** Distance between entries: a read skips at most this many bytes before its first record. */
const ENTRY_EVERY_BYTES = 128 * 1024
const FORMAT_VERSION = 1
/** CRC-32, format version, base, next, end, number of entries. */
const HEADER_BYTES = 4 + 4 + 8 * 3 + 4
const ENTRY_BYTES = 8 * 3

/**
 * Facts about a segment that are known without reading it. They are the start of a record about every 128 KB, and the
 * highest append time up to the end of each such block. Append times may step back, but their running maximum does not.
 * The first record at or after a time is always the one that raises the maximum to that time.
 *
 * Offsets, positions and times are plain numbers: an offset has 40 bits.
 */
export class SegmentIndex {
  readonly base: number
  readonly #offsets: number[] = []
  readonly #positions: number[] = []
  readonly #maxTimesMs: number[] = []
  /** Offset after the last record. */
  next: number
  /** Position after the last record, which is the size of the segment. */
  end = 0

  constructor(base: number) {
    this.base = base
    this.next = base
  }

  /** Adds the next record. */
  add(bytes: number, appendTimeMs: number): void {
    const last = this.#positions.length - 1
    const lastPosition = this.#positions[last]
    if (lastPosition === undefined || this.end - lastPosition >= ENTRY_EVERY_BYTES) {
      this.#offsets.push(this.next)
      this.#positions.push(this.end)
      this.#maxTimesMs.push(Math.max(appendTimeMs, this.#maxTimesMs[last] ?? Number.NEGATIVE_INFINITY))
    } else {
      this.#maxTimesMs[last] = Math.max(appendTimeMs, this.#maxTimesMs[last] as number)
    }
    this.next++
    this.end += bytes
  }

  /** The last known record at or before an offset of this segment. */
  entryAt(offset: number): { readonly offset: number; readonly position: number } {
    const entry = lowest(this.#offsets, value => value > offset) - 1
    return { offset: this.#offsets[entry] ?? this.base, position: this.#positions[entry] ?? 0 }
  }

  /** Offset of the block that contains the first record appended at or after that time. */
  blockReaching(timeMs: number): number | undefined {
    return this.#offsets[lowest(this.#maxTimesMs, value => value >= timeMs)]
  }

  encode(): Buffer {
    const count = this.#offsets.length
    const buffer = Buffer.alloc(HEADER_BYTES + count * ENTRY_BYTES)
    buffer.writeUInt32LE(FORMAT_VERSION, 4)
    buffer.writeDoubleLE(this.base, 8)
    buffer.writeDoubleLE(this.next, 16)
    buffer.writeDoubleLE(this.end, 24)
    buffer.writeUInt32LE(count, 32)
    for (let entry = 0; entry < count; entry++) {
      const at = HEADER_BYTES + entry * ENTRY_BYTES
      buffer.writeDoubleLE(this.#offsets[entry] as number, at)
      buffer.writeDoubleLE(this.#positions[entry] as number, at + 8)
      buffer.writeDoubleLE(this.#maxTimesMs[entry] as number, at + 16)
    }
    buffer.writeUInt32LE(crc32(buffer.subarray(4)), 0)
    return buffer
  }

  /** @returns undefined when the bytes are not a complete index of that segment: a scan then rebuilds it */
  static decode(bytes: Buffer, base: number): SegmentIndex | undefined {
    if (bytes.length < HEADER_BYTES || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined
    if (bytes.readUInt32LE(4) !== FORMAT_VERSION || bytes.readDoubleLE(8) !== base) return undefined
    const count = bytes.readUInt32LE(32)
    if (bytes.length !== HEADER_BYTES + count * ENTRY_BYTES) return undefined
    const index = new SegmentIndex(base)
    index.next = bytes.readDoubleLE(16)
    index.end = bytes.readDoubleLE(24)
    for (let at = HEADER_BYTES; at < bytes.length; at += ENTRY_BYTES) {
      index.#offsets.push(bytes.readDoubleLE(at))
      index.#positions.push(bytes.readDoubleLE(at + 8))
      index.#maxTimesMs.push(bytes.readDoubleLE(at + 16))
    }
    return index
  }
}

/** The lowest place whose value passes a monotonic test. */
function lowest(values: readonly number[], passes: (value: number) => boolean): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(values[middle] as number)) high = middle
    else low = middle + 1
  }
  return low
}
