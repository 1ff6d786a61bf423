import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file that is durable when this returns, readable only by the owner, and never half-written. */
export function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

/** Makes creations and removals in a folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Creates the folder and its missing parents, durably and one level at a time. A recursive `mkdir` of Node never ends
 * where a file system answers ENOENT to a folder that it cannot create, as /proc does.
 */
export function createFolders(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) throw new Error(`${path} is a file, not a folder`)
  createFolders(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Two starts may create it at the same time.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
  syncFolder(dirname(path))
}
