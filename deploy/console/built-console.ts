import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { ConsoleFiles, ConsoleTrouble } from '../../api/console/console-files.ts'
import { consoleDigest } from './console-digest.mjs'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

const BEING_BUILT: ConsoleTrouble = { sentence: 'It is being built. This page tries again.', passes: true }
const NOT_BUILT: ConsoleTrouble = {
  sentence: 'It was not built. Run <code>npm ci</code> in the project folder, and start Weir again.',
  passes: false,
}

/**
 * The files of the console. Stale files, as after `git pull` without `npm ci`, are built again by a child process while
 * the service starts: lines and API never wait for it.
 */
export class BuiltConsole implements ConsoleFiles {
  readonly folder: string
  #trouble: ConsoleTrouble | undefined

  private constructor(folder: string, trouble: ConsoleTrouble | undefined) {
    this.folder = folder
    this.#trouble = trouble
  }

  /** @param project folder of the project */
  static open(logger: Logger, project = PROJECT): BuiltConsole {
    const folder = join(project, 'console/dist')
    const digest = consoleDigest(project)
    const isBuilt = existsSync(join(folder, 'index.html'))
    // An image contains the built files alone.
    if (isBuilt && (digest === undefined || digest === builtDigest(folder)))
      return new BuiltConsole(folder, undefined)
    const canBuild = digest !== undefined && existsSync(join(project, 'node_modules/vite/package.json'))
    const built = new BuiltConsole(folder, canBuild ? BEING_BUILT : NOT_BUILT)
    if (canBuild) built.#build(join(project, 'console/prepare.mjs'), logger)
    return built
  }

  whyNot(): ConsoleTrouble | undefined {
    return this.#trouble
  }

  #build(script: string, logger: Logger): void {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', chunk => {
      said += chunk
    })
    const end = (isBuilt: boolean) => {
      this.#trouble = isBuilt ? undefined : NOT_BUILT
      if (!isBuilt) logger.warn({ said: said.slice(-2_000) }, 'the console could not be built')
    }
    child.once('error', () => end(false))
    child.once('exit', code => end(code === 0))
  }
}

function builtDigest(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as { digest?: unknown }).digest
  } catch {
    return undefined
  }
}
