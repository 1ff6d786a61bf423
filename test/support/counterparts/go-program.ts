import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../kafka/cached-folder.ts'
import { temporaryFolder } from '../kafka/reaper.ts'
import { runCommand } from './command.ts'

/** Name of the built program in its folder. */
const BINARY = 'server'

export interface GoProgram {
  /** Path of a package: the program, or the package that the program of `main` uses. */
  readonly package: string
  /** Version of the module with the package. */
  readonly version: string
  /** Path of the source of an own program. */
  readonly main?: string
  /** Replaced modules, as `go mod edit` takes them. Those that a module asks for apply to its own builds only. */
  readonly replacements?: readonly string[]
}

/**
 * Builds a program from modules of Go's proxy, each of which is checked against the checksum database. Modules and compiled
 * packages need gigabytes. They are in a folder of their own, which is removed afterwards.
 */
export async function buildGo(program: GoProgram, folder: string): Promise<void> {
  const { package: path, version, main, replacements = [] } = program
  const scratch = temporaryFolder('go-', cacheFolder())
  const project = join(scratch.path, 'project')
  const go = (...args: readonly string[]) =>
    runCommand('go', args, { folder: project, environment: goEnvironment(scratch.path) })
  try {
    mkdirSync(project)
    await go('mod', 'init', 'weir.test/counterpart')
    if (main !== undefined) copyFileSync(main, join(project, 'main.go'))
    for (const replacement of replacements) await go('mod', 'edit', `-replace=${replacement}`)
    await go('get', `${path}@${version}`)
    await go('build', '-ldflags=-s -w', '-o', goBinary(folder), main === undefined ? path : '.')
  } finally {
    scratch.remove()
  }
}

/**
 * Downloads a module, checked in the same way.
 *
 * @param use receives the folder with its files, which is removed afterwards
 */
export async function downloadGo(
  { module, version }: { readonly module: string; readonly version: string },
  use: (folder: string) => void,
): Promise<void> {
  const scratch = temporaryFolder('go-', cacheFolder())
  try {
    const environment = goEnvironment(scratch.path)
    await runCommand('go', ['mod', 'download', `${module}@${version}`], { folder: scratch.path, environment })
    use(join(environment.GOMODCACHE as string, `${module}@${version}`))
  } finally {
    scratch.remove()
  }
}

export function goBinary(folder: string): string {
  return join(folder, BINARY)
}

function goEnvironment(scratch: string): Record<string, string> {
  return {
    GOPATH: join(scratch, 'path'),
    GOMODCACHE: join(scratch, 'modules'),
    GOCACHE: join(scratch, 'packages'),
    // A user without special rights must be able to remove the modules.
    GOFLAGS: '-mod=mod -modcacherw -buildvcs=false',
    GOWORK: 'off',
    CGO_ENABLED: '0',
  }
}
