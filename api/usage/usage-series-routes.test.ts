import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import { utcDay } from '../../engine/times/utc-day.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import type { TestInstallation } from '../../test/support/test-installation.ts'

/** Midnight of 2026-03-04 UTC. */
const DAY = Date.UTC(2026, 2, 4)
const TWO_DAYS = { from: String(DAY), to: String(DAY + 2 * DAY_MS - 1) }

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation

const sent = (app: string, line: string, tags: string[] = []) => ({
  line,
  app,
  ...(tags.length > 0 ? { rest: { tags } } : {}),
})

beforeAll(async () => {
  searched = await openSearchedInstallation()
  ;({ lines, weir } = searched)
  const account = weir.credentials.accountId
  const add = (timeMs: number, some: Parameters<StoredLines['add']>[0], poolDays = 0, retentionDays = 30) =>
    lines.add(some, { account, timeMs, poolDays, retentionDays })
  await add(DAY, [sent('web', '1234', ['a', 'b']), sent('db', '12', ['a'])])
  await add(DAY + HOUR_MS - 1, [sent('web', '123')])
  await add(DAY + HOUR_MS, [sent('db', '1234567')], 7)
  await add(DAY + DAY_MS, [sent('new', '1')])
  await add(DAY + 2 * DAY_MS, [sent('web', 'after it')])
  await lines.add([sent('web', 'of somebody else')], { account: '0000000000', timeMs: DAY })
})
afterAll(() => searched.close())

const ask = (query: Readonly<Record<string, string>>, headers = {}) =>
  weir.call({ url: `/v3/usage/series?${new URLSearchParams(query)}`, headers })
const read = async (query: Readonly<Record<string, string>>) => {
  const answer = await ask({ ...TWO_DAYS, ...query })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)

describe('usage over time', () => {
  test('has hours, the largest names first, and all others', async () => {
    const { starts, series, other, interval, exact } = await read({ kind: 'apps', limit: '1' })
    expect([interval, exact, starts.length]).toEqual(['hour', true, 48])
    expect(starts.slice(0, 2)).toEqual([DAY, DAY + HOUR_MS])
    expect(series.map(({ name }: { name: string }) => name)).toEqual(['db'])
    expect(series[0].bytes.slice(0, 3)).toEqual([2, 7, 0])
    expect(other.lines.slice(0, 2)).toEqual([2, 0])
    expect(other.bytes[24]).toBe(1)
  })

  test.each(['apps', 'hosts', 'tags'])('adds up to the usage of the same days by %s', async kind => {
    const { series, other } = await read({ kind, interval: 'day' })
    const days = { from: '2026-03-04T00:00:00Z', to: '2026-03-05T00:00:00Z' }
    const totals = (await weir.call({ url: `/v2/usage/${kind}?${new URLSearchParams(days)}` })).json().results
    const added = series.map(({ name, bytes }: { name: string; bytes: number[] }) => ({
      name,
      total_bytes: sum(bytes),
    }))
    expect(added).toEqual(totals)
    expect(sum(other.bytes)).toBe(0)
  })

  test('has pools, and only the names that are asked for', async () => {
    const pools = await read({ kind: 'pools', interval: 'day' })
    expect(pools.series).toEqual([
      { name: 'plan', lines: [3, 1], bytes: [9, 1] },
      { name: '7d', lines: [1, 0], bytes: [7, 0] },
    ])
    const some = await read({ kind: 'pools', interval: 'day', names: '7d,9d' })
    expect(some.series.map(({ lines: counts }: { lines: number[] }) => sum(counts))).toEqual([1, 0])
    expect(some.other.bytes).toEqual([9, 1])
    expect((await read({ kind: 'apps', names: 'new' })).series[0].bytes[24]).toBe(1)
  })

  test('begins days at midnight of the time zone', async () => {
    const { starts, series } = await read({
      kind: 'apps',
      interval: 'day',
      zone: 'Asia/Kolkata',
      names: 'web',
    })
    expect(starts[0]).toBe(DAY - 5.5 * HOUR_MS)
    expect(series[0].lines).toEqual([2, 0, 0])
  })

  test('counts a closed day as it was, and says so when hours of it are gone', async () => {
    const account = weir.credentials.accountId
    const gone = DAY - 100 * DAY_MS
    await lines.add([sent('web', '12345')], { account, timeMs: gone, retentionDays: 1 })
    await lines.store.closeDay(utcDay(gone))
    const settled = [{ topic: 'weir.ingest', partition: 0, checkpointOffset: 1_000n }]
    expect(await lines.store.removeExpired(DAY, settled)).toBe(1)
    const period = { from: String(gone), to: String(gone + DAY_MS - 1), kind: 'tags' }
    const byDay = await read({ ...period, kind: 'apps', interval: 'day' })
    expect([byDay.exact, byDay.series[0].bytes]).toEqual([true, [5]])
    for (const kind of ['apps', 'tags']) {
      const byHour = await read({ ...period, kind, interval: 'hour' })
      expect([kind, byHour.exact, sum(byHour.other.bytes)]).toEqual([kind, false, 0])
    }
  })
})

test('groups do not limit it, like all usage', async () => {
  const apps = async (...accessScopes: string[]) =>
    (await ask({ ...TWO_DAYS, kind: 'apps' }, await searched.memberLimitedTo(...accessScopes))).json()
  expect(await apps('app:web')).toEqual(await apps())
})

test.each([
  [{ ...TWO_DAYS }, 'kind'],
  [{ ...TWO_DAYS, kind: 'levels' }, 'kind'],
  [{ to: TWO_DAYS.to, kind: 'apps' }, 'from'],
  [{ ...TWO_DAYS, kind: 'apps', zone: 'Mars' }, 'zone'],
  [{ ...TWO_DAYS, kind: 'apps', limit: '101' }, 'limit'],
  [{ ...TWO_DAYS, kind: 'apps', interval: 'week' }, 'interval'],
  [{ from: '0', to: TWO_DAYS.to, kind: 'apps', interval: 'hour' }, 'interval'],
  [{ from: TWO_DAYS.to, to: TWO_DAYS.from, kind: 'apps' }, 'from'],
  [{ ...TWO_DAYS, kind: 'apps', more: '1' }, 'more'],
])('%j is refused, and the parameter is named', async (query, name) => {
  const answer = await ask(query as Record<string, string>)
  expect([answer.statusCode, answer.json().errors[0].instancePath]).toEqual([400, `/${name}`])
})
