import { constants, statfsSync } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { type DirectoryLock, lockDirectory } from './directory-lock.ts'

/**
 * File system calls of the segment log, so that a test can count flushes and make any call fail. Errors are Node's, with
 * their `code`.
 */
export interface FileOperations {
  /** @throws errors of the file system; EEXIST when a file that is to be created exists */
  open(path: string, mode: OpenMode): Promise<OpenFile>
  readText(path: string): Promise<string>
  /** Names of the entries, sorted. */
  list(directory: string): Promise<string[]>
  /** Bytes of a file. */
  size(path: string): Promise<number>
  /** Creates the directory and its parents; succeeds when it exists. */
  makeDirectory(path: string): Promise<void>
  /** Makes creations, renames and removals in a directory durable. */
  syncDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Gives a file a second name on the same file system, which remains when the first is removed. */
  link(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes this process the only owner of a directory. @throws LogError LOG_IN_USE when another process owns it */
  lock(directory: string): DirectoryLock
  /** Free bytes of the file system for processes without privileges. */
  freeBytes(path: string): number
}

/**
 * Use of an opened file. Only the two modes for appending have `OpenFile.append`: with `append` the file must exist, and with
 * `create-append` it must not.
 */
export type OpenMode = 'read' | 'create' | 'append' | 'create-append'

export interface OpenFile {
  /** Fills the buffer from a position on. @returns bytes read, fewer only at the end of the file */
  read(into: Buffer, position: number): Promise<number>
  /** Writes the whole buffer or throws; after an error, any part of it may have been written. */
  write(bytes: Buffer, position: number): Promise<void>
  /** Writes the whole buffer and makes it durable, or throws; after an error, any part of it may be durable. */
  append(bytes: Buffer, position: number): Promise<void>
  /** Makes everything written so far durable, and the file's length with it. */
  datasync(): Promise<void>
  truncate(bytes: number): Promise<void>
  size(): Promise<number>
  close(): Promise<void>
}

/**
 * On Linux, each write to such a file returns once it is durable: one call of the system, and one turn of a thread, in
 * place of a write and a flush. Elsewhere this does not include the cache of the disk, so a flush follows.
 */
const DURABLE_WRITES = process.platform === 'linux' ? constants.O_DSYNC : 0

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  create: O_RDWR | O_CREAT | O_EXCL,
  append: O_RDWR | DURABLE_WRITES,
  'create-append': O_RDWR | O_CREAT | O_EXCL | DURABLE_WRITES,
}

export function nodeFileOperations(): FileOperations {
  return {
    open: async (path, mode) => openFile(await open(path, FLAGS[mode])),
    readText: path => readFile(path, 'utf8'),
    list: async directory => (await readdir(directory)).sort(),
    size: async path => (await stat(path)).size,
    makeDirectory: async path => {
      await mkdir(path, { recursive: true })
    },
    syncDirectory: async path => {
      const handle = await open(path, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    },
    rename: (from, to) => rename(from, to),
    link: (from, to) => link(from, to),
    remove: path => unlink(path),
    lock: lockDirectory,
    freeBytes: path => {
      const { bavail, bsize } = statfsSync(path)
      return bavail * bsize
    },
  }
}

function openFile(handle: FileHandle): OpenFile {
  const write = async (bytes: Buffer, position: number) => {
    let done = 0
    while (done < bytes.length) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
      done += bytesWritten
    }
  }
  return {
    read: async (into, position) => {
      let done = 0
      while (done < into.length) {
        const { bytesRead } = await handle.read(into, done, into.length - done, position + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
      return done
    },
    write,
    append: async (bytes, position) => {
      await write(bytes, position)
      if (DURABLE_WRITES === 0) await handle.datasync()
    },
    datasync: () => handle.datasync(),
    truncate: bytes => handle.truncate(bytes),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  }
}

/** The `code` of a file system error, such as ENOENT; undefined for any other error. */
export function fileErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether the device has no space left, or a quota is used up. */
export function isNoSpace(error: unknown): boolean {
  const code = fileErrorCode(error)
  return code === 'ENOSPC' || code === 'EDQUOT'
}

/** Names in a directory; empty when it does not exist. */
export async function listIfDirectory(operations: FileOperations, path: string): Promise<string[]> {
  try {
    return await operations.list(path)
  } catch (error) {
    const code = fileErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
