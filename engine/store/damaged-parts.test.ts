import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { removeRows } from '../../test/support/removed-rows.ts'
import { type ClickHouseStore, openClickHouseStore } from './clickhouse-store.ts'
import type { StoreConnection } from './connection.ts'
import { findDamagedParts } from './damaged-parts.ts'
import { openEmbeddedConnection } from './embedded-connection.ts'
import { DamageRecord } from './store-damage.ts'
import { StoreError } from './store-error.ts'

/** Tables without which the state of the store is unknown. */
const ESSENTIAL = ['migrations', 'logs', 'end_marks']
const TABLES = ['usage_days', ...ESSENTIAL]

let folder: string
let connection: StoreConnection
let store: ClickHouseStore

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-damaged-'))
  connection = await openEmbeddedConnection({ path: folder })
})
afterAll(async () => {
  await connection.close()
  rmSync(folder, { recursive: true })
})
/** An open store with one part of a table without which it can work. */
beforeEach(async () => {
  const [before] = await connection.read(
    "SELECT 1 FROM system.tables WHERE name = 'logs' AND database = 'weir'",
  )
  if (before !== undefined) await removeRows(connection)
  store = openClickHouseStore(connection)
  await store.open('log')
  await connection.command(
    "INSERT INTO usage_days (day, account, bytes, lines) VALUES ('2026-01-02', 'a', 5, 1)",
  )
})

function folderOf(table: string): string {
  return realpathSync(join(folder, 'data', 'weir', table))
}

/** Name of the only part of a table. */
async function partOf(table: string): Promise<string> {
  const [found] = await connection.read<{ name: string }>(
    `SELECT name FROM system.parts WHERE database = 'weir' AND table = '${table}' AND active`,
  )
  return found?.name ?? ''
}

/** Sets the parts of a table aside, as the engine does at a start with those that it cannot load. */
async function setAside(table: string, prefix = 'broken-on-start_'): Promise<void> {
  await connection.command(`ALTER TABLE ${table} DETACH PARTITION ALL`)
  const detached = join(folderOf(table), 'detached')
  for (const name of readdirSync(detached)) renameSync(join(detached, name), join(detached, prefix + name))
}

/** Accepts the loss of all parts that were set aside. */
function removeSetAside(): void {
  for (const table of TABLES) {
    const detached = join(folderOf(table), 'detached')
    for (const name of readdirSync(detached)) rmSync(join(detached, name), { recursive: true })
  }
}
afterEach(removeSetAside)

const bytesOfDays = () => store.query({ sql: 'SELECT sum(bytes) AS bytes FROM usage_days' })

test('a part that cannot be read fails its searches, is reported until it is gone, and its failures are counted', async () => {
  const part = await partOf('usage_days')
  const file = join(folderOf('usage_days'), part, 'data.bin')
  const flipped = readFileSync(file).map(byte => byte ^ 0x10)
  writeFileSync(file, flipped)
  const damaged = { table: 'usage_days', part, state: 'unreadable' }
  for (let failed = 1; failed <= 2; failed++) {
    await expect(bytesOfDays()).rejects.toMatchObject({ code: 'STORE_DAMAGED', retriable: false, damaged })
    expect(store.damage).toEqual({ parts: [damaged], failedStatements: failed })
  }
  expect(await store.findDamage()).toEqual([damaged])
  await connection.command('ALTER TABLE usage_days DROP PARTITION ALL')
  expect(await store.findDamage()).toEqual([])
  expect(store.damage).toEqual({ parts: [], failedStatements: 2 })
  expect(await bytesOfDays()).toEqual([{ bytes: '0' }])
})

test('a part that was set aside as broken is reported until it is deleted, because answers lack its rows', async () => {
  const part = await partOf('usage_days')
  await setAside('usage_days')
  const damaged = { table: 'usage_days', part: `broken-on-start_${part}`, state: 'set aside' }
  expect(await store.findDamage()).toEqual([damaged])
  // A start knows it before anybody asks.
  store = openClickHouseStore(connection)
  await store.open('log')
  expect(store.damage).toEqual({ parts: [damaged], failedStatements: 0 })
  removeSetAside()
  expect(await store.findDamage()).toEqual([])
  expect(store.damage.parts).toEqual([])
})

test('a part that an operator set aside is not damage', async () => {
  await setAside('usage_days', '')
  expect(await store.findDamage()).toEqual([])
})

test.each(ESSENTIAL)(
  'a store without its part of %s was taken for one that has never been used',
  async table => {
    await connection.command("INSERT INTO end_marks (log_id, rank, signed) VALUES ('log', 1, 'x')")
    await setAside(table)
    const part = readdirSync(join(folderOf(table), 'detached')).toSorted()[0]
    const opened = openClickHouseStore(connection)
    await expect(opened.open('another log')).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      retriable: false,
      message: expect.stringContaining(
        `Part ${part} of the table ${table} was found damaged at a start and is set aside, and without it the store cannot be opened: restore a backup.`,
      ),
    })
    await expect(opened.query({ sql: 'SELECT 1' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  },
)

test('damage that the engine did not name stays known', async () => {
  const record = new DamageRecord()
  record.noteUnreadable({ table: '', part: '', state: 'unreadable' })
  record.noteUnreadable({ table: '', part: '20260102_1_1_0', state: 'unreadable' })
  record.noteUnreadable({ table: 'lines', part: '20260102_1_1_0', state: 'unreadable' })
  const found = await findDamagedParts(statement => store.query(statement), record)
  expect(found.map(({ table, part }) => [table, part])).toEqual([
    ['', ''],
    ['', '20260102_1_1_0'],
  ])
})

test('a user who cannot list parts knows the damage that searches have met, and an unavailable store is no answer', async () => {
  const record = new DamageRecord()
  const part = { table: 'lines', part: '20260102_1_1_0', state: 'unreadable' } as const
  record.noteUnreadable(part)
  const asking = (code: 'STATEMENT_FAILED' | 'UNAVAILABLE') =>
    findDamagedParts(() => Promise.reject(new StoreError(code, 'no')), record)
  expect(await asking('STATEMENT_FAILED')).toEqual([part])
  await expect(asking('UNAVAILABLE')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
