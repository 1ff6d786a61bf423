import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openProcessedInstallation,
  type ProcessedInstallation,
} from '../../../test/support/processed-installation.ts'
import { deliveryRecord } from './deliveries.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'

let processed: ProcessedInstallation
beforeAll(async () => {
  processed = await openProcessedInstallation()
})
afterAll(() => processed.close())

/** A pipeline into two destinations. @returns the paths of their deliveries */
async function newPipeline(isPublished = true) {
  const { id } = (await processed.send('POST', '/v3/pipeline', { title: 'p' })).data
  const add = async (kind: string, body: object) =>
    (await processed.send('POST', `/v3/pipeline/${id}/${kind}`, body)).data.id
  const source = await add('source', { type: 'log-analysis-ingestion' })
  const sink = async (type: string, user_config: object) =>
    `/v3/pipeline/${id}/sink/${await add('sink', { type, inputs: [source], user_config })}/delivery`
  const sending = await sink('http', { uri: 'https://events.example.com/in' })
  const storing = await sink('mezmo', {})
  if (isPublished) {
    const published = await processed.send('POST', `/v3/pipeline/${id}/publish`, {})
    expect([published.status, published.body]).toMatchObject([200, {}])
  }
  await processed.settled()
  return { id, sending, storing }
}

test('events that were handed over wait, and are shown with their age', async () => {
  const { sending } = await newPipeline()
  const none = { handed_over: 0, waiting: 0, lag_seconds: 0, last_trouble: null, state: 'delivering' }
  expect((await processed.send('GET', sending)).data).toMatchObject(none)
  await processed.sendLines([{ line: 'a' }, { line: 'b' }])
  processed.installation.clock.advance(5_000)
  const { data, meta } = await processed.send('GET', sending)
  // No process sends here.
  expect(data).toMatchObject({
    handed_over: 2,
    waiting: 2,
    delivered: 0,
    given_up: 0,
    dropped: 0,
    state: null,
  })
  expect(data.lag_seconds).toBeGreaterThanOrEqual(5)
  expect(meta).toMatchObject({ type: 'delivery' })
})

test('a destination that was removed is shown as long as its deliveries are known', async () => {
  const { sending } = await newPipeline()
  await processed.sendLines([{ line: 'a' }])
  expect((await processed.send('DELETE', sending.replace('/delivery', ''))).status).toBeLessThan(300)
  const pipeline = sending.replace(/\/sink.*/, '')
  expect((await processed.send('POST', `${pipeline}/publish`, {})).status).toBe(200)
  await processed.settled()
  expect((await processed.send('GET', sending)).data).toMatchObject({ handed_over: 1, waiting: 1 })
})

test('the destinations of all pipelines are listed once they have received an event, for their own account', async () => {
  const listed = async () =>
    (await processed.send('GET', '/v3/pipeline/delivery')).data as readonly Record<string, unknown>[]
  const { id, sending } = await newPipeline()
  const isOwn = (each: Record<string, unknown>) => each.pipeline_id === id
  expect((await listed()).filter(isOwn)).toEqual([])
  await processed.sendLines([{ line: 'a' }])
  const node = sending.split('/').at(-2)
  expect((await listed()).filter(isOwn)).toEqual([
    expect.objectContaining({ node_id: node, waiting: 1, state: null, last_trouble: null }),
  ])
  const { installation } = processed
  await installation.account('0123456789')
  const authorization = `Token ${await installation.token({ account: '0123456789' })}`
  const others = await installation.call({ url: '/v3/pipeline/delivery', headers: { authorization } })
  expect(others.json().data).toEqual([])
  expect((await processed.send('DELETE', `/v3/pipeline/${id}`)).status).toBeLessThan(300)
  expect((await listed()).filter(isOwn)).toEqual([])
})

test('other nodes, and nodes that do not run, have no deliveries', async () => {
  const { sending, storing } = await newPipeline(false)
  expect((await processed.send('GET', storing)).status).toBe(400)
  expect((await processed.send('GET', sending)).body).toMatchObject({ code: 'ENOTPUBLISHED' })
  const unknown = sending.replace(/(?<=\/sink\/)[^/]+/, NOWHERE)
  expect((await processed.send('GET', unknown)).status).toBe(404)
})

test('the lanes of several partitions are shown together: the worst state, and the last trouble', () => {
  const trouble = (status: number | null, atMs: number) => ({
    ...{ code: 'E_DELIVERY_FAILED', message: 'It is away', status, atMs },
  })
  const counts = {
    pipeline: 'p',
    node: 'n',
    handedOver: 10,
    delivered: 4,
    givenUp: 1,
    dropped: 2,
    waiting: 3,
  }
  const lanes = [
    {
      ...{ ...counts, partition: 0, oldestMs: 2_000 },
      sending: { state: 'retrying', failingSinceMs: 3_000, trouble: trouble(503, 4_000) },
    },
    {
      ...{ ...counts, partition: 1, oldestMs: 1_000 },
      sending: { state: 'resting', failingSinceMs: 2_500, trouble: trouble(401, 3_000) },
    },
  ] as const
  expect(deliveryRecord(lanes, 6_000)).toEqual({
    ...{ at: '1970-01-01T00:00:06.000Z', state: 'resting', failing_since: '1970-01-01T00:00:02.500Z' },
    ...{ lag_seconds: 5, handed_over: 20, delivered: 8, given_up: 2, dropped: 4, waiting: 6 },
    last_trouble: {
      ...{ at: '1970-01-01T00:00:04.000Z', code: 'E_DELIVERY_FAILED', status: 503, message: 'It is away' },
    },
  })
})
