import { statfs } from 'node:fs/promises'
import { BackupError } from './backup-manifest.ts'

/** Space for folders, the manifest and the file system itself, in addition to the files. */
const SPARE_BYTES = 16 * 1024 * 1024

/**
 * @param remedy a sentence on how to provide more space
 * @throws BackupError when the disk lacks space for this many bytes and the additional data
 */
export async function assertRoom(directory: string, bytes: number, remedy: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize >= bytes + SPARE_BYTES) return
  throw new BackupError(`${bytes} bytes do not fit into ${directory}: ${bavail * bsize} are free. ${remedy}`)
}

/** Error for a disk that became full during the copy; undefined for other errors. */
export function noRoomLeft(error: unknown, directory: string, remedy: string): BackupError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return new BackupError(`the disk of ${directory} is full. ${remedy}`, { cause: error })
  }
  return undefined
}
