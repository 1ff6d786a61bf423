import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Enough to hold a few lines with their times: two logs that begin alike up to here are the same log. */
const FINGERPRINT_BYTES = 1_024

/** SHA-256 of the first `length` bytes of a file. */
export interface Fingerprint {
  readonly length: number
  readonly digest: string
}

export const NO_FINGERPRINT: Fingerprint = { length: 0, digest: '' }

/** Which file it is, by the number of its inode, and whether it is still that file, by how it begins. */
export interface FileIdentity {
  readonly inode: string
  readonly fingerprint: Fingerprint
}

/** Of the bytes before `knownBytes`, which are never to change while the file is the same. */
export async function fingerprintOf(handle: FileHandle, knownBytes: number): Promise<Fingerprint> {
  const head = Buffer.alloc(Math.min(FINGERPRINT_BYTES, knownBytes))
  const bytes = await readFully(handle, head, 0)
  return { length: bytes, digest: createHash('sha256').update(head.subarray(0, bytes)).digest('hex') }
}

export async function beginsAs(handle: FileHandle, expected: Fingerprint): Promise<boolean> {
  if (expected.length === 0) return true
  const found = await fingerprintOf(handle, expected.length)
  return found.length === expected.length && found.digest === expected.digest
}

/** Reads until the buffer is full or the file ends. */
export async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** The file; undefined when it is not there, or not yet ours to read, as just after a rotation. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

export async function inodeOf(handle: FileHandle): Promise<string> {
  return String((await handle.stat({ bigint: true })).ino)
}

export interface RotatedFile {
  readonly path: string
  readonly inode: string
  readonly modifiedNs: bigint
}

/** What a rotation appends to the name: `.1`, `-20260131`, `.2026-01-31`; compressed ones are not read. */
const ROTATION_SUFFIX = /^[.-]\d[\d.-]*$/

/** The rotated predecessors of a log that are still there, the longest unmodified first. */
export async function rotatedFiles(path: string): Promise<RotatedFile[]> {
  const folder = dirname(path)
  const base = basename(path)
  const names = await readdir(folder).catch(() => [])
  const files: RotatedFile[] = []
  for (const name of names) {
    if (!name.startsWith(base) || !ROTATION_SUFFIX.test(name.slice(base.length))) continue
    const found = await stat(join(folder, name), { bigint: true }).catch(() => undefined)
    if (found?.isFile())
      files.push({ path: join(folder, name), inode: String(found.ino), modifiedNs: found.mtimeNs })
  }
  return files.sort((left, right) => (left.modifiedNs < right.modifiedNs ? -1 : 1))
}
