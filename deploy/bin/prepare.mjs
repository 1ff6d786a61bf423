// Builds the program into deploy/dist. Plain JavaScript: `npm ci` may run it on any Node.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLE_ENTRY, BUNDLE_FOLDER, BUNDLE_RECORD, freshBundle, sourcesDigest } from './program-bundle.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Packages with files that they look for beside their modules: native code, pages, and modules of threads. */
const LEFT_OUT = [
  'chdb',
  'snappy',
  'pino',
  'pino-pretty',
  'thread-stream',
  '@fastify/static',
  '@fastify/swagger-ui',
]
/** Files that decide about the bundle beside its modules: the versions of packages, and how it is built. */
const OTHERS = ['package-lock.json', 'deploy/bin/prepare.mjs']

try {
  if (freshBundle(ROOT) === undefined) await build()
} catch (error) {
  console.warn(`weir: the program is not bundled, and starts from its sources: ${error.message}`)
}

/** Builds beside the present folder, and then takes its place: processes that start at once do not disturb each other. */
async function build() {
  // An image without development packages runs the sources.
  if (!existsSync(join(ROOT, 'node_modules/rolldown/package.json'))) return
  const { rolldown } = await import('rolldown')
  const folder = join(ROOT, `deploy/.dist-${process.pid}`)
  const modules = new Set()
  try {
    const bundle = await rolldown({
      cwd: ROOT,
      input: { program: join(ROOT, 'deploy/cli/program.ts') },
      platform: 'node',
      external: new RegExp(`^(${LEFT_OUT.join('|')})(/|$)`),
      plugins: [ownAddresses(modules)],
      logLevel: 'silent',
    })
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: BUNDLE_ENTRY,
      chunkFileNames: '[name]-[hash].mjs',
      keepNames: true,
      minify: false,
    })
    await bundle.close()
    const sources = [...OTHERS, ...modules].sort()
    writeFileSync(
      join(folder, BUNDLE_RECORD),
      `${JSON.stringify({ digest: sourcesDigest(ROOT, sources), sources })}\n`,
    )
    takePlace(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Modules look for other files beside themselves: in the bundle, too, each has the address of its source.
 *
 * @param modules gets the paths of all modules of the project
 */
function ownAddresses(modules) {
  return {
    name: 'own-addresses',
    transform(code, id) {
      const path = projectPath(id)
      if (path === undefined) return null
      modules.add(path)
      if (!code.includes('import.meta.url')) return null
      const source = JSON.stringify(
        relative(join(ROOT, BUNDLE_FOLDER), join(ROOT, path)).split(sep).join('/'),
      )
      return {
        code: code.replaceAll('import.meta.url', `new URL(${source}, import.meta.url).href`),
        map: null,
      }
    },
  }
}

/** Path of a module within the project; undefined for one of a package or of the bundler. */
function projectPath(id) {
  if (id.startsWith('\0')) return undefined
  const path = relative(ROOT, id).split(sep).join('/')
  return path.startsWith('..') || path.includes('node_modules/') ? undefined : path
}

function takePlace(folder) {
  const place = join(ROOT, BUNDLE_FOLDER)
  const old = `${folder}-old`
  if (existsSync(place)) renameSync(place, old)
  renameSync(folder, place)
  rmSync(old, { recursive: true, force: true })
}
