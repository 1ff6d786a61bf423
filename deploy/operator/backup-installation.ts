import { readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createFolders } from '../durable-file.ts'
import type { Installation } from '../installation.ts'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../version.ts'
import { type BackedUpFile, BackupError, writeManifest } from './backup-manifest.ts'
import { assertRoom, noRoomLeft } from './copy-room.ts'
import { copyFile, forEachFile, syncFolders } from './file-copy.ts'
import { type HeldPlace, holdInstallation } from './held-installation.ts'
import { releaseInstallation } from './release-installation.ts'

export type BackupEvent =
  | { readonly type: 'held'; readonly files: number; readonly bytes: number }
  /** Total number of bytes copied so far. */
  | { readonly type: 'copied'; readonly bytes: number }

export interface BackupSummary {
  readonly directory: string
  readonly files: number
  readonly bytes: number
  readonly hasSecretKey: boolean
}

export interface BackupOptions {
  readonly signal: AbortSignal
  report(event: BackupEvent): void
}

const LARGER_DISK = 'Use a folder on a larger disk'

/**
 * Copies an installation, running or not, into a new folder, with log, store and configuration in agreement.
 *
 * @throws BackupError with a sentence that states the remedy
 */
export async function backUp(
  installation: Installation,
  target: string,
  options: BackupOptions,
): Promise<BackupSummary> {
  const directory = resolve(target)
  const refusal = backupRefusal(installation.settings)
  if (refusal !== undefined) throw new BackupError(refusal)
  prepare(directory, resolve(installation.directory.path))
  try {
    return await fill(installation, directory, options)
  } catch (error) {
    empty(directory)
    throw inWords(error, directory)
  } finally {
    await releaseInstallation(installation.directory)
  }
}

async function fill(
  installation: Installation,
  directory: string,
  { signal, report }: BackupOptions,
): Promise<BackupSummary> {
  const held = await holdInstallation(installation)
  const bytes = held.reduce((sum, file) => sum + file.bytes, 0)
  await assertRoom(directory, bytes, LARGER_DISK)
  report({ type: 'held', files: held.length, bytes })
  const copied: BackedUpFile[] = []
  let copiedBytes = 0
  const note = (some: number) => {
    copiedBytes += some
    report({ type: 'copied', bytes: copiedBytes })
  }
  await forEachFile(held, async (file: HeldPlace) => {
    const sha256 = await copyFile(file.path, join(directory, file.place), file.bytes, { signal, note })
    copied.push({ path: file.place, bytes: file.bytes, sha256 })
  })
  syncFolders(
    directory,
    copied.map(({ path }) => join(directory, path)),
  )
  // A turn of the event loop, so that an interruption until now is noticed: from here on the backup is completed.
  await setImmediate()
  signal.throwIfAborted()
  const hasSecretKey = installation.settings.secretKey === undefined
  writeManifest(directory, {
    version: VERSION,
    madeAt: new Date().toISOString(),
    logId: installation.ingest.logId,
    partitions: installation.ingest.partitions,
    hasSecretKey,
    files: copied.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  })
  return { directory, files: copied.length, bytes, hasSecretKey }
}

/** Reason why a backup is refused with these settings, independent of the state of store and server. */
export function backupRefusal({ clickhouseUrl }: Settings): string | undefined {
  if (clickhouseUrl === undefined) return undefined
  return (
    'the lines are on the ClickHouse server of CLICKHOUSE_URL, which this backup cannot copy at the same moment: stop ' +
    'the service, back up its database (BACKUP DATABASE … TO …) and copy the data folder, then start it again'
  )
}

function prepare(directory: string, dataFolder: string): void {
  if (isWithin(realPath(directory), realpathSync(dataFolder)))
    throw new BackupError(
      `${directory} is inside the data folder: use a folder elsewhere, preferably on another disk`,
    )
  const found = statSync(directory, { throwIfNoEntry: false })
  if (found !== undefined && !found.isDirectory())
    throw new BackupError(`${directory} is a file: use a new or empty folder`)
  if (found !== undefined && readdirSync(directory).length > 0)
    throw new BackupError(`${directory} is not empty: use a new or empty folder`)
  try {
    createFolders(directory)
  } catch (error) {
    const failure = inWords(error, directory)
    if (failure instanceof BackupError) throw failure
    throw new BackupError(
      `${directory} cannot be created (${(error as Error).message}): use a folder elsewhere, preferably on another disk`,
      { cause: error },
    )
  }
}

/** Path without symbolic links, also for a path that does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (dirname(path) === path) throw error
    return join(realPath(dirname(path)), basename(path))
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/** Removes the copies made so far. */
function empty(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
}

function inWords(error: unknown, directory: string): unknown {
  const full = noRoomLeft(error, directory, LARGER_DISK)
  if (full !== undefined) return full
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new BackupError(
      `${directory} cannot be written (${message}): the server writes the backup, so its user needs access`,
      { cause: error },
    )
  return error
}
