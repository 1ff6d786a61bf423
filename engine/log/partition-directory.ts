import { join } from 'node:path'
import { type FileOperations, fileErrorCode, listIfDirectory, type OpenFile } from './file-operations.ts'
import { frameMark } from './frame.ts'
import {
  indexPath,
  isPartitionFile,
  openFinishedSegment,
  openLastSegment,
  removeIfThere,
  type Segment,
  segmentBase,
  segmentPath,
  writeIndex,
} from './segment-file.ts'
import { assertOwnSegment, type PartitionIdentity } from './segment-owner.ts'

export interface FoundSegments {
  readonly segments: Segment[]
  /** Whether remains of a crash are behind the last record of the last segment. */
  readonly hasTornTail: boolean
}

/** Creates the first, empty segment of a new partition. */
export async function createPartition(operations: FileOperations, directory: string): Promise<void> {
  await operations.makeDirectory(directory)
  await (await createEmpty(operations, segmentPath(directory, 0))).close()
  await operations.syncDirectory(directory)
}

/** Total size of a partition's segments and indexes. */
export async function partitionBytes(operations: FileOperations, directory: string): Promise<number> {
  let bytes = 0
  for (const name of await listIfDirectory(operations, directory)) {
    if (isPartitionFile(name)) bytes += await operations.size(join(directory, name))
  }
  return bytes
}

/**
 * Reads the segments of a partition, in offset order. Nothing is written: a later check decides whether the folder
 * contains the right log.
 *
 * @throws LogError LOG_CORRUPT when durable data is damaged, missing, or of another partition or log
 */
export async function openSegments(
  operations: FileOperations,
  identity: PartitionIdentity,
): Promise<FoundSegments> {
  const { directory, logId, partition } = identity
  const mark = frameMark(logId, partition)
  const bases = (await listIfDirectory(operations, directory)).flatMap(name => segmentBase(name) ?? [])
  const segments: Segment[] = []
  for (const [place, base] of bases.entries()) {
    const path = segmentPath(directory, base)
    const next = bases[place + 1]
    await assertOwnSegment(operations, { path, base, isNewest: next === undefined }, identity)
    if (next === undefined) {
      const { hasTornTail, ...segment } = await openLastSegment(operations, path, base, mark)
      return { segments: [...segments, segment], hasTornTail }
    }
    segments.push(await openFinishedSegment(operations, path, base, next, mark))
  }
  return { segments, hasTornTail: false }
}

/**
 * Makes the indexes agree with the segments before the first change of a partition. Missing indexes are written, and
 * those that a crash during the removal of segments left behind are removed.
 *
 * @returns bytes of the written indexes
 */
export async function renewIndexes(
  operations: FileOperations,
  directory: string,
  segments: readonly Segment[],
): Promise<number> {
  await removeStrayIndexes(operations, directory, segments)
  let bytes = 0
  for (const segment of segments.slice(0, -1)) {
    if (segment.indexBytes > 0) continue
    segment.indexBytes = await writeIndex(operations, segment)
    bytes += segment.indexBytes
  }
  return bytes
}

/** Creates an empty file, even if an earlier attempt left one. */
export async function createEmpty(operations: FileOperations, path: string): Promise<OpenFile> {
  try {
    return await operations.open(path, 'create-append')
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
  }
  const file = await operations.open(path, 'append')
  try {
    await file.truncate(0)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

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
