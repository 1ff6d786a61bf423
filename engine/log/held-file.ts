import { basename, join } from 'node:path'
import type { FileOperations } from './file-operations.ts'
import { indexPath, type Segment } from './segment-file.ts'

/** A held file with its size at that time; bytes appended later do not belong to it. */
export interface HeldFile {
  readonly path: string
  readonly bytes: number
}

/**
 * Holds the segments of a partition by links in a folder. Segments are only appended to, so the durable bytes do not
 * change, even when the log deletes the segment.
 */
export async function holdSegments(
  operations: FileOperations,
  segments: readonly Segment[],
  directory: string,
): Promise<HeldFile[]> {
  await operations.makeDirectory(directory)
  const held: HeldFile[] = []
  const hold = async (path: string, bytes: number) => {
    const link = join(directory, basename(path))
    await operations.link(path, link)
    held.push({ path: link, bytes })
  }
  for (const { path, index, indexBytes } of segments) {
    await hold(path, index.end)
    if (indexBytes > 0) await hold(indexPath(path), indexBytes)
  }
  return held
}
