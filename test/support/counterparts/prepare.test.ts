import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../kafka/reaper.ts'
import { COUNTERPARTS } from './counterparts.ts'

const PROGRAM = join(import.meta.dirname, 'prepare.ts')

let cache: TemporaryFolder
beforeEach(() => {
  cache = temporaryFolder('weir-prepare-')
})
afterEach(() => cache.remove())

/** Prepares counterparts on a machine that has no other program than Node. */
function prepare(...names: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, ...names], {
    env: { PATH: cache.path, XDG_CACHE_HOME: cache.path },
    encoding: 'utf8',
  })
  return { stdout, stderr, status }
}

test('a counterpart that is there stays, and one that cannot be made leaves nothing', () => {
  const folder = COUNTERPARTS.find(({ name }) => name === 'loki')?.folder ?? ''
  mkdirSync(join(cache.path, 'weir-tests', folder), { recursive: true })
  expect(prepare('pubsub', 'loki')).toEqual({
    stdout: 'pubsub: preparing pstest 2.6.2\nloki: Loki 3.7.8 is there\n',
    stderr: expect.stringMatching(/^pubsub: failed after \d+ s: there is no program "go" on the PATH\n$/),
    status: 1,
  })
  expect(readdirSync(join(cache.path, 'weir-tests'))).toEqual([folder])
})

test('an unknown name is refused with the names that there are', () => {
  const { stderr, status } = prepare('search', 'lokki')
  expect(status).toBe(1)
  expect(stderr).toBe(
    'There is no counterpart lokki. There are: remote-write, azure, search, pubsub, s3, gcs, loki, kubernetes.\n',
  )
})
