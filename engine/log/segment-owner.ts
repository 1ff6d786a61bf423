import { dirname, join } from 'node:path'
import type { FileOperations, OpenFile } from './file-operations.ts'
import { FRAME_PREFIX_BYTES, frameMark } from './frame.ts'
import { LogError } from './log.ts'
import { corrupt, readStretch } from './segment-file.ts'
import { METADATA_NAME } from './topic-metadata.ts'

/** Smallest unit that a disk writes or does not write. */
const SECTOR_BYTES = 512

export interface PartitionIdentity {
  readonly topic: string
  readonly partition: number
  /** Number of partitions of the topic. */
  readonly partitions: number
  readonly logId: string
  readonly directory: string
}

interface JudgedFile {
  readonly path: string
  /** First offset, from its name. */
  readonly base: number
  readonly isNewest: boolean
}

/**
 * Judges by the first bytes of a segment whether it belongs to the partition of its folder. Without this check a file of
 * another partition, or any file under a wrong log id, would look like the remains of a torn flush:
 *
 * - No bytes, or fewer than a frame has: a crash during the creation. Nothing was durable.
 * - The mark of the partition: an own segment, unless its first record is sound and has another offset.
 * - Zeros up to the end of the first sector: the first flush did not reach the disk there. Nothing was durable.
 * - Any other bytes were not written by this partition. A torn flush contains only its own bytes, and zeros, on a file
 *   system that never shows the former content of new blocks.
 *
 * A finished segment is refused only with a proof of another owner: a damaged record of it is reported to its readers.
 *
 * @throws LogError LOG_CORRUPT that names the file and the partition
 */
export async function assertOwnSegment(
  operations: FileOperations,
  { path, base, isNewest }: JudgedFile,
  identity: PartitionIdentity,
): Promise<void> {
  const file = await operations.open(path, 'read')
  try {
    const memory = Buffer.alloc(SECTOR_BYTES)
    const begin = memory.subarray(0, await file.read(memory, 0))
    if (begin.length < FRAME_PREFIX_BYTES) return
    const mark = begin.readUInt32LE(0)
    const owner = partitionOf(mark, identity)
    if (owner === identity.partition && !isNewest) return
    if (owner !== undefined && owner !== identity.partition)
      throw misplaced(path, identity, `records of partition ${owner}`)
    const first = await firstOffset(file, mark)
    if (owner === identity.partition) {
      if (first !== undefined && first !== base) throw misplaced(path, identity, `records from ${first} on`)
      return
    }
    if (first !== undefined) throw foreign(path, identity)
    if (isNewest && begin.some(byte => byte !== 0))
      throw corrupt(
        path,
        0,
        `neither a record of partition ${identity.partition} of ${identity.topic} begins there nor the remains of one. ` +
          'Nothing was changed',
      )
  } finally {
    await file.close()
  }
}

/** Offset of the first record if it is valid under its own mark. */
async function firstOffset(file: OpenFile, mark: number): Promise<number | undefined> {
  const { frames } = await readStretch(file, 0, await file.size(), FRAME_PREFIX_BYTES, mark)
  return frames[0]?.offset
}

/** The partition of this topic whose frames carry the mark. */
function partitionOf(mark: number, { logId, partitions }: PartitionIdentity): number | undefined {
  for (let partition = 0; partition < partitions; partition++)
    if (frameMark(logId, partition) === mark) return partition
  return undefined
}

function misplaced(path: string, { topic, partition }: PartitionIdentity, what: string): LogError {
  return new LogError(
    'LOG_CORRUPT',
    `${path} is not in its place, which is one of partition ${partition} of ${topic}: it contains ${what}. Put back the ` +
      'segment files of all partitions under their own names. Nothing was changed.',
  )
}

function foreign(path: string, { topic, partition, directory }: PartitionIdentity): LogError {
  return new LogError(
    'LOG_CORRUPT',
    `${path} is not a file of partition ${partition} of ${topic}: it contains records of another log than ` +
      `${join(dirname(directory), METADATA_NAME)} names. Put back the one or the other. Nothing was changed.`,
  )
}
