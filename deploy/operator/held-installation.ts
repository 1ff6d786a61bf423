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
  OUTBOX_CHECKPOINT_TOPIC,
  OUTBOX_TOPIC,
} from '../../schemas/log/topics.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { Installation } from '../installation.ts'
import { releaseInstallation } from './release-installation.ts'

/** A held file with its size at that time, and its place in the data folder. */
export interface HeldPlace {
  readonly path: string
  readonly place: string
  readonly bytes: number
}

/** Files that are replaced as a whole when they change, or never change. */
const SINGLE_FILES = ['format.json', 'secret.key', 'credentials.json'] as const
/** Positions of followed files. They are held first, so that later records of the log are recognised as repeats. */
const SHIP_POSITIONS = 'ship-positions.json'

/**
 * Holds all parts of a running installation at nearly one moment. Hard links make this fast and need no space. The order
 * makes the parts agree:
 *
 * 1. The mark of the configuration's end: the configuration must reach it, so the configuration's log is held later.
 * 2. Checkpoints: each states that everything before it is in the store, so the store must be held later.
 * 3. The store: the log must contain everything that is stored, so it must be held later. Every start makes up for a
 *    store that is behind the log. The store's mark of the configuration's end belongs to this earlier moment, too.
 * 4. The log: first dead letters, then the outbox and keyed events. The origins of each must be present, so those are held later. Then the
 *    configuration, which must contain at least the versions that the log mentions.
 *
 * Trimming is paused for that time, so the log keeps the records that the checkpoints need.
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
    const checkpoints = [
      ...(await hold(CHECKPOINT_TOPIC)),
      ...(await hold(KEYED_CHECKPOINT_TOPIC)),
      ...(await hold(OUTBOX_CHECKPOINT_TOPIC)),
    ]
    const tables = await freezeTables(opening.connection, storePath)
    const store = tables.map(file => ({ ...file, place: join('store', file.place) }))
    const letters = await hold(DEAD_LETTER_TOPIC)
    const outbox = await hold(OUTBOX_TOPIC)
    const lines = [...letters, ...outbox, ...(await hold(KEYED_TOPIC)), ...(await hold(INGEST_TOPIC))]
    const configuration = await hold(CONFIG_TOPIC)
    const single = singleFiles(directory, SINGLE_FILES)
    return [...single, ...positions, ...endMark, ...configuration, ...checkpoints, ...lines, ...store]
  })
}

/** A copy, because the file changes in place. One of its two marks is always complete. */
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
