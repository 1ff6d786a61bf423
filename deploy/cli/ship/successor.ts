import { stat } from 'node:fs/promises'
import { beginsAs, openIfThere } from './file-identity.ts'
import type { FilePosition } from './positions.ts'
import { type RotatedFile, rotatedFiles } from './rotated-files.ts'

/**
 * The file after the present one: a rotated one that was begun later, else the one at the path.
 *
 * @returns its path; undefined while the present file is still in use
 */
export async function successorOf(
  path: string,
  current: Pick<RotatedFile, 'inode' | 'modifiedNs'>,
  finished: FilePosition['finished'],
): Promise<string | undefined> {
  const atPath = await stat(path, { bigint: true }).catch(() => undefined)
  if (atPath && String(atPath.ino) === current.inode) return undefined
  for (const file of await rotatedFiles(path)) {
    const isLater = file.inode !== current.inode && file.modifiedNs >= current.modifiedNs
    if (isLater && !(await isFinished(file, finished))) return file.path
  }
  // An empty file is not in use yet: its writer still writes to the old one.
  return atPath && atPath.size > 0n ? path : undefined
}

/** The beginning is compared as well: where files are rotated and removed, new files get their inodes. */
async function isFinished(file: RotatedFile, finished: FilePosition['finished']): Promise<boolean> {
  for (const one of finished) {
    if (typeof one === 'string') {
      if (one === file.inode) return true
    } else if (one.inode === file.inode) {
      const handle = await openIfThere(file.path)
      const isIt = handle !== undefined && (await beginsAs(handle, one.fingerprint))
      await handle?.close()
      if (isIt) return true
    }
  }
  return false
}
