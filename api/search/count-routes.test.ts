import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fullFieldDaysBlock } from '../../engine/fold/tables/full-field-days.ts'
import type { SliceOfCounts, ValueCounts } from '../../engine/store/search/line-counts.ts'
import type { Store } from '../../engine/store/store.ts'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import { utcDay } from '../../engine/times/utc-day.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { RECEIVED_MS } from '../../test/support/sent-lines.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const HOUR_START = Math.floor(RECEIVED_MS / HOUR_MS) * HOUR_MS

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation
let account: string

beforeAll(async () => {
  searched = await openSearchedInstallation(RECEIVED_MS + DAY_MS)
  ;({ lines, weir, account } = searched)
  const sent = (minute: number, app: string, level: string, object: object) => ({
    line: JSON.stringify(object),
    timestamp: HOUR_START + minute * 60_000,
    ...{ app, level, host: 'h', rest: {} },
  })
  await lines.add(
    [
      sent(0, 'web', 'info', { status: 200, user: 'ann' }),
      sent(1, 'web', 'error', { status: 500, user: 'ann' }),
      sent(1, 'db', 'info', { status: 200, user: ['bob', 'ann', 'bob'] }),
      sent(59, 'db', 'info', { user: '' }),
    ],
    { account, timeMs: RECEIVED_MS },
  )
  await lines.add([{ line: 'of somebody else', timestamp: HOUR_START }], { account: '0000000000' })
})

afterAll(() => searched.close())

const HOUR = { from: String(HOUR_START), to: String(HOUR_START + HOUR_MS - 1) }

function ask(path: string, parameters: Readonly<Record<string, string>>, headers = {}) {
  return weir.call({ url: `/v3/search/${path}?${new URLSearchParams({ ...HOUR, ...parameters })}`, headers })
}

async function histogram(parameters: Readonly<Record<string, string>>, headers = {}) {
  const answer = await ask('histogram', parameters, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

async function facets(parameters: Readonly<Record<string, string>>, headers = {}) {
  const answer = await ask('facet', parameters, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

/** Lines of the buckets that have any, by minute. */
function minutes({ starts }: { readonly starts: readonly number[] }, counts: readonly number[]) {
  const found = starts.map(
    (start, index) => [(start - HOUR_START) / 60_000, counts[index] as number] as const,
  )
  return Object.fromEntries(found.filter(([, count]) => count > 0))
}

describe('a histogram', () => {
  test('counts every line in the bucket of its time', async () => {
    const found = await histogram({})
    expect(found).toMatchObject({ from: HOUR_START, to: HOUR_START + HOUR_MS - 1, interval_ms: 60_000 })
    expect(found.starts).toHaveLength(60)
    expect(minutes(found, found.other)).toEqual({ 0: 1, 1: 2, 59: 1 })
    expect(found).toMatchObject({ series: [], lines: 4, complete: true, covered_from: HOUR_START })
  })

  test('counts the values of a field separately, and what has none of them', async () => {
    const found = await histogram({ by: 'status' })
    expect(found.series.map(({ name }: { name: string }) => name)).toEqual(['200', '500'])
    expect(minutes(found, found.series[0].lines)).toEqual({ 0: 1, 1: 1 })
    expect(minutes(found, found.series[1].lines)).toEqual({ 1: 1 })
    expect(minutes(found, found.other)).toEqual({ 59: 1 })
  })

  test('counts what a search finds: query, lists and period', async () => {
    expect((await histogram({ query: 'user:ann -status:500' })).lines).toBe(2)
    expect((await histogram({ q: 'user:ann', apps: 'web', levels: 'ERROR' })).lines).toBe(1)
    expect((await histogram({ to: String(HOUR_START) })).lines).toBe(1)
    expect((await histogram({ query: 'nothing', by: 'app' })).series).toEqual([])
  })

  test('has buckets that begin at round times of a zone', async () => {
    const found = await histogram({
      zone: 'Asia/Kolkata',
      buckets: '10',
      from: String(HOUR_START - 9 * HOUR_MS),
    })
    for (const start of found.starts) expect((start / HOUR_MS) % 1).toBe(0.5)
    expect(found.lines).toBe(4)
  })
})

describe('a facet', () => {
  test('counts the lines of each value, and once per value if a line has several', async () => {
    const [user, status, tag] = await facets({ fields: 'user,status,tag' })
    const counted = { of_lines: 4, exact: true, complete: true, covered_from: HOUR_START, other: 0 }
    expect(user).toEqual({
      ...counted,
      field: 'user',
      values: [
        { value: 'ann', lines: 3 },
        { value: '', lines: 1 },
        { value: 'bob', lines: 1 },
      ],
      ...{ absent: 0, distinct: 3 },
    })
    expect(status).toMatchObject({ ...counted, absent: 1, distinct: 2 })
    expect(tag).toEqual({ ...counted, field: 'tag', values: [], absent: 4, distinct: 0 })
  })

  test('lists the values with most lines, and the sum of the others', async () => {
    const [user] = await facets({ fields: 'user', limit: '1' })
    expect(user).toMatchObject({ values: [{ value: 'ann', lines: 3 }], other: 2, distinct: 3 })
  })
})

describe('a member with a group', () => {
  test('learns only counts of lines that the group shows', async () => {
    const headers = await searched.memberLimitedTo('app:web')
    const [app, user] = await facets({ fields: 'app,user' }, headers)
    expect(app).toMatchObject({ values: [{ value: 'web', lines: 2 }], absent: 0, distinct: 1, of_lines: 2 })
    expect(user).toMatchObject({ values: [{ value: 'ann', lines: 2 }], distinct: 1 })
    const found = await histogram({ by: 'app', query: '-app:web OR app:db' }, headers)
    expect(found).toMatchObject({ lines: 0, series: [] })
  })

  test('learns nothing of a day on which the field of the group was not indexed', async () => {
    const headers = await searched.memberLimitedTo('-class:secret')
    const timestamp = HOUR_START - 3 * DAY_MS
    const open = { line: '{"class":"open"}', timestamp, host: 'h', rest: {} }
    await lines.add([open], { account, timeMs: timestamp })
    // It came later, on a day with too many names.
    await lines.add([{ line: 'secret without its field', timestamp, host: 'h', rest: {} }], {
      account,
      timeMs: timestamp + DAY_MS,
    })
    const period = { from: String(timestamp), to: String(timestamp) }
    expect(await histogram(period, headers)).toMatchObject({ lines: 2, complete: true })
    await lines.store.insert({
      ...{ topic: 'weir.ingest', partition: 0, table: 'full_field_days', epoch: { offset: 1n, attempt: 0 } },
      block: fullFieldDaysBlock([{ account, timeMs: timestamp + DAY_MS, offset: 1n, row: 0 }]),
      rows: 1,
    })
    expect(await histogram(period, headers)).toMatchObject({ lines: 1, complete: false })
    expect((await facets({ ...period, fields: 'app' }, headers))[0]).toMatchObject({
      of_lines: 1,
      exact: false,
    })
    const { accessToken } = weir.credentials
    expect(await histogram(period, { authorization: `Token ${accessToken}` })).toMatchObject({ lines: 2 })
  })
})

describe('a day with more names of fields than are indexed', () => {
  const timestamp = HOUR_START - 9 * DAY_MS
  const period = { from: String(timestamp), to: String(timestamp) }

  beforeAll(async () => {
    await lines.add([{ line: '{"size":1}', timestamp, host: 'h', app: 'web', rest: {} }], {
      account,
      timeMs: timestamp,
    })
    await lines.store.insert({
      ...{ topic: 'weir.ingest', partition: 0, table: 'full_field_days', epoch: { offset: 1n, attempt: 0 } },
      block: fullFieldDaysBlock([{ account, timeMs: timestamp, offset: 2n, row: 0 }]),
      rows: 1,
    })
  })

  test.each([
    ['histogram', { by: 'size' }, false],
    ['histogram', { query: 'size:1', by: 'app' }, false],
    ['histogram', { by: 'app' }, true],
    ['histogram', {}, true],
    ['facet', { fields: 'size' }, false],
    ['facet', { fields: 'app,level,file,env,tag,host' }, true],
  ])('is named in the answer to a %s that needs one: %j', async (path, parameters, complete) => {
    const answer = await ask(path, { ...period, ...parameters } as Record<string, string>)
    const day = utcDay(timestamp)
    expect(answer.headers['x-weir-incomplete']).toBe(complete ? undefined : `fields; days="${day}"`)
    const { data } = answer.json()
    for (const counted of path === 'facet' ? data : [data]) expect(counted.complete).toBe(complete)
  })

  test('makes only those facets of an answer inexact that need such a field', async () => {
    const [app, size] = await facets({ ...period, fields: 'app,size' })
    expect(app).toMatchObject({ complete: true, exact: true })
    expect(size).toMatchObject({ complete: false, exact: false })
  })
})

test('fields are counted whose names are those of properties of every object', async () => {
  const [proto, builder] = await facets({ fields: '__proto__,constructor' })
  expect(proto).toMatchObject({ field: '__proto__', values: [], absent: 4 })
  expect(builder).toMatchObject({ field: 'constructor', values: [], absent: 4 })
  for (const by of ['__proto__', 'constructor', 'toString'])
    expect(await histogram({ by })).toMatchObject({ lines: 4, series: [] })
})

describe('bad parameters', () => {
  test.each([
    ['histogram', { by: 'line' }, '/by', '"by" must be app, host,'],
    ['histogram', { by: '_ts' }, '/by', '"by" must be app, host,'],
    ['histogram', { by: '' }, '/by', '"by" must be app, host,'],
    ['histogram', { zone: 'Europe/Atlantis' }, '/zone', '"zone" must be a time zone'],
    ['histogram', { buckets: '2001' }, '/buckets', '"buckets" must be less than or equal to 2000'],
    ['histogram', { budget_ms: '1' }, '/budget_ms', '"budget_ms" must be greater than or equal to 100'],
    ['histogram', { query: '(' }, '/query', ''],
    ['histogram', { from: 'someday' }, '/from', '"from" must be a number'],
    ['histogram', { from: String(HOUR_START + 2 * HOUR_MS) }, '/from', '"from" must be less than'],
    ['histogram', { fields: 'app' }, '/fields', '"fields" is not allowed'],
    ['facet', {}, '/fields', '"fields" is required'],
    ['facet', { fields: 'app,_id' }, '/fields', '"fields" contains "_id"'],
    ['facet', { fields: 'a,b,c,d,e,f,g,h,i,j,k' }, '/fields', '"fields" must name at most 10'],
    ['facet', { fields: 'app', limit: '0' }, '/limit', '"limit" must be greater than or equal to 1'],
  ])('of a %s: %j is 400 for %s', async (path, parameters, pointer, message) => {
    const answer = await ask(path, parameters as Record<string, string>)
    expect(answer.statusCode).toBe(400)
    const { code, errors } = answer.json()
    expect(code).toBe('EVALIDATION')
    expect(errors).toHaveLength(1)
    expect(errors[0].instancePath).toBe(pointer)
    expect(errors[0].message).toContain(message)
  })

  test('all of them are reported', async () => {
    const answer = await ask('histogram', { by: 'line', zone: 'x', buckets: 'y', from: '', more: '1' })
    const pointers = answer.json().errors.map(({ instancePath }: { instancePath: string }) => instancePath)
    expect(pointers.sort()).toEqual(['/buckets', '/by', '/from', '/more', '/zone'])
  })

  test('a query with more terms than fit is 400', async () => {
    const query = Array.from({ length: 900 }, (_, index) => `w${index}`).join(' ')
    const answer = await ask('histogram', { query })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors[0].message).toContain('too many terms')
  })
})

test('a facet over values of 16 KB, whose 160 MB were parsed in one go, has the most frequent ones in two megabytes', async () => {
  const long = (index: number) => `${index} ${'x'.repeat(16_000)}`
  const start = HOUR_START - 10 * HOUR_MS
  const sent = [...Array(300).keys(), 299].map(index => ({
    line: JSON.stringify({ long: long(index) }),
    timestamp: start,
  }))
  await lines.add(sent, { account, timeMs: RECEIVED_MS })
  const period = { from: String(start), to: String(start + 1) }
  const [facet] = await facets({ ...period, fields: 'long', limit: '1000' })
  const shown = facet.values as { value: string; lines: number }[]
  expect(shown[0]).toEqual({ value: long(299), lines: 2 })
  expect(shown).toHaveLength(Math.ceil((2 * 1024 * 1024) / 16_004))
  expect(facet).toMatchObject({ distinct: 300, of_lines: 301, absent: 0, exact: true, complete: true })
  expect(facet.other).toBe(301 - shown.reduce((sum, each) => sum + each.lines, 0))
})

test('the most frequent of 50,000 values are shown, most lines first, and equal ones in their order', async () => {
  async function* countByValue(): AsyncGenerator<SliceOfCounts<ValueCounts>> {
    for (let at = 9; at >= 0; at--) {
      const values = [...Array(5_000).keys()].map(
        index => [`v${at * 5_000 + index}`, index === 2_500 ? at : 1] as const,
      )
      const counts = { lines: 5_000, absent: 0, values, distinct: 5_000, valueLines: 5_000 }
      yield { fromMs: HOUR_START + at, toMs: HOUR_START + at, counts }
    }
  }
  const store = { ...lines.store, countByValue, fullFieldDays: async () => [] } as unknown as Store
  const installation = await testInstallation({ store })
  const parameters = { ...HOUR, fields: 'app', limit: '10' }
  const { data } = (
    await installation.call({ url: `/v3/search/facet?${new URLSearchParams(parameters)}` })
  ).json()
  const most = [...Array(8).keys()].map(index => ({
    value: `v${(9 - index) * 5_000 + 2_500}`,
    lines: 9 - index,
  }))
  expect(data[0].values).toEqual([...most, { value: 'v0', lines: 1 }, { value: 'v1', lines: 1 }])
  await installation.app.close()
})

test('counting ends when its time is over, and says how far it came', async () => {
  const installation = await testInstallation({ store: slowStore(() => installation.clock.advance(400)) })
  const parameters = { ...HOUR, fields: 'app', budget_ms: '1000' }
  const { data } = (
    await installation.call({ url: `/v3/search/facet?${new URLSearchParams(parameters)}` })
  ).json()
  expect(data[0]).toMatchObject({ of_lines: 3, complete: false, exact: false, covered_from: HOUR_START + 7 })
  await installation.app.close()
})

/** Counts one line in each of ten slices. */
function slowStore(onSlice: () => void): Store {
  async function* countByValue(): AsyncGenerator<SliceOfCounts<ValueCounts>> {
    for (let at = 9; at >= 0; at--) {
      onSlice()
      const counts = { lines: 1, absent: 1, values: [], distinct: 0, valueLines: 0 }
      yield { fromMs: HOUR_START + at, toMs: HOUR_START + at, counts }
    }
  }
  return { ...lines.store, countByValue, fullFieldDays: async () => [] } as unknown as Store
}
