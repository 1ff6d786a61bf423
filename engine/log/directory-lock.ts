import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LogError } from './log.ts'

export interface DirectoryLock {
  release(): void
}

/**
 * Makes this process the only owner of a log folder. The lock is a POSIX file lock, which the kernel releases when the
 * process ends in any way, so a stale lock cannot remain. Node offers such locks through SQLite.
 *
 * @throws LogError LOG_IN_USE (retriable) with a sentence that names the owner
 */
export function lockDirectory(directory: string): DirectoryLock {
  const owner = join(directory, 'owner')
  const database = new DatabaseSync(join(directory, 'lock'))
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    if (!isLocked(cause))
      throw new LogError('LOG_UNAVAILABLE', `The lock of ${directory} cannot be taken.`, { cause })
    const message = `The log in ${directory} is in use by ${readOwner(owner)}: one process at a time owns it.`
    throw new LogError('LOG_IN_USE', message, { retriable: true, cause })
  }
  writeOwner(owner)
  return { release: () => database.close() }
}

const SQLITE_BUSY = 5

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

/** The owner is only for the error text: on a full disk it may be missing. */
function writeOwner(path: string): void {
  try {
    writeFileSync(path, `process ${process.pid}\n`)
  } catch {
    // The lock is valid without it.
  }
}

function readOwner(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim() || 'another process'
  } catch {
    return 'another process'
  }
}
