import type { Clock } from '../clock/clock.ts'
import { bytePool } from '../memory/byte-pool.ts'
import { AppendQueue, type StoredGroup, type WaitingAppend } from './append-queue.ts'
import { assertAppendable, assertReadable } from './appendable.ts'
import { type FileOperations, isNoSpace, type OpenFile } from './file-operations.ts'
import { frameMark, writeFrame } from './frame.ts'
import { type HeldFile, holdSegments } from './held-file.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord } from './log.ts'
import type { LogRoom } from './log-room.ts'
import { OffsetWaiters } from './offset-waiters.ts'
import type { OpenFiles } from './open-files.ts'
import { createEmpty, openSegments, partitionBytes, renewIndexes } from './partition-directory.ts'
import { indexPath, removeIfThere, type Segment, segmentPath, writeIndex } from './segment-file.ts'
import { SegmentIndex } from './segment-index.ts'
import type { PartitionIdentity } from './segment-owner.ts'
import { readSegment } from './segment-reader.ts'
import { SegmentWriter } from './segment-writer.ts'
import { PartitionTail, type TailCache } from './tail-cache.ts'

/** Bytes per read in the search for a time. */
const SEARCH_BYTES = 1024 * 1024
/** Unused memory that a cached record may hold, in bytes. */
const MAX_UNUSED_BYTES = 16 * 1024

/** Objects that the partitions of a log share. */
export interface SegmentShared {
  readonly operations: FileOperations
  readonly clock: Clock
  readonly room: LogRoom
  readonly files: OpenFiles
  readonly cache: TailCache
  readonly segmentBytes: number
}

/** One partition of the segment log: segments in offset order, the last of which is being written. */
export class SegmentPartition {
  readonly #identity: PartitionIdentity
  readonly #shared: SegmentShared
  readonly #mark: number
  /** Segments in the order of their offsets, at least one. */
  readonly #segments: Segment[]
  readonly #queue: AppendQueue
  readonly #tail = new PartitionTail()
  readonly #waiters = new OffsetWaiters()
  #writer: SegmentWriter
  /** true: a file of the next segment may exist, so the old one must not be written any more. */
  #isRolling = false
  #hasUnsyncedRemoval = false
  /** false: this process has changed nothing of the partition yet. */
  #hasRenewedIndexes = false
  /** Flushes, rolls and trims run one after the other. */
  #lastChange: Promise<unknown> = Promise.resolve()

  private constructor(
    identity: PartitionIdentity,
    shared: SegmentShared,
    segments: Segment[],
    writer: SegmentWriter,
  ) {
    this.#identity = identity
    this.#shared = shared
    this.#mark = frameMark(identity.logId, identity.partition)
    this.#segments = segments
    this.#writer = writer
    this.#queue = new AppendQueue(
      shared.room,
      group => this.#exclusively(() => this.#store(group)),
      () => sizeOf(this.#segments),
    )
  }

  /** @throws LogError LOG_CORRUPT when durable data is damaged or missing */
  static async open(identity: PartitionIdentity, shared: SegmentShared): Promise<SegmentPartition> {
    const { operations, room } = shared
    const { directory } = identity
    const foundBytes = await partitionBytes(operations, directory)
    const { segments, hasTornTail } = await openSegments(operations, identity)
    const last = segments.at(-1)
    if (last === undefined)
      throw new LogError(
        'LOG_CORRUPT',
        `${directory} has lost its segment files: restore them from a backup. Without one, create the empty file ` +
          `${segmentPath(directory, 0)}: the next start says what is missing and how to continue without it.`,
      )
    room.change(sizeOf(segments) - foundBytes)
    const file = await operations.open(last.path, 'append')
    const writer = new SegmentWriter(file, last.index.end, hasTornTail ? 'found' : 'none')
    return new SegmentPartition(identity, shared, segments, writer)
  }

  async append(record: NewRecord): Promise<Appended> {
    assertAppendable(record)
    return this.#queue.append(record, this.#shared.clock.wallMs())
  }

  bounds(): Bounds {
    return { first: BigInt(this.#first), next: BigInt(this.#next) }
  }

  async read(from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    const { topic, partition } = this.#identity
    assertReadable(topic, partition, from, this.#first, this.#next)
    const offset = Number(from)
    if (offset === this.#next) return []
    const cached = this.#tail.read(offset, maxBytes)
    if (cached !== undefined) return cached
    try {
      return await this.#readFile(offset, maxBytes)
    } catch (error) {
      if (error instanceof LogError) throw error
      assertReadable(topic, partition, from, this.#first, this.#next) // the partition may have been trimmed in the meantime
      const message = `${topic}/${partition} cannot be read at offset ${from}.`
      throw new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause: error })
    }
  }

  async waitBeyond(offset: bigint, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#next > offset) return
    await this.#waiters.wait(Number(offset), signal)
  }

  async trim(before: bigint): Promise<void> {
    try {
      await this.#exclusively(() => this.#trim(before))
    } catch (cause) {
      const { topic, partition } = this.#identity
      const message = `The segments of ${topic}/${partition} below offset ${before} could not be removed.`
      throw new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause })
    }
  }

  async offsetAtTime(timeMs: number): Promise<bigint | null> {
    for (const segment of [...this.#segments]) {
      let offset = segment.index.blockReaching(timeMs)
      while (offset !== undefined && offset < segment.index.next) {
        const records = await this.read(BigInt(Math.max(offset, this.#first)), SEARCH_BYTES)
        const found = records.find(record => record.appendTimeMs >= timeMs)
        if (found !== undefined) return found.offset
        const last = records.at(-1)
        offset = last === undefined ? undefined : Number(last.offset) + 1
      }
    }
    return null
  }

  /** Links the files into a folder. @returns the links, with the durable size of each */
  hold(directory: string): Promise<HeldFile[]> {
    return this.#exclusively(() => holdSegments(this.#shared.operations, this.#segments, directory))
  }

  async close(): Promise<void> {
    await this.#queue.close()
    await this.#exclusively(() => this.#writer.close())
    this.#waiters.close()
  }

  get #active(): Segment {
    return this.#segments.at(-1) as Segment
  }

  get #first(): number {
    return (this.#segments[0] as Segment).index.base
  }

  get #next(): number {
    return this.#active.index.next
  }

  #readFile(offset: number, maxBytes: number): Promise<LogRecord[]> {
    const segment = this.#segments.findLast(({ index }) => index.base <= offset) as Segment
    const read = (file: OpenFile) => readSegment(file, segment, this.#mark, offset, maxBytes)
    return this.#shared.files.use(segment.path, read)
  }

  #exclusively<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change)
    this.#lastChange = result.catch(() => undefined)
    return result
  }

  /** Stores a group with one write and one flush, tried twice. */
  async #store(group: readonly WaitingAppend[]): Promise<StoredGroup> {
    if (!this.#hasRenewedIndexes) await this.#renewIndexes()
    const first = this.#next
    const flush = frameGroup(group, first, this.#mark)
    for (let attempt = 1; ; attempt++) {
      try {
        if (this.#isRolling || this.#active.index.end >= this.#shared.segmentBytes) await this.#roll()
        await this.#writer.append(flush.bytes)
        break
      } catch (error) {
        if (isNoSpace(error)) await this.#refuse(error)
        if (attempt === 2) throw this.#unknownOutcome(error)
      }
    }
    for (const { bytes, appendTimeMs } of group) this.#active.index.add(bytes, appendTimeMs)
    this.#shared.cache.add(this.#tail, flush.records, flush.bytes.length)
    bytePool.giveBack(flush.bytes.buffer)
    this.#waiters.advance(this.#next)
    return { first }
  }

  /** Indexes are a convenience: a failure only makes the next start slower. */
  async #renewIndexes(): Promise<void> {
    this.#hasRenewedIndexes = true
    const { operations, room } = this.#shared
    try {
      room.change(await renewIndexes(operations, this.#identity.directory, this.#segments))
    } catch {
      // The next start tries again.
    }
  }

  /** LOG_FULL means that nothing was stored, so it is only reported once the remains are durably removed. */
  async #refuse(cause: unknown): Promise<never> {
    this.#shared.room.recheckDisk()
    try {
      await this.#writer.repair()
    } catch (error) {
      throw this.#unknownOutcome(error)
    }
    throw this.#shared.room.diskFull(cause)
  }

  #unknownOutcome(cause: unknown): LogError {
    const { topic, partition } = this.#identity
    const message = `${topic}/${partition} could not be written: it is unknown whether the record was kept.`
    return new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause })
  }

  /** Begins a new segment. After a partial failure, this must succeed before anything else is appended. */
  async #roll(): Promise<void> {
    const { operations, room } = this.#shared
    await this.#writer.repair()
    const index = new SegmentIndex(this.#next)
    const path = segmentPath(this.#identity.directory, index.base)
    const file = await createEmpty(operations, path)
    this.#isRolling = true
    try {
      await operations.syncDirectory(this.#identity.directory)
    } catch (error) {
      await file.close()
      throw error
    }
    const finished = this.#active
    const finishedWriter = this.#writer
    this.#writer = new SegmentWriter(file, 0)
    this.#segments.push({ path, index, indexBytes: 0 })
    this.#isRolling = false
    await finishedWriter.close().catch(() => undefined) // All of its records are durable.
    finished.indexBytes = await writeIndex(operations, finished)
    room.change(finished.indexBytes)
  }

  async #trim(before: bigint): Promise<void> {
    await this.#removeBelow(before)
    const hasRecords = this.#active.index.end > 0
    if (!hasRecords || this.#segments.length > 1 || this.#next > before) return
    try {
      await this.#roll()
    } catch (error) {
      if (isNoSpace(error)) return // without space for another file, the segment stays
      throw error
    }
    await this.#removeBelow(before)
  }

  /**
   * Removes the segments that lie wholly below an offset, oldest first, never the active one. Each removal is durable
   * before the next, so that a power failure leaves no gap between the remaining ones.
   */
  async #removeBelow(before: bigint): Promise<void> {
    const { operations, room, files } = this.#shared
    for (;;) {
      if (this.#hasUnsyncedRemoval) await operations.syncDirectory(this.#identity.directory)
      this.#hasUnsyncedRemoval = false
      const oldest = this.#segments[0] as Segment
      if (oldest === this.#active || oldest.index.next > before) return
      await removeIfThere(operations, oldest.path)
      this.#hasUnsyncedRemoval = true
      this.#segments.shift()
      room.change(-oldest.index.end)
      await files.forget(oldest.path)
      await removeIfThere(operations, indexPath(oldest.path))
      room.change(-oldest.indexBytes)
    }
  }
}

/** Size of the segments with their indexes, in bytes. */
function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { index, indexBytes }) => sum + index.end + indexBytes, 0)
}

/** Frames in one contiguous piece of memory, for a single write, and the records as the cache keeps them. */
function frameGroup(group: readonly WaitingAppend[], first: number, mark: number) {
  const length = group.reduce((sum, waiting) => sum + waiting.bytes, 0)
  const bytes = Buffer.from(bytePool.borrow(length), 0, length)
  let at = 0
  const records = group.map(({ record, appendTimeMs }, place): LogRecord => {
    at = writeFrame(bytes, at, record, { offset: first + place, appendTimeMs, place }, mark)
    const value = withOwnMemory(record.value)
    return { offset: BigInt(first + place), appendTimeMs, value, producer: record.producer }
  })
  return { bytes, records }
}

/** The value itself, unless it is a small part of memory that it would keep from being freed. */
function withOwnMemory(value: Buffer): Buffer {
  if (value.buffer.byteLength <= value.length + MAX_UNUSED_BYTES) return value
  const own = Buffer.allocUnsafeSlow(value.length)
  own.set(value)
  return own
}
