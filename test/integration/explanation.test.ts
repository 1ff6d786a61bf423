import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

let weir: RunningWeir
let pipeline: string
let limit: string

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
  pipeline = await weir.create('/v3/pipeline', { title: 'limited' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  limit = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    title: 'limit',
    inputs: [source],
    user_config: { threshold: 1, window_ms: DAY_MS, key_field: '.app' },
  })
  await weir.create(`/v3/pipeline/${pipeline}/sink`, { type: 'log-analysis', inputs: [limit] })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
})
afterAll(() => weir.dispose())

async function post(lines: readonly object[]): Promise<string> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  return ((await response.json()) as { batchID: string }).batchID
}

interface Explained {
  readonly summary: string
  readonly event: { readonly message: JsonObject }
  readonly stored: readonly { readonly line_id: string }[]
}
const explain = async (query: string) =>
  (await weir.get<{ data: Explained[] }>(`/v3/pipeline/${pipeline}/explain?${query}`)).data

test('lines of a request, and a stored line, are found by the ids in the answers, also after kill -9', async () => {
  const batch = await post([
    { line: 'first', app: 'web' },
    { line: 'second', app: 'web' },
  ])
  const rows = await eventually(
    () => exportedLines(weir),
    found => found.length === 1,
  )
  await weir.end('SIGKILL')
  await weir.start()
  const [first, second] = await explain(`batch_id=${batch}`)
  expect(first).toMatchObject({
    summary: 'Revision 1: stored once.',
    stored: [{ line_id: rows[0]?._id, pipeline_id: pipeline }],
  })
  expect(second).toMatchObject({
    summary: `Revision 1: dropped by throttle "limit" (${limit}): the bucket is full.`,
    stored: [],
    pipeline: { steps: [{}, { outcome: 'dropped', reason: { bucket: 'web', passed: [{ count: 1 }] } }] },
  })
  expect(await explain(`line_id=${rows[0]?._id}`)).toEqual([first])
})

test('lines are found by a query, in a stream', async () => {
  await post([
    { line: 'a timeout', app: 'db' },
    { line: 'nothing', app: 'db' },
    { line: '{"code":504}', app: 'api' },
  ])
  const { apiUrl, accessToken } = weir.credentials
  const found = async (query: string, further = '') => {
    const response = await fetch(
      `${apiUrl}/v3/pipeline/${pipeline}/explain?query=${encodeURIComponent(query)}&from=${Date.now() - 600_000}${further}`,
      { headers: { authorization: `Token ${accessToken}` } },
    )
    expect(response.headers.get('content-type')).toContain('application/x-ndjson')
    return (await response.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  }
  expect(await found('timeout')).toEqual([
    { line: expect.objectContaining({ summary: 'Revision 1: stored once.' }) },
    { end: { lines: 1 } },
  ])
  expect(await found('code:>=500 app:api')).toHaveLength(2)
  expect(await found('app:db -timeout')).toMatchObject([{ line: { stored: [] } }, { end: { lines: 1 } }])
  await post(Array.from({ length: 6 }, (_, at) => ({ line: `key ${at}`, app: 'cache' })))
  const keys = async (further: string) =>
    (await found('app:cache', further)).flatMap(({ line }) => line?.event.message.line ?? [])
  expect(await keys('')).toHaveLength(6)
  expect(await keys('&limit=3')).toEqual(['key 0', 'key 1', 'key 2'])
  expect(await keys('&missing=true')).toEqual(['key 1', 'key 2', 'key 3', 'key 4', 'key 5'])
  expect(await keys('&missing=true&limit=3')).toEqual(['key 1', 'key 2', 'key 3'])
  expect(await found('absent')).toEqual([{ end: { lines: 0 } }])
})

test('a wrong request, and a missing line, are reported', async () => {
  const status = async (query: string) => {
    const { apiUrl, accessToken } = weir.credentials
    const headers = { authorization: `Token ${accessToken}` }
    return (await fetch(`${apiUrl}/v3/pipeline/${pipeline}/explain?${query}`, { headers })).status
  }
  for (const query of [
    '',
    'line_id=x',
    'batch_id=x',
    'query=a',
    'query=a&from=noon',
    'line_id=1&batch_id=2',
    'query=(&from=0',
    'query=a&from=5&to=1',
  ])
    expect([query, await status(query)]).toEqual([query, 400])
  const ofTopic = (number: bigint) => `line_id=${(number << 84n) + 1n}`
  const absent = [
    'line_id=1',
    'batch_id=00000000:0:0:0',
    `line_id=${'9'.repeat(38)}`,
    ofTopic(1n),
    ofTopic(2n),
    ofTopic(3n),
  ]
  for (const query of absent) expect([query, await status(query)]).toEqual([query, 404])
})

test('a stored line from a window leads back to the window', async () => {
  const gathering = await weir.create('/v3/pipeline', { title: 'gathered' })
  const source = await weir.create(`/v3/pipeline/${gathering}/source`, { type: 'log-analysis-ingestion' })
  const gather = await weir.create(`/v3/pipeline/${gathering}/transform`, {
    type: 'reduce',
    title: 'pairs',
    inputs: [source],
    user_config: { duration_ms: 200, group_by: ['.app'] },
  })
  await weir.create(`/v3/pipeline/${gathering}/sink`, { type: 'log-analysis', inputs: [gather] })
  await weir.send('POST', `/v3/pipeline/${gathering}/publish`, {})
  const pair = { line: '{"part":1}', app: 'pair' }
  await post([pair, pair])
  const explained = async () => {
    const ids = (await exportedLines(weir)).map(({ _id }) => _id)
    const answers = await Promise.all(
      ids.map(id => weir.get<{ data: Explained[] }>(`/v3/pipeline/${gathering}/explain?line_id=${id}`)),
    )
    return answers.flatMap(({ data }) => data)
  }
  const lines = await eventually(explained, found =>
    found.some(({ summary }) => summary.includes('of the group "pair"')),
  )
  expect(lines).toContainEqual(
    expect.objectContaining({
      summary: expect.stringMatching(
        /^It came out of a window of reduce "pairs" \(.*\) of revision 1, which ended at .* with 2 events of the group "pair"\.$/,
      ),
      window: expect.objectContaining({ node_id: gather, revision: 1, events: 2, group: '"pair"' }),
    }),
  )
})
