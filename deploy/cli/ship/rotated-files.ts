import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface RotatedFile {
  readonly path: string
  readonly inode: string
  readonly modifiedNs: bigint
}

/** Suffixes that rotation adds to the name: `.1`, `-20260131`, `.2026-01-31`. */
const ROTATED = /^[.-]\d[\d.-]*$/
const ROTATED_AND_COMPRESSED = /^[.-]\d[\d.-]*\.(gz|zst)$/

/** The uncompressed rotated predecessors of a log, the longest unmodified first. */
export function rotatedFiles(path: string): Promise<RotatedFile[]> {
  return filesNamed(path, ROTATED)
}

/** The compressed predecessors, in the same order: compression keeps the time of a file. */
export function compressedFiles(path: string): Promise<RotatedFile[]> {
  return filesNamed(path, ROTATED_AND_COMPRESSED)
}

/** @param suffix part after the name of the log */
async function filesNamed(path: string, suffix: RegExp): Promise<RotatedFile[]> {
  const folder = dirname(path)
  const base = basename(path)
  const names = await readdir(folder).catch(() => [])
  const files: RotatedFile[] = []
  for (const name of names) {
    if (!name.startsWith(base) || !suffix.test(name.slice(base.length))) continue
    const found = await stat(join(folder, name), { bigint: true }).catch(() => undefined)
    if (found?.isFile())
      files.push({ path: join(folder, name), inode: String(found.ino), modifiedNs: found.mtimeNs })
  }
  return files.sort((left, right) => (left.modifiedNs < right.modifiedNs ? -1 : 1))
}
