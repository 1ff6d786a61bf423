import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'

const ROOM = fileURLToPath(new URL('../../console', import.meta.url))
const ENTRY = 'index.html'
/** Compressed sizes at most, by the module that a page loads first: specification of the console, section 5. */
const BUDGETS = {
  [ENTRY]: 200_000,
  'src/pipelines/page/pipeline-page.tsx': 120_000,
  'src/components/code-mirror.tsx': 125_000,
} as const

/** A module of the manifest, and the files that are loaded with it. */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

let manifest: Readonly<Record<string, Chunk>>

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOM, 'prepare.mjs')])
  manifest = JSON.parse(readFileSync(join(ROOM, 'dist/manifest.json'), 'utf8'))
})

/** Files of a module and of those that it imports. Modules that are loaded on demand are not among them. */
function filesOf(name: string): Set<string> {
  const { file, imports = [], css = [] } = manifest[name]!
  return new Set([file, ...css, ...imports.flatMap(each => [...filesOf(each)])])
}

function packedSizeOf(file: string): number {
  const path = join(ROOM, 'dist', file)
  return statSync(`${path}.gz`, { throwIfNoEntry: false })?.size ?? statSync(path).size
}

test.each(Object.entries(BUDGETS))('%s loads at most %i bytes', (name, budget) => {
  const first = name === ENTRY ? new Set<string>() : filesOf(ENTRY)
  const files = [...filesOf(name).difference(first)]
  const bytes = files.reduce((sum, file) => sum + packedSizeOf(file), 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(budget)
})

test('the licences of all packages of the bundle are there', () => {
  const licences = readFileSync(join(ROOM, 'dist/licences.txt'), 'utf8')
  for (const name of [
    'react',
    'react-dom',
    'wouter',
    '@tanstack/react-query',
    'lucide-react',
    '@xyflow/react',
  ])
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
})
