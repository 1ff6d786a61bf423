import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startChild } from '../child.ts'
import { cachedFolder, foundFolder } from './cached-folder.ts'
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

test('a creation that is killed leaves no half of a folder', async () => {
  const child = startChild([CHILD, cache.path])
  await vi.waitFor(() => expect(existsSync(join(cache.path, 'makings'))).toBe(true), 10_000)
  await child.kill()
  await vi.waitFor(() => expect(left()).toEqual(['things.lock']), 10_000)
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

test('a creation that takes longer than a lock lasts keeps its lock', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    await cachedFolder('things', async () => {
      const lock = join(cache.path, 'weir-tests', 'things.lock')
      utimesSync(lock, 0, 0)
      vi.advanceTimersByTime(120_000)
      expect(statSync(lock).mtimeMs).toBeGreaterThan(0)
    })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a folder is found once it is complete', async () => {
  await cachedFolder('things', async () => expect(foundFolder('things')).toBeUndefined())
  expect(foundFolder('things')).toBe(join(cache.path, 'weir-tests', 'things'))
})
