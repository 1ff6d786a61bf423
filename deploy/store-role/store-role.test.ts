import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { freePort } from '../../test/support/free-port.ts'
import { untilRunning } from '../../test/support/running-statements.ts'
import { DataDirectory } from '../data-directory.ts'
import { readSettings } from '../settings/settings.ts'
import { runStore } from './store-role.ts'

const PASSWORD = 'only for tests'

let folder: string
let warnings: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-store-role-'))
  warnings = []
  // The command line sets it before the process has threads.
  vi.stubEnv('UV_THREADPOOL_SIZE', '16')
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

/** Runs the role until the promise resolves. */
function run(
  given: Readonly<Record<string, string>>,
  stopped: Promise<void> = Promise.resolve(),
): Promise<void> {
  const settings = readSettings({ WEIR_DATA_DIR: folder, WEIR_STORE_PORT: '0', ...given })
  const write = (text: string) => warnings.push((JSON.parse(text) as { msg: string }).msg)
  return runStore(settings, pino({ level: 'warn' }, { write }), { tls: undefined, stopped })
}

/** Another process can have the folder again. */
function expectReleased(): void {
  DataDirectory.open(folder).close()
}

test('a stop waits for the running statement and answers it', async () => {
  const port = await freePort()
  const stop = Promise.withResolvers<void>()
  const role = run({ WEIR_STORE_PORT: String(port), CLICKHOUSE_PASSWORD: PASSWORD }, stop.promise)
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(() => vi.mocked(console.log).mock.calls)
    .toEqual([[`The store is ready: CLICKHOUSE_URL=${url}`]])
  expect(() => DataDirectory.open(folder)).toThrow(`${folder} is in use by process ${process.pid}`)
  const stranger = serverConnection({ url, database: 'default' })
  await expect(stranger.read('SELECT 1')).rejects.toMatchObject({ code: '516' })
  const connection = serverConnection({ url, password: PASSWORD, database: 'default' })
  const slow = connection.query<{ rows: string }>({
    sql: 'SELECT count() AS rows, sum(sleepEachRow(0.1)) AS slept FROM numbers(10) SETTINGS max_block_size = 1',
  })
  await untilRunning(connection, 'sleepEachRow(0.1)', 1)
  stop.resolve()
  expect((await slow)[0]?.rows).toBe('10')
  await role
  await Promise.all([stranger.close(), connection.close()])
  expect(warnings).toEqual([])
  expectReleased()
})

test('a port that another program has is named, and the folder is free again', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const port = String((other.address() as AddressInfo).port)
  await expect(run({ WEIR_STORE_PORT: port })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} (WEIR_STORE_HOST, WEIR_STORE_PORT): another program listens there`,
  )
  other.close()
  expectReleased()
})

test('without a password it listens for this machine alone, and warns', async () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost.example'])
    await expect(run({ WEIR_STORE_HOST: host })).rejects.toThrow(
      `WEIR_STORE_HOST is ${host}, where other machines could send statements: set CLICKHOUSE_PASSWORD`,
    )
  await run({ WEIR_STORE_HOST: '127.0.0.1' })
  expect(warnings).toEqual([
    'every user of this machine can read and change the store: CLICKHOUSE_PASSWORD is not set',
  ])
})

test('too few threads are refused, because the end of a statement needs one as well', async () => {
  vi.stubEnv('UV_THREADPOOL_SIZE', '15')
  await expect(run({})).rejects.toThrow('UV_THREADPOOL_SIZE is 15, and the store needs 16: unset it')
})

test('a folder that is in use is refused, and stays in use', async () => {
  const owner = DataDirectory.open(folder)
  await expect(run({})).rejects.toThrow(`${folder} is in use by process ${process.pid} since`)
  await expect(run({})).rejects.toThrow('is in use')
  owner.close()
})
