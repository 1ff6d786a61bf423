import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inheritedEnvironment } from '../inherited-environment.ts'
import { type TemporaryFolder, temporaryFolder } from '../kafka/reaper.ts'
import { COUNTERPARTS } from './counterparts.ts'

const CHILD = join(import.meta.dirname, 'bare-machine-child.ts')

let cache: TemporaryFolder
beforeEach(() => {
  cache = temporaryFolder('weir-bare-')
})
afterEach(() => cache.remove())

/** Asks twice for every counterpart, with an own cache. */
function ask(environment: Record<string, string>) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHILD], {
    env: { ...inheritedEnvironment(), XDG_CACHE_HOME: cache.path, ...environment },
    encoding: 'utf8',
  })
  return { stdout, stderr, lines: stderr.split('\n').filter(line => line.startsWith('###')), status }
}

test('a counterpart is at hand when a setting names a server, or the cache has its program', () => {
  const loki = COUNTERPARTS.find(({ name }) => name === 'loki')
  mkdirSync(join(cache.path, 'weir-tests', loki?.folder ?? ''), { recursive: true })
  const found = ask({
    WEIR_COUNTERPART_REMOTE_WRITE: 'http://127.0.0.1:9090',
    WEIR_REQUIRE_COUNTERPARTS: 'loki,remote-write',
  })
  expect(found).toMatchObject({ stdout: 'remote-write loki\nremote-write loki\n', status: 0 })
  expect(found.lines).toHaveLength(COUNTERPARTS.length - 2)
  expect(found.stderr).toContain(
    '### TESTS SKIPPED, THEY NEED THE COUNTERPART search (OpenSearch 2.19.3): ' +
      'run "npm run counterparts search", or set WEIR_COUNTERPART_SEARCH.\n',
  )
})

test('a required counterpart that is not at hand is a failure', () => {
  const { stderr, status } = ask({ WEIR_REQUIRE_COUNTERPARTS: 'pubsub' })
  expect(status).toBe(1)
  expect(stderr).toContain(
    'Tests need the counterpart pubsub (pstest 2.6.2): run "npm run counterparts pubsub"',
  )
})

test('a name that no counterpart has cannot be required', () => {
  const { stderr, status } = ask({ WEIR_REQUIRE_COUNTERPARTS: 'search,lokki' })
  expect(status).toBe(1)
  expect(stderr).toContain('WEIR_REQUIRE_COUNTERPARTS: there is no counterpart "lokki"')
})
