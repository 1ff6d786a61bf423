import { createReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { beginsAs, FINGERPRINT_BYTES, type Fingerprint } from './file-identity.ts'
import type { RotatedFile } from './rotated-files.ts'

class NotTheFile extends Error {}

/**
 * Unpacks a compressed file with the expected beginning into a file without a name. Only the beginning and the part from
 * `offset` on are written, each at its place: the rest was shipped, and a log can be large.
 *
 * @returns undefined when the file begins otherwise, is shorter than `offset`, cannot be unpacked, or was removed
 */
export async function unpackedCopy(
  { path, modifiedNs }: RotatedFile,
  expected: Fingerprint,
  offset: number,
): Promise<FileHandle | undefined> {
  if (!(await isTheFile(path, expected))) return undefined
  const copy = await namelessFile()
  try {
    if ((await unpackInto(copy, path, offset)) < offset) throw new NotTheFile()
  } catch (error) {
    await copy.close()
    if (isUnusable(error)) return undefined
    throw error
  }
  // The copy gets the time of its source: the order of rotated files is that of their times.
  const modifiedSeconds = Number(modifiedNs / 1_000_000n) / 1000
  await copy.utimes(modifiedSeconds, modifiedSeconds)
  return copy
}

async function isTheFile(path: string, expected: Fingerprint): Promise<boolean> {
  const head = await namelessFile()
  try {
    await unpackInto(head, path, Number.POSITIVE_INFINITY, expected.length)
    return await beginsAs(head, expected)
  } catch (error) {
    if (isUnusable(error)) return false
    throw error
  } finally {
    await head.close()
  }
}

/** @returns number of unpacked bytes; at most a few more than `enough` */
async function unpackInto(
  copy: FileHandle,
  path: string,
  offset: number,
  enough = Number.POSITIVE_INFINITY,
): Promise<number> {
  let at = 0
  for await (const chunk of unpacked(path)) {
    const end = at + chunk.length
    if (at < FINGERPRINT_BYTES || end > offset) await writeAll(copy, chunk, at)
    at = end
    if (at >= enough) break
  }
  return at
}

async function writeAll(copy: FileHandle, chunk: Buffer, at: number): Promise<void> {
  for (let from = 0; from < chunk.length; ) {
    const { bytesWritten } = await copy.write(chunk, from, chunk.length - from, at + from)
    from += bytesWritten
  }
}

/** Errors of a damaged, missing or foreign file. A full disk must not lead to giving up its lines. */
function isUnusable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return error instanceof NotTheFile || /^(Z|ENOENT$|EACCES$)/.test(code)
}

function unpacked(path: string): Readable {
  const decompressor = path.endsWith('.gz') ? createGunzip() : createZstdDecompress()
  // The reader of the decompressor gets the error.
  return pipeline(createReadStream(path), decompressor, () => {})
}

/** A file that is removed when it is closed, however the program ends. */
async function namelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-ship-'))
  try {
    return await open(join(folder, 'unpacked'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true })
  }
}
