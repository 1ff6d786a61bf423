import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BuiltConsole } from './built-console.ts'
import { consoleDigest } from './console-digest.mjs'

const logger = pino({ level: 'silent' })
let project: string

const write = (path: string, text: string) => {
  mkdirSync(join(project, path, '..'), { recursive: true })
  writeFileSync(join(project, path), text)
}
const asBuilt = (digest = consoleDigest(project)) => {
  write('console/dist/index.html', 'page')
  write('console/dist/built.json', JSON.stringify({ digest }))
}
const whyNot = () => BuiltConsole.open(logger, project).whyNot()

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'weir-project-'))
  write('package.json', '{}')
  write('package-lock.json', '{}')
  write('console/index.html', '<html>')
  write('console/src/main.tsx', 'main')
})
afterEach(() => rmSync(project, { recursive: true }))

test('files of the present sources are served', () => {
  asBuilt()
  expect(whyNot()).toBeUndefined()
})

test.each(['console/src/main.tsx', 'console/src/new.ts', 'console/index.html', 'package-lock.json'])(
  'files are stale after a change of %s, and without its packages a sentence says what to do',
  path => {
    asBuilt()
    write(path, 'changed')
    expect(whyNot()).toEqual({ sentence: expect.stringContaining('npm ci'), passes: false })
  },
)

test('a test beside the sources, and the built files, make nothing stale', () => {
  asBuilt()
  write('console/src/main.test.ts', 'test')
  write('console/dist/assets/a.js', 'a')
  write('console/.dist-5/index.html', 'b')
  expect(whyNot()).toBeUndefined()
})

test('an image has the built files alone', () => {
  asBuilt('whatever')
  rmSync(join(project, 'console/index.html'))
  rmSync(join(project, 'console/src'), { recursive: true })
  expect(whyNot()).toBeUndefined()
})

test('stale files are built while the service starts, and served then', async () => {
  asBuilt('stale')
  write('node_modules/vite/package.json', '{}')
  // The true script needs the packages; this one shows when it ran.
  write('console/prepare.mjs', 'await new Promise(built => setTimeout(built, 200))')
  const built = BuiltConsole.open(logger, project)
  expect(built.whyNot()?.passes).toBe(true)
  await expect.poll(() => built.whyNot(), { timeout: 20_000 }).toBeUndefined()
})

test('a build that fails says what to do', async () => {
  write('node_modules/vite/package.json', '{}')
  write('console/prepare.mjs', 'throw new Error("no")')
  const built = BuiltConsole.open(logger, project)
  await expect.poll(() => built.whyNot()?.passes, { timeout: 20_000 }).toBe(false)
})

test('the true script ends well where the packages of the browser are missing', async () => {
  const root = new URL('../..', import.meta.url).pathname
  cpSync(join(root, 'console/prepare.mjs'), join(project, 'console/prepare.mjs'))
  cpSync(join(root, 'deploy/console/console-digest.mjs'), join(project, 'deploy/console/console-digest.mjs'))
  await expect(import(join(project, 'console/prepare.mjs'))).resolves.toBeDefined()
})
