import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNT, RECEIVED_MS } from '../../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../../test/support/stored-lines.ts'
import { parseQuery } from '../../query-language/parse-query.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../times/duration.ts'
import type { StoreConnection } from '../connection.ts'
import { textLiteral } from '../sql-text.ts'
import type { Statement } from '../statement.ts'
import type { BucketCounts, Buckets, SliceOfCounts, ValueCounts } from './line-counts.ts'
import type { LineSelection } from './line-selection.ts'

const START = Math.floor(RECEIVED_MS / DAY_MS) * DAY_MS
const APPS = ['web', 'db', ''] as const
const LEVELS = ['info', 'ERROR', 'Error'] as const
const HOSTS = ['a', 'b']
const RETENTION_DAYS = [1, 3, 30] as const
const MINUTES = 30
const { signal } = new AbortController()

let lines: StoredLines
/** Statements since the last call of `isCountedByMinutes`. */
let asked: Statement[] = []
let connection: StoreConnection

beforeAll(async () => {
  lines = await openStoredLines(
    given => {
      connection = given
      const query = given.query.bind(given)
      given.query = (statement, ended) => {
        asked.push(statement)
        return query(statement, ended)
      }
      return given
    },
    ['slotted_lines'],
  )
  let number = 0
  for (const [day, retentionDays] of [-2, -1, 0].flatMap(day =>
    RETENTION_DAYS.map(days => [day, days] as const),
  )) {
    const sent = Array.from({ length: 120 }, () => {
      number++
      return {
        line: `{"n":${number}}`,
        timestamp: START + ((number * 7_919) % (MINUTES * MINUTE_MS)),
        app: APPS[number % 3] as string,
        level: LEVELS[(number >> 2) % 3] as string,
        host: HOSTS[number % 2] as string,
      }
    })
    for (const hour of [1, 20]) {
      const half = hour === 1 ? sent.slice(0, 60) : sent.slice(60)
      await lines.add(half, { timeMs: START + day * DAY_MS + hour * HOUR_MS, retentionDays })
    }
  }
})

afterAll(() => lines.close())

const NO_LISTS = { hosts: [], apps: [], levels: [], tags: [] }

function selected(given: Partial<LineSelection> = {}): LineSelection {
  const period = { fromMs: START, toMs: START + MINUTES * MINUTE_MS - 1, asOfMs: START + HOUR_MS }
  return { account: ACCOUNT, ...period, query: parseQuery(''), filters: NO_LISTS, ...given }
}

/** Selects equal lines in a way that must read them: by a list of all hosts. */
function asLines(selection: LineSelection): LineSelection {
  return { ...selection, filters: { ...selection.filters, hosts: HOSTS } }
}

/** Whether the engine reads the projection for a statement that was asked. */
async function isCountedByMinutes(): Promise<boolean> {
  const ofMinutes = asked.filter(({ sql }) => sql.includes('isMixed'))
  asked = []
  for (const { sql, parameters = {} } of ofMinutes) {
    const written = sql.replace(/\{(\w+):([^}]+)\}/g, (_, name: string, type: string) => {
      const value = (parameters as Record<string, unknown>)[name]
      const text = Array.isArray(value)
        ? `[${value.map(each => (type.includes('String') ? textLiteral(each) : String(each))).join(',')}]`
        : textLiteral(String(value))
      return `CAST(${text} AS ${type})`
    })
    const plan = await connection.read<{ explain: string }>(`EXPLAIN ${written}`)
    if (!plan.some(({ explain }) => explain.includes('(minutes)'))) return false
  }
  return ofMinutes.length > 0
}

async function valuesOf(selection: LineSelection, field: string) {
  const counts = await all<ValueCounts>(lines.store.countByValue(selection, field, signal))
  const values: Record<string, number> = {}
  for (const [value, count] of counts.flatMap(slice => slice.values))
    values[value] = (values[value] ?? 0) + count
  const sum = (of: (slice: ValueCounts) => number) => counts.reduce((total, slice) => total + of(slice), 0)
  return { values, lines: sum(slice => slice.lines), absent: sum(slice => slice.absent) }
}

async function bucketsOf(selection: LineSelection, buckets: Buckets) {
  const counts = await all<BucketCounts>(lines.store.countByTime(selection, buckets, signal))
  const sums: Record<string, number> = {}
  for (const { startMs, value, lines: count } of counts.flatMap(slice => slice.buckets)) {
    const key = `${(startMs - START) / MINUTE_MS} ${value}`
    sums[key] = (sums[key] ?? 0) + count
  }
  return { sums, lines: counts.reduce((total, slice) => total + slice.lines, 0) }
}

/** Slices without a gap, newest first. */
async function all<Counts>(slices: AsyncIterable<SliceOfCounts<Counts>>): Promise<Counts[]> {
  const found: SliceOfCounts<Counts>[] = []
  for await (const slice of slices) found.push(slice)
  for (const [index, slice] of found.slice(1).entries())
    expect(slice.toMs).toBe((found[index]?.fromMs as number) - 1)
  return found.map(({ counts }) => counts)
}

const starts = (minutes: number) =>
  Array.from({ length: Math.ceil(MINUTES / minutes) }, (_, index) => START + index * minutes * MINUTE_MS)

describe('the numbers of lines per minute', () => {
  test('count the lines of apps and levels without reading them', async () => {
    const { values, lines: count } = await valuesOf(selected(), 'app')
    expect(await isCountedByMinutes()).toBe(true)
    expect([values, count]).toEqual([{ web: 320, db: 320, unknown: 320 }, 960])
    await bucketsOf(selected(), { starts: starts(5), by: { field: 'level', values: ['info', 'error'] } })
    expect(await isCountedByMinutes()).toBe(true)
  })

  test('say that they take little time, also the parts of minutes around them, but lines do not', async () => {
    const period = { fromMs: START + 1, toMs: START + 5 * MINUTE_MS }
    const isBrief = async (selection: LineSelection) => {
      const slices = await Array.fromAsync(lines.store.countByValue(selection, 'app', signal))
      return slices.slice(0, -1).map(({ isNextBrief = false }) => isNextBrief)
    }
    const asOfMs = START - DAY_MS
    expect(await isBrief(selected({ ...period, asOfMs }))).toEqual([true, true])
    // The retention of some lines of a day is over.
    expect(await isBrief(selected(period))).toEqual([true, false])
    asked = []
  })

  test.each([
    ['a host', { filters: { ...NO_LISTS, hosts: ['a'] } }],
    ['a tag', { filters: { ...NO_LISTS, tags: ['x'] } }],
    ['a word', { query: parseQuery('n') }],
    ['a field', { query: parseQuery('n:5') }],
    ['days that are left out', { exceptDays: ['2020-01-01'] }],
    ['a period shorter than a minute', { toMs: START + MINUTE_MS - 2 }],
  ])('are not asked for %s', async (_, given) => {
    await valuesOf(selected(given), 'app')
    expect(asked.filter(({ sql }) => sql.includes('isMixed'))).toEqual([])
    asked = []
  })

  test('are not asked by other fields, or for buckets within minutes', async () => {
    await valuesOf(selected(), 'host')
    await bucketsOf(selected(), { starts: [START, START + 30_000] })
    expect(asked.filter(({ sql }) => sql.includes('isMixed'))).toEqual([])
    asked = []
  })

  test('are not taken on a day on which the retention of some lines is over', async () => {
    // Lines of two days before with a retention of one day: half of them came after this hour.
    const asOfMs = START - 2 * DAY_MS + DAY_MS + 10 * HOUR_MS
    expect(await valuesOf(selected({ asOfMs }), 'app')).toEqual(
      await valuesOf(asLines(selected({ asOfMs })), 'app'),
    )
    expect((await valuesOf(selected({ asOfMs }), 'app')).lines).toBe(9 * 120 - 60)
  })

  test('agree with the lines, whatever the period, the lists and the query', async () => {
    const times = fc.integer({ min: -MINUTE_MS, max: (MINUTES + 1) * MINUTE_MS })
    const asked = fc.record({
      period: fc.tuple(times, times).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
      asOfMs: fc.integer({ min: START - 2 * DAY_MS, max: START + 31 * DAY_MS }),
      apps: fc.subarray(['web', 'db']),
      levels: fc.subarray(['error', 'INFO', 'other']),
      query: fc.constantFrom('', 'app:web', '-level:error', 'app:db OR level:info', 'level:*'),
      minutes: fc.constantFrom(1, 5, 30),
      by: fc.constantFrom(undefined, 'app', 'level'),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ period: [from, to], asOfMs, apps, levels, query, minutes, by }) => {
        const selection = selected({
          fromMs: START + from,
          toMs: START + to,
          asOfMs,
          filters: { ...NO_LISTS, apps, levels },
          query: parseQuery(query),
        })
        const field = by ?? 'app'
        expect(await valuesOf(selection, field)).toEqual(await valuesOf(asLines(selection), field))
        const values = by === 'app' ? ['web', ''] : ['info', 'ERROR']
        const buckets = {
          starts: [START - HOUR_MS, ...starts(minutes)],
          ...(by && { by: { field: by, values } }),
        }
        expect(await bucketsOf(selection, buckets)).toEqual(await bucketsOf(asLines(selection), buckets))
      }),
      { numRuns: 10 },
    )
  })

  test('are counted in slices where apps differ from line to line, so that no statement has too many groups', async () => {
    const account = 'ffffffffff'
    const time = (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`
    await connection.command(`INSERT INTO slotted_lines (account, t, ts, app, retention, topic, partition, offset, row)
SELECT '${account}', ${time(`${START}`)}, ${time(`${START} + intDiv(number, 45000) * 60000 + number % 45000`)},
  concat(toString(intDiv(number, 45000)), ' ', toString(number % 45000)), 30, 1, 0, 900, number FROM numbers(135000)`)
    const selection = selected({ account })
    asked = []
    const counts = await all<ValueCounts>(lines.store.countByValue(selection, 'app', signal))
    expect(counts.map(({ distinct }) => distinct).filter(distinct => distinct > 0)).toEqual([90_000, 45_000])
    expect(counts.reduce((sum, slice) => sum + slice.lines, 0)).toBe(135_000)
    const buckets = { starts: starts(1), by: { field: 'app', values: ['0 7', '2 8'] } }
    const { sums, lines: count } = await bucketsOf(selection, buckets)
    expect(count).toBe(135_000)
    expect(sums).toMatchObject({ '0 0': 1, '0 -1': 44_999, '1 -1': 45_000, '2 1': 1, '2 -1': 44_999 })
    asked = []
  })
})
