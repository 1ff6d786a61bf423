import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DataDirectory } from '../data-directory.ts'
import { type BackedUpFile, BackupError, type BackupManifest, readManifest } from './backup-manifest.ts'
import { assertRoom, noRoomLeft } from './copy-room.ts'
import { type CopyOptions, copyFile, digestOf, forEachFile, syncFolders } from './file-copy.ts'

export type RestoreEvent =
  | { readonly type: 'read'; readonly files: number; readonly bytes: number; readonly madeAt: string }
  /** Bytes processed so far, of twice the total: each file is read for the check and for the copy. */
  | { readonly type: 'copied'; readonly bytes: number }

export interface RestoreOptions {
  readonly signal: AbortSignal
  report(event: RestoreEvent): void
}

const LARGER_DISK = 'Nothing was restored: restore to a larger disk (WEIR_DATA_DIR)'

/**
 * Fills a new or empty data folder from a backup, after a check of every file in the backup. A partly filled folder, also
 * after kill -9, is refused by every start.
 *
 * @throws BackupError, DataDirectoryError with a sentence that states the remedy
 */
export async function restore(
  backup: string,
  dataFolder: string,
  { signal, report }: RestoreOptions,
): Promise<BackupManifest> {
  const source = resolve(backup)
  const manifest = readManifest(source)
  const { files, madeAt } = manifest
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  // Checks that the folder can be used before the long work begins.
  const directory = DataDirectory.openEmpty(dataFolder)
  try {
    report({ type: 'read', files: files.length, bytes, madeAt })
    await assertRoom(dataFolder, bytes, LARGER_DISK)
    let readBytes = 0
    const note = (some: number) => {
      readBytes += some
      report({ type: 'copied', bytes: readBytes })
    }
    await check(source, files, { signal, note })
    await copy(source, resolve(dataFolder), files, { signal, note })
    directory.finishRestore()
  } catch (error) {
    directory.abandonRestore()
    throw noRoomLeft(error, dataFolder, LARGER_DISK) ?? error
  } finally {
    directory.close()
  }
  return manifest
}

/** @throws BackupError that names the first file that was changed */
async function check(source: string, files: readonly BackedUpFile[], options: CopyOptions): Promise<void> {
  const damaged: string[] = []
  await forEachFile(files, async file => {
    const why = await troubleOf(source, file, options)
    if (why !== undefined) damaged.push(`${file.path} ${why}`)
  })
  if (damaged.length === 0) return
  const others = damaged.length === 1 ? '' : ` and ${damaged.length - 1} more`
  throw new BackupError(
    `the backup ${source} is damaged (${damaged.sort()[0]}${others}): nothing was restored. Restore from another backup`,
  )
}

async function troubleOf(
  source: string,
  { path, bytes, sha256 }: BackedUpFile,
  options: CopyOptions,
): Promise<string | undefined> {
  const place = join(source, path)
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) return 'is missing'
  if (found.size !== bytes) return `has ${found.size} bytes instead of ${bytes}`
  return (await digestOf(place, bytes, options)) === sha256 ? undefined : 'has another content'
}

async function copy(
  source: string,
  target: string,
  files: readonly BackedUpFile[],
  options: CopyOptions,
): Promise<void> {
  await forEachFile(files, async ({ path, bytes, sha256 }) => {
    const digest = await copyFile(join(source, path), join(target, path), bytes, options)
    if (digest !== sha256)
      throw new BackupError(`${join(source, path)} changed while it was restored: restore again`)
  })
  syncFolders(
    target,
    files.map(({ path }) => join(target, path)),
  )
}
