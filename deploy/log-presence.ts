import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKPOINT_TOPIC, CONFIG_TOPIC, INGEST_TOPIC } from '../schemas/log/topics.ts'
import { type DataDirectory, DataDirectoryError } from './data-directory.ts'

/** 'inspect': nothing is made that is not there yet. */
export type InstallationUse = 'serve' | 'inspect'

/**
 * Notices a lost part of the log before an empty one is made in its place: that would hide the loss, and a folder that
 * is put back later would be mixed with it.
 *
 * @param use 'serve': a folder in which no server has come up yet gets its log
 * @throws DataDirectoryError that names what is gone
 */
export function assertLogPresent(directory: DataDirectory, use: InstallationUse): void {
  const folders = [INGEST_TOPIC, CHECKPOINT_TOPIC, CONFIG_TOPIC].map(topic => join(directory.logPath, topic))
  const missing = folders.filter(folder => !existsSync(folder))
  // Credentials are written once the whole log has been made.
  const hasServed = existsSync(join(directory.path, 'credentials.json'))
  if (missing.length === 0 || (use === 'serve' && !hasServed)) return
  if (!hasServed && missing.length === folders.length)
    throw new DataDirectoryError(
      `no server has come up in the data folder ${directory.path} yet: start it first`,
    )
  throw new DataDirectoryError(
    `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} gone, and the log that was there: put it back ` +
      'from where it was moved to, or restore a backup ("weir restore") into a new data folder (WEIR_DATA_DIR). ' +
      'Nothing was changed here',
  )
}
