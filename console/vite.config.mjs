import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const ROOM = fileURLToPath(new URL('.', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const WEIR_URL = process.env.WEIR_URL ?? 'http://127.0.0.1:8080'
const API = '^/(v1|v2|v3|ws)/'

/** Gathers the licences of the packages in the bundle into `licences.txt`. */
function licences() {
  return {
    name: 'licences',
    generateBundle() {
      const names = [...this.getModuleIds()].flatMap(
        id => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [],
      )
      const texts = [...new Set(names)].sort().map(licenceOf)
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join('\n') })
    },
  }
}

function licenceOf(name) {
  const folder = new URL(`../node_modules/${name}/`, import.meta.url)
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license'].find(each =>
    existsSync(new URL(each, folder)),
  )
  const text = file === undefined ? '' : readFileSync(new URL(file, folder), 'utf8')
  return `${name} ${version} (${license})\n\n${text}\n`
}

export default defineConfig({
  root: ROOM,
  base: '/console/',
  // The server replaces it with a new value in each answer.
  html: { cspNonce: 'WEIR_CSP_NONCE' },
  define: { __WEIR_VERSION__: JSON.stringify(version) },
  plugins: [licences()],
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    target: 'es2023',
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      [API]: {
        target: WEIR_URL,
        ws: true,
        changeOrigin: true,
        // The service compares them: an upgrade must come from its own address.
        headers: { origin: WEIR_URL },
      },
    },
  },
})
