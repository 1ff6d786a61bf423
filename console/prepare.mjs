// Builds the console into console/dist. Plain JavaScript: `npm ci` may run it on any Node.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { consoleDigest } from '../deploy/console/console-digest.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'console/dist')
const BUILT = 'built.json'
/** Smaller files do not get smaller. */
const MIN_COMPRESSED_BYTES = 1_024

const digest = consoleDigest(ROOT)
if (digest !== undefined && digest !== builtDigest()) await build(digest)

function builtDigest() {
  try {
    return JSON.parse(readFileSync(join(DIST, BUILT), 'utf8')).digest
  } catch {
    return undefined
  }
}

/** Builds beside the present folder, and then takes its place: processes that start at once do not disturb each other. */
async function build(digest) {
  if (!existsSync(join(ROOT, 'node_modules/vite/package.json'))) {
    console.log('weir: the console is not built, because its development packages are not installed (npm ci)')
    return
  }
  // Tests start this program, too: their NODE_ENV would put the development form of React into the bundle.
  process.env.NODE_ENV = 'production'
  const { build: bundle } = await import('vite')
  const folder = join(ROOT, `console/.dist-${process.pid}`)
  try {
    await bundle({
      configFile: join(ROOT, 'console/vite.config.mjs'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    })
    compressAssets(join(folder, 'assets'))
    writeFileSync(join(folder, BUILT), `${JSON.stringify({ digest })}\n`)
    takePlace(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compressAssets(folder) {
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name))
    if (content.length < MIN_COMPRESSED_BYTES) continue
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
}

function takePlace(folder) {
  const old = `${folder}-old`
  mkdirSync(dirname(DIST), { recursive: true })
  if (existsSync(DIST)) renameSync(DIST, old)
  renameSync(folder, DIST)
  rmSync(old, { recursive: true, force: true })
}
