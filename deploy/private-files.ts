import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077

/** From here on nobody but the owner may read what this process creates, the embedded engine's files included. */
export function createPrivately(): void {
  process.umask(OTHERS)
}

/**
 * Takes the rights of others away from a file, or a folder and everything below it. Links are not followed; what
 * belongs to another user, or goes meanwhile, stays as it is.
 */
export function makePrivate(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (stat.isDirectory()) {
    narrow(path, stat.mode, FOLDER_MODE)
    for (const name of readdirSync(path)) makePrivate(join(path, name))
  } else if (stat.isFile() || stat.isSocket()) narrow(path, stat.mode, FILE_MODE)
}

/** One level alone. */
export function makeFolderPrivate(path: string): void {
  narrow(path, lstatSync(path).mode, FOLDER_MODE)
}

function narrow(path: string, mode: number, wanted: number): void {
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, wanted)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A file system without rights, or another user's file: it is used as it is, as before.
    if (code !== 'EPERM' && code !== 'ENOENT' && code !== 'ENOTSUP' && code !== 'EROFS') throw error
  }
}
