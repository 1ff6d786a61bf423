import { ok } from '@oazapfts/runtime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'
import {
  defaults,
  deleteV1ConfigKeysByKeyId,
  getV1UsageByKind,
  getV2Export,
  getV3PipelineByPipelineId,
  postLogsIngest,
  postV1ConfigKeys,
  postV1ConfigView,
  postV3Pipeline,
  postV3PipelineByPipelineIdSink,
} from './api-client.ts'

/** The client that is generated from docs/openapi.json, against the real program. Its types are part of the test. */

let weir: RunningWeir

beforeAll(async () => {
  weir = await RunningWeir.start()
  const { apiUrl, accessToken } = weir.credentials
  defaults.baseUrl = apiUrl
  defaults.headers = { authorization: `Token ${accessToken}` }
})
afterAll(() => weir.dispose())

/** The last hour and the next minute. */
function aroundNow(): [fromMs: number, toMs: number] {
  return [Date.now() - 3_600_000, Date.now() + 60_000]
}

test('with a new key, lines are accepted, found and counted until the key is deleted', async () => {
  const key = await ok(postV1ConfigKeys({ name: 'generated' }, { $type: 'ingestion' }))
  expect(key).toMatchObject({ name: 'generated', type: 'ingestion' })

  const lines = [
    { line: 'first', app: 'shop', timestamp: Date.now() - 1000, meta: { price: 3 } },
    { line: 'second', app: 'shop' },
    { line: 'third', app: 'till' },
  ]
  const send = () => postLogsIngest('web-1', { lines }, {}, { headers: { apikey: key.key } })
  const accepted = await send()
  expect(accepted).toMatchObject({ status: 200, data: { status: 'ok', batchID: expect.any(String) } })

  const found = await eventually(
    () => ok(getV2Export(...aroundNow(), { apps: 'shop', prefer: 'head' })),
    page => page.lines.length === 2,
  )
  expect(found.lines.map(line => [line._line, line._app, line._host])).toEqual([
    ['first', 'shop', 'web-1'],
    ['second', 'shop', 'web-1'],
  ])
  expect(found.pagination_id).toBeNull()
  const queried = await ok(getV2Export(...aroundNow(), { query: 'third' }))
  expect(queried.lines.map(line => [line._line, line._app])).toEqual([['third', 'till']])

  const [fromS, toS] = aroundNow().map(timeMs => Math.floor(timeMs / 1000)) as [number, number]
  const usage = await ok(getV1UsageByKind(fromS, toS, 'apps'))
  expect(usage.map(app => [app.name, app.current_total])).toEqual([
    ['shop', 2],
    ['till', 1],
  ])

  await ok(deleteV1ConfigKeysByKeyId(key.id))
  const refused = await eventually(send, ({ status }) => status === 401)
  expect(refused).toMatchObject({ status: 401, data: { status: 'error', code: 'NotAuthorized' } })
})

test('the compiler rejects a body with a wrong type, and refusals are returned as values', async () => {
  const pipeline = await ok(postV3Pipeline({ title: 'generated' }))
  const { id } = pipeline.data
  const sink = await ok(postV3PipelineByPipelineIdSink(id, { type: 'blackhole', user_config: {} }))
  expect(sink.data.type).toBe('blackhole')
  const saved = await ok(getV3PipelineByPipelineId(id))
  expect([saved.meta.type, saved.data.has_changes]).toEqual(['pipeline', true])

  // @ts-expect-error: no type of destination is called so.
  const unknown = await postV3PipelineByPipelineIdSink(id, { type: 'nonsense' })
  expect(unknown.status === 400 && unknown.data.errors?.map(({ instancePath }) => instancePath)).toEqual([
    '/type',
  ])

  const channel = { integration: 'webhook', url: 'https://example.org/hook' } as const
  const view = await ok(postV1ConfigView({ name: 'errors', query: 'level:error', channels: [channel] }))
  expect(view.channels).toMatchObject([{ ...channel, method: 'post', operator: 'presence' }])
  // @ts-expect-error: a view needs a condition, and an e-mail channel its addresses.
  const incomplete = await postV1ConfigView({ name: 'all', channels: [{ integration: 'email' }] })
  expect(incomplete.status === 400 && incomplete.data.code).toBe('BadRequest')
})
