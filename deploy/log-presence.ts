import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKPOINT_TOPIC, CONFIG_TOPIC, INGEST_TOPIC } from '../schemas/log/topics.ts'
import { type DataDirectory, DataDirectoryError } from './data-directory.ts'

/** 'inspect': missing parts are not created, and nothing is written to the configuration. */
export type InstallationUse = 'serve' | 'inspect'

/**
 * Detects a lost part of the log before an empty one replaces it. Otherwise the loss would stay hidden, and a folder that
 * is restored later would be mixed with the new one.
 *
 * @param use 'serve': a folder in which no server has ever run gets its log
 * @throws DataDirectoryError that names the missing part
 */
export function assertLogPresent(directory: DataDirectory, use: InstallationUse): void {
  const folders = [INGEST_TOPIC, CHECKPOINT_TOPIC, CONFIG_TOPIC].map(topic => join(directory.logPath, topic))
  const missing = folders.filter(folder => !existsSync(folder))
  // The credentials are written after the whole log was created.
  const hasServed = existsSync(join(directory.path, 'credentials.json'))
  if (missing.length === 0 || (use === 'serve' && !hasServed)) return
  if (!hasServed && missing.length === folders.length) throw neverServed(directory)
  throw new DataDirectoryError(
    `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing, and so is the log that was there: move it back ` +
      'to its place, or restore a backup ("weir restore") into a new data folder (WEIR_DATA_DIR). ' +
      'Nothing was changed here',
  )
}

export function neverServed({ path }: DataDirectory): DataDirectoryError {
  return new DataDirectoryError(`no server has come up in the data folder ${path} yet: start it first`)
}
