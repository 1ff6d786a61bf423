import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** Enough for a few lines with their times: two logs with the same beginning of this length are the same log. */
export const FINGERPRINT_BYTES = 1_024

/** SHA-256 of the first `length` bytes of a file. */
export interface Fingerprint {
  readonly length: number
  readonly digest: string
}

export const NO_FINGERPRINT: Fingerprint = { length: 0, digest: '' }

/** Identifies a file by its inode, and by its beginning as a check that it is still the same file. */
export interface FileIdentity {
  readonly inode: string
  readonly fingerprint: Fingerprint
}

/** Fingerprint of bytes before `knownBytes`, which must not change while the file is the same. */
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

/** The file; undefined when it does not exist, or is not readable yet, as just after a rotation. */
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
