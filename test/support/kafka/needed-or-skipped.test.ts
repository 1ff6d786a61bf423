import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from './reaper.ts'

const CHILD = join(import.meta.dirname, 'bare-machine-child.ts')

let empty: TemporaryFolder
beforeEach(() => {
  empty = temporaryFolder('weir-bare-')
})
afterEach(() => empty.remove())

/** Asks for everything twice on a machine that has neither Docker nor Java. */
function askOnBareMachine(environment: Record<string, string>) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHILD], {
    env: { PATH: empty.path, HOME: empty.path, ...environment },
    encoding: 'utf8',
  })
  return { stdout, lines: stderr.split('\n').filter(line => line.startsWith('###')), stderr, status }
}

test('without a broker, one message per file names the missing parts and the remedy', () => {
  const { stdout, lines, status } = askOnBareMachine({})
  expect({ stdout, status }).toEqual({ stdout: 'none\nnone\n', status: 0 })
  expect(lines).toHaveLength(2)
  for (const [line, what, variable] of [
    [lines[0], 'KAFKA', 'KAFKA_BROKERS'],
    [lines[1], 'A SCHEMA REGISTRY', 'SCHEMA_REGISTRY_URL'],
  ] as const) {
    expect(line).toContain(`TESTS SKIPPED, THEY NEED ${what}: there is no Java`)
    expect(line).toContain(`set ${variable}, start Docker, or install Java 17 and Maven`)
  }
})

test('if a broker is required, its absence is a failure with the same reason', () => {
  const { stderr, lines, status } = askOnBareMachine({ WEIR_REQUIRE_KAFKA: '1' })
  expect(status).toBe(1)
  expect(lines).toEqual([])
  expect(stderr).toContain('Tests need Kafka: there is no Java')
})
