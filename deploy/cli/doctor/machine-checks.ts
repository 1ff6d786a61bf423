import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSettings, SettingsError } from '../../settings/settings.ts'
import { grouped } from '../byte-size.ts'
import { dataFolder } from '../connection.ts'
import type { World } from '../world.ts'
import { type Check, type Finding, ok, skipped, warning, wrong } from './finding.ts'

const NODE_MAJOR = 24
/** Open files that docs/operations.md names for a process with the embedded store, and for the others. */
const FILES_WITH_STORE = 262_144
const FILES = 65_536
const MIN_MEMORY_BYTES = 1024 ** 3
/** Lines from before this program was written show a clock that was never set. */
const PROGRAM_MS = Date.UTC(2026, 0, 1)

/** Checks of the settings and the machine, without a server. */
export const MACHINE_CHECKS: readonly Check[] = [
  { name: 'settings', run: async world => settings(world) },
  { name: 'node', run: async () => node(process.versions.node) },
  { name: 'clock', run: async ({ clock }) => clockOf(clock.wallMs()) },
  { name: 'open files', run: openFiles },
  { name: 'memory', run: memory },
]

function settings({ env }: World): Finding[] {
  try {
    readSettings(env)
    return [ok('All settings can be used.')]
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.problems.map(problem => wrong(`${problem}.`))
  }
}

function node(version: string): Finding[] {
  const major = Number.parseInt(version, 10)
  if (major === NODE_MAJOR) return [ok(`Node ${version}.`)]
  return [
    major < NODE_MAJOR
      ? wrong(`Node ${version} is too old: use Node ${NODE_MAJOR}, which "npm ci" brings along.`)
      : warning(
          `Node ${version} is newer than the tested ${NODE_MAJOR}: all processes must have the same version.`,
        ),
  ]
}

function clockOf(wallMs: number): Finding[] {
  const text = new Date(wallMs).toISOString()
  if (wallMs >= PROGRAM_MS) return [ok(`It is ${text}.`)]
  return [
    wrong(
      `The clock says ${text}, which is before this program was written: set it (systemd-timesyncd, chrony).`,
    ),
  ]
}

async function openFiles(world: World): Promise<Finding[]> {
  const pid = await serverPid(world)
  const limits = await readable(`/proc/${pid ?? 'self'}/limits`)
  const [, text] = /^Max open files +(\d+|unlimited)/m.exec(limits ?? '') ?? []
  if (text === undefined) return [skipped('The limit is not known on this system.')]
  const whose = pid === undefined ? 'A server started here' : `The server (process ${pid})`
  const wanted = world.env.CLICKHOUSE_URL ? FILES : FILES_WITH_STORE
  const limit = text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text)
  const sentence = `${whose} can open ${Number.isFinite(limit) ? grouped(limit) : 'any number of'} files.`
  if (limit >= wanted) return [ok(sentence)]
  const remedy = `${grouped(wanted)} are recommended: LimitNOFILE= of the unit, or "ulimit -n".`
  return [limit < 4_096 ? wrong(`${sentence} ${remedy}`) : warning(`${sentence} ${remedy}`)]
}

/** The process that owns the data folder, as far as this user can know. */
async function serverPid(world: World): Promise<number | undefined> {
  const text = await readable(join(dataFolder(world), 'owner.json'))
  const pid = Number((JSON.parse(text ?? '{}') as { pid?: unknown }).pid)
  return (await readable(`/proc/${pid}/limits`)) === undefined ? undefined : pid
}

async function memory(): Promise<Finding[]> {
  const total = /^MemTotal: +(\d+) kB/m.exec((await readable('/proc/meminfo')) ?? '')?.[1]
  const group = Number((await readable('/sys/fs/cgroup/memory.max'))?.trim())
  if (total === undefined) return [skipped('The memory is not known on this system.')]
  const bytes = Math.min(Number(total) * 1024, Number.isNaN(group) ? Number.POSITIVE_INFINITY : group)
  const gib = `${(bytes / 1024 ** 3).toFixed(1)} GiB`
  if (bytes >= MIN_MEMORY_BYTES) return [ok(`${gib} of memory can be used.`)]
  return [
    warning(`${gib} of memory are little for a server with the embedded store: give it at least 1 GiB.`),
  ]
}

async function readable(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}
