import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Topic } from '../../engine/log/log.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { removeRows } from '../support/removed-rows.ts'
import { newVerifiedWorld, OTHER_ACCOUNT, PARTITION, type VerifiedWorld } from '../support/verified-world.ts'
import { exclusion, node, retention, SOURCE } from '../support/world.ts'

const FIRST_DAY = '2026-01-01'
const folder = mkdtempSync(join(tmpdir(), 'weir-verification-'))

let connection: StoreConnection
let world: VerifiedWorld

beforeAll(async () => {
  connection = await openEmbeddedConnection({ path: folder, searches: 1 })
})

/** True while tests share a world. */
let isShared = false

async function openWorld(): Promise<void> {
  await removeRows(connection)
  world = await newVerifiedWorld(connection)
}

beforeEach(async () => {
  if (!isShared) await openWorld()
})

afterAll(async () => {
  await connection?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Statements that take effect before the next. */
async function byHand(...statements: readonly string[]): Promise<void> {
  for (const sql of statements)
    await world.connection.command(sql.startsWith('ALTER') ? `${sql} SETTINGS mutations_sync = 2` : sql)
}

let lineNumber = 0

async function appendHour(account: string, lines: number): Promise<void> {
  for (let record = 0; record < 2; record++) {
    await world.append(
      Array.from({ length: lines / 2 }, () => {
        const number = lineNumber++
        const line =
          number % 3 === 0 ? `{"request":${number},"path":"/a"}` : `request ${number} took ${number % 90} ms`
        return { line, app: ['nginx', 'checkout'][number % 2] as string, host: `web-${number % 5}` }
      }),
      account,
    )
    await world.pass(1_100)
  }
}

/** A day with lines of two accounts in three of its hours, closed, and the beginning of the next. */
async function fill({ closeDays = true } = {}): Promise<void> {
  world.configuration.deploy([
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], {
      threshold: 8,
      window_ms: 60_000,
      key_field: '.app',
    }),
    node('sink', 'store', 'mezmo', ['limit']),
  ])
  await world.pass(0)
  for (let hour = 0; hour < 3; hour++) {
    await appendHour(SAMPLE_ACCOUNT, 40)
    await appendHour(OTHER_ACCOUNT, 20)
    await world.pass(HOUR_MS)
  }
  await world.pass(14 * HOUR_MS)
  await appendHour(SAMPLE_ACCOUNT, 40)
  await world.pass(70_000)
  if (closeDays) await world.closeDays()
}

function setRetention(account: string, retentionDays: number): void {
  const payload = JSON.stringify({ accountId: account, retentionDays })
  world.configuration.set({ kind: 'account', entity: account, version: 1, payload })
}

const ALL_IS_WELL = { mismatch: null }

describe('a store that equals the log', () => {
  test('is reported as such, with its lines and bytes', async () => {
    await fill()
    const report = await world.verify()
    expect(report.mismatch).toBeNull()
    const [stored] = await world.store.query<{ lines: string; bytes: string }>({
      sql: 'SELECT count() AS lines, sum(size) AS bytes FROM slotted_lines',
    })
    expect(stored?.lines).toBe(String(16 * 3 + 60 + 16))
    const sum = (member: 'lines' | 'bytes') =>
      report.partitions.reduce((total, partition) => total + partition[member], 0)
    expect({ lines: String(sum('lines')), bytes: String(sum('bytes')) }).toEqual(stored)
    expect(
      report.partitions.map(({ firstOffset, fromMs, unstoredRecords }) => [
        firstOffset,
        fromMs,
        unstoredRecords,
      ]),
    ).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(report.days).toEqual([
      { day: FIRST_DAY, isClosed: true, isRecomputed: true },
      { day: '2026-01-02', isClosed: false, isRecomputed: false },
    ])
  })

  test('also before anything was sent', async () => {
    expect(await world.verify()).toMatchObject({ ...ALL_IS_WELL, days: [] })
  })

  test('also while some lines are not stored yet', async () => {
    await fill()
    await world.append([{ line: 'on its way' }])
    const report = await world.verify()
    expect(report.mismatch).toBeNull()
    expect(report.partitions[PARTITION]?.unstoredRecords).toBe(1)
  })

  test('also when retention has removed all of a closed day, or rows below a checkpoint', async () => {
    setRetention(SAMPLE_ACCOUNT, 1)
    await fill()
    await world.pass(DAY_MS)
    await world.closeDays()
    const [middle] = await world.store.query<{ offset: string }>({
      sql: `SELECT toString(max(offset)) AS offset FROM slotted_lines WHERE account = '${SAMPLE_ACCOUNT}' AND toHour(t) = 10`,
    })
    const checkpointOffset = BigInt(middle?.offset ?? 0)
    const settled = [{ topic: world.ingest.name, partition: PARTITION, checkpointOffset }]
    const some = await world.store.removeExpired(world.clock.wallMs(), settled)
    expect(some).toBeGreaterThan(0)
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    expect(await world.removeExpired()).toBeGreaterThan(0)
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    await byHand(
      `ALTER TABLE slotted_lines DELETE WHERE account = '${OTHER_ACCOUNT}' AND row = 3 AND offset = (SELECT min(offset) FROM slotted_lines WHERE account = '${OTHER_ACCOUNT}')`,
    )
    expect((await world.verify()).mismatch).toMatchObject({ kind: 'rows', partition: 1 - PARTITION })
  })

  test('also when no process runs, after a kill that left batches unstored', async () => {
    await fill()
    const insert = world.store.insert
    world.store.insert = () => new Promise(() => {})
    await world.append([{ line: 'not stored' }])
    world.clock.advance(1_100)
    await world.append([{ line: 'not stored either' }])
    world.stopWorkers()
    const report = await world.verify()
    expect(report.mismatch).toBeNull()
    expect(report.partitions[PARTITION]?.unstoredRecords).toBe(2)
    world.store.insert = insert
    await world.kill()
    await world.pass(1_100)
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
  })
})

describe('a change by hand is found', () => {
  const LINE = `account = '${SAMPLE_ACCOUNT}' AND toHour(t) = 10 AND row = 2`
  const cases: readonly (readonly [what: string, statements: readonly string[], found: object])[] = [
    [
      'a line that was changed',
      [
        `ALTER TABLE slotted_lines UPDATE whole_line = replaceOne(whole_line, 'request', 'Request') WHERE ${LINE}`,
      ],
      {
        kind: 'rows',
        table: 'slotted_lines',
        partition: PARTITION,
        hour: '2026-01-01T10:00:00.000Z',
        columns: ['whole_line'],
      },
    ],
    [
      'a parsed field that was changed',
      [`ALTER TABLE slotted_lines UPDATE s0 = '0' WHERE s0 != '' AND toHour(t) = 10`],
      { kind: 'rows', hour: '2026-01-01T10:00:00.000Z', columns: ['s0'] },
    ],
    [
      'a row that was removed',
      [
        `ALTER TABLE slotted_lines DELETE WHERE account = '${OTHER_ACCOUNT}' AND toHour(t) = 11 AND row = 2 AND whole_line LIKE '% took %'`,
      ],
      { kind: 'rows', partition: 1 - PARTITION, hour: '2026-01-01T11:00:00.000Z' },
    ],
    [
      'all rows of an hour that were removed',
      ["ALTER TABLE slotted_lines DELETE WHERE toStartOfHour(t) = toDateTime('2026-01-01 10:00:00', 'UTC')"],
      { kind: 'rows', hour: '2026-01-01T10:00:00.000Z', found: { rows: 0, bytes: 0, digest: '' } },
    ],
    [
      'a row that is there twice',
      [`INSERT INTO slotted_lines SELECT * FROM slotted_lines WHERE ${LINE} LIMIT 1`],
      { kind: 'rows', partition: PARTITION, hour: '2026-01-01T10:00:00.000Z' },
    ],
    [
      'a row at a position of a control record',
      ['INSERT INTO slotted_lines SELECT * REPLACE (toUInt64(0) AS offset) FROM slotted_lines LIMIT 1'],
      { kind: 'rows', firstOffset: 0, lastOffset: 0, expected: { rows: 0, bytes: 0, digest: '' } },
    ],
    [
      'a row that was moved to a day without lines',
      [
        `INSERT INTO slotted_lines SELECT * REPLACE (t - INTERVAL 40 DAY AS t) FROM slotted_lines WHERE ${LINE} LIMIT 1`,
      ],
      { kind: 'rows', table: 'slotted_lines', hour: '2025-11-22T10:00:00.000Z' },
    ],
    [
      'a row beyond the end of the log',
      ['INSERT INTO slotted_lines SELECT * REPLACE (toUInt64(1000000) AS offset) FROM slotted_lines LIMIT 1'],
      { kind: 'beyond-log', table: 'slotted_lines', firstOffset: 1_000_000, lastOffset: 1_000_000 },
    ],
    [
      'a row of a partition that there is not',
      ['INSERT INTO slotted_lines SELECT * REPLACE (toUInt16(77) AS partition) FROM slotted_lines LIMIT 1'],
      { kind: 'no-partition', table: 'slotted_lines', partition: 77, firstOffset: 2, lastOffset: 2 },
    ],
    [
      'a row of a topic that there is not',
      ['INSERT INTO slotted_lines SELECT * REPLACE (toUInt8(9) AS topic) FROM slotted_lines LIMIT 1'],
      { kind: 'no-partition', table: 'slotted_lines', firstOffset: 2, lastOffset: 2, where: { topic: '9' } },
    ],
    [
      'what a node did',
      ["ALTER TABLE node_metrics UPDATE events_out = events_out + 1 WHERE node = 'store' AND toHour(t) = 10"],
      { kind: 'rows', table: 'node_metrics', hour: '2026-01-01T10:00:00.000Z', columns: ['events_out'] },
    ],
    [
      'usage of a closed day that was changed',
      [
        `ALTER TABLE usage_days UPDATE bytes = bytes + 1 WHERE app = 'nginx' AND host = 'web-1' AND account = '${OTHER_ACCOUNT}'`,
      ],
      {
        kind: 'usage',
        table: 'usage_days',
        day: FIRST_DAY,
        where: { account: OTHER_ACCOUNT, app: 'nginx', host: 'web-1', tags: '' },
      },
    ],
    [
      'usage of a closed day that was removed in part',
      [`ALTER TABLE usage_days DELETE WHERE app = 'nginx' AND host = 'web-1'`],
      { kind: 'usage', day: FIRST_DAY },
    ],
    [
      'usage of a day that is not over',
      ["INSERT INTO usage_days SELECT * REPLACE (toDate('2026-01-03') AS day) FROM usage_days"],
      { kind: 'closed-early', day: '2026-01-03' },
    ],
  ]

  test('a missing row of a day with more names of fields than are indexed', async () => {
    await fill()
    const names = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`name-${index}`, index]))
    await world.append([{ line: 'a' }, { line: JSON.stringify(names) }], OTHER_ACCOUNT)
    await world.pass(2_100)
    const days = { sql: 'SELECT account, row FROM full_field_days' }
    expect(await world.store.query(days)).toEqual([{ account: OTHER_ACCOUNT, row: 1 }])
    await world.kill()
    await world.append([{ line: '{"one-more":1}' }], OTHER_ACCOUNT)
    await world.pass(2_100)
    expect(await world.store.query(days)).toHaveLength(1)
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    await byHand(`ALTER TABLE full_field_days DELETE WHERE account = '${OTHER_ACCOUNT}'`)
    expect((await world.verify()).mismatch).toMatchObject({ kind: 'rows', table: 'full_field_days' })
  })

  describe('in a filled store:', () => {
    const tables = ['slotted_lines', 'node_metrics', 'usage_days']
    const ofEach = (statements: (table: string) => readonly string[]) => byHand(...tables.flatMap(statements))

    beforeAll(async () => {
      await openWorld()
      await fill()
      await ofEach(table => [
        `CREATE TABLE whole_${table} AS ${table}`,
        `INSERT INTO whole_${table} SELECT * FROM ${table}`,
      ])
      isShared = true
    })
    // Rows that are put back are cheaper than a store that is filled again.
    afterEach(() =>
      ofEach(table => [`TRUNCATE TABLE ${table}`, `INSERT INTO ${table} SELECT * FROM whole_${table}`]),
    )
    afterAll(async () => {
      isShared = false
      await ofEach(table => [`DROP TABLE whole_${table}`])
    })

    test.each(cases)('%s', async (_, statements, found) => {
      await byHand(...statements)
      expect((await world.verify()).mismatch).toMatchObject(found)
    })

    test('nothing, once the rows are put back', async () => {
      expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    })
  })

  test('missing lines of a day that is not closed, although they are past their retention', async () => {
    setRetention(SAMPLE_ACCOUNT, 1)
    await fill({ closeDays: false })
    await world.pass(3 * DAY_MS)
    await byHand(`ALTER TABLE slotted_lines DELETE WHERE account = '${SAMPLE_ACCOUNT}' AND toHour(t) = 10`)
    expect((await world.verify()).mismatch).toMatchObject({ kind: 'rows', hour: '2026-01-01T10:00:00.000Z' })
  })

  test('a single missing line of a record whose other lines retention has left', async () => {
    setRetention(SAMPLE_ACCOUNT, 1)
    await fill()
    await world.pass(DAY_MS)
    await world.closeDays()
    await byHand(`ALTER TABLE slotted_lines DELETE WHERE ${LINE}`)
    expect((await world.verify()).mismatch).toMatchObject({ kind: 'rows', partition: PARTITION })
  })

  test('a batch that a kill could not have stored in part, when no process runs', async () => {
    await fill()
    await world.append([{ line: 'a' }, { line: 'b' }])
    await world.pass(1_100)
    world.stopWorkers()
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    await byHand("ALTER TABLE slotted_lines DELETE WHERE whole_line = 'b'")
    expect((await world.verify()).mismatch).toMatchObject({ kind: 'rows', partition: PARTITION })
  })
})

describe('when the log has been trimmed', () => {
  test('the remaining records are recomputed, and older closed days are compared with their usage', async () => {
    await fill()
    await world.pass(2 * DAY_MS)
    await world.closeDays()
    await appendHour(SAMPLE_ACCOUNT, 8)
    await world.pass(70_000)
    await world.trim()
    const report = await world.verify()
    expect(report.mismatch).toBeNull()
    expect(report.partitions.map(({ firstOffset }) => firstOffset).every(first => first > 0)).toBe(true)
    expect(report.days[0]).toEqual({ day: FIRST_DAY, isClosed: true, isRecomputed: false })
    await byHand(
      `ALTER TABLE slotted_lines DELETE WHERE account = '${OTHER_ACCOUNT}' AND whole_line = (SELECT max(whole_line) FROM slotted_lines WHERE account = '${OTHER_ACCOUNT}')`,
    )
    const { mismatch } = await world.verify()
    expect(mismatch).toMatchObject({ kind: 'usage', day: FIRST_DAY, where: { account: OTHER_ACCOUNT } })
    expect((mismatch?.found.rows ?? 0) - (mismatch?.expected.rows ?? 0)).toBe(1)
    // Lines of an account with such a short retention may have been removed.
    expect(await world.verify({ leastRetentionDays: () => 1 })).toMatchObject(ALL_IS_WELL)
  })

  test('during a verification, it starts again with the remaining records', async () => {
    await fill()
    await world.pass(2 * DAY_MS)
    const { ingest } = world
    let reads = 0
    const trimmed: Topic = {
      ...ingest,
      name: ingest.name,
      logId: ingest.logId,
      partitions: ingest.partitions,
      bounds: partition => ingest.bounds(partition),
      read: async (...call) => {
        if (reads++ === 0) await world.trim()
        return ingest.read(...call)
      },
    }
    const report = await world.verify({ readThrough: trimmed })
    expect(report.mismatch).toBeNull()
    expect(report.partitions[0]?.firstOffset).toBeGreaterThan(0)
  })
})

describe('sums that differ are reported even if a second check finds no record,', () => {
  const changeStored = () =>
    byHand(
      `ALTER TABLE slotted_lines UPDATE whole_line = replaceOne(whole_line, 'request', 'REQUEST') WHERE account = '${SAMPLE_ACCOUNT}' AND toHour(t) = 10`,
    )

  test('whatever the audit of records reports', async () => {
    await fill({ closeDays: false })
    await changeStored()
    const audit = openStoreAudit(world.connection)
    audit.firstDifference = async () => undefined
    const { mismatch } = await world.verify({ audit })
    expect(mismatch).toMatchObject({ kind: 'sums', table: 'slotted_lines', hour: '2026-01-01T09:00:00.000Z' })
    expect(mismatch?.found.rows).toBe(mismatch?.expected.rows)
    expect(mismatch?.found.digest).not.toBe(mismatch?.expected.digest)
  })

  test('also when retention may have removed rows of the hour, and the second check covers other rows', async () => {
    setRetention(SAMPLE_ACCOUNT, 1)
    await fill()
    await world.pass(DAY_MS)
    await world.closeDays()
    const audit = openStoreAudit(world.connection)
    const { firstDifference, blockSums } = audit
    let isSecondLook = false
    audit.firstDifference = async (range, blocks, missing) => {
      await firstDifference.call(audit, range, blocks, missing)
      isSecondLook = true
      return undefined
    }
    audit.blockSums = async (table, blocks) => {
      const change = isSecondLook ? 1n : 0n
      isSecondLook = false
      const sums = await blockSums.call(audit, table, blocks)
      return sums.map(sum => ({ ...sum, digest: sum.digest ^ change }))
    }
    await changeStored()
    expect((await world.verify({ audit })).mismatch).toMatchObject({ kind: 'sums', table: 'slotted_lines' })
  })
})

describe('with rules on lines', () => {
  const pools = async () => {
    const usage = await world.store.usageTotals({
      account: SAMPLE_ACCOUNT,
      fromMs: Date.parse(FIRST_DAY),
      toMs: Date.parse(FIRST_DAY) + DAY_MS - 1,
    })
    return usage.map(({ poolDays, lines }) => [poolDays, lines])
  }
  const kept = () =>
    world.store.query<{ app: string; lines: string }>({
      sql: `SELECT app, count() AS lines FROM slotted_lines WHERE account = '${SAMPLE_ACCOUNT}' AND toDate(t) = '${FIRST_DAY}' GROUP BY app ORDER BY app`,
    })

  test('lines of a pool are removed after its days, while the other lines and the usage of both stay', async () => {
    world.configuration.rule(3, {
      exclusions: [exclusion('1111111111', { hosts: ['web-0', 'web-1'] })],
      retentionRules: [retention('2222222222', 3, { apps: ['nginx'] })],
    })
    await fill()
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    const [checkout, nginx] = (await kept()).map(({ lines }) => Number(lines)) as [number, number]
    expect(await pools()).toEqual([
      [0, checkout],
      [3, nginx],
    ])
    expect([checkout, nginx].every(count => count > 0 && count < 24)).toBe(true)

    const removed = async (days: number) => {
      await world.pass(days * DAY_MS)
      await appendHour(SAMPLE_ACCOUNT, 8)
      await appendHour(OTHER_ACCOUNT, 8)
      await world.pass(70_000)
      await world.closeDays()
      return world.removeExpired()
    }
    // The first day is over, and two more.
    expect(await removed(2)).toBe(0)
    expect(await removed(1)).toBe(nginx)
    expect(await kept()).toEqual([{ app: 'checkout', lines: String(checkout) }])
    expect(await pools()).toEqual([
      [0, checkout],
      [3, nginx],
    ])
    expect(await world.verify()).toMatchObject(ALL_IS_WELL)
    await world.trim()
    expect(await world.verify({ leastRetentionDays: () => 3 })).toMatchObject(ALL_IS_WELL)
    // Without the retention of the rule, the lines would count as missing.
    expect((await world.verify()).mismatch).toMatchObject({ kind: 'usage', day: FIRST_DAY })
  })
})

test('a verification that is aborted ends with the reason', async () => {
  await fill()
  const stop = new AbortController()
  const verification = world.verify({ signal: stop.signal, report: () => stop.abort(new Error('enough')) })
  await expect(verification).rejects.toThrow('enough')
})
