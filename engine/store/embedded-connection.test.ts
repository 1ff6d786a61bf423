import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { StoreConnection } from './connection.ts'
import { openEmbeddedConnection } from './embedded-connection.ts'
import type { Statement } from './statement.ts'

let folder: string
let connection: StoreConnection

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-embedded-'))
  connection = await openEmbeddedConnection({ path: folder })
})

afterAll(async () => {
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Longest time in which the process did nothing but begin or plan a statement, as a part of the statement's time. */
async function blockedPart(statement: Statement): Promise<number> {
  const startedMs = performance.now()
  let lastMs = startedMs
  let longestMs = 0
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  for await (const _ of connection.queryStream(statement));
  const endedMs = performance.now()
  clearInterval(ticks)
  return Math.max(longestMs, endedMs - lastMs) / (endedMs - startedMs)
}

/** Runs statements side by side. @returns the most statements that were planned in one turn of the event loop */
async function mostPlannedInTurn(statements: readonly Statement[]): Promise<number> {
  const planned = vi.spyOn(Session.prototype, 'queryStream')
  const inTurns: number[] = []
  let isOver = false
  const count = () => {
    inTurns.push(planned.mock.calls.length)
    if (!isOver) setImmediate(count)
  }
  count()
  await Promise.all(
    statements.map(async statement => {
      for await (const _ of connection.queryStream(statement));
    }),
  )
  isOver = true
  expect(planned).toHaveBeenCalledTimes(statements.length)
  planned.mockRestore()
  return Math.max(...inTurns.map((calls, turn) => calls - (inTurns[turn - 1] ?? 0)))
}

const sums = (count: number) =>
  `SELECT number FROM numbers(10) WHERE ${Array.from({ length: count }, (_, index) => `number + ${index} = 7${index}`).join(' OR ')}`

test.each([
  ['readers', (account: string) => ({ askedBy: account })],
  ['scans', (account: string) => ({ scanOf: account })],
])('many %s of an account that take nothing keep no search of another one waiting', async (_, of) => {
  const open = () =>
    connection
      .queryStream({ sql: 'SELECT number FROM numbers(1000000)', ...of('slow') })
      [Symbol.asyncIterator]()
  const readers = Array.from({ length: 8 }, open)
  const begun = readers.map(reader => reader.next())
  await Promise.all(begun.slice(0, 2))
  expect(await connection.query({ sql: 'SELECT 1 AS one', ...of('other') })).toEqual([{ one: 1 }])
  for (const [index, reader] of readers.entries()) {
    await begun[index]
    await reader.return?.()
  }
})

test.each([
  ['prompt', { sql: 'SELECT number FROM numbers(1000000)', askedBy: 'a' }],
  ['scanning', { sql: 'SELECT number FROM numbers(1000000)', scanOf: 'a' }],
])(
  'a client that leaves while its %s search waits for a turn does not end the process',
  async (_, statement) => {
    const readers = [1, 2].map(() => connection.queryStream(statement)[Symbol.asyncIterator]())
    await Promise.all(readers.map(reader => reader.next()))
    const gone = new AbortController()
    const waiting = connection.queryStream(statement, gone.signal)[Symbol.asyncIterator]()
    const rows = waiting.next()
    const reason = new Error('the client went away')
    gone.abort(reason)
    await expect(rows).rejects.toBe(reason)
    for (const reader of readers) await reader.return?.()
  },
)

test('a search begins although the reader of another does not read on, while sessions are replaced', async () => {
  const open = async (scanOf: string) => {
    const reader = connection.queryStream({ sql: 'SELECT number FROM numbers(1000000)', scanOf })
    const rows = reader[Symbol.asyncIterator]()
    await rows.next()
    return rows
  }
  const [slow, ...left] = [await open('a'), await open('a'), await open('b')]
  for (const reader of left) await reader.return?.()
  const next = await open('b')
  for (const reader of [slow, next]) await reader?.return?.()
})

describe('a scan ends', () => {
  /** At a pause of a second per block, it would take ten minutes. */
  const scan = {
    sql: 'SELECT max(cityHash64(number)) AS most FROM numbers(3000000)',
    scanOf: 'scan',
    atMostRows: 1,
  }
  const endless = { sql: 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)', askedBy: 'prompt' }

  async function beginEndless() {
    const left = new AbortController()
    const ended = expect(connection.query(endless, left.signal)).rejects.toThrow('left')
    const running = () =>
      connection.read(`SELECT 1 FROM system.processes WHERE startsWith(query, '${endless.sql}')`)
    await expect.poll(async () => (await running()).length).toBe(1)
    return async () => {
      left.abort(new Error('left'))
      await ended
    }
  }

  test('while a reader of other lines does not read on', async () => {
    const sql = 'SELECT number FROM numbers(1000000)'
    const reader = connection.queryStream({ sql, askedBy: 'slow' })[Symbol.asyncIterator]()
    await reader.next()
    expect(await connection.query(scan)).toHaveLength(1)
    await reader.return?.()
  })

  test('after the client of a prompt search has left', async () => {
    const leave = await beginEndless()
    const scanning = connection.query(scan)
    await leave()
    expect(await scanning).toHaveLength(1)
  })

  test('while a prompt search runs, if it is an export', async () => {
    const leave = await beginEndless()
    let rows = 0
    const sql = 'SELECT number FROM numbers(600000)'
    for await (const some of connection.queryStream({ sql, scanOf: 'a' })) rows += some.length
    expect(rows).toBe(600_000)
    await leave()
  })
})

test.each([
  ['a long statement', { sql: sums(1500) }],
  ['a statement with a short answer', { sql: sums(100), atMostRows: 100 }],
])('the process continues while %s is planned', async (_, statement) => {
  const parts: number[] = []
  for (let round = 0; round < 5; round++) parts.push(await blockedPart(statement))
  expect(Math.min(...parts)).toBeLessThan(0.5)
})

test('other work has its turn between two statements that are planned on its thread', async () => {
  const statements = ['a', 'b', 'c', 'd', 'e', 'f'].map((account, index) => ({
    sql: sums(100),
    ...(index % 2 === 0 ? { scanOf: account } : { askedBy: account }),
  }))
  for (let round = 0; round < 3; round++) expect(await mostPlannedInTurn(statements)).toBe(1)
})

test('an answer of one block of rows is not planned on the thread of other work, as exports were', async () => {
  const planned = vi.spyOn(Session.prototype, 'queryStream')
  const read = async (atMostRows: number) => {
    const numbers: number[] = []
    const sql = `SELECT number FROM numbers(10000) LIMIT ${atMostRows}`
    for await (const rows of connection.queryStream<{ number: string }>({ sql, atMostRows }))
      for (const { number } of rows) numbers.push(Number(number))
    expect(numbers).toEqual(Array.from({ length: atMostRows }, (_, index) => index))
  }
  await read(4_096)
  expect(planned).toHaveBeenCalledTimes(0)
  await read(4_097)
  expect(planned).toHaveBeenCalledTimes(1)
  planned.mockRestore()
})
