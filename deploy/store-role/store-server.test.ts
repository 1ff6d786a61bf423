import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { type ClickHouseFront, startFront } from '../../test/support/clickhouse-server.ts'
import { untilRunning } from '../../test/support/running-statements.ts'

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
  connection = serverConnection({ url: front.url, database: 'default' })
})
afterEach(() => connection.close())

const post = (
  sql: string,
  parameters = '',
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
) => fetch(`${front.url}/?${parameters}`, { method: 'POST', body: sql, headers, ...(signal && { signal }) })
const ENDLESS = 'SELECT sum(sleepEachRow(0.05)) AS slept FROM numbers(100000) SETTINGS max_block_size = 1'

test('an ended insert disappears at once, even while another statement runs', async () => {
  await connection.command('CREATE TABLE slow (slept UInt8) ENGINE = MergeTree ORDER BY slept')
  const left = new AbortController()
  const searching = connection.query({ sql: ENDLESS }, left.signal)
  const inserting = connection.command(
    `INSERT INTO slow SETTINGS log_comment = 'ours', max_block_size = 1 SELECT sleepEachRow(0.02) FROM numbers(100000)`,
  )
  const outcomes = Promise.allSettled([searching, inserting])
  await untilRunning(connection, 'sleepEachRow(0.0', 2)
  await connection.endInserts('ours')
  await untilRunning(connection, 'sleepEachRow(0.0', 1)
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
  await untilRunning(connection, 'sleepEachRow(0.05)', 2)
  expect(await connection.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
  await connection.insertBlock({
    sql: source => `INSERT INTO numbered SELECT n FROM ${source}`,
    structure: 'n UInt64',
    block: [uint64Block('n', [7n, 8n])],
    comment: 'ours',
  })
  left.abort()
  await outcomes
  await untilRunning(connection, 'sleepEachRow(0.05)', 0)
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
  await untilRunning(connection, 'sleepEachRow(0.05)', 2)
  expect(await connection.query({ sql: 'SELECT 1 AS one', ...of('b') })).toEqual([{ one: 1 }])
  left.abort()
  await outcomes
  await untilRunning(connection, 'sleepEachRow(0.05)', 0)
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
  await untilRunning(connection, 'numbers(1000000000)', 0)
})

test('an export ends when its client disconnects in the middle', async () => {
  const reader = new AbortController()
  const sql = 'SELECT number, sleepEachRow(0.001) AS s FROM numbers(10000000) FORMAT JSONEachRow'
  const { body } = await post(sql, 'readonly=2&max_block_size=10', {}, reader.signal)
  await body?.getReader().read()
  await untilRunning(connection, 'sleepEachRow(0.001)', 1)
  reader.abort()
  await untilRunning(connection, 'sleepEachRow(0.001)', 0)
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
  await expect(connection.query({ sql: 'CREATE TABLE t (a UInt8) ENGINE = Memory' })).rejects.toMatchObject({
    code: '164',
  })
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

/** A block of one column in Native format. */
function uint64Block(name: string, values: readonly bigint[]): Uint8Array {
  const text = (word: string) => Buffer.from([word.length, ...Buffer.from(word)])
  const data = Buffer.alloc(values.length * 8)
  values.forEach((value, index) => {
    data.writeBigUInt64LE(value, index * 8)
  })
  return Buffer.concat([Buffer.from([1, values.length]), text(name), text('UInt64'), data])
}
