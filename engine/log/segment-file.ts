import { join } from 'node:path'
import { type FileOperations, fileErrorCode, type OpenFile } from './file-operations.ts'
import { FRAME_PREFIX_BYTES, type Frame, findFrames, frameLength, readFrame } from './frame.ts'
import { LogError } from './log.ts'
import { SegmentIndex } from './segment-index.ts'

/** Bytes per read while a segment is scanned. */
const SCAN_BYTES = 4 * 1024 * 1024

/** One file of a partition: consecutive frames of the records from `index.base` on. */
export interface Segment {
  readonly path: string
  /** Covers only durable records. */
  readonly index: SegmentIndex
  /** Size of the index file; 0 while the segment still grows. */
  indexBytes: number
}

export function segmentPath(directory: string, base: number): string {
  return join(directory, `${String(base).padStart(20, '0')}.segment`)
}

/** First offset of a segment, from its file name; undefined when the file is not a segment. */
export function segmentBase(name: string): number | undefined {
  const digits = /^(\d{20})\.segment$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

export function isPartitionFile(name: string): boolean {
  return name.endsWith('.segment') || name.endsWith('.index')
}

export function indexPath(path: string): string {
  return path.replace(/\.segment$/, '.index')
}

/** Error for a damaged file. An operator can only act on the folder while no process writes to it. */
export function corrupt(path: string, position: number, what: string): LogError {
  return new LogError(
    'LOG_CORRUPT',
    `${path} is damaged at byte ${position}: ${what}. Stop the service, and put this file from a backup in its place. Without one, ` +
      'keep a copy of the folder, cut the file off at that byte, and move the later files of the folder away. The next start says ' +
      'which records are missing, and how to continue without them.',
  )
}

export interface Stretch {
  readonly frames: readonly Frame[]
  /** Position after the last of the frames. */
  readonly end: number
}

/**
 * Reads whole frames from a position on.
 *
 * @param end          end of the readable part
 * @param wantedBytes  bytes per read; a larger first frame is still read whole
 * @returns at least one frame; none without a valid frame at `position`
 */
export async function readStretch(
  file: OpenFile,
  position: number,
  end: number,
  wantedBytes: number,
  mark: number,
): Promise<Stretch> {
  let bytes = Math.min(Math.max(wantedBytes, FRAME_PREFIX_BYTES), end - position)
  for (;;) {
    const memory = Buffer.allocUnsafeSlow(bytes)
    const buffer = memory.subarray(0, await file.read(memory, position))
    const frames: Frame[] = []
    let at = 0
    for (let frame = readFrame(buffer, at, mark); frame !== undefined; frame = readFrame(buffer, at, mark)) {
      frames.push(frame)
      at += frame.bytes
    }
    const neededBytes = buffer.length < FRAME_PREFIX_BYTES ? undefined : frameLength(buffer, 0, mark)
    const isCutShort = at === 0 && neededBytes !== undefined && neededBytes > bytes
    if (!isCutShort || position + neededBytes > end) return { frames, end: position + at }
    bytes = neededBytes
  }
}

/** Reads a segment from its beginning as long as its frames are valid and their offsets are consecutive. */
async function scanSegment(file: OpenFile, base: number, size: number, mark: number): Promise<SegmentIndex> {
  const index = new SegmentIndex(base)
  while (index.end < size) {
    const { frames } = await readStretch(file, index.end, size, SCAN_BYTES, mark)
    if (frames.length === 0) break
    for (const frame of frames) {
      if (frame.offset !== index.next) return index
      index.add(frame.bytes, frame.record.appendTimeMs)
    }
  }
  return index
}

/**
 * Opens a segment that is no longer written, by its index file or, without a usable index, by a scan.
 *
 * @param next  first offset of the next segment
 * @throws LogError LOG_CORRUPT when a record below `next` is missing
 */
export async function openFinishedSegment(
  operations: FileOperations,
  path: string,
  base: number,
  next: number,
  mark: number,
): Promise<Segment> {
  const size = await operations.size(path)
  const known = await readIndex(operations, path, base)
  if (known !== undefined && known.index.end === size && known.index.next === next) {
    return { path, index: known.index, indexBytes: known.bytes }
  }
  const file = await operations.open(path, 'read')
  try {
    const index = await scanSegment(file, base, size, mark)
    if (index.end < size)
      throw corrupt(path, index.end, `no sound record of offset ${index.next} begins there`)
    if (index.next !== next)
      throw corrupt(path, size, `it ends before offset ${index.next}, the next file begins with ${next}`)
    return { path, index, indexBytes: 0 }
  } finally {
    await file.close()
  }
}

/**
 * Opens the segment that was written last, and reports remains of its last flush before a crash behind its last record.
 * They are not cut off here.
 *
 * Any part of a flush that was never acknowledged may be present. A later frame proves that earlier records were durable,
 * so damage to them is recognised.
 *
 * @throws LogError LOG_CORRUPT when a durable record is damaged
 */
export async function openLastSegment(
  operations: FileOperations,
  path: string,
  base: number,
  mark: number,
): Promise<Segment & { readonly hasTornTail: boolean }> {
  const file = await operations.open(path, 'read')
  try {
    const size = await file.size()
    const index = await scanSegment(file, base, size, mark)
    const hasTornTail = index.end < size
    if (hasTornTail) await assertTorn(file, path, index, size, mark)
    return { path, index, indexBytes: 0, hasTornTail }
  } finally {
    await file.close()
  }
}

async function assertTorn(
  file: OpenFile,
  path: string,
  index: SegmentIndex,
  size: number,
  mark: number,
): Promise<void> {
  const memory = Buffer.allocUnsafeSlow(size - index.end)
  const tail = memory.subarray(0, await file.read(memory, index.end))
  for (const { offset, place } of findFrames(tail, mark)) {
    if (offset - place <= index.next) continue
    throw corrupt(
      path,
      index.end,
      `the record of offset ${index.next} was durable once, as offset ${offset} shows`,
    )
  }
}

async function readIndex(
  operations: FileOperations,
  path: string,
  base: number,
): Promise<{ index: SegmentIndex; bytes: number } | undefined> {
  let file: OpenFile
  try {
    file = await operations.open(indexPath(path), 'read')
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const bytes = Buffer.alloc(await file.size())
    await file.read(bytes, 0)
    const index = SegmentIndex.decode(bytes, base)
    return index && { index, bytes: bytes.length }
  } finally {
    await file.close()
  }
}

/**
 * Writes the index of a finished segment beside it. It is not flushed: it has a CRC, and a scan can rebuild it.
 *
 * @returns its size in bytes; 0 when there was no space for it
 */
export async function writeIndex(operations: FileOperations, { path, index }: Segment): Promise<number> {
  const bytes = index.encode()
  try {
    await removeIfThere(operations, indexPath(path))
    const file = await operations.open(indexPath(path), 'create')
    try {
      await file.write(bytes, 0)
    } finally {
      await file.close()
    }
    return bytes.length
  } catch {
    return 0 // the next start scans the segment instead
  }
}

export async function removeIfThere(operations: FileOperations, path: string): Promise<void> {
  try {
    await operations.remove(path)
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error
  }
}
