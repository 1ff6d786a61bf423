import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryFolder } from './reaper.ts'

/** A lock that was not renewed for so long belongs to a dead or stuck process. */
const LOCK_LASTS_MS = 600_000
/** Interval at which a working process renews its lock. */
const RENEW_LOCK_MS = 60_000
const LOOK_AGAIN_MS = 100

/**
 * A folder of this user that is made once and found again by later runs. It appears whole or not at all, and processes
 * that want it at the same time wait for the one that makes it.
 *
 * @param fresh false when the folder of an earlier run is out of date
 */
export async function cachedFolder(
  name: string,
  make: (folder: string) => Promise<void>,
  fresh: (folder: string) => boolean = () => true,
): Promise<string> {
  const cache = cacheFolder()
  const folder = join(cache, name)
  const there = () => existsSync(folder) && fresh(folder)
  if (there()) return folder
  mkdirSync(cache, { recursive: true })
  await withLock(`${folder}.lock`, async () => {
    if (there()) return
    const making = temporaryFolder(`${name}.making-`, cache)
    try {
      await make(making.path)
      rmSync(folder, { recursive: true, force: true })
      renameSync(making.path, folder)
    } finally {
      making.remove()
    }
  })
  return folder
}

/** A folder that an earlier call of `cachedFolder` has made; undefined: there is none. */
export function foundFolder(name: string): string | undefined {
  const folder = join(cacheFolder(), name)
  return existsSync(folder) ? folder : undefined
}

/** Parent of all these folders. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'weir-tests')
}

/** The lock only saves double work. A published folder is complete without it, because it is renamed into place. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  while (!locked(path)) {
    if (abandoned(path)) rmSync(path, { force: true })
    else await setTimeout(LOOK_AGAIN_MS)
  }
  const renewal = setInterval(() => renew(path), RENEW_LOCK_MS)
  try {
    await work()
  } finally {
    clearInterval(renewal)
    rmSync(path, { force: true })
  }
}

function renew(path: string): void {
  const now = new Date()
  if (existsSync(path)) utimesSync(path, now, now)
}

function locked(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function abandoned(path: string): boolean {
  try {
    if (statSync(path).mtimeMs < Date.now() - LOCK_LASTS_MS) return true
    const holder = Number(readFileSync(path, 'utf8'))
    if (holder === 0) return false // Created, not yet written.
    process.kill(holder, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
