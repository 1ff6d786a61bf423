import { describe, expect, test } from 'vitest'
import { nodeMetricsBlock } from '../../engine/fold/tables/node-metrics-block.ts'
import { noCounts } from '../../engine/graph/node-counters.ts'
import type { StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import { addedUsage, NO_USAGE, type StoredRange, sameUsage } from '../../engine/store/store-audit.ts'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import { blockColumns } from '../../schemas/log/tables.ts'
import { blockOf, newStoredLine } from '../support/line-blocks.ts'
import { sampleLines } from '../support/sample-lines.ts'
import type { OpenedStore } from './store-usage-contract.ts'

const DAY = Date.UTC(2026, 0, 2)
const PARTITION = { topic: 'weir.ingest', partition: 3 } as const
const LINES: StoredRange = { ...PARTITION, table: 'lines', from: 0n, until: 100n, day: '2026-01-02' }
const NONE_MISSING = { retentionDays: -1, beforeMs: 0 }

/**
 * Requirements of verification on a store.
 *
 * @param takeOwnDatabase for a test that changes the tables themselves
 */
export function auditContract(opened: () => OpenedStore, takeOwnDatabase: () => Promise<void>): void {
  describe('audit', () => {
    const first = sampleLines({ seed: 21, count: 60, startMs: DAY + HOUR_MS, stepMs: 0 })
    const second = sampleLines({
      seed: 22,
      count: 40,
      startMs: DAY + 2 * HOUR_MS,
      stepMs: 0,
      retentionDays: 3,
    })
    const blocks = [blockOf(41n, first), blockOf(42n, second)]

    async function fill() {
      const world = opened()
      await world.insertLines(41n, first)
      await world.insertLines(42n, second)
      return { ...world, audit: openStoreAudit(world.connection) }
    }

    test('rows have the same sums in a block and in the store, by hour, retention and window', async () => {
      const { audit } = await fill()
      const given = await audit.blockSums('lines', blocks)
      expect(given.map(({ hourMs, retentionDays, rows }) => [hourMs - DAY, retentionDays, rows])).toEqual([
        [HOUR_MS, 30, 60],
        [2 * HOUR_MS, 3, 40],
      ])
      expect(given.map(({ bytes }) => bytes)).toEqual([first, second].map(bytesOf))
      const stored = await audit.storedSums(LINES, [0n, 42n])
      expect(stored.map(({ window, ...sums }) => sums)).toEqual(given)
      expect(stored.map(({ window }) => window)).toEqual([0n, 42n])
      expect((await audit.storedSums(LINES, [41n])).map(({ window }) => window)).toEqual([41n, 41n])
    })

    test('a change of any column changes the digest', async () => {
      const { audit } = await fill()
      const line = newStoredLine({
        timeMs: DAY,
        tags: ['a'],
        textFieldNames: ['k'],
        textFieldValues: ['v'],
        textFieldCount: 1,
      })
      const digestOf = async (block: readonly Uint8Array[]) =>
        (await audit.blockSums('lines', [block]))[0]?.digest
      const unchanged = await digestOf(blockOf(7n, [line]))
      expect(await digestOf(blockOf(7n, [line]))).toBe(unchanged)
      const digests = new Set([unchanged, await digestOf(blockOf(8n, [line]))])
      for (const change of CHANGES) digests.add(await digestOf(blockOf(7n, [{ ...line, ...change }])))
      // Offset and row come with the block, all others with the line.
      expect(CHANGES.length).toBe(blockColumns('lines').length - 2)
      expect(digests.size).toBe(CHANGES.length + 2)
      const [, other] = await Promise.all(
        [0, 1].map(() => audit.blockSums('lines', [blockOf(7n, [line, line])])),
      )
      expect(other?.[0]?.digest).not.toBe(BigInt.asUintN(64, 2n * (unchanged as bigint)))
    })

    test('no difference is reported without a change by hand', async () => {
      const { audit } = await fill()
      expect(await audit.firstDifference(LINES, blocks, NONE_MISSING)).toBeUndefined()
      expect(await audit.firstRow(LINES, ['2026-01-02'])).toBeUndefined()
      expect(await audit.firstRow({ ...LINES, from: 43n })).toBeUndefined()
      expect(
        await audit.firstOfNoPartition([{ name: 'weir.ingest', partitions: 4 }], 'lines'),
      ).toBeUndefined()
    })

    test('a row that is missing, changed or additional is reported with its record and column', async () => {
      const { audit, insertLines } = await fill()
      const [, ...others] = first
      const rest = blockOf(42n, second)
      const missing = await audit.firstDifference(
        LINES,
        [blockOf(41n, [...first, newStoredLine({ timeMs: DAY + HOUR_MS })]), rest],
        NONE_MISSING,
      )
      expect(missing).toMatchObject({
        offset: 41n,
        hourMs: DAY + HOUR_MS,
        expected: { rows: 61 },
        found: { rows: 60 },
      })
      const added = await audit.firstDifference(LINES, [blockOf(41n, first.slice(0, -1)), rest], NONE_MISSING)
      expect(added).toMatchObject({ offset: 41n, expected: { rows: 59 }, found: { rows: 60 } })
      const changed = [{ ...(first[0] as StoredLine), host: 'web-99' }, ...others]
      const otherHost = await audit.firstDifference(LINES, [blockOf(41n, changed), rest], NONE_MISSING)
      expect(otherHost).toMatchObject({ offset: 41n, columns: ['host'] })
      await insertLines(43n, [newStoredLine({ timeMs: DAY })])
      expect(await audit.firstDifference(LINES, blocks, NONE_MISSING)).toMatchObject({
        offset: 43n,
        expected: { rows: 0 },
      })
      expect(await audit.firstDifference({ ...LINES, from: 43n }, [], NONE_MISSING)).toMatchObject({
        offset: 43n,
      })
    })

    test('a record whose rows retention may have removed can lack all of them, but not some', async () => {
      const { audit, connection } = await fill()
      const missing = { retentionDays: 3, beforeMs: DAY + DAY_MS }
      const remove = (condition: string) =>
        connection.command(`ALTER TABLE lines DELETE WHERE ${condition} SETTINGS mutations_sync = 2`)
      await remove('offset = 42 AND row > 0')
      expect(await audit.firstDifference(LINES, blocks, missing)).toMatchObject({
        offset: 42n,
        found: { rows: 1 },
      })
      await remove('offset = 42')
      expect(await audit.firstDifference(LINES, blocks, missing)).toBeUndefined()
      expect(await audit.firstDifference(LINES, blocks, { ...missing, retentionDays: 2 })).toMatchObject({
        offset: 42n,
      })
      expect(await audit.firstDifference(LINES, blocks, { ...missing, beforeMs: DAY })).toMatchObject({
        offset: 42n,
      })
    })

    test('rows of another day, of no partition and of the highest offset are found', async () => {
      const { audit, insertLines } = await fill()
      expect(await audit.lastOffset({ ...PARTITION, table: 'lines' }, 10n)).toBe(42n)
      expect(await audit.lastOffset({ ...PARTITION, table: 'lines' }, 43n)).toBeUndefined()
      await insertLines(41n, [newStoredLine({ timeMs: DAY + DAY_MS })])
      const { day, ...allDays } = LINES
      expect(await audit.firstRow(allDays, ['2026-01-02'])).toEqual({
        rows: 1,
        offset: 41n,
        hourMs: DAY + DAY_MS,
      })
      expect(await audit.firstOfNoPartition([{ name: 'weir.ingest', partitions: 3 }], 'lines')).toMatchObject(
        {
          partition: 3,
          rows: 101,
          lastOffset: 42n,
        },
      )
      expect(await audit.firstOfNoPartition([{ name: 'weir.keyed', partitions: 4 }], 'lines')).toMatchObject({
        topicNumber: 0,
      })
    })

    test('counts of nodes have sums, too', async () => {
      const { audit, store } = await fill()
      const activity = { ...noCounts(), eventsIn: 5, eventsOut: 5, held: -1 }
      const row = { account: 'a', pipeline: '', node: 'own-store', activity }
      // Only the second block has the column of outputs.
      const blocks = [
        nodeMetricsBlock({ offset: 44n, minuteMs: DAY }, [row]),
        nodeMetricsBlock({ offset: 45n, minuteMs: DAY }, [row, { ...row, output: 'b2' }]),
      ]
      const target = { ...PARTITION, table: 'node_metrics' } as const
      for (const [index, block] of blocks.entries()) {
        const rows = index + 1
        await store.insert({ ...target, epoch: { offset: 40n, attempt: 0 }, block, rows })
        const range = { ...target, from: 44n + BigInt(index), until: 45n + BigInt(index) }
        const [given] = await audit.blockSums('node_metrics', [block])
        expect(await audit.storedSums(range, [range.from])).toEqual([{ window: range.from, ...given }])
        expect(given).toMatchObject({ rows, bytes: 0, usage: { lines: rows } })
      }
    })

    test('usage of a closed day equals its lines, however they are grouped', async () => {
      const { audit, store, connection } = await fill()
      expect(await audit.days()).toEqual(['2026-01-02'])
      expect(await audit.closedUsage('2026-01-02')).toBeUndefined()
      await store.closeDay('2026-01-02')
      const given = await audit.blockSums('lines', blocks)
      const lines = given.reduce((sum, { usage }) => addedUsage(sum, usage), NO_USAGE)
      const closed = await audit.closedUsage('2026-01-02')
      expect(closed && sameUsage(closed, lines)).toBe(true)
      expect(await audit.firstUsageDifference('2026-01-02', () => false)).toBeUndefined()
      await connection.command(
        "ALTER TABLE usage_days UPDATE bytes = bytes + 1 WHERE app = 'billing' SETTINGS mutations_sync = 2",
      )
      const changed = await audit.closedUsage('2026-01-02')
      expect(changed && sameUsage(changed, lines)).toBe(false)
    })

    test('a difference of one line in usage is found with its group, and a missing line is allowed after retention', async () => {
      const { audit, store, connection, insertLines } = await fill()
      await store.closeDay('2026-01-02')
      await connection.command(
        'ALTER TABLE lines DELETE WHERE offset = 42 AND row = 7 SETTINGS mutations_sync = 2',
      )
      const less = await audit.firstUsageDifference('2026-01-02', () => false)
      expect(less).toMatchObject({ account: second[7]?.account, app: second[7]?.app, host: second[7]?.host })
      expect((less?.found.lines ?? 0) - (less?.expected.lines ?? 0)).toBe(1)
      expect(await audit.firstUsageDifference('2026-01-02', () => true)).toBeUndefined()
      await insertLines(50n, [newStoredLine({ timeMs: DAY, app: 'by hand', host: "o'clock" })])
      expect(await audit.firstUsageDifference('2026-01-02', () => true)).toMatchObject({
        app: 'by hand',
        host: "o'clock",
        found: { lines: 0 },
      })
    })

    test('a usage projection that differs from the rows is found', async () => {
      await takeOwnDatabase()
      const { audit, connection } = await fill()
      expect(await audit.firstProjectionDifference('2026-01-02')).toBeUndefined()
      await damageProjection(connection)
      const difference = await audit.firstProjectionDifference('2026-01-02')
      expect(difference?.found.bytes).not.toBe(difference?.expected.bytes)
      expect(difference?.part).toMatch(/^20260102_/)
    })
  })
}

/** A patch changes rows of a part and leaves its projection as it is. */
async function damageProjection(connection: OpenedStore['connection']): Promise<void> {
  await connection.command(
    'ALTER TABLE lines MODIFY SETTING enable_block_number_column = 1, enable_block_offset_column = 1',
  )
  await connection.command(
    'UPDATE lines SET size = size + 1 WHERE row = 3 SETTINGS allow_experimental_lightweight_update = 1',
  )
}

/** One change for each member of a line that is a column. */
const CHANGES: readonly Partial<StoredLine>[] = [
  { account: 'another' },
  { timeMs: DAY + 1 },
  { timestampMs: 1 },
  { host: 'other' },
  { app: 'other' },
  { level: 'other' },
  { file: 'other' },
  { env: 'other' },
  { mac: 'other' },
  { ip: 'other' },
  { remoteAddress: 'other' },
  { tags: ['a', ''] },
  { textBytes: Buffer.from('x'), textEnd: 1 },
  { meta: '{}' },
  { extra: '{}' },
  { sizeBytes: 1 },
  { retentionDays: 31 },
  { poolDays: 1 },
  { textFieldValues: ['w'] },
  { numberFieldNames: ['n'], numberFieldValues: [1], numberFieldCount: 1 },
]

function bytesOf(lines: readonly StoredLine[]): number {
  return lines.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
