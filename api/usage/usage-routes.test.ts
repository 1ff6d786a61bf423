import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import type { TestInstallation } from '../../test/support/test-installation.ts'

/** Midnight of 2026-03-04 UTC. */
const DAY = Date.UTC(2026, 2, 4)
const NOON_S = (DAY + DAY_MS / 2) / 1000

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation

/** Bytes of each line are those of its text. */
const sent = (app: string, line: string, tags: string[] = []) => ({
  line,
  app,
  ...(tags.length > 0 ? { rest: { tags } } : {}),
})

beforeAll(async () => {
  searched = await openSearchedInstallation()
  ;({ lines, weir } = searched)
  const account = weir.credentials.accountId
  const add = (timeMs: number, some: Parameters<StoredLines['add']>[0], poolDays = 0) =>
    lines.add(some, { account, timeMs, poolDays, request: { hostname: 'web-1' } })
  await add(DAY - 1, [sent('old', '12345')])
  await add(DAY, [sent('web', '1234', ['a', 'b']), sent('db', '12', ['a'])])
  await add(NOON_S * 1000, [sent('web', '123'), sent('two words/ä', '1')])
  await add(NOON_S * 1000 + 999, [sent('db', '1234567')], 7)
  await add(DAY + DAY_MS - 1, [sent('web', '1')])
  await add(DAY + DAY_MS, [sent('new', '123456')])
  await lines.add([sent('web', 'of somebody else')], { account: '0000000000', timeMs: DAY })
})

afterAll(() => searched.close())

const call = (url: string) => weir.call({ url })
const SECONDS = `from=${DAY / 1000}&to=${DAY / 1000 + 86_399}`
const DAYS = 'from=2026-03-04T05:06:07Z&to=2026-03-04T01:00:00Z'

describe('usage of a hundred thousand names, which blocked all other requests', () => {
  const NAMES = 100_000
  const NAMES_OF_LINE = 25_000
  /** A separate day. */
  const FULL_DAY = DAY + 30 * DAY_MS
  const asked: [string, (answer: unknown) => object[]][] = [
    [`/v1/usage/tags?from=${FULL_DAY / 1000}&to=${FULL_DAY / 1000 + 60}`, answer => answer as object[]],
    [
      '/v2/usage/tags?from=2026-04-03T00:00:00Z&to=2026-04-03T00:00:00Z',
      answer => (answer as { results: object[] }).results,
    ],
  ]

  beforeAll(async () => {
    const tagsFrom = (first: number) => Array.from({ length: NAMES_OF_LINE }, (_, tag) => `tag${first + tag}`)
    for (let first = 0; first < NAMES; first += NAMES_OF_LINE)
      await lines.add([sent('many', '1', tagsFrom(first))], {
        account: weir.credentials.accountId,
        timeMs: FULL_DAY,
      })
  })

  test.each(asked)(
    '%s: all of them are returned, and other work has many turns in between',
    async (url, resultsOf) => {
      const stretches = cpuStretches()
      const answer = await call(url)
      const { longestMs, totalMs } = stretches.stop()
      const results = resultsOf(answer.json())
      expect(results).toHaveLength(NAMES)
      expect(new Set(results.map(result => (result as { name: string }).name)).size).toBe(NAMES)
      expect(longestMs).toBeLessThan(totalMs / 4)
    },
  )
})

/** Longest time that this thread worked without a turn for others, and its total time. */
function cpuStretches() {
  const began = process.threadCpuUsage()
  let last = began
  let longestMs = 0
  const millis = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
  const look = () => {
    longestMs = Math.max(longestMs, millis(process.threadCpuUsage(last)))
    last = process.threadCpuUsage()
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  return {
    stop() {
      clearImmediate(next)
      longestMs = Math.max(longestMs, millis(process.threadCpuUsage(last)))
      return { longestMs, totalMs: millis(process.threadCpuUsage(began)) }
    },
  }
}

describe('usage in lines', () => {
  test('counts lines per app, most first, then by name, with their share of all', async () => {
    const answer = await call(`/v1/usage/apps?${SECONDS}`)
    expect(answer.json()).toEqual([
      { name: 'web', current_total: 3, percentage_of_total: 50 },
      { name: 'db', current_total: 2, percentage_of_total: (100 * 2) / 6 },
      { name: 'two words/ä', current_total: 1, percentage_of_total: (100 * 1) / 6 },
    ])
  })

  test('counts a line for each of its tags, and lines without tags only in the total', async () => {
    expect((await call(`/v1/usage/tags?${SECONDS}`)).json()).toEqual([
      { name: 'a', current_total: 2, percentage_of_total: (100 * 2) / 6 },
      { name: 'b', current_total: 1, percentage_of_total: (100 * 1) / 6 },
    ])
    expect((await call(`/v1/usage/hosts?${SECONDS}`)).json()).toEqual([
      { name: 'web-1', current_total: 6, percentage_of_total: 100 },
    ])
  })

  test('with a limit returns the largest, and the share is of all', async () => {
    expect((await call(`/v1/usage/apps?${SECONDS}&limit=1`)).json()).toEqual([
      { name: 'web', current_total: 3, percentage_of_total: 50 },
    ])
  })

  test('includes both seconds as a whole, and does not accept milliseconds', async () => {
    const totals = async (from: number, to: number) =>
      (await call(`/v1/usage/hosts?from=${from}&to=${to}`)).json<{ current_total: number }[]>()[0]
        ?.current_total ?? 0
    expect(await totals(NOON_S, NOON_S)).toBe(3)
    expect(await totals(NOON_S + 1, NOON_S + 1)).toBe(0)
    expect(await totals(NOON_S - 1, NOON_S - 1)).toBe(0)
    expect(await totals(NOON_S * 1000, NOON_S * 1000 + 1)).toBe(0)
  })

  test('by name is one element, null when unknown, and names are percent-decoded and exact', async () => {
    const named = async (name: string) => {
      const { statusCode, body, headers } = await call(`/v1/usage/apps/${name}?${SECONDS}`)
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      return [statusCode, body]
    }
    expect(await named('web')).toEqual([200, '[{"name":"web","current_total":3,"percentage_of_total":50}]'])
    expect((await named('two%20words%2F%C3%A4'))[1]).toContain('"current_total":1')
    for (const name of ['We', 'WEB', 'web%20', "'%20OR%201=1%20--", '%00'])
      expect(await named(name), name).toEqual([200, 'null'])
  })
})

describe('usage in bytes', () => {
  const BOUNDS = { from: '2026-03-03T23:59:59.999Z', to: '2026-03-05T00:00:00.000Z' }

  test('sums the whole days, whatever the time of day, and names the exclusive bounds', async () => {
    expect((await call(`/v2/usage/apps?${DAYS}`)).json()).toEqual({
      ...BOUNDS,
      results: [
        { name: 'db', total_bytes: 9 },
        { name: 'web', total_bytes: 8 },
        { name: 'two words/ä', total_bytes: 1 },
      ],
    })
    expect((await call(`/v2/usage/tags?${DAYS}`)).json()).toEqual({
      ...BOUNDS,
      results: [
        { name: 'a', total_bytes: 6 },
        { name: 'b', total_bytes: 4 },
      ],
    })
  })

  test("has the bounds of the specification's example", async () => {
    const answer = await call('/v2/usage/apps?from=2023-01-01T12:00:00Z&to=2023-01-31T00:00:00Z')
    expect(answer.json()).toEqual({
      from: '2022-12-31T23:59:59.999Z',
      to: '2023-02-01T00:00:00.000Z',
      results: [],
    })
  })

  test.each([
    ['2026-03-04T00:00:00Z', 18],
    ['2026-03-04T23:59:59.999Z', 18],
    ['2026-03-04T12:00:00', 18],
    ['2026-03-04T12:00Z', 18],
    ['2026-03-04T12:00:00.5+02:00', 18],
    ['2026-03-05T01:00:00+02:00', 18],
    ['2026-03-05T02:00:00+02:00', 6],
    ['2026-03-03T23:00:00-02:00', 18],
    ['2026-03-03T23:00:00Z', 5],
    ['20260304T120000Z', 18],
    ['20260304T1200Z', 18],
    ['20260305T020000.5+0200', 6],
  ])('uses the day of %s after conversion to UTC', async (time, bytes) => {
    for (const text of [encodeURIComponent(time), time]) {
      const answer = await call(`/v2/usage/hosts?from=${text}&to=${text}`)
      expect(answer.json<{ results: object }>().results).toEqual([{ name: 'web-1', total_bytes: bytes }])
    }
  })

  test.each([
    ['1970-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z'],
    ['1969-07-20T20:17:40Z', '1969-07-19T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0000-12-31T23:59:59.999Z'],
  ])('can begin, and end, before there were lines: %s', async (time, from) => {
    for (const path of ['apps', 'apps/web', 'hosts', 'tags']) {
      const upToNow = await call(`/v2/usage/${path}?from=${time}&to=2026-03-04T00:00:00Z`)
      expect(upToNow.json(), path).toMatchObject({ from, to: BOUNDS.to })
      expect(upToNow.json().results, path).not.toEqual([])
      const empty = await call(`/v2/usage/${path}?from=${time}&to=${time}`)
      expect(empty.json(), path).toMatchObject({ from, results: [] })
    }
    expect((await call(`/v2/usage?from=${time}&to=2026-03-04T00:00:00Z`)).json()).toMatchObject({
      from,
      results: { plan_bytes: 16, '7d_vr_bytes': 7 },
    })
    expect((await call(`/v2/usage?from=${time}&to=${time}`)).json().results).toEqual({
      plan_bytes: 0,
      restored_bytes: 0,
    })
  })

  test('by name is one element, an empty list when unknown', async () => {
    const named = async (name: string, more = '') =>
      (await call(`/v2/usage/apps/${name}?${DAYS}${more}`)).json<{ results: object }>().results
    expect(await named('web')).toEqual([{ name: 'web', total_bytes: 8 }])
    expect(await named('db', '&retention=7d')).toEqual([{ name: 'db', total_bytes: 7 }])
    expect(await named('web', '&retention=7d')).toEqual([])
    expect(await named('we')).toEqual([])
  })

  test('with a retention contains one pool, and with a limit the largest', async () => {
    const results = async (more: string) =>
      (await call(`/v2/usage/apps?${DAYS}${more}`)).json<{ results: object }>().results
    expect(await results('&retention=7d')).toEqual([{ name: 'db', total_bytes: 7 }])
    expect(await results('&retention=3d')).toEqual([])
    expect(await results(`&retention=${'9'.repeat(400)}d`)).toEqual([])
    expect(await results('&limit=1')).toEqual([{ name: 'db', total_bytes: 9 }])
  })

  test('distinguishes the plan from the pools of variable retention in totals', async () => {
    expect((await call(`/v2/usage?${DAYS}`)).json()).toEqual({
      ...BOUNDS,
      results: { plan_bytes: 11, restored_bytes: 0, '7d_vr_bytes': 7 },
    })
  })
})

describe('invalid parameters', () => {
  test.each([
    ['/v1/usage/apps', ['"from" is required', '"to" is required']],
    ['/v1/usage/apps/web?from=1', ['"to" is required']],
    ['/v1/usage/apps?from=a&to=', ['"from" must be a number', '"to" must be a number']],
    ['/v1/usage/apps?from=2&to=1', ['"from" must be less than or equal to "to"']],
    ['/v1/usage/apps?from=1.5&to=abc', ['"from" must be a number', '"to" must be a number']],
    ['/v1/usage/apps?from=1&to=99999999999999999999', ['"to" must be a safe number']],
    ['/v1/usage/apps?from=1&to=2&limit=0', ['"limit" must be greater than or equal to 1']],
    ['/v1/usage/apps?from=1&to=2&limit=x', ['"limit" must be a number']],
    ['/v2/usage', ['"from" is required', '"to" is required']],
    [
      '/v2/usage?from=2026-03-04&to=1772600767',
      ['"from" must be in ISO 8601 date format', '"to" must be in ISO 8601 date format'],
    ],
    [
      '/v2/usage/apps?from=2026-02-30T00:00:00Z&to=2026-13-01T00:00:00Z',
      ['"from" must be in ISO 8601 date format', '"to" must be in ISO 8601 date format'],
    ],
    [
      '/v2/usage?from=20260230T000000Z&to=20260304T12:00:00Z',
      ['"from" must be in ISO 8601 date format', '"to" must be in ISO 8601 date format'],
    ],
    [
      '/v2/usage/apps?from=2026-03-05T00:00:00Z&to=2026-03-04T23:00:00Z',
      ['"from" must be less than or equal to "to"'],
    ],
    [`/v2/usage/apps?${DAYS}&retention=7`, ['"retention" must be a number of days, such as 7d']],
    [`/v2/usage/apps?${DAYS}&retention=07d`, ['"retention" must be a number of days, such as 7d']],
    [`/v2/usage/apps/web?${DAYS}&retention=`, ['"retention" must be a number of days, such as 7d']],
    [`/v2/usage/apps?${DAYS}&limit=-1`, ['"limit" must be greater than or equal to 1']],
  ])('%s', async (url, messages) => {
    const answer = await call(url)
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ details: { message: string }[] }>().details.map(({ message }) => message)).toEqual(
      messages,
    )
    expect(answer.json()).toMatchObject({ error: messages[0], code: 'BadRequest', status: 'error' })
  })

  test('an unknown kind is 404, before its parameters are checked', async () => {
    for (const url of ['/v1/usage/lines', '/v2/usage/app', '/v1/usage/lines/x', '/v2/usage/constructor/x'])
      expect((await call(url)).statusCode, url).toBe(404)
  })

  test('every request is answered with 200 or 400', async () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '',
        '0',
        '1',
        '-1',
        '1e9',
        '9'.repeat(30),
        '2026-03-04T00:00:00Z',
        '0000-01-01T00:00:00Z',
        '9999-12-31T23:59:59Z',
        '7d',
      ),
    )
    const name = fc.constantFrom('from', 'to', 'limit', 'retention')
    const path = fc.constantFrom(
      '/v1/usage/apps',
      '/v1/usage/tags/a',
      '/v2/usage',
      '/v2/usage/hosts',
      '/v2/usage/apps/web',
    )
    await fc.assert(
      fc.asyncProperty(path, fc.array(fc.tuple(name, value), { maxLength: 5 }), async (one, pairs) => {
        const { statusCode, body } = await call(`${one}?${new URLSearchParams(pairs)}`)
        expect([200, 400], body).toContain(statusCode)
      }),
      { numRuns: 300 },
    )
  })
})
