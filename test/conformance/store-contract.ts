import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { nodeMetricsBlock } from '../../engine/fold/tables/node-metrics-block.ts'
import type { StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { type ClickHouseStore, openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import type { Epoch, StoreError } from '../../engine/store/store.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { STORE_TABLES, TABLE_COLUMNS } from '../../schemas/log/tables.ts'
import { blockOf, newStoredLine } from '../support/line-blocks.ts'
import { removeRows } from '../support/removed-rows.ts'
import { sampleLines } from '../support/sample-lines.ts'
import { auditContract } from './store-audit-contract.ts'
import { nodeContract } from './store-node-contract.ts'
import { searchContract } from './store-search-contract.ts'
import { usageContract } from './store-usage-contract.ts'

/** An engine with room for any number of databases. */
export interface StoreEngine {
  /** A connection to a database, which is made when it is not there. */
  connect(database: string): Promise<StoreConnection>
  stop(): Promise<void>
}

const LOG_ID = '0d6c3a52-51cf-4b0e-8d4d-3f9d2b8f3a11'
export const PARTITION = { topic: 'weir.ingest', partition: 3 } as const
const LINES = { ...PARTITION, table: 'lines' } as const
const EPOCH: Epoch = { offset: 40n, attempt: 0 }
const DAY = Date.UTC(2026, 0, 2)
const SHARED_DATABASE = 'contract'

/**
 * Promises of every implementation of the store port.
 *
 * @param options `statements` false leaves out audits, and what the statements of the store find and count, which does
 * not depend on the connection
 */
export function storeContract(
  name: string,
  start: () => Promise<StoreEngine>,
  { statements = true }: { readonly statements?: boolean } = {},
): void {
  describe(name, () => {
    let engine: StoreEngine
    let shared: StoreConnection
    let connection: StoreConnection
    let store: ClickHouseStore
    let database = SHARED_DATABASE
    let databases = 0

    beforeAll(async () => {
      engine = await start()
      shared = await engine.connect(SHARED_DATABASE)
      await openClickHouseStore(shared).open(LOG_ID)
    })
    afterAll(async () => {
      await shared?.close()
      await engine?.stop()
    })
    beforeEach(async () => {
      await removeRows(shared)
      database = SHARED_DATABASE
      connection = shared
      await openStore()
    })

    async function openStore(): Promise<void> {
      store = openClickHouseStore(connection)
      await store.open(LOG_ID)
      await store.claim({ ...PARTITION, epoch: EPOCH })
    }

    /** Opens a separate database, which is removed afterwards, for a test that changes the tables themselves. */
    async function takeOwnDatabase(): Promise<void> {
      database = `contract_${databases++}`
      connection = await engine.connect(database)
      await openStore()
      onTestFinished(async () => {
        // Tables that are left weigh on the tests after them.
        await connection.command(`DROP DATABASE IF EXISTS ${database}`)
        await connection.close()
      })
    }

    const insert = (block: readonly Uint8Array[], rows: number, epoch = EPOCH, table: StoreTable = 'lines') =>
      store.insert({ ...PARTITION, table, epoch, block, rows })
    const insertLines = (offset: bigint, lines: readonly StoredLine[], epoch = EPOCH) =>
      insert(blockOf(offset, lines), lines.length, epoch)
    const countOf = async (sql: string) => {
      const [row] = await store.query<{ n: string }>({ sql: `SELECT count() AS n FROM ${sql}` })
      return Number(row?.n)
    }

    test('the size has the lines, the oldest day, and the lines without a filter', async () => {
      const before = await store.size()
      expect(before).toMatchObject({ rows: 0, oldestDay: null, uncoveredRows: 0 })
      await insertLines(41n, sampleLines({ seed: 1, count: 3, startMs: DAY }))
      const { bytes, diskFreeBytes, ...lines } = await store.size()
      expect(lines).toEqual({ rows: 3, oldestDay: '2026-01-02', uncoveredRows: 3 })
      expect(bytes).toBeGreaterThan(before.bytes)
      expect(diskFreeBytes).toBeGreaterThan(0)
    })

    describe('inserting', () => {
      test('every member of a line is returned unchanged', async () => {
        const text = Buffer.from("a 'quoted' line\n\nDROP TABLE lines;\n\0 €😀")
        const line = newStoredLine({
          timeMs: DAY + 1,
          timestampMs: -1500,
          textBytes: Buffer.concat([Buffer.from('before'), text, Buffer.from('after')]),
          textStart: 6,
          textEnd: 6 + text.length,
          tags: ['b', 'a', 'b'],
          meta: '{"a":1}',
          extra: '{"_drift":1}',
          sizeBytes: 4_000_000_000,
          retentionDays: 65_535,
          poolDays: 7,
          textFieldNames: ['k', 'k', 'ü', 'not counted'],
          textFieldValues: ['1', '', '€'.repeat(50), 'x'],
          textFieldCount: 3,
          numberFieldNames: ['n', 'n'],
          numberFieldValues: [-0.5, 2 ** 53],
          numberFieldCount: 2,
        })
        await insertLines(2n ** 40n - 1n, [line, newStoredLine({ timeMs: DAY })])
        const rows = await store.query<Record<string, unknown>>({
          sql: `SELECT * EXCEPT (t, ts, text_fields, number_fields), toUnixTimestamp64Milli(t) AS t_ms, toUnixTimestamp64Milli(ts) AS ts_ms,
            mapKeys(text_fields) AS text_names, mapValues(text_fields) AS text_values,
            mapKeys(number_fields) AS number_names, mapValues(number_fields) AS number_values FROM lines ORDER BY row`,
        })
        expect(rows[0]).toMatchObject({
          topic: 0,
          partition: 3,
          offset: '1099511627775',
          row: 0,
          t_ms: String(DAY + 1),
          ts_ms: '-1500',
          line: text.toString(),
          tags: ['b', 'a', 'b'],
          meta: '{"a":1}',
          extra: '{"_drift":1}',
          size: 4_000_000_000,
          retention: 65_535,
          pool: 7,
          text_names: ['k', 'k', 'ü'],
          text_values: ['1', '', '€'.repeat(50)],
          number_names: ['n', 'n'],
          number_values: [-0.5, 2 ** 53],
        })
        expect(rows[1]).toMatchObject({ row: 1, tags: [], line: '', text_names: [], number_values: [] })
      })

      test.each([1, 8192, 150_000])('a batch of %i rows becomes one part', async count => {
        const lines = sampleLines({ seed: 2, count: Math.min(count, 5000), startMs: DAY })
        const rows = Array.from({ length: count }, (_, row) => lines[row % lines.length] as StoredLine)
        await insertLines(41n, rows)
        expect(await newParts('lines')).toEqual([{ rows: count, level: 0 }])
      })

      test('a batch of more than 32 MB becomes one part', async () => {
        const textBytes = Buffer.alloc(16_384, 'abcdefghijklmnop')
        const line = newStoredLine({ timeMs: DAY, textBytes, textStart: 0, textEnd: textBytes.length })
        const rows = Array.from({ length: 2_200 }, () => line)
        await insertLines(41n, rows)
        expect(await newParts('lines')).toEqual([{ rows: 2_200, level: 0 }])
      })

      test('a block with other columns is refused without a retry, and nothing is stored', async () => {
        const block = nodeMetricsBlock({ offset: 41n, minuteMs: DAY }, [])
        await expect(insert(block, 0)).rejects.toMatchObject({ code: 'STATEMENT_FAILED', retriable: false })
        expect(await countOf('lines')).toBe(0)
      })

      const newParts = (table: string) =>
        connection.read<{ rows: number; level: number }>(
          `SELECT toUInt32(rows) AS rows, level FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active`,
        )
    })

    describe('owners', () => {
      const lines = sampleLines({ seed: 3, count: 10, startMs: DAY })

      test.each([
        ['an older owner', { offset: 39n, attempt: 9 }],
        ['an older attempt of the owner', { offset: 41n, attempt: 1 }],
      ])('an insert of %s is an error and stores nothing', async (_, epoch) => {
        await store.claim({ ...PARTITION, epoch: { offset: 41n, attempt: 2 } })
        await expect(insertLines(42n, lines, epoch)).rejects.toMatchObject({
          code: 'FENCED',
          retriable: false,
        })
        expect(await countOf('lines')).toBe(0)
      })

      test('an insert of the present owner succeeds, also after it has repeated its claim', async () => {
        await store.claim({ ...PARTITION, epoch: EPOCH })
        await insertLines(41n, lines)
        expect(await countOf('lines')).toBe(10)
      })

      test('an owner of another partition or topic does not fence this one', async () => {
        const epoch = { offset: 99n, attempt: 0 }
        await store.claim({ topic: 'weir.ingest', partition: 4, epoch })
        await store.claim({ topic: 'weir.keyed', partition: 3, epoch })
        await insertLines(41n, lines)
        expect(await countOf('lines')).toBe(10)
      })

      test('a claim below an earlier claim is refused', async () => {
        await store.claim({ ...PARTITION, epoch: { offset: 41n, attempt: 0 } })
        for (const epoch of [EPOCH, { offset: 40n, attempt: 7 }])
          await expect(store.claim({ ...PARTITION, epoch })).rejects.toMatchObject({ code: 'FENCED' })
      })
    })

    describe('settling', () => {
      const from = (offset: bigint, row: number) => ({ offset, row, timeMs: DAY })

      test('returns null if nothing is stored, else the highest position at or after the given one', async () => {
        expect(await store.settle(LINES, from(0n, 0))).toBeNull()
        await insertLines(41n, sampleLines({ seed: 4, count: 20, startMs: DAY }))
        await insertLines(50n, sampleLines({ seed: 5, count: 3, startMs: DAY }))
        expect(await store.settle(LINES, from(0n, 0))).toEqual({ offset: 50n, row: 2 })
        expect(await store.settle(LINES, from(50n, 2))).toEqual({ offset: 50n, row: 2 })
        expect(await store.settle(LINES, from(50n, 3))).toBeNull()
        expect(await store.settle(LINES, from(51n, 0))).toBeNull()
      })

      test('ignores other partitions, topics and tables', async () => {
        const lines = sampleLines({ seed: 6, count: 5, startMs: DAY })
        for (const other of [
          { topic: 'weir.ingest', partition: 4 },
          { topic: 'weir.keyed', partition: 3 },
        ]) {
          await store.claim({ ...other, epoch: EPOCH })
          const block = blockOf(77n, lines)
          await store.insert({ ...other, table: 'lines', epoch: EPOCH, block, rows: 5 })
        }
        await insertLines(41n, lines)
        expect(await store.settle(LINES, from(0n, 0))).toEqual({ offset: 41n, row: 4 })
        expect(await store.settle({ ...PARTITION, table: 'node_metrics' }, from(0n, 0))).toBeNull()
      })

      test('is final: a running insert is stored before it or never', async () => {
        const lines = sampleLines({ seed: 7, count: 5000, startMs: DAY })
        const rows = Array.from({ length: 100_000 }, (_, row) => lines[row % lines.length] as StoredLine)
        const outcome = insertLines(41n, rows).then(
          () => 'stored',
          (error: StoreError) => error.code,
        )
        await store.claim({ ...PARTITION, epoch: { ...EPOCH, attempt: 1 } })
        const settled = await store.settle(LINES, from(0n, 0))
        const stored = await countOf('lines')
        expect(stored).toBe(settled === null ? 0 : rows.length)
        expect(['stored', 'FENCED', 'OUTCOME_UNKNOWN']).toContain(await outcome)
        expect(await countOf('lines')).toBe(stored)
      })
    })

    describe('the length that a log must have', () => {
      const from = (offset: bigint) => ({ offset, row: 0, timeMs: DAY })

      test('follows from the newest owner and the highest positions of that partition alone', async () => {
        expect(await store.reached(PARTITION, from(0n))).toEqual({
          owner: EPOCH.offset,
          positions: new Map(),
          timeMs: 0,
        })
        await store.claim({ topic: 'weir.ingest', partition: 4, epoch: { offset: 99n, attempt: 0 } })
        await insertLines(41n, sampleLines({ seed: 4, count: 20, startMs: DAY }))
        await insertLines(50n, sampleLines({ seed: 5, count: 3, startMs: DAY }))
        const reached = await store.reached(PARTITION, from(0n))
        expect(reached).toMatchObject({
          owner: EPOCH.offset,
          positions: new Map([['lines', { offset: 50n, row: 2 }]]),
        })
        expect(reached.timeMs).toBeGreaterThanOrEqual(DAY)
        expect((await store.reached(PARTITION, from(51n))).positions).toEqual(new Map())
        expect(await store.reached({ topic: 'weir.keyed', partition: 3 }, from(0n))).toEqual({
          owner: null,
          positions: new Map(),
          timeMs: 0,
        })
      })
    })

    describe('the stored position of a partition', () => {
      test('is its highest mark, for that partition alone', async () => {
        expect(await store.standing(PARTITION)).toEqual({ owner: EPOCH.offset, mark: null })
        await store.markStored(PARTITION, { storedTo: 50n, settledMs: DAY + 1 })
        await store.markStored(PARTITION, { storedTo: 40n, settledMs: DAY + 2 })
        await store.markStored({ topic: 'weir.ingest', partition: 4 }, { storedTo: 2n ** 40n, settledMs: 0 })
        expect(await store.standing(PARTITION)).toEqual({
          owner: EPOCH.offset,
          mark: { storedTo: 50n, settledMs: DAY + 1 },
        })
        await connection.command('OPTIMIZE TABLE stored_marks FINAL')
        expect(await store.standing(PARTITION)).toEqual({
          owner: EPOCH.offset,
          mark: { storedTo: 50n, settledMs: DAY + 1 },
        })
        expect(await store.standing({ topic: 'weir.keyed', partition: 3 })).toEqual({
          owner: null,
          mark: null,
        })
      })

      test('is 0, and not unknown, if the mark is 0', async () => {
        await store.markStored(PARTITION, { storedTo: 0n, settledMs: 0 })
        expect(await store.standing(PARTITION)).toMatchObject({ mark: { storedTo: 0n, settledMs: 0 } })
      })
    })

    /** The engine gives some 65,000 rows at once: streams that fail at row 180,000 have given rows before. */
    describe('searching', () => {
      test('parameters reach the statement unchanged, whatever they contain', async () => {
        const evil = `'; DROP TABLE lines; -- {a:String} \\' \n\n\t\r €😀 "\``
        const [row] = await store.query({
          sql: "SELECT {a:String} AS a, '{a:String}' AS literal, {list:Array(String)} AS list, {some:Array(Nullable(String))} AS some, {starts:Array(UInt32)} AS starts, {big:UInt64} AS big, {low:Int64} AS low, {x:Float64} AS x, {t:DateTime64(3, 'UTC')} AS t LIMIT {n:UInt32}",
          parameters: {
            a: evil,
            list: [evil, ''],
            some: [evil, null],
            starts: [0, 4_294_967_295],
            big: '18446744073709551615',
            low: '-9223372036854775808',
            x: -1.5,
            t: '2026-01-02 03:04:05.678',
            n: 1,
          },
        })
        expect(row).toEqual({
          a: evil,
          literal: '{a:String}',
          list: [evil, ''],
          some: [evil, null],
          starts: [0, 4_294_967_295],
          big: '18446744073709551615',
          low: '-9223372036854775808',
          x: -1.5,
          t: '2026-01-02 03:04:05.678',
        })
      })

      test('a wrong statement is an error that is not retriable', async () => {
        const wrong = store.query({ sql: 'SELECT nonsense FROM lines' })
        await expect(wrong).rejects.toMatchObject({ code: 'STATEMENT_FAILED', retriable: false })
        const unfit = store.query({ sql: 'SELECT {n:UInt8}', parameters: { n: 'many' } })
        await expect(unfit).rejects.toMatchObject({ code: 'STATEMENT_FAILED' })
      })

      test('a search cannot change data', async () => {
        for (const sql of ['DROP TABLE lines', 'TRUNCATE TABLE lines', "INSERT INTO logs VALUES ('x')"])
          await expect(store.query({ sql })).rejects.toMatchObject({ code: 'STATEMENT_FAILED' })
        expect(await countOf('logs')).toBe(1)
      })

      test('searches run while another search takes long', async () => {
        const long = store.query({
          sql: 'SELECT sleepEachRow(0.05) FROM numbers(2000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 1000000000',
        })
        const outcome = long.catch((error: Error) => error.message)
        expect(await store.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
        await connection.command(
          "KILL QUERY WHERE query LIKE '%sleepEachRow(0.05)%' AND query NOT LIKE 'KILL%' ASYNC",
        )
        // The engine reports the second text for a statement that it has not begun.
        expect(await outcome).toMatch(/cancelled|killed in pending state/)
      })

      test('an aborted search ends with the reason of its signal, and later ones run', async () => {
        const abort = new AbortController()
        const search = store.query(
          {
            sql: 'SELECT sleepEachRow(0.05) FROM numbers(2000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 1000000000',
          },
          abort.signal,
        )
        const reason = new Error('the client has disconnected')
        queueMicrotask(() => abort.abort(reason))
        await expect(search).rejects.toBe(reason)
        await expect(store.query({ sql: 'SELECT 1' }, abort.signal)).rejects.toBe(reason)
        for (let index = 0; index < 6; index++)
          expect(await store.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
      })

      test('aborting at any moment also ends the search in the store', async () => {
        const slow =
          'SELECT sleepEachRow(0.05) FROM numbers(2000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 1000000000'
        for (let round = 0; round < 12; round++) {
          const abort = new AbortController()
          const search = store.query({ sql: slow }, abort.signal)
          // The abort comes at moments from before the search is handed on until after it is listed.
          if (round % 4 === 0) queueMicrotask(() => abort.abort())
          else setTimeout(() => abort.abort(), round)
          await expect(search).rejects.toThrow('abort')
          await vi.waitUntil(
            async () =>
              (await countOf(
                "system.processes WHERE query LIKE '%EachRow(0.05)%' AND query NOT LIKE '%system.processes%'",
              )) === 0,
            { timeout: 20_000 },
          )
        }
      })

      test('rows of a search that failed, was abandoned or was aborted never appear in a later answer', async () => {
        const failing = "SELECT number, throwIf(number = 180000, 'broken') FROM numbers(200000)"
        const expectClean = async () => {
          for (let index = 0; index < 4; index++)
            expect(await store.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
        }
        await expect(store.query({ sql: failing })).rejects.toThrow('broken')
        await expectClean()
        await expect(readAll(store.queryStream({ sql: failing }))).rejects.toThrow('broken')
        await expectClean()
        for await (const rows of store.queryStream({ sql: 'SELECT number FROM numbers(1000000)' }))
          if (rows.length > 0) break
        await expectClean()
        await expect(connection.read(failing)).rejects.toThrow('broken')
        expect(await connection.read('SELECT 1 AS one')).toEqual([{ one: 1 }])
        const abort = new AbortController()
        const slow = 'SELECT number, sleepEachRow(0.001) FROM numbers(100000) SETTINGS max_block_size = 10'
        const aborted = readAll(store.queryStream({ sql: slow }, abort.signal))
        const reason = new Error('the client has disconnected')
        setImmediate(() => abort.abort(reason))
        await expect(aborted).rejects.toBe(reason)
        await expectClean()
      })

      test('a stream gives every row once and in order, at most some thousand at a time', async () => {
        const numbers: string[] = []
        const sql = 'SELECT number AS n FROM numbers({count:UInt64})'
        let largest = 0
        for await (const rows of store.queryStream<{ n: string }>({ sql, parameters: { count: 50_000 } })) {
          largest = Math.max(largest, rows.length)
          for (const { n } of rows) numbers.push(n)
        }
        expect(numbers).toEqual(Array.from({ length: 50_000 }, (_, n) => String(n)))
        expect(largest).toBeLessThanOrEqual(10_000)
      })

      test('a stream that is left early does not block other searches', async () => {
        for (let round = 0; round < 5; round++)
          for await (const rows of store.queryStream({ sql: 'SELECT number FROM numbers(1000000)' }))
            if (rows.length > 0) break
        expect(await store.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
      })

      test('a stream that fails halfway reports the failure', async () => {
        const sql = "SELECT throwIf(number = 180000, 'broken') FROM numbers(200000)"
        await expect(readAll(store.queryStream({ sql }))).rejects.toThrow('broken')
      })
    })

    if (!statements) return
    describe('opening', () => {
      beforeEach(takeOwnDatabase)

      test('the tables have exactly the columns that blocks are built for', async () => {
        for (const table of STORE_TABLES) {
          const rows = await store.query<{ name: string; type: string }>({
            sql: `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String} AND default_kind = '' ORDER BY position`,
            parameters: { table },
          })
          expect(rows.map(row => [row.name, row.type])).toEqual(TABLE_COLUMNS[table])
        }
      })

      test('opening again with the same log changes nothing', async () => {
        await insertLines(41n, sampleLines({ seed: 1, count: 3, startMs: DAY }))
        const again = openClickHouseStore(await engine.connect(database))
        await again.open(LOG_ID)
        expect(await countOf('lines')).toBe(3)
        expect(await countOf('migrations')).toBe(11)
        await again.close()
      })

      test('a store that was filled from another log is refused', async () => {
        const other = openClickHouseStore(await engine.connect(database))
        await expect(other.open('another')).rejects.toMatchObject({ code: 'STORE_OF_ANOTHER_LOG' })
        await other.close()
      })

      test('a store that a newer program has changed is refused', async () => {
        await connection.command("INSERT INTO migrations VALUES (9999, 'of the future')")
        const older = openClickHouseStore(await engine.connect(database))
        await expect(older.open(LOG_ID)).rejects.toMatchObject({ code: 'STORE_NEWER' })
        await older.close()
      })
    })

    searchContract(() => ({ store, epoch: EPOCH }))
    nodeContract(() => ({ store, insert: (block, rows, table) => insert(block, rows, EPOCH, table) }))
    const opened = () => ({ store, connection, insertLines })
    usageContract(opened)
    auditContract(opened, takeOwnDatabase)
  })
}

async function readAll(stream: AsyncIterable<unknown[]>): Promise<number> {
  let rows = 0
  for await (const some of stream) rows += some.length
  return rows
}
