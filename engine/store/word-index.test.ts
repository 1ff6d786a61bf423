import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openClickHouseStore } from './clickhouse-store.ts'
import type { StoreConnection } from './connection.ts'
import { openEmbeddedConnection } from './embedded-connection.ts'
import type { Store } from './store.ts'

/** Minimum number of lines that are indexed. */
const LINES = 100_000

let folder: string
let connection: StoreConnection
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-migrations-'))
  connection = await openEmbeddedConnection({ path: folder })
  store = openClickHouseStore(connection)
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['that knew no such index', ['0001-tables']],
  ['that made another', ['0001-tables', '0002-word-index']],
])('lines of a program %s, and of this one, are indexed after a quiet time', async (_which, migrations) => {
  await fillAfter(migrations)
  await store.open('a')
  await insertLines(LINES)
  await connection.command('OPTIMIZE TABLE lines FINAL')
  expect(await granulesWith('nowhere')).toBeGreaterThan(0)
  expect(await rowsWithWord('item')).toBe(2 * LINES)
  await untilIndexed(0)
  expect(await granulesWith('nowhere')).toBe(0)
  expect(await granulesWith('item')).toBeGreaterThan(0)
  expect(await rowsWithWord('item')).toBe(2 * LINES)
  expect(await rowsWithWord('nowhere')).toBe(0)
})

test('very recent lines, and few lines, are not indexed', async () => {
  await store.open('a')
  await insertLines(LINES - 1)
  await untilIndexed(0)
  expect(await granulesWith('nowhere')).toBeGreaterThan(0)
  await insertLines(1)
  await untilIndexed(60_000)
  expect(await granulesWith('nowhere')).toBeGreaterThan(0)
  await untilIndexed(0)
  expect(await granulesWith('nowhere')).toBe(0)
})

test('indexed lines are not indexed again', async () => {
  await store.open('a')
  await insertLines(LINES)
  await untilIndexed(0)
  await untilIndexed(0)
  const [row] = await connection.read<{ times: string }>(
    `SELECT count() AS times FROM system.mutations
WHERE database = currentDatabase() AND command LIKE '%MATERIALIZE INDEX%'`,
  )
  expect(row?.times).toBe('1')
})

/** A store that a program with only the first migrations filled, after a quiet time. */
async function fillAfter(migrations: readonly string[]): Promise<void> {
  for (const migration of migrations) {
    const text = readFileSync(new URL(`./migrations/${migration}.sql`, import.meta.url), 'utf8')
    for (const statement of text.split(/;\n/))
      if (/^(CREATE|ALTER)/m.test(statement)) await connection.command(statement)
  }
  await connection.command(
    'CREATE TABLE migrations (number UInt32, name String) ENGINE = MergeTree ORDER BY number',
  )
  for (const [index, migration] of migrations.entries())
    await connection.command(`INSERT INTO migrations VALUES (${index + 1}, '${migration}')`)
  await connection.command(`INSERT INTO logs VALUES ('a')`)
  await connection.command(
    `INSERT INTO lines (account, t, line) SELECT 'a', '2026-01-02', 'GET /api/item/1' FROM numbers(${LINES})`,
  )
}

async function insertLines(count: number): Promise<void> {
  await connection.command(
    `INSERT INTO lines (account, t, line) SETTINGS exclude_materialize_skip_indexes_on_insert = 'marked_words'
SELECT 'a', '2026-01-02', 'GET /api/item/1' FROM numbers(${count})`,
  )
}

async function untilIndexed(restMs: number): Promise<void> {
  await store.indexWords(restMs)
  for (;;) {
    const [row] = await connection.read<{ running: string }>(
      `SELECT count() AS running FROM system.mutations WHERE database = currentDatabase() AND NOT is_done`,
    )
    if (row?.running === '0') return
  }
}

/** Granules that are read for lines with a word. */
async function granulesWith(word: string): Promise<number> {
  const rows = await connection.read<{ explain: string }>(
    `SELECT explain FROM (EXPLAIN indexes = 1 SELECT row FROM lines WHERE has(marked_words, '${word}'))
WHERE explain LIKE '%Granules: %'`,
  )
  return Number(/Granules: (\d+)/.exec(rows.at(-1)?.explain ?? '')?.[1])
}

async function rowsWithWord(word: string): Promise<number> {
  const [row] = await connection.read<{ rows: string }>(
    `SELECT count() AS rows FROM lines WHERE has(marked_words, '${word}')`,
  )
  return Number(row?.rows)
}
