import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../durable-file.ts'

const CHUNK_BYTES = 1024 * 1024
/** Small files wait for the disk most of the time. */
const FILES_AT_ONCE = 4

export interface CopyOptions {
  readonly signal: AbortSignal
  /** Called with the size of each copied piece. */
  note(bytes: number): void
}

/** Calls a task for every item, a few at a time; the first failure ends it. */
export async function forEachFile<Item>(
  items: readonly Item[],
  task: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0
  const work = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await task(item)
  }
  const running = Array.from({ length: FILES_AT_ONCE }, work)
  try {
    await Promise.all(running)
  } finally {
    // Stops the start of further files after a failure.
    next = items.length
    await Promise.allSettled(running)
  }
}

/**
 * Copies the first bytes of a file to a new one, durably except for its name.
 *
 * @returns SHA-256 of the copy, hexadecimal
 */
export async function copyFile(
  from: string,
  to: string,
  bytes: number,
  options: CopyOptions,
): Promise<string> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const target = await open(to, 'wx', 0o600)
  try {
    const digest = await digestOf(from, bytes, options, target)
    await target.datasync()
    return digest
  } finally {
    await target.close()
  }
}

/** SHA-256 of the first bytes of a file, which can also be written to another file on the way. */
export async function digestOf(
  path: string,
  bytes: number,
  { signal, note }: CopyOptions,
  target?: FileHandle,
): Promise<string> {
  const hash = createHash('sha256')
  const source = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, bytes)))
    for (let at = 0; at < bytes; ) {
      signal.throwIfAborted()
      const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, bytes - at), at)
      if (bytesRead === 0) throw new Error(`${path} ends at byte ${at} of ${bytes}`)
      const piece = buffer.subarray(0, bytesRead)
      hash.update(piece)
      if (target !== undefined) await writeWhole(target, piece)
      at += bytesRead
      note(bytesRead)
    }
  } finally {
    await source.close()
  }
  return hash.digest('hex')
}

/** Makes the names of files durable, up to and including the folder that contains them all. */
export function syncFolders(root: string, files: readonly string[]): void {
  const folders = new Set([root])
  for (const file of files)
    for (let folder = dirname(file); folder.length > root.length; folder = dirname(folder))
      folders.add(folder)
  for (const folder of folders) syncFolder(folder)
}

async function writeWhole(target: FileHandle, piece: Buffer): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    const { bytesWritten } = await target.write(piece, done, piece.length - done)
    done += bytesWritten
  }
}
