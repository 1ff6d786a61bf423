import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir, startProgram } from '../support/program.ts'
import { untilRunning } from '../support/running-statements.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LINES = 20_000

let folder: string
let closing: (() => Promise<unknown>)[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-store-'))
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

type Environment = Readonly<Record<string, string>>

const PASSWORD = 'only for tests'
const environment = (port: number, more: Environment = {}) => ({
  PATH: process.env.PATH ?? '',
  WEIR_DATA_DIR: join(folder, 'shared'),
  WEIR_STORE_PORT: String(port),
  CLICKHOUSE_PASSWORD: PASSWORD,
  LOG_LEVEL: 'error',
  ...more,
})

/** Starts the real program and waits until it answers. */
async function startStore(port: number) {
  const store = startProgram(['store'], environment(port))
  const end = async (signal: NodeJS.Signals) => {
    store.process.kill(signal)
    return (await store.ended).code
  }
  closing.push(() => end('SIGKILL'))
  const ready = new Promise(resolve => store.process.stdout?.once('data', resolve))
  const early = store.ended.then(({ err }) => Promise.reject(new Error(err)))
  early.catch(() => {})
  await Promise.race([ready, early])
  return { ...store, end }
}

describe('weir store', () => {
  test('two programs on one store lose and duplicate nothing when it is killed while lines arrive', async () => {
    const port = await freePort()
    let store = await startStore(port)
    const programs: RunningWeir[] = []
    for (const database of ['first', 'second']) {
      const settings = {
        CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
        CLICKHOUSE_PASSWORD: PASSWORD,
        CLICKHOUSE_DATABASE: database,
        LOG_LEVEL: 'error',
      }
      const program = await RunningWeir.start(settings, join(folder, database))
      closing.push(() => program.dispose())
      programs.push(program)
    }
    const lines = Array.from({ length: LINES }, (_, index) => `line ${index} "grüße" €`)
    const path = join(folder, 'lines.log')
    writeFileSync(path, `${lines.join('\n')}\n`)
    const shipping = programs.map(program => program.ship(path, 'alpha'))
    await eventually(
      () => Promise.all(programs.map(program => countedLines(program).catch(() => 0))),
      counts => counts.every(count => count > 0),
    )
    await store.end('SIGKILL')
    store = await startStore(port)
    for (const shipped of shipping)
      expect(await shipped).toMatchObject({ code: 0, summary: { lines: lines.length, refused: 0 } })
    for (const program of programs) {
      const stored = () => countedLines(program).catch(() => 0)
      await eventually(stored, count => count >= lines.length)
      const found = (await exportedLines(program)).sort((a, b) => (BigInt(a._id) < BigInt(b._id) ? -1 : 1))
      expect(found.map(line => line._line)).toEqual(lines)
      const verified = await runHere(['verify'], program.environment)
      expect(verified.out).toMatch(/^OK: the store agrees with the log\. 20,000 lines/m)
      expect(verified.code).toBe(0)
    }
  })

  test('a stop waits for the running statement and answers it', async () => {
    const port = await freePort()
    const store = await startStore(port)
    const connection = connectionTo(`http://127.0.0.1:${port}`, PASSWORD)
    const slow = connection.query<{ rows: string }>({
      sql: 'SELECT count() AS rows, sum(sleepEachRow(0.1)) AS slept FROM numbers(10) SETTINGS max_block_size = 1',
    })
    await untilRunning(connection, 'sleepEachRow(0.1)', 1)
    const ended = store.end('SIGTERM')
    expect((await slow)[0]?.rows).toBe('10')
    expect(await ended).toBe(0)
  })

  test('a folder of another process is refused with a sentence that names it', async () => {
    const store = await startStore(await freePort())
    const second = await runWeir(['store'], environment(await freePort()))
    expect(second.code).toBe(1)
    expect(second.err).toContain(`shared is in use by process ${store.process.pid} since`)
  })

  test('too few threads for its statements are refused, because ending a statement needs a thread as well', async () => {
    const refused = await runWeir(['store'], environment(await freePort(), { UV_THREADPOOL_SIZE: '4' }))
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('UV_THREADPOOL_SIZE is 4')
  })

  test('without a password it accepts connections only from this machine', async () => {
    const refused = await runWeir(
      ['store'],
      environment(await freePort(), { WEIR_STORE_HOST: '0.0.0.0', CLICKHOUSE_PASSWORD: '' }),
    )
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('set CLICKHOUSE_PASSWORD')
  })
})

function connectionTo(url: string, password = ''): StoreConnection {
  const connection = serverConnection({ url, password, database: 'default' })
  closing.push(() => connection.close())
  return connection
}
