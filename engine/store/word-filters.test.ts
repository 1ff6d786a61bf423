import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withReplaced } from '../../test/support/replaced-methods.ts'
import { ACCOUNT, RECEIVED_MS, type SentLine } from '../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../test/support/stored-lines.ts'
import { findLines } from '../../test/support/tested-queries.ts'
import { utcDay } from '../times/utc-day.ts'
import { openStoreAudit } from './clickhouse-audit.ts'
import type { StoreConnection } from './connection.ts'

const DAY = utcDay(RECEIVED_MS)
const LOG_ID = '0b9e0d6e-6f3c-4a57-9d52-30763604df9b'

let connection: StoreConnection
let lines: StoredLines
/** Tables in the order of their inserts. */
let inserted: string[]
/** Statements of searches since the last look. */
let statements: string[]

beforeAll(async () => {
  lines = await openStoredLines(opened => {
    connection = watched(opened)
    return connection
  })
})

afterAll(() => lines.close())

beforeEach(async () => {
  inserted = []
  statements = []
  for (const table of ['lines', 'word_filters', 'usage_days'])
    await connection.command(`TRUNCATE TABLE ${table}`)
  await lines.store.open(LOG_ID)
  await lines.store.indexWords(0)
})

/** A connection that records inserts and searches. */
function watched(opened: StoreConnection): StoreConnection {
  return withReplaced(opened, {
    insertBlock: insert => {
      inserted.push(/INSERT INTO (\w+)/.exec(insert.sql('source'))?.[1] ?? '')
      return opened.insertBlock(insert)
    },
    queryStream: (statement, signal) => {
      statements.push(statement.sql)
      return opened.queryStream(statement, signal)
    },
  })
}

/** Lines a second apart, one of them with a word of its own. */
function sent(count: number, word: string, at: number): SentLine[] {
  return Array.from({ length: count }, (_, index) => ({
    line: index === at ? `order ${word} placed` : `order ${index} placed`,
    timestamp: RECEIVED_MS - (count - index) * 1000,
  }))
}

const rowsOf = async (query: string) => (await findLines(lines, ACCOUNT, query)).map(({ row }) => row)

/** Number of statements that read lines for a search. */
async function reads(query: string): Promise<number> {
  statements.length = 0
  await rowsOf(query)
  return statements.length
}

describe('a search for a word', () => {
  test('reads nothing when no filter has it, and only its segment when one has', async () => {
    await lines.add(sent(40, 'needle7f3a9c', 21))
    expect(await reads('absent7f3a9c')).toBe(0)
    for (const query of ['needle7f', '==needle7f3a9c', '"order needle7f3a9c"', 'needle7f OR absent7f3a9c']) {
      expect(await reads(query), query).toBe(1)
      expect(statements[0]?.match(/l\.ts BETWEEN/g), query).toHaveLength(1)
      expect(await rowsOf(query), query).toEqual([21])
    }
  })

  test('finds lines without a filter, those of an older program, beside others', async () => {
    await lines.add(sent(8, 'needle7f3a9c', 2))
    await connection.command(
      `INSERT INTO lines (account, t, ts, line, retention) SELECT '${ACCOUNT}', fromUnixTimestamp64Milli(${RECEIVED_MS}, 'UTC') AS t, t AS ts, 'an old needle7f3a9c', 30`,
    )
    await lines.store.open(LOG_ID)
    await lines.store.indexWords(0)
    expect(await rowsOf('needle7f3a9c')).toEqual([2, 0])
    expect(await rowsOf('old')).toEqual([0])
  })

  test('finds lines that are stored without a filter later, too', async () => {
    await lines.add(sent(8, 'needle7f3a9c', 2))
    expect(await rowsOf('needle7f3a9c')).toEqual([2])
    await lines.add(sent(8, 'needle7f3a9c', 3), { isFiltered: false })
    expect(await rowsOf('needle7f3a9c')).toEqual([2, 3])
  })

  test('answers pages from both ends while words are in many segments', async () => {
    const all = Array.from({ length: 400 }, (_, index) => index)
    await lines.add(
      all.map(index => ({ line: 'common words', timestamp: RECEIVED_MS - (400 - index) * 1000 })),
    )
    for (const prefer of ['head', 'tail'] as const) {
      const found: number[] = []
      const selection = { account: ACCOUNT, fromMs: 0, toMs: 1e14, asOfMs: RECEIVED_MS }
      const filters = { hosts: [], apps: [], levels: [], tags: [] }
      const query = { kind: 'text', operator: '', text: 'common' } as const
      const page = { prefer, limit: 150 }
      const search = lines.store.search({ ...selection, filters, query }, page)
      for await (const rows of search.rows(new AbortController().signal))
        found.push(...rows.map(({ row }) => row))
      expect(found).toEqual(prefer === 'head' ? all.slice(0, 150) : all.slice(-150))
    }
  })
})

test('a short page that has more candidates than lines is filled behind the last of them', async () => {
  const all = Array.from({ length: 300 }, (_, index) => index)
  const isFound = (index: number) => index % 60 === 2
  const line = (index: number) => (isFound(index) ? 'a needle7f3a9c' : 'a needle7f3a9cd')
  await lines.add(all.map(index => ({ line: line(index), timestamp: RECEIVED_MS - (300 - index) * 1000 })))
  const found = await findLines(lines, ACCOUNT, '==needle7f3a9c', 3)
  expect(found.map(({ row }) => row)).toEqual(all.filter(isFound))
})

describe('filters', () => {
  test('are stored before their lines', async () => {
    await lines.add(sent(4, 'needle7f3a9c', 1))
    expect(inserted).toEqual(['word_filters', 'lines'])
  })

  test('that are lost are noticed at the next start, and their lines are found', async () => {
    await lines.add(sent(8, 'needle7f3a9c', 2))
    await connection.command(`TRUNCATE TABLE word_filters`)
    expect(await rowsOf('needle7f3a9c')).toEqual([]) // The store does not know yet.
    expect(await openStoreAudit(connection).firstWithoutFilter(DAY)).toMatchObject({ partition: 0, lines: 8 })
    await lines.add(sent(8, 'other7f3a9c', 2))
    await lines.store.open(LOG_ID)
    await lines.store.indexWords(0)
    expect(await rowsOf('needle7f3a9c')).toEqual([2])
    expect(await rowsOf('other7f3a9c')).toEqual([2])
    await lines.add(sent(8, 'third7f3a9c', 2))
    expect(await rowsOf('third7f3a9c')).toEqual([2])
    expect(await openStoreAudit(connection).firstWithoutFilter(DAY)).toBeUndefined()
  })

  test('that were stored twice, or whose lines are not there, lose nothing', async () => {
    await lines.add(sent(8, 'needle7f3a9c', 2))
    await connection.command('INSERT INTO word_filters SELECT * FROM word_filters')
    await connection.command(
      `INSERT INTO word_filters SELECT * REPLACE (first_offset + 100 AS first_offset, last_offset + 100 AS last_offset) FROM word_filters`,
    )
    await lines.store.open(LOG_ID)
    await lines.store.indexWords(0)
    expect(await openStoreAudit(connection).firstWithoutFilter(DAY)).toBeUndefined()
    expect(await reads('needle7f3a9c')).toBe(1)
    expect(statements[0]).toContain('BETWEEN')
    expect(await rowsOf('needle7f3a9c')).toEqual([2])
  })

  test('of days whose lines have expired are removed', async () => {
    await lines.add(sent(8, 'needle7f3a9c', 2))
    await lines.store.closeDay(DAY)
    const count = async () =>
      (await connection.read<{ rows: number }>('SELECT toUInt32(count()) AS rows FROM word_filters'))[0]?.rows
    expect(await count()).toBeGreaterThan(0)
    const settled = [{ topic: 'weir.ingest', partition: 0, checkpointOffset: 100n }]
    expect(await lines.store.removeExpired(RECEIVED_MS + 40 * 86_400_000, settled)).toBe(8)
    expect(await count()).toBe(0)
  })
})
