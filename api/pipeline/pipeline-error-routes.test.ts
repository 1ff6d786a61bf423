import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreError } from '../../engine/store/store.ts'
import { HOUR_MS, MINUTE_MS } from '../../engine/times/duration.ts'
import type { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import type { PipelineErrorRecord } from '../../schemas/http/pipeline/pipeline-error-api.ts'
import { startedWorker } from '../../test/support/processed-installation.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import { isoTime } from '../http/iso-time.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const OTHER_ACCOUNT = '0123456789'
const THIRD_ACCOUNT = '9876543210'
const OPTION = 'an-option-that-is-secret'

let searched: SearchedInstallation
let weir: TestInstallation
let worker: PartitionWorker

beforeAll(async () => {
  searched = await openSearchedInstallation()
  weir = searched.weir
  worker = await startedWorker(weir, searched.lines.store)
})
afterAll(async () => {
  worker.close()
  await searched.close()
})

async function settle(): Promise<void> {
  while (await worker.step());
}

/** Advances the time and stores everything that is due. */
async function pass(ms: number): Promise<void> {
  await settle()
  weir.clock.advance(ms)
  await settle()
}

async function created(url: string, payload: object): Promise<Record<string, string>> {
  const response = await weir.call({ method: 'POST', url, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data
}

interface Sample {
  readonly id: string
  readonly source: string
  readonly clockNode: string
  /** Ingestion key with which lines are sent. */
  readonly key: string
  /** Sends a body to the source. */
  push(body: string): Promise<number>
}

/** A published pipeline that is sent JSON and takes the time of events from `.at`. */
async function newPipeline(): Promise<Sample> {
  const { id } = (await created('/v3/pipeline', { title: 'p' })) as { id: string }
  const url = `/v3/pipeline/${id}`
  const source = await created(`${url}/source`, { type: 'http', user_config: { decoding: 'json' } })
  const clockNode = await created(`${url}/transform`, {
    type: 'set-timestamp',
    inputs: [source.id],
    user_config: { parsers: [{ field: '.at', options: { format: '%F' } }] },
  })
  await created(`${url}/sink`, {
    type: 'mezmo',
    inputs: [clockNode.id],
    user_config: { ingestion_key: OPTION },
  })
  await created(`${url}/publish`, {})
  const route = source.gateway_route_id
  const { key } = await created(`/v3/pipeline/gateway-route/${route}/access-key`, {
    title: 'k',
    type: 'generated',
  })
  await pass(1_100)
  return {
    id,
    source: source.id as string,
    clockNode: clockNode.id as string,
    key: key as string,
    push: async body => {
      const headers = { authorization: key as string }
      const sent = { method: 'POST', url: `/v1/${route}`, headers, payload: body } as const
      return (await weir.app.inject(sent)).statusCode
    },
  }
}

async function list(id: string, query: Record<string, string> = {}, headers = {}) {
  const response = await weir.call({
    url: `/v3/pipeline/${id}/error?${new URLSearchParams(query)}`,
    headers,
  })
  const body = response.json()
  return { status: response.statusCode, body, data: body.data as PipelineErrorRecord[] }
}

/** The wall clock at the start of a minute. */
function minuteStart(): number {
  weir.clock.advance(MINUTE_MS - (weir.clock.wallMs() % MINUTE_MS))
  return weir.clock.wallMs()
}

test('refused bodies of a source and errors of a processor are listed, equal errors as one, newest first', async () => {
  const { id, source, clockNode, push } = await newPipeline()
  const startMs = minuteStart()
  await push('{"at":"first"}')
  await pass(10_000)
  expect(await push('{"at":')).toBe(400)
  await pass(2 * MINUTE_MS)
  const againMs = weir.clock.wallMs()
  await push('[{"at":"second"},{"at":"third"},{}]')
  await pass(2 * MINUTE_MS)
  const { status, body, data } = await list(id)
  expect([status, body.meta]).toEqual([
    200,
    {
      pk: 'id',
      type: 'error',
      links: {
        self: { list: '/v3/pipeline/{pipeline_id}/error', detail: null },
        related: { pipeline: { list: '/v3/pipeline', detail: '/v3/pipeline/{pipeline_id}' } },
      },
      page: { next: null, previous: null },
    },
  ])
  const hex = expect.stringMatching(/^[0-9a-f]{64}$/)
  const level = 'error'
  const ofClock = {
    id: hex,
    pipeline_id: id,
    node_id: clockNode,
    node_kind: 'transform',
    level,
    field: '.at',
  }
  expect(data.map(each => ({ ...each, message: each.message !== '' }))).toEqual([
    {
      ...ofClock,
      code: 'E_NOT_FOUND',
      message: true,
      captured: '{}',
      first_seen: isoTime(againMs),
      last_seen: isoTime(againMs),
      count: 1,
    },
    {
      ...ofClock,
      code: 'E_PARSE_FAILED',
      message: true,
      captured: '{"at":"first"}',
      first_seen: isoTime(startMs),
      last_seen: isoTime(againMs),
      count: 3,
    },
    {
      id: hex,
      pipeline_id: id,
      node_id: source,
      node_kind: 'source',
      code: 'E_EVENT_NOT_JSON',
      level,
      field: null,
      message: true,
      captured: '{"at":',
      first_seen: isoTime(startMs + 10_000),
      last_seen: isoTime(startMs + 10_000),
      count: 1,
    },
  ])
  expect(new Set(data.map(each => each.id)).size).toBe(3)
})

test('a node, a period and a limit exclude other errors, which are not counted', async () => {
  const { id, source, clockNode, push } = await newPipeline()
  const firstMs = minuteStart()
  await push('[{"at":"a"},{"at":"b"}]')
  await pass(HOUR_MS)
  const secondMs = minuteStart()
  await push('{"at":"c"}')
  await push('{')
  await pass(2 * MINUTE_MS)
  const found = async (query: Record<string, string>) =>
    (await list(id, query)).data.map(({ node_id, count, captured }) => [node_id, count, captured])
  expect(await found({ node_id: clockNode })).toEqual([[clockNode, 3, '{"at":"a"}']])
  expect(await found({ node_id: source })).toEqual([[source, 1, '{']])
  expect(await found({ node_id: NOWHERE })).toEqual([])
  expect(await found({ node_id: "' OR 1=1 --" })).toEqual([])
  expect(await found({ code: 'E_EVENT_NOT_JSON' })).toEqual([[source, 1, '{']])
  expect(await found({ code: 'E_EVENT_NOT_JSON', node_id: clockNode })).toEqual([])
  expect(await found({ to: isoTime(secondMs) })).toEqual([[clockNode, 2, '{"at":"a"}']])
  expect(await found({ from: isoTime(secondMs), node_id: clockNode })).toEqual([[clockNode, 1, '{"at":"c"}']])
  expect(await found({ from: isoTime(firstMs), to: isoTime(firstMs + 1) })).toEqual([
    [clockNode, 2, '{"at":"a"}'],
  ])
  expect(await found({ from: isoTime(firstMs + 1), to: isoTime(secondMs) })).toEqual([])
  expect(await found({ limit: '1' })).toHaveLength(1)
  expect(await found({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' })).toHaveLength(2)
  weir.clock.advance(23 * HOUR_MS)
  expect(await found({ node_id: clockNode })).toEqual([[clockNode, 1, '{"at":"c"}']])
  weir.clock.advance(HOUR_MS)
  expect(await found({})).toEqual([])
  expect(await found({ from: isoTime(firstMs) })).toHaveLength(2)
})

test('pipelines see only their own errors, and those of a deleted one cannot be read', async () => {
  const [one, other] = [await newPipeline(), await newPipeline()]
  await one.push('{"at":"of one"}')
  await pass(2 * MINUTE_MS)
  expect((await list(one.id)).data).toHaveLength(1)
  expect((await list(other.id)).data).toEqual([])
  expect((await list(NOWHERE)).status).toBe(404)
  await weir.account(OTHER_ACCOUNT)
  const authorization = `Token ${await weir.token({ account: OTHER_ACCOUNT })}`
  expect((await list(one.id, {}, { authorization })).status).toBe(404)
  await weir.call({ method: 'DELETE', url: `/v3/pipeline/${one.id}` })
  expect((await list(one.id)).status).toBe(404)
})

test('errors of all pipelines are listed together, with their numbers by hour', async () => {
  const [one, other] = [await newPipeline(), await newPipeline()]
  const gone = await newPipeline()
  const firstMs = weir.clock.wallMs()
  await one.push('{"at":"a"}')
  await other.push('{"at":"b"}')
  await gone.push('{"at":"c"}')
  await pass(HOUR_MS)
  await one.push('{"at":"d"}')
  await pass(2 * MINUTE_MS)
  await weir.call({ method: 'DELETE', url: `/v3/pipeline/${gone.id}` })
  const url = `/v3/pipeline/error?${new URLSearchParams({ from: new Date(firstMs).toISOString() })}`
  const { data } = (await weir.call({ url })).json()
  expect(data.map(({ pipeline_id }: PipelineErrorRecord) => pipeline_id)).toEqual([one.id, other.id])
  const hour = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString()
  expect(data[0]).toMatchObject({
    count: 2,
    hours: [
      { start: hour(firstMs), count: 1 },
      { start: hour(firstMs + HOUR_MS), count: 1 },
    ],
  })
  const counted = async (parameters: object) =>
    (await weir.call({ url: `/v3/pipeline/error/count?${new URLSearchParams({ ...parameters })}` })).json()
  const from = isoTime(firstMs)
  const countOf = ({ id, clockNode }: Sample, count: number) => ({
    ...{ pipeline_id: id, node_id: clockNode, code: 'E_PARSE_FAILED', count },
  })
  expect(await counted({ from })).toEqual({
    meta: {
      ...{ pk: 'node_id', type: 'error-count', links: {} },
      page: { next: null, previous: null },
    },
    data: [countOf(one, 2), countOf(other, 1)],
  })
  expect((await counted({ from, pipeline_id: other.id })).data).toEqual([countOf(other, 1)])
  expect((await counted({ from, pipeline_id: gone.id })).data).toEqual([])
  expect((await counted({ from, to: from })).data).toEqual([])
  const narrowed = async (parameters: object) =>
    (await weir.call({ url: `${url}&${new URLSearchParams({ ...parameters })}` }))
      .json()
      .data.map(({ pipeline_id }: PipelineErrorRecord) => pipeline_id)
  expect(await narrowed({ pipeline_id: other.id })).toEqual([other.id])
  expect(await narrowed({ node_id: one.clockNode, code: 'E_PARSE_FAILED' })).toEqual([one.id])
  expect(await narrowed({ pipeline_id: other.id, node_id: one.clockNode })).toEqual([])
  expect(await narrowed({ code: 'E_NOT_FOUND' })).toEqual([])
  await weir.account(THIRD_ACCOUNT)
  const authorization = `Token ${await weir.token({ account: THIRD_ACCOUNT })}`
  expect((await weir.call({ url, headers: { authorization } })).json().data).toEqual([])
  const theirs = await weir.call({ url: '/v3/pipeline/error/count', headers: { authorization } })
  expect(theirs.json().data).toEqual([])
  for (const [query, name] of [
    ['limit=201', 'limit'],
    ['from=soon', 'from'],
  ]) {
    const answer = await weir.call({ url: `/v3/pipeline/error?${query}` })
    expect([answer.statusCode, answer.json().errors[0].instancePath]).toEqual([400, `/${name}`])
  }
  expect((await weir.call({ url: '/v3/pipeline/error/count?limit=9' })).statusCode).toBe(400)
})

test('an error contains neither credentials of a sender nor options of nodes', async () => {
  const { id, key, push } = await newPipeline()
  await push('{')
  await push('{"at":"x"}')
  await pass(2 * MINUTE_MS)
  const { data, body } = await list(id)
  expect(data).toHaveLength(2)
  expect(JSON.stringify(body)).not.toContain(key)
  expect(JSON.stringify(body)).not.toContain(OPTION)
})

describe('a request', () => {
  test('that is invalid is refused with its place', async () => {
    const { id } = await newPipeline()
    for (const [query, where] of [
      [{ limit: '0' }, '/limit'],
      [{ limit: '201' }, '/limit'],
      [{ from: 'soon' }, '/from'],
      [{ to: '1y' }, '/to'],
      [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/from'],
    ] as const) {
      const { status, body } = await list(id, query)
      expect([query, status, body.errors[0].instancePath]).toEqual([query, 400, where])
    }
    expect((await list(id, { cursor: 'x' })).status).toBe(400)
  })

  test('while the store is unavailable is answered with 503', async () => {
    const pipelineErrors = async () => {
      throw new StoreError('UNAVAILABLE', 'away', { retriable: true })
    }
    const own = await testInstallation({
      store: { ...searched.lines.store, pipelineErrors } as TestInstallation['ports']['store'],
    })
    const { id } = (await own.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'p' } })).json()
      .data
    expect((await own.call({ url: `/v3/pipeline/${id}/error` })).statusCode).toBe(503)
    await own.app.close()
  })
})
