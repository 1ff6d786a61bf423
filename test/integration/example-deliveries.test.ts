import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { decompressSnappy } from '../../api/ingest/snappy.ts'
import { parseJson } from '../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { IS_LONG, longTest } from '../support/long-form.ts'
import { publishExample } from '../support/published-example.ts'
import { bulkItemsOf } from '../support/receivers/elasticsearch-receiver.ts'
import { ListeningReceiver, type TakenRequest } from '../support/receivers/listening-receiver.ts'
import { NAME_END, putOf, unpacked } from '../support/receivers/object-receivers.ts'
import { writtenSeriesOf } from '../support/receivers/prometheus-receiver.ts'
import {
  endedLines,
  expectBatchId,
  expectPost,
  type ReceivedRequest,
  utf8Of,
} from '../support/receivers/receiver.ts'
import { RunningWeir } from '../support/running-weir.ts'

const DAY_MS = 86_400_000
const START_TIMEOUT_MS = 120_000
const HOOK_FILE = 'kafka-and-errors-to-a-hook.yaml'
const HOOK = /^\{"channel":"shop","messages":(\[.*\])\}$/
/** Options of a cluster without TLS and login. */
const OPEN = {
  ...{ tls_enabled: false, sasl_enabled: false },
  ...{ sasl_mechanism: undefined, sasl_username: undefined, sasl_password: undefined },
}
const CREDENTIALS = `Basic ${Buffer.from('weir:change-me').toString('base64')}`

let weir: RunningWeir
const receivers: ListeningReceiver[] = []

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
}, START_TIMEOUT_MS)
afterEach(() => Promise.all(receivers.splice(0).map(receiver => receiver.close())))
afterAll(() => weir.dispose())

async function newReceiver() {
  const receiver = await ListeningReceiver.open()
  receivers.push(receiver)
  return { receiver, origin: new URL(receiver.url).origin }
}

async function send(...lines: readonly JsonObject[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

/** Requests as the strict receivers read them, once a number of values has arrived. */
async function received<Value>(
  { receiver, origin }: Awaited<ReturnType<typeof newReceiver>>,
  valuesOf: (request: ReceivedRequest) => readonly Value[],
  count: number,
): Promise<readonly Value[]> {
  return eventually(
    async () => receiver.accepted.flatMap(taken => valuesOf(readable(taken, origin))),
    values => values.length >= count,
  )
}

function readable({ method, path, headers, body }: TakenRequest, origin: string): ReceivedRequest {
  const coding = headers['content-encoding']
  const plain = coding === 'gzip' ? gunzipSync(body) : coding === 'snappy' ? decompressSnappy(body) : body
  return { method, url: `${origin}${path}`, headers: headers as Record<string, string>, body: plain }
}

test('an HTTP server gets batches of one account each', async () => {
  const server = await newReceiver()
  await publishExample(weir, 'http-batches-by-account.yaml', { billing: { uri: `${server.origin}/batches` } })
  const texts = ['bread', 'rolls', 'cake', 'pie', 'buns']
  await send(
    ...texts.map((line, index) => ({ line, meta: { account: index % 2 === 0 ? 'north' : 'south' } })),
    { line: 'the oven is hot' },
  )
  const batches = await received(
    server,
    request => {
      expectPost(request, '/batches', 'application/json')
      expectBatchId(request.headers['idempotency-key'])
      expect(request.headers.authorization).toBe('Bearer change-me')
      return [parseJson(utf8Of(request.body))]
    },
    2,
  )
  expect(batches).toEqual([
    { account: 'north', lines: ['bread', 'cake', 'buns'] },
    { account: 'south', lines: ['rolls', 'pie'] },
  ])
})

longTest('an object store gets an object per day and application', async () => {
  const server = await newReceiver()
  const options = { endpoint: server.origin, batch_timeout_secs: 1 }
  await publishExample(weir, 'objects-by-day-and-app.yaml', { objects: options })
  const nowMs = Date.now()
  const yesterdayMs = nowMs - DAY_MS
  await send(
    { line: 'sold a loaf', app: 'till', timestamp: nowMs },
    { line: 'sold a cake', app: 'till', timestamp: yesterdayMs },
    { line: 'sold a bun', app: 'till', timestamp: nowMs },
    { line: 'started', timestamp: nowMs },
  )
  const objects = await received(
    server,
    request => {
      const path = putOf(request, 'application/gzip')
      expect(request.headers['x-amz-tagging']).toBe('team=shop')
      expect(request.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\//)
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      expect(path.slice(folder.length)).toMatch(NAME_END)
      return [[folder, endedLines(unpacked(request)).map(text => (parseJson(text) as JsonObject).line)]]
    },
    3,
  )
  const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '/')
  expect(Object.fromEntries(objects)).toEqual({
    [`/shop-logs/logs/${day(nowMs)}/till/`]: ['sold a loaf', 'sold a bun'],
    [`/shop-logs/logs/${day(yesterdayMs)}/till/`]: ['sold a cake'],
    [`/shop-logs/logs/${day(nowMs)}/unknown/`]: ['started'],
  })
})

longTest('a search cluster gets each record in the index of its day', async () => {
  const server = await newReceiver()
  server.receiver.answer = ({ body }) => ({
    ...{ status: 200 },
    body: JSON.stringify({
      errors: false,
      items: bulkItemsOf({ body: gunzipSync(body) }).map(() => ({ create: { status: 201 } })),
    }),
  })
  await publishExample(weir, 'search-index-of-the-day.yaml', { search: { endpoints: [server.origin] } })
  const records = [
    { '@timestamp': '2031-03-09T23:59:59Z', service: 'till', text: 'sold' },
    { '@timestamp': '2031-03-10T01:30:00+01:00', service: 'oven', heat: 180 },
  ]
  await send(...records.map(record => ({ line: JSON.stringify(record) })), { line: 'not a record' })
  const documents = await received(
    server,
    request => {
      expectPost(request, '/_bulk', 'application/x-ndjson')
      expect(request.headers.authorization).toBe(CREDENTIALS)
      return bulkItemsOf(request)
    },
    2,
  )
  expect(documents.map(({ index, document }) => [index, document])).toEqual([
    ['shop-till-2031.03.09', { ...records[0], host: 'web-1' }],
    ['shop-oven-2031.03.10', { ...records[1], host: 'web-1' }],
  ])
  expect(new Set(documents.map(({ id }) => id)).size).toBe(2)
})

longTest('a Prometheus gets readings as samples of the time of their lines', async () => {
  const server = await newReceiver()
  const options = { endpoint: `${server.origin}/api/v1/write` }
  await publishExample(weir, 'metrics-to-remote-write.yaml', { prometheus: options })
  const nowMs = Date.now()
  await send(
    { line: 'heat=180.5 oven=4', timestamp: nowMs },
    { line: 'door=open' },
    { line: 'heat=181 oven=4', timestamp: nowMs + 1 },
    { line: 'heat=20 oven=5', timestamp: nowMs },
  )
  const series = await received(
    server,
    request => {
      expect(request.headers.authorization).toBe(CREDENTIALS)
      return writtenSeriesOf(request)
    },
    2,
  )
  const labels = (oven: string) => ({ __name__: 'oven_heat_celsius', oven, site: 'oslo' })
  expect(series).toEqual([
    {
      labels: labels('4'),
      samples: [
        [180.5, nowMs],
        [181, nowMs + 1],
      ],
    },
    { labels: labels('5'), samples: [[20, nowMs]] },
  ])
})

/** Posts that a hook gets, after an error and another line. */
async function postsOfHook(
  everything: Readonly<Record<string, JsonValue | undefined>>,
): Promise<readonly JsonValue[]> {
  const server = await newReceiver()
  const hook = { uri: `${server.origin}/hooks/change-me` }
  await publishExample(weir, HOOK_FILE, { everything, hook })
  await send(
    { line: 'the till is stuck', level: 'error', app: 'till' },
    { line: 'sold a loaf', level: 'info', app: 'till' },
  )
  return received(
    server,
    request => {
      expectPost(request, '/hooks/change-me', 'application/json')
      const [, messages = ''] = HOOK.exec(utf8Of(request.body)) ?? []
      return parseJson(messages) as JsonValue[]
    },
    1,
  )
}

longTest('a hook gets errors alone, also while Kafka is away', async () => {
  const nobody = { ...OPEN, brokers: [{ host: '127.0.0.1', port: 1 }] }
  expect(await postsOfHook(nobody)).toEqual([{ app: 'till', text: 'the till is stuck' }])
})

test(
  'another Weir gets lines with their host, application, level and time',
  async () => {
    const other = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
    try {
      const { ingestUrl: host, ingestionKey: ingestion_key } = other.credentials
      await publishExample(weir, 'to-another-installation.yaml', { central: { host, ingestion_key } })
      const timestamp = Date.now() - 60_000
      await send(
        { line: 'a receipt for ada@example.com', app: 'till', level: 'info', timestamp },
        { line: 'n=5', app: 'till', level: 'debug' },
      )
      const lines = await eventually(
        () => exportedLines(other),
        found => found.length > 0,
      )
      expect(lines).toMatchObject([
        {
          ...{ _line: 'a receipt for [mail]', _app: 'till', _host: 'web-1', _ts: timestamp },
          ...{ _tag: ['oslo'], level: 'INFO' },
        },
      ])
    } finally {
      await other.dispose()
    }
  },
  START_TIMEOUT_MS,
)

if (IS_LONG)
  await describeKafka('Kafka', {}, cluster => {
    test('gets all lines, with the host as their key', async () => {
      const topic = `weir-example-${Date.now()}`
      const admin = cluster.client().admin()
      await admin.connect()
      // The client of the tests does not decompress lz4.
      const configEntries = [{ name: 'compression.type', value: 'uncompressed' }]
      await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1, configEntries }] })
      await admin.disconnect()
      const consumer = cluster.client().consumer({ groupId: topic })
      const records = new Map<string, readonly [key: string, line: JsonValue | undefined]>()
      await consumer.connect()
      try {
        await consumer.subscribe({ topics: [topic], fromBeginning: true })
        await consumer.run({
          eachMessage: async ({ message: { key, value, headers } }) => {
            const { line } = parseJson(String(value)) as JsonObject
            records.set(String(headers?.['weir-position']), [String(key), line])
          },
        })
        const [bootstrap = ''] = cluster.bootstrap
        const { hostname: host, port } = new URL(`kafka://${bootstrap}`)
        const brokers = [{ host, port: Number(port) }]
        const posts = await postsOfHook({ ...OPEN, brokers, topic })
        expect(posts).toEqual([{ app: 'till', text: 'the till is stuck' }])
        await eventually(
          async () => records.size,
          size => size >= 2,
        )
      } finally {
        await consumer.disconnect()
      }
      expect([...records.values()]).toEqual([
        ['web-1', 'the till is stuck'],
        ['web-1', 'sold a loaf'],
      ])
    })
  })
