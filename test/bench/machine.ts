import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { arch, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { VERSION } from '../../deploy/version.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'

/** Machine of the figures: without it they mean nothing. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly system: string
  readonly temporaryFolder: string
}

export interface Versions {
  readonly weir: string
  /** Short hash; with a plus sign when files differ from it; null outside of a Git repository. */
  readonly commit: string | null
  readonly node: string
  readonly chdb: string
  readonly clickhouse: string
}

export function thisMachine(): Machine {
  const processors = cpus()
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    system: `${type()} ${release()} ${arch()}`,
    temporaryFolder: tmpdir(),
  }
}

export async function theseVersions(): Promise<Versions> {
  const chdb = new URL('../../node_modules/chdb/package.json', import.meta.url)
  return {
    weir: VERSION,
    commit: commit(),
    node: process.version,
    chdb: (JSON.parse(readFileSync(chdb, 'utf8')) as { version: string }).version,
    clickhouse: await engineVersion(),
  }
}

/** Runnable processes of the last minute: two on a machine of two cores is one that is busy with something else. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] as number) * 100) / 100
}

function commit(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', ':/') !== ''
    return git('rev-parse', '--short', 'HEAD') + (changed ? '+' : '')
  } catch {
    return null
  }
}

async function engineVersion(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-version-'))
  const connection = await openEmbeddedConnection({ path: folder, searches: 1 })
  try {
    const [row] = await connection.read<{ version: string }>('SELECT version() AS version')
    return row?.version ?? 'unknown'
  } finally {
    await connection.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
