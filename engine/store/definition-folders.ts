import { type FileHandle, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Folders of the embedded engine in which databases, tables and the folders of their parts have their names. */
const FOLDERS = ['.', 'metadata', 'data', 'data/*', 'store', 'store/*', 'store/*/*']

/**
 * Makes the definitions of tables durable: names, columns and settings. The engine flushes the files of definitions and
 * parts, but neither the new names of these files nor their parent folders. Without this function, a power failure may
 * remove a table with all of its lines on some file systems. It may also restore the definition from before a
 * migration.
 *
 * @param folder the engine's data folder
 */
export async function syncDefinitions(folder: string): Promise<void> {
  await syncFolder(dirname(folder))
  for (const pattern of FOLDERS)
    for (const path of await foldersLike(folder, pattern.split('/'))) await syncFolder(path)
}

/** Folders below a folder. `*` in the pattern stands for any name. */
export async function foldersLike(folder: string, pattern: readonly string[]): Promise<string[]> {
  const [name, ...below] = pattern
  if (name === undefined) return [folder]
  if (name !== '*') return foldersLike(join(folder, name), below)
  const entries = await readdir(folder, { withFileTypes: true }).catch(whenGone([]))
  const found = entries.filter(entry => entry.isDirectory())
  return (await Promise.all(found.map(entry => foldersLike(join(folder, entry.name), below)))).flat()
}

/** A folder that does not exist, or that the engine has removed in the meantime, needs no flush. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(whenGone<FileHandle | undefined>(undefined))
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

function whenGone<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return error => {
    if (error.code === 'ENOENT') return otherwise
    throw error
  }
}
