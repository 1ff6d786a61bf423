import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { freezeTables } from '../../engine/store/store-freeze.ts'
import {
  CHECKPOINT_TOPIC,
  CONFIG_TOPIC,
  DEAD_LETTER_TOPIC,
  INGEST_TOPIC,
  KEYED_CHECKPOINT_TOPIC,
  KEYED_TOPIC,
} from '../../schemas/log/topics.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { Installation } from '../installation.ts'
import { releaseInstallation } from './release-installation.ts'

/** A file as it was when it was held, and its place in the data folder. */
export interface HeldPlace {
  readonly path: string
  readonly place: string
  readonly bytes: number
}

/** Written anew as a whole whenever they change, or never. */
const SINGLE_FILES = ['format.json', 'secret.key', 'credentials.json'] as const
/** Where followed files were: taken first, so that what the log has beyond is known to it as a repeat. */
const SHIP_POSITIONS = 'ship-positions.json'

/**
 * Holds everything that an installation consists of at nearly one moment, while it is at work: by hard links, so it
 * takes no time and no room. The order makes the parts agree:
 *
 * 1. The mark of the configuration's end: the configuration must reach it, so that log is held later.
 * 2. Checkpoints: each says that everything before it is in the store, so the store must be of a later moment.
 * 3. The store: what it has must be on the log, so the log must be of a later moment. A store that is behind the log
 *    is what every start makes up for. Its mark of the configuration's end is of that earlier moment, too.
 * 4. The log: dead letters and keyed events first, since what they come from must be there; then the configuration,
 *    which must know at least the versions that the log tells of.
 *
 * Meanwhile nothing is trimmed, so the log still has what the checkpoints need.
 */
export async function holdInstallation({
  directory,
  log,
  opening,
  engine,
}: Installation): Promise<HeldPlace[]> {
  await releaseInstallation(directory)
  const storePath = resolve(directory.storePath)
  const hold = async (topic: string) => {
    const files = await log.hold(topic, join(directory.heldPath, topic))
    return files.map(({ path, bytes }) => ({
      path,
      bytes,
      place: join('log', relative(directory.heldPath, path)),
    }))
  }
  return engine.withoutTrimming(async () => {
    const positions = singleFiles(directory, [SHIP_POSITIONS])
    const endMark = holdEndMark(directory)
    const checkpoints = [...(await hold(CHECKPOINT_TOPIC)), ...(await hold(KEYED_CHECKPOINT_TOPIC))]
    const tables = await freezeTables(opening.connection, storePath)
    const store = tables.map(file => ({ ...file, place: join('store', file.place) }))
    const letters = await hold(DEAD_LETTER_TOPIC)
    const lines = [...letters, ...(await hold(KEYED_TOPIC)), ...(await hold(INGEST_TOPIC))]
    const configuration = await hold(CONFIG_TOPIC)
    const single = singleFiles(directory, SINGLE_FILES)
    return [...single, ...positions, ...endMark, ...configuration, ...checkpoints, ...lines, ...store]
  })
}

/** A copy: the file changes in its place. One of its two marks is always whole. */
function holdEndMark({ endMarkPath, heldPath }: DataDirectory): HeldPlace[] {
  if (!existsSync(endMarkPath)) return []
  const place = basename(endMarkPath)
  const path = join(heldPath, place)
  mkdirSync(heldPath, { recursive: true, mode: 0o700 })
  copyFileSync(endMarkPath, path)
  return [{ path, place, bytes: statSync(path).size }]
}

function singleFiles(directory: DataDirectory, names: readonly string[]): HeldPlace[] {
  return names.flatMap(place => {
    const path = join(directory.path, place)
    return existsSync(path) ? [{ path, place, bytes: statSync(path).size }] : []
  })
}
