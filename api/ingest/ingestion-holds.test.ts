import { afterEach, beforeEach, expect, test } from 'vitest'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

let installation: TestInstallation
let pipeline: string

beforeEach(async () => {
  installation = await testInstallation()
  pipeline = await published('log-analysis-ingestion')
})
afterEach(() => installation.app.close())

async function created(url: string, payload: object = {}): Promise<{ readonly id: string }> {
  const response = await installation.call({ method: 'POST', url, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data
}

async function published(type: string): Promise<string> {
  const { id } = await created('/v3/pipeline', { title: type })
  await created(`/v3/pipeline/${id}/source`, { type })
  await created(`/v3/pipeline/${id}/publish?allow_unconnected_edges=true`)
  return id
}

function send(line: string, headers: Record<string, string> = {}, body: object = {}) {
  return installation.app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=web',
    headers: { apikey: installation.credentials.ingestionKey, ...headers },
    payload: { lines: [{ line }], ...body },
  })
}

async function taken(): Promise<string[]> {
  const { ingest } = installation.ports.replay
  const partition = partitionOfAccount(installation.credentials.accountId, ingest.partitions)
  const records = await ingest.read(partition, 0n, Number.MAX_SAFE_INTEGER)
  const batches = records.map(({ value }) => LineBatchView.decode(value))
  return batches.flatMap(batch => Array.from({ length: batch.count }, (_, index) => batch.lineText(index)))
}

const pause = (mode: string, id = pipeline) => created(`/v3/pipeline/${id}/pause?mode=${mode}`)

test('lines of a held pipeline are refused with the time to retry, and taken after it is resumed', async () => {
  expect((await send('before')).statusCode).toBe(200)
  await pause('hold')
  const refused = await send('meanwhile')
  expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toEqual([
    503,
    '10',
    {
      error: 'A pipeline that reads log ingestion is paused: send the lines later',
      code: 'ServiceUnavailable',
      status: 'error',
    },
  ])
  await created(`/v3/pipeline/${pipeline}/resume`)
  expect((await send('meanwhile')).statusCode).toBe(200)
  expect(await taken()).toEqual(['before', 'meanwhile'])
})

test('a key in the body, or another running reader, does not avoid the refusal', async () => {
  await published('log-analysis-ingestion')
  await pause('hold')
  const apikey = installation.credentials.ingestionKey
  expect((await send('line', { apikey: '' }, { apikey })).statusCode).toBe(503)
  expect((await send('line', { apikey: 'wrong' })).statusCode).toBe(401)
  expect(await taken()).toEqual([])
})

test('a body is not received in vain: its sender is refused before it is too large', async () => {
  const tooLarge = 'x'.repeat(TEST_SETTINGS.bodyLimitBytes + 1)
  expect((await send(tooLarge)).statusCode).toBe(413)
  await pause('hold')
  expect((await send(tooLarge)).statusCode).toBe(503)
})

test.each(['store', 'drop'])('mode %s takes lines, also after a change from hold', async mode => {
  await pause('hold')
  await pause(mode)
  expect((await send('line')).statusCode).toBe(200)
})

test('a pipeline that does not read log ingestion holds none of its lines, and neither does a deleted one', async () => {
  await pause('hold', await published('http'))
  expect((await send('one')).statusCode).toBe(200)
  await pause('hold')
  expect((await send('two')).statusCode).toBe(503)
  await installation.call({ method: 'DELETE', url: `/v3/pipeline/${pipeline}` })
  expect((await send('three')).statusCode).toBe(200)
})

test('a request whose lines were taken before is answered as then: an idempotency key keeps its answer', async () => {
  const headers = { apikey: '', 'idempotency-key': 'once' }
  const body = { apikey: installation.credentials.ingestionKey }
  const first = await send('line', headers, body)
  await pause('hold')
  const repeated = await send('line', headers, body)
  expect([repeated.statusCode, repeated.json()]).toEqual([200, first.json()])
  expect(await taken()).toEqual(['line'])
})
