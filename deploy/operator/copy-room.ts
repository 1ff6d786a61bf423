import { statfs } from 'node:fs/promises'
import { BackupError } from './backup-manifest.ts'

/** Beside the files: folders, the manifest, what the file system keeps for itself. */
const SPARE_BYTES = 16 * 1024 * 1024

/**
 * @param remedy a sentence that says how to give the files more room
 * @throws BackupError when the disk has no room for so many bytes and what belongs to them
 */
export async function assertRoom(directory: string, bytes: number, remedy: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize >= bytes + SPARE_BYTES) return
  throw new BackupError(
    `there is no room for ${bytes} bytes in ${directory}: ${bavail * bsize} are free. ${remedy}`,
  )
}

/** A disk that became full meanwhile, in words; undefined when the error is another one. */
export function noRoomLeft(error: unknown, directory: string, remedy: string): BackupError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return new BackupError(`there is no room left in ${directory}. ${remedy}`, { cause: error })
  }
  return undefined
}
