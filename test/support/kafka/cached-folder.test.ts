import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startChild } from '../child.ts'
import { cachedFolder } from './cached-folder.ts'
import { type TemporaryFolder, temporaryFolder } from './reaper.ts'

const CHILD = join(import.meta.dirname, 'cached-folder-child.ts')

let cache: TemporaryFolder
beforeEach(() => {
  cache = temporaryFolder('weir-cache-')
  vi.stubEnv('XDG_CACHE_HOME', cache.path)
})
afterEach(() => {
  vi.unstubAllEnvs()
  cache.remove()
})

function left(): string[] {
  return readdirSync(join(cache.path, 'weir-tests'))
}

test('processes that want a folder at the same time create it once and find it complete', async () => {
  const children = Array.from({ length: 4 }, () => startChild([CHILD, cache.path]))
  const lines = await Promise.all(children.map(child => child.line(/^found /)))
  expect(lines).toEqual(Array(4).fill('found first second'))
  expect(readFileSync(join(cache.path, 'makings'), 'utf8')).toBe('made\n')
  expect(left()).toEqual(['things'])
})

test('a failed creation leaves nothing, and the next one is tried', async () => {
  const failing = cachedFolder('things', async () => Promise.reject(new Error('no network')))
  await expect(failing).rejects.toThrow('no network')
  expect(left()).toEqual([])
  expect(existsSync(await cachedFolder('things', async () => {}))).toBe(true)
})

test('an outdated folder is created again', async () => {
  const make = (text: string) => async (folder: string) => writeFileSync(join(folder, 'text'), text)
  const text = async (...args: Parameters<typeof cachedFolder>) =>
    readFileSync(join(await cachedFolder(...args), 'text'), 'utf8')
  expect(await text('things', make('old'))).toBe('old')
  expect(await text('things', make('unused'))).toBe('old')
  const isNew = (folder: string) => readFileSync(join(folder, 'text'), 'utf8') === 'new'
  expect(await text('things', make('new'), isNew)).toBe('new')
})

test('the lock of a dead process does not block others', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  mkdirSync(join(cache.path, 'weir-tests'))
  writeFileSync(join(cache.path, 'weir-tests', 'things.lock'), `${pid}`)
  expect(existsSync(await cachedFolder('things', async () => {}))).toBe(true)
  expect(left()).toEqual(['things'])
})
