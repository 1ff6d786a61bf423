import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { profileResets } from '../../../engine/configuration/kinds/profile-reset.ts'
import { DAY_MS } from '../../../engine/times/duration.ts'
import {
  type Method,
  openProcessedInstallation,
  type ProcessedInstallation,
} from '../../../test/support/processed-installation.ts'
import type { TestInstallation } from '../../../test/support/test-installation.ts'
import { isoTime } from '../../http/iso-time.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const OPTIONS = {
  app_fields: ['.app'],
  host_fields: ['.host'],
  level_fields: ['.level'],
  line_fields: ['.line'],
}

let processed: ProcessedInstallation
let installation: TestInstallation

beforeAll(async () => {
  processed = await openProcessedInstallation()
  installation = processed.installation
})
afterEach(() => processed.removePipelines())
afterAll(() => processed.close())

const send = (method: Method, url: string, payload?: object) => processed.send(method, url, payload)

interface Deployed {
  readonly pipeline: string
  readonly url: string
  readonly profiler: string
  readonly filter: string
}

async function newPipeline(isPublished = true): Promise<Deployed> {
  const { id } = (await send('POST', '/v3/pipeline', { title: 'p' })).data
  const add = async (kind: string, type: string, inputs: string[], user_config: object = {}) =>
    (await send('POST', `/v3/pipeline/${id}/${kind}`, { type, inputs, user_config })).data.id
  const source = (await send('POST', `/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' })).data.id
  const profiler = await add('transform', 'data-profiler', [source], OPTIONS)
  const filter = await add('transform', 'drop-fields', [profiler], { fields: ['.none'] })
  await add('sink', 'mezmo', [filter])
  if (isPublished) expect((await send('POST', `/v3/pipeline/${id}/publish`, {})).status).toBe(200)
  await processed.settled()
  return { pipeline: id, profiler, filter, url: `/v3/pipeline/${id}/transform/${profiler}/profile` }
}

const sendLines = (...lines: readonly (readonly [line: string, app: string])[]) =>
  processed.sendLines(lines.map(([line, app]) => ({ line, app, level: 'info' })))

test('the profile is shown: templates, fields and names with the highest counts first', async () => {
  const { url } = await newPipeline()
  expect((await send('GET', url)).data).toMatchObject({
    run: { state: 'waiting', started_at: null, events: 0 },
    events: 0,
    templates: [],
    fields: [],
  })
  const startMs = installation.clock.wallMs()
  await sendLines(['door opens', 'door'], ['oven 4 at 231', 'oven'], ['oven 7 at 228', 'oven'])
  const { data } = await send('GET', url)
  expect(data).toMatchObject({
    at: isoTime(startMs),
    run: { state: 'running', started_at: isoTime(startMs), events: 3 },
    events: 3,
    cut_events: 0,
    templates: [
      {
        template: 'oven <*> at <*>',
        lines: 2,
        apps: ['oven'],
        samples: ['oven 4 at 231', 'oven 7 at 228'],
      },
      { template: 'door opens', lines: 1, apps: ['door'], samples: ['door opens'] },
    ],
    total_templates: 2,
    other_fields: { events: 0, bytes: 0 },
    apps: [
      { name: 'oven', lines: 2 },
      { name: 'door', lines: 1 },
    ],
    hosts: [{ name: 'web-1', lines: 3 }],
    levels: [{ name: 'info', lines: 3 }],
    event_types: [],
  })
  expect(data.fields.find(({ field }: { field: string }) => field === '.app')).toMatchObject({
    events: 3,
    share: 1,
    values: [
      { kind: 'text', value: 'oven', events: 2 },
      { kind: 'text', value: 'door', events: 1 },
    ],
    distinct_values: 2,
    other_values: 0,
    numbers: null,
    times: null,
  })
  const short = (await send('GET', `${url}?limit=1&values=0`)).data
  expect(short).toMatchObject({ total_templates: 2, apps: [{ name: 'oven', lines: 2 }] })
  expect([short.templates.length, short.fields.length, short.fields[0].values]).toEqual([1, 1, []])
  expect(short.total_fields).toBe(data.fields.length)
})

test('a reset empties the profile before the next event, and begins a run', async () => {
  const { url, pipeline, profiler } = await newPipeline()
  await sendLines(['a', 'x'], ['b', 'x'])
  installation.clock.advance(DAY_MS)
  await sendLines(['not profiled', 'x'])
  expect((await send('GET', url)).data).toMatchObject({ run: { state: 'ended' }, events: 2 })
  const [{ status, data }] = await Promise.all([send('POST', `${url}/reset`), processed.settled()])
  expect(status).toBe(200)
  expect(data).toMatchObject({ reset_at: isoTime(installation.clock.wallMs()) })
  await processed.settled()
  expect((await send('GET', url)).data).toMatchObject({
    run: { state: 'waiting' },
    events: 0,
    total_fields: 0,
  })
  await sendLines(['c', 'y'])
  const only = { run: { state: 'running', events: 1 }, events: 1, templates: [{ template: 'c' }] }
  expect((await send('GET', url)).data).toMatchObject(only)
  // Publishing again does not reset the profile.
  await send('POST', `/v3/pipeline/${pipeline}/transform`, {
    type: 'unroll',
    inputs: [profiler],
    user_config: { field: '.x' },
  })
  await send('POST', `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
  await processed.settled()
  expect((await send('GET', url)).data).toMatchObject(only)
  const { configuration, credentials } = installation
  expect(configuration.list(profileResets, credentials.accountId)).toHaveLength(1)
  await send('DELETE', `/v3/pipeline/${pipeline}`)
  expect(configuration.list(profileResets, credentials.accountId)).toEqual([])
})

test('resets of nodes that are gone are removed by the next one', async () => {
  const { url, pipeline, profiler } = await newPipeline()
  const { configuration, credentials } = installation
  expect((await send('POST', `${url}/reset`, {})).status).toBe(200)
  await send('DELETE', `/v3/pipeline/${pipeline}/transform/${profiler}`)
  const { data } = await send('POST', `/v3/pipeline/${pipeline}/transform`, {
    type: 'data-profiler',
    inputs: [],
    user_config: OPTIONS,
  })
  expect(
    (await send('POST', `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})).status,
  ).toBe(200)
  await processed.settled()
  expect((await send('POST', `/v3/pipeline/${pipeline}/transform/${data.id}/profile/reset`, {})).status).toBe(
    200,
  )
  expect(configuration.list(profileResets, credentials.accountId).map(({ value }) => value.node)).toEqual([
    data.id,
  ])
})

test('only a data-profiler that runs has a profile', async () => {
  const { pipeline, filter } = await newPipeline()
  const draft = await newPipeline(false)
  const calls = (url: string) => [send('GET', url), send('POST', `${url}/reset`, {})]
  for (const { status, body } of await Promise.all(calls(draft.url)))
    expect([status, body.code]).toEqual([409, 'ENOTPUBLISHED'])
  for (const { status, body } of await Promise.all(
    calls(`/v3/pipeline/${pipeline}/transform/${filter}/profile`),
  ))
    expect([status, body.message ?? body.errors?.[0]?.message]).toEqual([
      400,
      'The processor is of type "drop-fields": only a data-profiler has a profile',
    ])
  for (const { status } of await Promise.all(calls(`/v3/pipeline/${pipeline}/transform/${NOWHERE}/profile`)))
    expect(status).toBe(404)
})

test('an invalid query is refused', async () => {
  const { url } = await newPipeline()
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'values=501', 'values=-1', 'more=1'])
    expect([query, (await send('GET', `${url}?${query}`)).status]).toEqual([query, 400])
  expect((await send('GET', `${url}?limit=1000&values=500`)).status).toBe(200)
})

test('another account sees nothing, and a read-only caller resets nothing', async () => {
  const { url } = await newPipeline()
  const reader = { authorization: `Token ${await installation.user('readonly')}` }
  expect((await installation.call({ url, headers: reader })).statusCode).toBe(200)
  const reset = { method: 'POST', url: `${url}/reset`, payload: {} } as const
  expect((await installation.call({ ...reset, headers: reader })).statusCode).toBe(403)
  await installation.account('00000000aa')
  const stranger = {
    authorization: `Token ${await installation.token({ account: '00000000aa', scope: 'admin' })}`,
  }
  expect((await installation.call({ url, headers: stranger })).statusCode).toBe(404)
  expect((await installation.call({ ...reset, headers: stranger })).statusCode).toBe(404)
})
