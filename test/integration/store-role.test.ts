import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { type ClickHouseFront, startFront } from '../support/clickhouse-server.ts'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir, startProgram } from '../support/program.ts'
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
    await running(connection, 'sleepEachRow(0.1)', 1)
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

/** Waits until this many statements with this text run. */
async function running(connection: StoreConnection, text: string, count: number): Promise<void> {
  const sql = `SELECT count() AS running FROM system.processes WHERE position(query, '${text}') > 0 AND position(query, 'processes') = 0`
  const found = async () => Number((await connection.read<{ running: string }>(sql))[0]?.running)
  expect(await eventually(found, value => value === count)).toBe(count)
}

describe('statements of other processes', () => {
  /** All tests share it: each has tables of its own, and leaves no statement behind. */
  let front: ClickHouseFront
  let store: string
  let connection: StoreConnection

  beforeAll(async () => {
    store = mkdtempSync(join(tmpdir(), 'weir-front-'))
    front = await startFront(join(store, 'store'))
  })
  afterAll(async () => {
    await front.stop()
    rmSync(store, { recursive: true, force: true })
  })
  beforeEach(() => {
    connection = connectionTo(front.url)
  })

  const post = (sql: string, parameters = '', headers: Environment = {}, signal?: AbortSignal) =>
    fetch(`${front.url}/?${parameters}`, { method: 'POST', body: sql, headers, ...(signal && { signal }) })
  const ENDLESS = 'SELECT sum(sleepEachRow(0.05)) AS slept FROM numbers(100000) SETTINGS max_block_size = 1'

  test('an ended insert disappears at once, even while another statement runs', async () => {
    await connection.command('CREATE TABLE slow (slept UInt8) ENGINE = MergeTree ORDER BY slept')
    const left = new AbortController()
    const searching = connection.query({ sql: ENDLESS }, left.signal)
    const inserting = connection.command(
      `INSERT INTO slow SETTINGS log_comment = 'ours', max_block_size = 1 SELECT sleepEachRow(0.02) FROM numbers(100000)`,
    )
    const outcomes = Promise.allSettled([searching, inserting])
    await running(connection, 'sleepEachRow(0.0', 2)
    await connection.endInserts('ours')
    await running(connection, 'sleepEachRow(0.0', 1)
    left.abort()
    const [, inserted] = await outcomes
    expect(inserted).toMatchObject({ reason: { code: '394' } })
  })

  test('scans on all places delay neither short searches nor inserts, and end when their clients disconnect', async () => {
    await connection.command('CREATE TABLE numbered (n UInt64) ENGINE = MergeTree ORDER BY n')
    const left = new AbortController()
    const scan = { sql: ENDLESS, scanOf: 'a' }
    const searches = Array.from({ length: 9 }, () => connection.query(scan, left.signal))
    const outcomes = Promise.allSettled(searches)
    await running(connection, 'sleepEachRow(0.05)', 2)
    expect(await connection.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
    await connection.insertBlock({
      sql: source => `INSERT INTO numbered SELECT n FROM ${source}`,
      structure: 'n UInt64',
      block: [uint64Block('n', [7n, 8n])],
      comment: 'ours',
    })
    left.abort()
    await outcomes
    await running(connection, 'sleepEachRow(0.05)', 0)
    expect(await connection.query({ sql: 'SELECT sum(n) AS sum FROM numbered' })).toEqual([{ sum: '15' }])
  })

  test.each([
    ['scans', (account: string) => ({ scanOf: account })],
    ['searches that read little', (account: string) => ({ askedBy: account })],
  ])('%s of one account do not keep those of another waiting', async (_, of) => {
    const left = new AbortController()
    const searches = Array.from({ length: 9 }, () =>
      connection.query({ sql: ENDLESS, ...of('a') }, left.signal),
    )
    const outcomes = Promise.allSettled(searches)
    await running(connection, 'sleepEachRow(0.05)', 2)
    expect(await connection.query({ sql: 'SELECT 1 AS one', ...of('b') })).toEqual([{ one: 1 }])
    left.abort()
    await outcomes
    await running(connection, 'sleepEachRow(0.05)', 0)
  })

  test('a scan ends while a reader of other lines does not read on', async () => {
    const endless = { sql: 'SELECT number FROM numbers(1000000000)', askedBy: 'slow' }
    const reader = connection.queryStream(endless)[Symbol.asyncIterator]()
    await reader.next()
    // At a pause of a second per block, it would take ten minutes.
    const sql =
      'SELECT max(cityHash64(number)) AS most FROM numbers(3000000) SETTINGS max_block_size = 4096, max_threads = 1'
    expect(await connection.query({ sql, scanOf: 'scan' })).toHaveLength(1)
    await reader.return?.()
    await running(connection, 'numbers(1000000000)', 0)
  })

  test('an export ends when its client disconnects in the middle', async () => {
    const reader = new AbortController()
    const sql = 'SELECT number, sleepEachRow(0.001) AS s FROM numbers(10000000) FORMAT JSONEachRow'
    const { body } = await post(sql, 'readonly=2&max_block_size=10', {}, reader.signal)
    await body?.getReader().read()
    await running(connection, 'sleepEachRow(0.001)', 1)
    reader.abort()
    await running(connection, 'sleepEachRow(0.001)', 0)
  })

  test('an error in the middle of an export makes the export fail', async () => {
    const rows: unknown[] = []
    const sql = `SELECT number, throwIf(number = 900000, 'boom') AS n FROM numbers(1000000) SETTINGS max_threads = 1`
    const exporting = async () => {
      for await (const some of connection.queryStream({ sql })) rows.push(...some)
    }
    await expect(exporting()).rejects.toMatchObject({ code: '395', message: expect.stringContaining('boom') })
    expect(rows.length).toBeGreaterThan(0)
    // And nothing of it is in the answer to the next one.
    expect(await connection.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
  })

  test('each starts fresh, without settings, databases or rows of another statement', async () => {
    const ask = async (parameters: string, sql = "SELECT currentDatabase(), getSetting('max_threads')") =>
      (await post(sql, parameters)).text()
    await connection.command('CREATE DATABASE other')
    const usual = await ask('')
    for (let round = 0; round < 4; round++) {
      expect(await ask('database=other&max_threads=7')).toBe('other\t7\n')
      expect(await ask('no_such_setting=1')).toContain('no_such_setting')
      expect(await ask('', 'SELECT number, throwIf(number = 300000) FROM numbers(400000)')).toContain('395')
      expect(await ask('')).toBe(usual)
    }
    const settled = await post('SET max_threads = 7')
    expect([settled.status, settled.headers.get('x-clickhouse-exception-code')]).toEqual([500, '48'])
  })

  test('parameters are passed unchanged, whatever they contain', async () => {
    const parameters = {
      text: `[a\tb\\n'; DROP TABLE x {other:String} \u0000€`,
      list: ['a\tb', "it's", '\\'],
      none: null,
      most: '18446744073709551615',
      long: 'ü'.repeat(20_000),
    }
    const sql =
      'SELECT {text:String} AS text, {list:Array(String)} AS list, {none:Nullable(String)} AS none, {most:UInt64} AS most, {long:String} AS long'
    expect(await connection.query({ sql, parameters })).toEqual([parameters])
  })

  test('neither a search nor a GET changes anything', async () => {
    await expect(connection.query({ sql: 'CREATE TABLE t (a UInt8) ENGINE = Memory' })).rejects.toMatchObject(
      {
        code: '164',
      },
    )
    const sent = await fetch(`${front.url}/?query=${encodeURIComponent('DROP DATABASE default')}`)
    expect(sent.headers.get('x-clickhouse-exception-code')).toBe('164')
    expect(await (await fetch(`${front.url}/?query=SELECT%201`)).text()).toBe('1\n')
    expect(await (await fetch(`${front.url}/ping`)).text()).toBe('Ok.\n')
  })

  test('a page in a browser is refused', async () => {
    const answer = await post('SELECT 1', '', { origin: 'http://elsewhere.example' })
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe('497')
  })

  test('a text that is too long is refused, and its connection stays usable', async () => {
    const answer = await post(`SELECT ${' '.repeat(1024 ** 2)}1`)
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe('307')
  })

  test('rows that a statement does not read with input(…) are refused, not treated as text', async () => {
    await connection.command('CREATE TABLE t (a String) ENGINE = MergeTree ORDER BY a')
    const sql = encodeURIComponent('INSERT INTO t FORMAT TabSeparated')
    const answer = await post('a\n\nDROP TABLE t\n', `query=${sql}`)
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe('48')
    expect(await connection.read('SELECT count() AS rows FROM t')).toEqual([{ rows: '0' }])
  })
})

/** A block of one column in Native format. */
function uint64Block(name: string, values: readonly bigint[]): Uint8Array {
  const text = (word: string) => Buffer.from([word.length, ...Buffer.from(word)])
  const data = Buffer.alloc(values.length * 8)
  values.forEach((value, index) => {
    data.writeBigUInt64LE(value, index * 8)
  })
  return Buffer.concat([Buffer.from([1, values.length]), text(name), text('UInt64'), data])
}
