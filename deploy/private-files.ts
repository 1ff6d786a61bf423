import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077

/**
 * Makes all files that this process creates from now on readable only by their owner, including those of the embedded
 * engine.
 */
export function createPrivately(): void {
  process.umask(OTHERS)
}

/**
 * Removes the rights of other users from a file, or a folder and everything below it. Links are not followed. Files of
 * other users, and files that are removed in the meantime, are skipped.
 */
export function makePrivate(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (stat.isDirectory()) {
    narrow(path, stat.mode, FOLDER_MODE)
    for (const name of readdirSync(path)) makePrivate(join(path, name))
  } else if (stat.isFile() || stat.isSocket()) narrow(path, stat.mode, FILE_MODE)
}

/** Removes the rights of other users from the folder itself only. */
export function makeFolderPrivate(path: string): void {
  narrow(path, lstatSync(path).mode, FOLDER_MODE)
}

function narrow(path: string, mode: number, wanted: number): void {
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, wanted)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A file system without rights, or another user's file, is used unchanged.
    if (code !== 'EPERM' && code !== 'ENOENT' && code !== 'ENOTSUP' && code !== 'EROFS') throw error
  }
}
