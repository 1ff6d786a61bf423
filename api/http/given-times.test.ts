import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

/** Forms of a time, all of them before the time of the request. */
const FORMS = [
  ...['-1h', 'now-1h', '1d12h', 'now', 'today', 'yesterday', 'today+1m', '2023-11-14', '2023-11-14T10:00'],
  ...['2023-11-14T10:00:00.250Z', '2023-11-14T12:00:00+02:00', '2023-11-14 12:00:00', '20231114T100000Z'],
]
const UNIX_FORMS = ['1699900000', '1699900000000', '1699900000.25']
const NO_TIMES = ['soon', '1y', '2023-02-30', '-', '2023-11-14T25:00:00Z', ' 1h']

let installation: TestInstallation
let pipeline: string
beforeAll(async () => {
  installation = await testInstallation()
  const answer = await installation.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'Shop' } })
  pipeline = answer.json().data.id
})
afterAll(() => installation.app.close())

async function statusOf(path: string, query: Record<string, string>): Promise<number> {
  const url = path.replace('{pipeline}', pipeline)
  return (await installation.call({ url, query })).statusCode
}

describe.each<[string, Record<string, string>, readonly string[]]>([
  ['/v1/export', { to: 'now' }, UNIX_FORMS.slice(0, 2)],
  ['/v2/export', { to: 'now' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/search', { to: 'now' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/search/histogram', { to: 'now' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/search/facet', { to: 'now', fields: 'app' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/search/field', { to: 'now' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/search/value', { to: 'now', field: 'app' }, UNIX_FORMS.slice(0, 2)],
  ['/v1/usage/apps', { to: 'now' }, UNIX_FORMS.slice(0, 1)],
  ['/v3/usage/series', { to: 'now', kind: 'apps' }, UNIX_FORMS.slice(0, 2)],
  ['/v1/config/audit', {}, UNIX_FORMS],
  ['/v3/explain', { query: 'x' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/pipeline/{pipeline}/explain', { query: 'x' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/pipeline/error', {}, UNIX_FORMS],
  ['/v3/pipeline/{pipeline}/error', {}, UNIX_FORMS],
  ['/v3/pipeline/{pipeline}/dead-letter', {}, UNIX_FORMS],
  ['/v3/pipeline/{pipeline}/metrics', { interval_s: '3600' }, UNIX_FORMS.slice(0, 2)],
  ['/v3/pipeline/metrics', {}, UNIX_FORMS.slice(0, 2)],
  ['/v3/system/metrics', {}, UNIX_FORMS.slice(0, 2)],
])('%s', (path, query, numbers) => {
  test('takes every form of a time', async () => {
    for (const from of [...FORMS, ...numbers])
      expect([from, await statusOf(path, { ...query, from })]).toEqual([from, 200])
  })

  test('refuses other texts', async () => {
    for (const from of NO_TIMES) expect([from, await statusOf(path, { ...query, from })]).toEqual([from, 400])
  })
})

test('the days of usage are those of date-times and relative times; dates alone stay refused', async () => {
  const now = installation.clock.wallMs()
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const { from, to } = (
    await installation.call({ url: '/v2/usage', query: { from: '-7d', to: 'today' } })
  ).json()
  expect([from, to]).toEqual([
    new Date(Date.parse(dayOf(now - 7 * 86_400_000)) - 1).toISOString(),
    new Date(Date.parse(dayOf(now)) + 86_400_000).toISOString(),
  ])
  expect(await statusOf('/v2/usage', { from: '2023-11-14', to: 'today' })).toBe(400)
})
