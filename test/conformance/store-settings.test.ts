import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { startRole } from '../support/running-role.ts'

/** Settings for everything that writes a part: inserts, merges and mutations flush it, and its name as well. */
const FLUSHED = {
  fsync_after_insert: '1',
  fsync_part_directory: '1',
  min_rows_to_fsync_after_merge: '1',
  min_compressed_bytes_to_fsync_after_merge: '1',
}
const MIGRATIONS = join(import.meta.dirname, '../../engine/store/migrations')
/** Migrations of programs whose merges were not flushed. */
const BEFORE = 3
const LOG_ID = 'log-of-the-settings'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('every part of every table is flushed before its sources can be removed', () => {
  test('in a store that an earlier program created, and in copies of its tables', async () => {
    // One test covers the two cases, because a process has one engine.
    const connection = await openEmbeddedConnection({ path: join(folder, 'store') })
    await makeAsBefore(connection)
    expect((await settingsOf(connection)).lines).not.toMatchObject(FLUSHED)
    const store = openClickHouseStore(connection)
    await store.open(LOG_ID)
    await connection.command('CREATE TABLE usage_days_aside_1 AS usage_days')
    await expectFlushed(connection)
    await store.close()
  })

  test('in a new store of a separate process (weir store)', async () => {
    const role = await startRole('store', {
      PATH: process.env.PATH ?? '',
      WEIR_DATA_DIR: folder,
      WEIR_STORE_PORT: '0',
      LOG_LEVEL: 'error',
    })
    try {
      const connection = serverConnection({ url: role.url })
      const store = openClickHouseStore(connection)
      await store.open(LOG_ID)
      await expectFlushed(connection)
      await store.close()
    } finally {
      await role.end('SIGTERM')
    }
  })
})

async function expectFlushed(connection: StoreConnection): Promise<void> {
  const tables = Object.entries(await settingsOf(connection))
  expect(tables.map(([name]) => name)).toEqual(expect.arrayContaining(['lines', 'owners', 'migrations']))
  for (const [name, settings] of tables) expect({ name, ...settings }).toMatchObject(FLUSHED)
}

/** Settings of all tables, by table and name. */
async function settingsOf(connection: StoreConnection): Promise<Record<string, Record<string, string>>> {
  const tables = await connection.read<{ name: string; engine_full: string }>(
    'SELECT name, engine_full FROM system.tables WHERE database = currentDatabase()',
  )
  return Object.fromEntries(
    tables.map(({ name, engine_full: engine }) => {
      const [, settings = ''] = /\bSETTINGS (.*)$/s.exec(engine) ?? []
      const pairs = settings.matchAll(/(\w+) = ('[^']*'|[^,\s]+)/g)
      return [name, Object.fromEntries(pairs.map(([, setting, value]) => [setting, value]))]
    }),
  )
}

/** Creates tables as a program did that knew only the first migrations. */
async function makeAsBefore(connection: StoreConnection): Promise<void> {
  await connection.command(
    `CREATE TABLE migrations (number UInt32, name String)
ENGINE = MergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  )
  for (const [index, file] of readdirSync(MIGRATIONS).sort().slice(0, BEFORE).entries()) {
    const text = readFileSync(join(MIGRATIONS, file), 'utf8')
    for (const statement of text.split(/;\n/))
      if (/^(CREATE|ALTER)/m.test(statement)) await connection.command(statement)
    await connection.command(`INSERT INTO migrations VALUES (${index + 1}, '${file.slice(0, -4)}')`)
  }
  await connection.command(`INSERT INTO logs VALUES ('${LOG_ID}')`)
}
