import { join } from 'node:path'
import { type FileOperations, fileErrorCode, listIfDirectory, type OpenFile } from './file-operations.ts'
import { frameMark } from './frame.ts'
import {
  indexPath,
  isPartitionFile,
  openFinishedSegment,
  recoverLastSegment,
  removeIfThere,
  type Segment,
  segmentBase,
  segmentPath,
  writeIndex,
} from './segment-file.ts'

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

/** Sizes of the segments of a partition and their indexes. */
export async function partitionBytes(operations: FileOperations, directory: string): Promise<number> {
  let bytes = 0
  for (const name of await listIfDirectory(operations, directory)) {
    if (isPartitionFile(name)) bytes += await operations.size(join(directory, name))
  }
  return bytes
}

/** The segments of a partition in offset order; what a crash left of the last flush is cut off. */
export async function openSegments(
  operations: FileOperations,
  identity: PartitionIdentity,
): Promise<Segment[]> {
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

/** An empty file, also where an earlier attempt has left one. */
export async function createEmpty(operations: FileOperations, path: string): Promise<OpenFile> {
  try {
    return await operations.open(path, 'create')
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
  }
  const file = await operations.open(path, 'read-write')
  try {
    await file.truncate(0)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A crash while segments were removed can leave the index of one behind. */
export async function removeStrayIndexes(
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
