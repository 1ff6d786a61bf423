import { describe, expect, test } from 'vitest'
import { fullFieldDaysBlock } from '../../engine/fold/tables/full-field-days.ts'
import { nodeMetricsBlock } from '../../engine/fold/tables/node-metrics-block.ts'
import { pipelineErrorsBlock } from '../../engine/fold/tables/pipeline-errors-block.ts'
import { noCounts } from '../../engine/graph/node-counters.ts'
import type { StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { type ClickHouseStore, openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { AuditStatement, StoreConnection } from '../../engine/store/connection.ts'
import type { Store } from '../../engine/store/store.ts'
import {
  type NamedUsage,
  type UsageByKindQuery,
  type UsageKind,
  usageByKindStatement,
  usageTotalsStatement,
} from '../../engine/store/usage/usage.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { LINE_TABLES } from '../../schemas/log/tables.ts'
import { OUTBOX_TOPIC } from '../../schemas/log/topics.ts'
import { blockOf, newStoredLine } from '../support/line-blocks.ts'
import { sampleLines } from '../support/sample-lines.ts'

const ACCOUNT = '507f1f77bc'
const DAY = Date.UTC(2026, 0, 2)
const KINDS: readonly UsageKind[] = ['apps', 'hosts', 'tags']
const PARTITION = { topic: 'weir.ingest', partition: 3 } as const

export interface OpenedStore {
  readonly store: ClickHouseStore
  readonly connection: StoreConnection
  insertLines(offset: bigint, lines: readonly StoredLine[]): Promise<void>
}

/** Promises of the store on usage, closing days and retention. */
export function usageContract(opened: () => OpenedStore): void {
  describe('usage', () => {
    const whole = { account: ACCOUNT, fromMs: DAY, toMs: DAY + 2 * DAY_MS - 1 }
    // Two days, each with lines at its very first and last millisecond, beside another account's.
    const lines = [
      ...sampleLines({ seed: 11, count: 400, startMs: DAY, stepMs: DAY_MS / 400, retentionDays: 3 }),
      newStoredLine({ timeMs: DAY, sizeBytes: 7, tags: ['edge'], app: 'first', retentionDays: 30 }),
      newStoredLine({ timeMs: DAY + DAY_MS - 1, sizeBytes: 11, tags: ['edge', 'edge'], app: 'last' }),
    ]
    const nextDay = [
      newStoredLine({ timeMs: DAY + DAY_MS, sizeBytes: 13, app: 'first', poolDays: 3 }),
      ...sampleLines({ seed: 12, count: 100, startMs: DAY + DAY_MS, stepMs: DAY_MS / 200 }),
      newStoredLine({ timeMs: DAY + DAY_MS, sizeBytes: 1, account: 'other' }),
    ]
    const all = [...lines, ...nextDay]

    async function fill(): Promise<OpenedStore> {
      const world = opened()
      await world.insertLines(41n, lines)
      await world.insertLines(42n, nextDay)
      return world
    }

    async function answers(store: Store) {
      return {
        kinds: await Promise.all(KINDS.map(kind => store.usageByKind({ ...whole, kind }))),
        totals: await store.usageTotals(whole),
      }
    }

    test('equals the rows, by app, host and tag and in total', async () => {
      const { store } = await fill()
      const { kinds, totals } = await answers(store)
      expect(kinds).toEqual(KINDS.map(kind => counted(all, { ...whole, kind })))
      expect(totals.map(({ poolDays }) => poolDays)).toEqual([0, 3, 7])
      const mine = all.filter(line => line.account === ACCOUNT)
      expect(totals.reduce((sum, { lines: count }) => sum + count, 0)).toBe(mine.length)
      expect(totals.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sizeOf(mine))
    })

    test('is the same before a day is closed, after that, and after retention removed its lines', async () => {
      const { store } = await fill()
      const before = await answers(store)
      await store.closeDay('2026-01-02')
      expect(await answers(store)).toEqual(before)
      const settled = [{ ...PARTITION, checkpointOffset: 1000n }]
      const removed = await store.removeExpired(DAY + 4 * DAY_MS, settled)
      expect(removed).toBe(400)
      expect(await answers(store)).toEqual(before)
      await store.closeDay('2026-01-03')
      expect(await store.removeExpired(DAY + 400 * DAY_MS, settled)).toBe(all.length - 400)
      expect(await store.query({ sql: 'SELECT line FROM lines' })).toEqual([])
      expect(await answers(store)).toEqual(before)
    })

    test('a batch at the end of a day counts for that day, the next one for the next', async () => {
      const { store } = await fill()
      const first = { ...whole, toMs: DAY + DAY_MS - 1, kind: 'apps', name: 'first' } as const
      expect(await store.usageByKind(first)).toEqual([{ name: 'first', bytes: 7, lines: 1 }])
      const second = { ...first, fromMs: DAY + DAY_MS, toMs: DAY + 2 * DAY_MS - 1 }
      expect(await store.usageByKind(second)).toEqual([{ name: 'first', bytes: 13, lines: 1 }])
      expect(await store.openDays()).toEqual(['2026-01-02', '2026-01-03'])
    })

    test.each(KINDS)('by name, pool and limit: %s', async kind => {
      const { store } = await fill()
      for (const closed of [false, true]) {
        if (closed) await store.closeDay('2026-01-02')
        for (const more of [{ name: 'prod' }, { name: 'nginx' }, { poolDays: 7 }, { limit: 2 }] as const)
          expect(await store.usageByKind({ ...whole, kind, ...more })).toEqual(
            counted(all, { ...whole, kind, ...more }),
          )
        const byLines = { ...whole, kind, order: 'lines' } as const
        expect(await store.usageByKind(byLines)).toEqual(counted(all, byLines))
      }
      expect(await store.usageByKind({ ...whole, kind, name: 'nobody' })).toEqual([])
      expect(await store.usageByKind({ ...whole, kind, poolDays: 1e20 })).toEqual([])
    })

    test('a period of seconds counts the lines within it, even if it divides a closed day', async () => {
      const { store } = await fill()
      await store.closeDay('2026-01-02')
      for (const [fromMs, toMs] of [
        [DAY + 1000, DAY + DAY_MS - 1],
        [DAY, DAY + DAY_MS - 1001],
        [DAY + 3_600_000, DAY + DAY_MS + 3_600_000 - 1],
        [DAY - 5000, DAY + 999],
        [DAY + DAY_MS - 1000, DAY + DAY_MS - 1],
        [DAY + 1000, DAY - 1],
      ] as const) {
        const query = { account: ACCOUNT, kind: 'apps', fromMs, toMs } as const
        expect(await store.usageByKind(query)).toEqual(counted(all, query))
      }
    })

    test('is answered from the projection, not from the lines', async () => {
      const { store } = await fill()
      const statements = [
        ...KINDS.map(kind => usageByKindStatement({ ...whole, kind }, LINE_TABLES)),
        ...KINDS.map(kind => usageByKindStatement({ ...whole, kind, name: 'x', poolDays: 7 }, LINE_TABLES)),
        usageTotalsStatement(whole, LINE_TABLES),
      ]
      for (const { sql, parameters = {} } of statements) {
        const plan = await store.query<{ explain: string }>({
          sql: `EXPLAIN indexes = 1 ${sql}`,
          parameters,
        })
        const text = plan.map(({ explain }) => explain).join('\n')
        expect(text).toMatch(/ReadFromMergeTree \(usage\)/)
        expect(text).not.toMatch(/ReadFromMergeTree \(\w+\.lines\)/)
      }
    })
  })

  describe('closing a day', () => {
    const lines = sampleLines({ seed: 21, count: 50, startMs: DAY, stepMs: 1000 })
    const day = { account: ACCOUNT, kind: 'apps', fromMs: DAY, toMs: DAY + DAY_MS - 1 } as const

    test('a day without lines does not change, and a closed day is not copied again', async () => {
      const { store, connection, insertLines } = opened()
      await store.closeDay('2026-01-02')
      expect(await connection.read('SELECT * FROM usage_days')).toEqual([])
      await insertLines(41n, lines)
      await store.closeDay('2026-01-02')
      const copied = await connection.read('SELECT * FROM usage_days ORDER BY ALL')
      expect(copied.length).toBeGreaterThan(0)
      await store.closeDay('2026-01-02')
      expect(await connection.read('SELECT * FROM usage_days ORDER BY ALL')).toEqual(copied)
      expect(await store.openDays()).toEqual([])
    })

    test('a process that is killed before any of its statements leaves a day that can still be closed', async () => {
      const { store, connection, insertLines } = opened()
      await insertLines(41n, lines)
      const before = await store.usageByKind(day)
      for (let statements = 0; ; statements++) {
        const dying = openClickHouseStore(dyingAfter(connection, statements))
        const ended = await dying.closeDay('2026-01-02').then(
          () => true,
          () => false,
        )
        expect(await store.usageByKind(day)).toEqual(before)
        if (ended) break
        expect(statements).toBeLessThan(20)
      }
      await store.closeDay('2026-01-02')
      expect(await store.usageByKind(day)).toEqual(before)
      expect(await store.openDays()).toEqual([])
    })

    test('two processes that close the same day at once copy it once', async () => {
      const { store, insertLines } = opened()
      await insertLines(41n, lines)
      const before = await store.usageByKind(day)
      await Promise.all([store.closeDay('2026-01-02'), store.closeDay('2026-01-02')])
      expect(await store.usageByKind(day)).toEqual(before)
    })
  })

  describe('retention', () => {
    const settled = [{ ...PARTITION, checkpointOffset: 42n }]
    const short = newStoredLine({ timeMs: DAY, retentionDays: 1, sizeBytes: 1 })
    const long = newStoredLine({ timeMs: DAY + 5, retentionDays: 2, sizeBytes: 1 })
    const left = async (store: ClickHouseStore) =>
      store.query({ sql: 'SELECT offset, row FROM lines ORDER BY offset, row' })

    test('a line is removed once the whole of its day is past its retention, and not a millisecond earlier', async () => {
      const { store, insertLines } = opened()
      await insertLines(41n, [short, long])
      await store.closeDay('2026-01-02')
      expect(await store.removeExpired(DAY + 2 * DAY_MS - 1, settled)).toBe(0)
      expect(await store.removeExpired(DAY + 2 * DAY_MS, settled)).toBe(1)
      expect(await left(store)).toEqual([{ offset: '41', row: 1 }])
      expect(await store.removeExpired(DAY + 2 * DAY_MS, settled)).toBe(0)
      expect(await store.removeExpired(DAY + 3 * DAY_MS, settled)).toBe(1)
      expect(await left(store)).toEqual([])
    })

    test('lines of an open day stay', async () => {
      const { store, insertLines } = opened()
      await insertLines(41n, [short])
      expect(await store.removeExpired(DAY + 100 * DAY_MS, settled)).toBe(0)
      expect(await left(store)).toHaveLength(1)
    })

    test('errors are removed after ten days and counts of nodes after ninety, but nothing above a checkpoint', async () => {
      const { store } = opened()
      const name = { account: ACCOUNT, pipeline: 'p', node: 'n' }
      const error = {
        nodeKind: 'transform',
        code: 'E_NOT_FOUND',
        field: null,
        message: '',
        captured: '',
        count: 1,
      }
      const epoch = { offset: 1_000n, attempt: 0 }
      await store.claim({ ...PARTITION, epoch })
      for (const [offset, minuteMs] of [
        [40n, DAY],
        [50n, DAY + DAY_MS],
      ] as const) {
        const errors = pipelineErrorsBlock({ offset, minuteMs }, [{ ...name, ...error, lastMs: minuteMs }])
        const metrics = nodeMetricsBlock({ offset, minuteMs }, [{ ...name, activity: noCounts() }])
        await store.insert({ ...PARTITION, epoch, table: 'pipeline_errors', block: errors, rows: 1 })
        await store.insert({ ...PARTITION, epoch, table: 'node_metrics', block: metrics, rows: 1 })
        const full = fullFieldDaysBlock([{ account: 'a', offset, row: 0, timeMs: minuteMs }])
        await store.insert({ ...PARTITION, epoch, table: 'full_field_days', block: full, rows: 1 })
      }
      // Errors of deliveries are above every checkpoint of lines.
      const outbox = { topic: OUTBOX_TOPIC, partition: 0, epoch }
      await store.claim(outbox)
      const failed = pipelineErrorsBlock({ offset: 45n, minuteMs: DAY }, [{ ...name, ...error, lastMs: DAY }])
      await store.insert({ ...outbox, table: 'pipeline_errors', block: failed, rows: 1 })
      const offsets = async (table: string) =>
        (await store.query<{ offset: string }>({ sql: `SELECT offset FROM ${table} ORDER BY offset` })).map(
          row => row.offset,
        )
      await store.removeExpired(DAY + 11 * DAY_MS - 1, settled)
      expect(await offsets('pipeline_errors')).toEqual(['40', '45', '50'])
      await store.removeExpired(DAY + 11 * DAY_MS, settled)
      expect(await offsets('pipeline_errors')).toEqual(['50'])
      expect(await offsets('node_metrics')).toEqual(['40', '50'])
      await store.removeExpired(DAY + 100 * DAY_MS, settled)
      expect(await offsets('pipeline_errors')).toEqual(['50'])
      expect(await offsets('node_metrics')).toEqual(['50'])
      expect(await offsets('full_field_days')).toEqual(['40', '50'])
      await store.removeExpired(DAY + 3_800 * DAY_MS, settled)
      // Its partition holds a month, and a row is above the checkpoint.
      expect(await offsets('full_field_days')).toEqual(['40', '50'])
      const all = settled.map(partition => ({ ...partition, checkpointOffset: 51n }))
      await store.removeExpired(DAY + 3_600 * DAY_MS, all)
      expect(await offsets('full_field_days')).toEqual(['40', '50'])
      await store.removeExpired(DAY + 3_800 * DAY_MS, all)
      expect(await offsets('full_field_days')).toEqual([])
    })

    test('lines at or above a checkpoint, and of partitions without one, are kept', async () => {
      const { store, insertLines } = opened()
      await insertLines(41n, [short])
      await insertLines(42n, [short])
      const other = { topic: 'weir.ingest', partition: 9 }
      const epoch = { offset: 1n, attempt: 0 }
      await store.claim({ ...other, epoch })
      await store.insert({ ...other, table: 'lines', epoch, block: blockOf(5n, [short]), rows: 1 })
      await store.closeDay('2026-01-02')
      expect(await store.removeExpired(DAY + 100 * DAY_MS, [])).toBe(0)
      expect(await store.removeExpired(DAY + 100 * DAY_MS, settled)).toBe(1)
      expect(await left(store)).toEqual([
        { offset: '5', row: 0 },
        { offset: '42', row: 0 },
      ])
      const from = { offset: 42n, row: 0, timeMs: DAY }
      expect(await store.settle({ ...PARTITION, table: 'lines' }, from)).toEqual({ offset: 42n, row: 0 })
    })
  })
}

/** A connection whose process is killed before a statement with a given number: it and all later ones fail. */
function dyingAfter(connection: StoreConnection, statements: number): StoreConnection {
  let left = statements
  const living = async <T>(run: () => Promise<T>): Promise<T> => {
    if (left-- <= 0) throw new Error('killed')
    return run()
  }
  return {
    isShared: connection.isShared,
    createDatabase: () => connection.createDatabase(),
    syncDefinitions: () => connection.syncDefinitions(),
    command: sql => living(() => connection.command(sql)),
    read: <Row>(sql: string) => living(() => connection.read<Row>(sql)),
    query: <Row>(...call: Parameters<StoreConnection['query']>) => connection.query<Row>(...call),
    queryStream: <Row>(...call: Parameters<StoreConnection['queryStream']>) =>
      connection.queryStream<Row>(...call),
    insertBlock: insert => connection.insertBlock(insert),
    audit: <Row>(statement: AuditStatement) => connection.audit<Row>(statement),
    endInserts: comment => connection.endInserts(comment),
    close: () => connection.close(),
  }
}

/** Computes the same answer line by line. */
function counted(lines: readonly StoredLine[], query: UsageByKindQuery): NamedUsage[] {
  const { account, fromMs, toMs, kind, name, poolDays, limit, order = 'bytes' } = query
  const byName = new Map<string, { bytes: number; lines: number }>()
  for (const line of lines) {
    if (line.account !== account || line.timeMs < fromMs || line.timeMs > toMs) continue
    if (poolDays !== undefined && line.poolDays !== poolDays) continue
    for (const key of namesOf(line, kind)) {
      const usage = byName.get(key) ?? { bytes: 0, lines: 0 }
      byName.set(key, { bytes: usage.bytes + line.sizeBytes, lines: usage.lines + 1 })
    }
  }
  return [...byName]
    .map(([key, usage]) => ({ name: key, ...usage }))
    .filter(usage => name === undefined || usage.name === name)
    .sort((a, b) => b[order] - a[order] || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .slice(0, limit)
}

function namesOf(line: StoredLine, kind: UsageKind): Iterable<string> {
  if (kind === 'tags') return new Set(line.tags)
  return [kind === 'apps' ? line.app : line.host]
}

function sizeOf(lines: readonly StoredLine[]): number {
  return lines.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
