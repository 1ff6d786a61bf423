import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Files that the engine does not count in the size of a part. */
const UNCOUNTED = new Set([
  'checksums.txt',
  'columns.txt',
  'columns_substreams.txt',
  'default_compression_codec.txt',
  'metadata_version.txt',
])
/** A write for which the space ends in its middle stops at a border of the file system's blocks, which are at least as long. */
const SHORTEST_BLOCK_BYTES = 512

/**
 * Whether all files of a part were written to their ends. A failed write leaves a file that is too short.
 *
 * @param folder folder of the part
 * @param bytes size of the part as the engine knows it from what it wanted to write
 */
export async function isWhole(folder: string, bytes: number): Promise<boolean> {
  const files = await countedFiles(folder)
  return files !== undefined && files.countedBytes === bytes
}

/** @returns undefined if a file is missing or surely too short */
async function countedFiles(folder: string): Promise<{ countedBytes: number } | undefined> {
  let countedBytes = 0
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        const below = await countedFiles(path)
        if (below === undefined) return undefined
        countedBytes += below.countedBytes
        continue
      }
      const { size } = await stat(path)
      if (!UNCOUNTED.has(entry.name)) countedBytes += size
      else if (size % SHORTEST_BLOCK_BYTES === 0) return undefined
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // The engine has removed the part in the meantime, or a file was never created.
    return undefined
  }
  return { countedBytes }
}
