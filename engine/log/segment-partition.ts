import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import { AppendQueue, type WaitingAppend } from './append-queue.ts'
import { assertAppendable, assertReadable } from './appendable.ts'
import {
  type FileOperations,
  fileErrorCode,
  isNoSpace,
  listIfDirectory,
  type OpenFile,
} from './file-operations.ts'
import { frameMark, writeFrame } from './frame.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord } from './log.ts'
import type { LogRoom } from './log-room.ts'
import { OffsetWaiters } from './offset-waiters.ts'
import type { OpenFiles } from './open-files.ts'
import {
  corrupt,
  indexPath,
  isPartitionFile,
  openFinishedSegment,
  readStretch,
  recoverLastSegment,
  removeIfThere,
  type Segment,
  segmentBase,
  segmentPath,
  writeIndex,
} from './segment-file.ts'
import { SegmentIndex } from './segment-index.ts'
import { SegmentWriter } from './segment-writer.ts'
import { PartitionTail, type TailCache } from './tail-cache.ts'

/** Read beyond what was asked for: an index entry may lie that far before it, and frames have headers. */
const READ_AHEAD_BYTES = 160 * 1024
const MAX_READ_BYTES = 16 * 1024 * 1024

/** What the partitions of a log share. */
export interface SegmentShared {
  readonly operations: FileOperations
  readonly clock: Clock
  readonly room: LogRoom
  readonly files: OpenFiles
  readonly cache: TailCache
  readonly segmentBytes: number
}

export interface PartitionIdentity {
  readonly topic: string
  readonly partition: number
  readonly logId: string
  readonly directory: string
}

/** Creates the first, empty segment of a new partition. */
export async function createPartition(operations: FileOperations, directory: string): Promise<void> {
  await operations.makeDirectory(directory)
  await (await createEmpty(operations, segmentPath(directory, 0))).close()
  await operations.syncDirectory(directory)
}

/** One partition of the segment log: segments in offset order, the last of them being written. */
export class SegmentPartition {
  readonly #identity: PartitionIdentity
  readonly #shared: SegmentShared
  readonly #mark: number
  /** Never empty. */
  readonly #segments: Segment[]
  readonly #queue: AppendQueue
  readonly #tail = new PartitionTail()
  readonly #waiters = new OffsetWaiters()
  #writer: SegmentWriter
  /** A file of the next segment may be there: nothing may go to the old one any more. */
  #isRolling = false
  /** Flushes, rolls and trims follow each other. */
  #lastChange: Promise<unknown> = Promise.resolve()

  private constructor(
    identity: PartitionIdentity,
    shared: SegmentShared,
    segments: Segment[],
    file: OpenFile,
  ) {
    this.#identity = identity
    this.#shared = shared
    this.#mark = frameMark(identity.logId, identity.partition)
    this.#segments = segments
    this.#writer = new SegmentWriter(file, this.#active.index.end)
    this.#queue = new AppendQueue(shared.room, group => this.#exclusively(() => this.#store(group)))
  }

  /** @throws LogError LOG_CORRUPT when something that was durable is damaged or missing */
  static async open(identity: PartitionIdentity, shared: SegmentShared): Promise<SegmentPartition> {
    const { operations, room } = shared
    const { directory } = identity
    const foundBytes = await partitionBytes(operations, directory)
    const segments = await openSegments(operations, identity)
    const last = segments.at(-1)
    if (last === undefined) throw new LogError('LOG_CORRUPT', `${directory} has lost its segment files.`)
    await removeStrayIndexes(operations, directory, segments)
    const keptBytes = segments.reduce((sum, { index, indexBytes }) => sum + index.end + indexBytes, 0)
    room.change(keptBytes - foundBytes)
    return new SegmentPartition(identity, shared, segments, await operations.open(last.path, 'read-write'))
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
      return await this.#readSegment(this.#segmentOf(offset), offset, maxBytes)
    } catch (error) {
      if (error instanceof LogError) throw error
      assertReadable(topic, partition, from, this.#first, this.#next) // It may have been trimmed meanwhile.
      const message = `${topic}/${partition} cannot be read at offset ${from}.`
      throw new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause: error })
    }
  }

  async waitBeyond(offset: bigint, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#next > offset) return
    await this.#waiters.wait(Number(offset), signal)
  }

  trim(before: bigint): Promise<void> {
    return this.#exclusively(async () => {
      await this.#removeBelow(before)
      const hasRecords = this.#active.index.end > 0
      if (!hasRecords || this.#segments.length > 1 || this.#next > before) return
      await this.#rollForTrim()
      await this.#removeBelow(before)
    })
  }

  async offsetAtTime(timeMs: number): Promise<bigint | null> {
    for (const segment of [...this.#segments]) {
      let offset = segment.index.blockReaching(timeMs)
      while (offset !== undefined && offset < segment.index.next) {
        const records = await this.read(BigInt(Math.max(offset, this.#first)), MAX_READ_BYTES / 16)
        const found = records.find(record => record.appendTimeMs >= timeMs)
        if (found !== undefined) return found.offset
        const last = records.at(-1)
        offset = last === undefined ? undefined : Number(last.offset) + 1
      }
    }
    return null
  }

  bytesFrom(from: bigint): number {
    const offset = Number(from)
    let bytes = 0
    for (const { index } of this.#segments) {
      if (offset >= index.next) continue
      bytes += offset <= index.base ? index.end : index.end - index.entryAt(offset).position
    }
    return bytes
  }

  async close(): Promise<void> {
    await this.#queue.close()
    await this.#exclusively(async () => {
      await this.#writer.repair().catch(() => undefined) // The outcome was told as unknown; the next start may keep it.
      await this.#writer.close()
    })
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

  #segmentOf(offset: number): Segment {
    return this.#segments.findLast(({ index }) => index.base <= offset) as Segment
  }

  #exclusively<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change)
    this.#lastChange = result.catch(() => undefined)
    return result
  }

  /** Stores a group with one write and one flush, tried twice. */
  async #store(group: readonly WaitingAppend[]): Promise<number> {
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
    this.#waiters.advance(this.#next)
    return first
  }

  /** "Full" says that nothing was stored: it is said only once the remains are durably gone. */
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
    const message = `${topic}/${partition} could not be written: whether the record is kept is unknown.`
    return new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause })
  }

  /** Begins a new segment. When that fails half-way, it must succeed before anything else is appended. */
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
    await finishedWriter.close().catch(() => undefined) // Everything in it is durable.
    finished.indexBytes = await writeIndex(operations, finished)
    room.change(finished.indexBytes)
  }

  /** Without room for another file the segment stays; to trim is to let go, and keeping more is allowed. */
  async #rollForTrim(): Promise<void> {
    try {
      await this.#roll()
    } catch (error) {
      if (!isNoSpace(error)) throw error
    }
  }

  /** Removes the segments that lie wholly below an offset, oldest first, never the active one. */
  async #removeBelow(before: bigint): Promise<void> {
    const { operations, room, files } = this.#shared
    let removed = 0
    for (
      let oldest = this.#segments[0] as Segment;
      oldest !== this.#active;
      oldest = this.#segments[0] as Segment
    ) {
      if (oldest.index.next > before) break
      await removeIfThere(operations, oldest.path)
      this.#segments.shift()
      room.change(-oldest.index.end)
      removed++
      await files.forget(oldest.path)
      await removeIfThere(operations, indexPath(oldest.path))
      room.change(-oldest.indexBytes)
    }
    if (removed > 0) await operations.syncDirectory(this.#identity.directory)
  }

  /** Records of one segment; `offset` is one of its. */
  #readSegment(segment: Segment, offset: number, maxBytes: number): Promise<LogRecord[]> {
    const { path, index } = segment
    const entry = index.entryAt(offset)
    const { end } = index
    return this.#shared.files.use(path, async file => {
      const records: LogRecord[] = []
      let { position, offset: expected } = entry
      let bytes = 0
      while (position < end) {
        const wantedBytes = Math.min(maxBytes - bytes, MAX_READ_BYTES) + READ_AHEAD_BYTES
        const stretch = await readStretch(file, position, end, wantedBytes, this.#mark)
        if (stretch.frames.length === 0)
          throw corrupt(path, position, `no sound record of offset ${expected} begins there`)
        for (const { record, offset: found, bytes: length } of stretch.frames) {
          if (found !== expected)
            throw corrupt(path, position, `offset ${found} stands in the place of ${expected}`)
          expected++
          position += length
          if (found < offset) continue
          bytes += record.value.length
          if (bytes > maxBytes && records.length > 0) return records
          records.push(record)
        }
      }
      return records
    })
  }
}

/** The segments of a partition in offset order; what a crash left of the last flush is cut off. */
async function openSegments(operations: FileOperations, identity: PartitionIdentity): Promise<Segment[]> {
  const { directory, logId, partition } = identity
  const mark = frameMark(logId, partition)
  const bases = (await listIfDirectory(operations, directory)).flatMap(name => segmentBase(name) ?? [])
  const segments: Segment[] = []
  for (const [place, base] of bases.entries()) {
    const path = segmentPath(directory, base)
    const next = bases[place + 1]
    if (next === undefined) {
      segments.push(await recoverLastSegment(operations, path, base, mark))
    } else {
      const segment = await openFinishedSegment(operations, path, base, next, mark)
      if (segment.indexBytes === 0) segment.indexBytes = await writeIndex(operations, segment)
      segments.push(segment)
    }
  }
  return segments
}

/** Sizes of the segments of a partition and their indexes. */
export async function partitionBytes(operations: FileOperations, directory: string): Promise<number> {
  let bytes = 0
  for (const name of await listIfDirectory(operations, directory)) {
    if (isPartitionFile(name)) bytes += await operations.size(join(directory, name))
  }
  return bytes
}

/** One contiguous piece of memory: one write, and the cache keeps it as it is. */
function frameGroup(group: readonly WaitingAppend[], first: number, mark: number) {
  const bytes = Buffer.allocUnsafeSlow(group.reduce((sum, waiting) => sum + waiting.bytes, 0))
  let at = 0
  const records = group.map(({ record, appendTimeMs }, place): LogRecord => {
    const { valueStart, end } = writeFrame(
      bytes,
      at,
      record,
      { offset: first + place, appendTimeMs, place },
      mark,
    )
    at = end
    const value = bytes.subarray(valueStart, end)
    return { offset: BigInt(first + place), appendTimeMs, value, producer: record.producer }
  })
  return { bytes, records }
}

/** An empty file, also where an earlier attempt has left one. */
async function createEmpty(operations: FileOperations, path: string): Promise<OpenFile> {
  try {
    return await operations.open(path, 'create')
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
  }
  const file = await operations.open(path, 'read-write')
  await file.truncate(0)
  return file
}

/** A crash while segments were removed can leave the index of one behind. */
async function removeStrayIndexes(
  operations: FileOperations,
  directory: string,
  segments: readonly Segment[],
): Promise<void> {
  const known = new Set(segments.map(({ path }) => indexPath(path)))
  for (const name of await operations.list(directory)) {
    const path = join(directory, name)
    if (name.endsWith('.index') && !known.has(path)) await removeIfThere(operations, path)
  }
}
