import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

const sums = (count: number) =>
  `SELECT number FROM numbers(10) WHERE ${Array.from({ length: count }, (_, index) => `number + ${index} = 7${index}`).join(' OR ')}`

test('an account whose readers come back again and again without reading keeps a search of another one waiting for one turn', async () => {
  const open = () =>
    connection
      .queryStream({ sql: 'SELECT number FROM numbers(1000000)', askedBy: 'slow' })
      [Symbol.asyncIterator]()
  const readers = Array.from({ length: 8 }, open)
  const begun = readers.map(reader => reader.next())
  await Promise.all(begun.slice(0, 2))
  const other = connection.query<{ one: number }>({ sql: 'SELECT 1 AS one', askedBy: 'other' })
  // Each of the two places passes to the next caller: a reader of the same account, then the other account.
  for (const reader of readers.slice(0, 2)) await reader.return?.()
  expect(await other).toEqual([{ one: 1 }])
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

test.each([
  ['a long statement', { sql: sums(1500) }],
  ['a statement with a short answer', { sql: sums(100), atMostRows: 100 }],
])('the process continues while %s is planned', async (_, statement) => {
  const parts: number[] = []
  for (let round = 0; round < 5; round++) parts.push(await blockedPart(statement))
  expect(Math.min(...parts)).toBeLessThan(0.5)
})
