import { constants } from 'node:fs'
import { access, open, readFile, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { FORMAT_VERSION } from '../../data-directory.ts'
import { byteSize } from '../byte-size.ts'
import { dataFolder } from '../connection.ts'
import type { World } from '../world.ts'
import { type Check, type Finding, ok, skipped, warning, wrong } from './finding.ts'

const SYNCS = 20
const SYNC_BYTES = 4_096
/** Median time of a sync with which lines are still acknowledged at once, and one that hardly any disk needs. */
const SLOW_SYNC_MS = 20
const TOO_SLOW_SYNC_MS = 200
const FEW_BYTES = 5 * 1024 ** 3
const TOO_FEW_BYTES = 512 * 1024 ** 2

/** File systems by their number of statfs(2), with their effect on a log. */
const FILE_SYSTEMS: ReadonlyMap<number, Finding> = new Map([
  [0x0102_1994, wrong('The data folder is on tmpfs: nothing in it survives a restart of the machine.')],
  [0x8584_58f6, wrong('The data folder is on ramfs: nothing in it survives a restart of the machine.')],
  [0x6969, warning('The data folder is on NFS: locks and syncs depend on the server. Use a local disk.')],
  [0x794c_7630, warning('The data folder is in the layer of a container, which ends with it. Use a volume.')],
  [0x6573_5546, warning('The data folder is on a FUSE file system: see whether its syncs reach a disk.')],
])

/** Checks of the data folder and its disk. With Kafka and a store server it has only credentials. */
export const FOLDER_CHECKS: readonly Check[] = [
  { name: 'data folder', run: inFolder(folder) },
  { name: 'disk', run: inFolder(disk) },
  { name: 'fsync', run: inFolder(sync) },
]

function inFolder(check: (path: string, world: World) => Promise<Finding[]>): Check['run'] {
  return async world => {
    const path = dataFolder(world)
    const found = await stat(path).catch(() => undefined)
    if (found?.isDirectory()) return check(path, world)
    if (found !== undefined) return [wrong(`${path} is not a folder: correct WEIR_DATA_DIR.`)]
    return [skipped(`There is no folder ${path} yet: the first start creates it, or set WEIR_DATA_DIR.`)]
  }
}

async function folder(path: string): Promise<Finding[]> {
  const { mode, uid } = await stat(path)
  const findings: Finding[] = []
  if (process.getuid !== undefined && uid !== process.getuid())
    findings.push(warning(`${path} belongs to user ${uid}, not to you: run this command as that user.`))
  if ((mode & 0o077) !== 0)
    findings.push(warning(`Other users can enter ${path}: the next start takes that right away.`))
  if (await isThere(join(path, 'restoring.json')))
    findings.push(wrong(`${path} is partly restored: empty it and restore again.`))
  const format = await formatOf(path)
  if (format !== undefined && format > FORMAT_VERSION)
    findings.push(
      wrong(
        `${path} has format ${format}, but this program supports ${FORMAT_VERSION}: use the newer program.`,
      ),
    )
  return findings.length > 0
    ? findings
    : [ok(`${path} is private and has ${format === undefined ? 'no format yet' : `format ${format}`}.`)]
}

async function formatOf(path: string): Promise<number | undefined> {
  try {
    const { format } = JSON.parse(await readFile(join(path, 'format.json'), 'utf8')) as { format?: unknown }
    return typeof format === 'number' ? format : undefined
  } catch {
    return undefined
  }
}

async function disk(path: string): Promise<Finding[]> {
  const { type, bsize, bavail, blocks, files, ffree } = await statfs(path)
  const [free, total] = [bavail * bsize, blocks * bsize]
  const findings = [FILE_SYSTEMS.get(type)].filter(finding => finding !== undefined)
  const room = `${byteSize(free)} of ${byteSize(total)} are free`
  if (free < TOO_FEW_BYTES) findings.push(wrong(`${room}: make room, or nothing can be written soon.`))
  else if (free < FEW_BYTES) findings.push(warning(`${room}: docs/operations.md, "When space runs short".`))
  if (files > 0 && ffree / files < 0.01) findings.push(wrong(`Only ${ffree} files can still be created.`))
  return findings.length > 0 ? findings : [ok(`${room}.`)]
}

/** Writes a small file again and again, as the log does with each batch. */
async function sync(path: string, { clock }: World): Promise<Finding[]> {
  const name = join(path, `doctor-${process.pid}.tmp`)
  if (!(await isThere(path, constants.W_OK))) return [skipped(`${path} cannot be written by this user.`)]
  const file = await open(name, 'w', 0o600)
  const times: number[] = []
  try {
    for (let each = 0; each < SYNCS; each++) {
      const startMs = clock.monotonicMs()
      await file.write(Buffer.alloc(SYNC_BYTES, each))
      await file.sync()
      times.push(clock.monotonicMs() - startMs)
    }
  } finally {
    await file.close()
    await rm(name, { force: true })
  }
  return [syncFinding(times.sort((a, b) => a - b)[SYNCS / 2] as number)]
}

/** @param medianMs median time of a sync */
export function syncFinding(medianMs: number): Finding {
  const sentence = `A sync takes ${medianMs.toFixed(1)} ms (median of ${SYNCS})`
  if (medianMs < SLOW_SYNC_MS) return ok(`${sentence}.`)
  if (medianMs < TOO_SLOW_SYNC_MS)
    return warning(`${sentence}: each acknowledgement waits for one. Use a faster disk.`)
  return wrong(`${sentence}, so each batch of lines waits that long: use another disk.`)
}

async function isThere(path: string, mode: number = constants.F_OK): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch {
    return false
  }
}
