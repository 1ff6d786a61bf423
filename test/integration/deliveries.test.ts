import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { runWeir } from '../support/program.ts'
import { ELASTICSEARCH_CASES } from '../support/receivers/elasticsearch-receiver.ts'
import { ListeningReceiver, type TakenRequest } from '../support/receivers/listening-receiver.ts'
import type { DestinationCase } from '../support/receivers/receiver.ts'
import { RunningWeir } from '../support/running-weir.ts'

let weir: RunningWeir
/** Pipeline into the own store and both receivers. */
let pipeline: string
/** A receiver that the tests let fail. */
let failing: ListeningReceiver
let living: ListeningReceiver
let sent: string[] = []
/** Nodes that send to `failing` and `living`. */
const sinks: string[] = []

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
  failing = await ListeningReceiver.open()
  living = await ListeningReceiver.open()
  pipeline = await weir.create('/v3/pipeline', { title: 'to others' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const sink = (type: string, user_config: object) =>
    weir.create(`/v3/pipeline/${pipeline}/sink`, { type, inputs: [source], user_config })
  await sink('mezmo', {})
  for (const { url } of [failing, living]) sinks.push(await sink('http', { uri: url, encoding: 'ndjson' }))
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  await weir.send('PUT', `/v3/pipeline/${pipeline}/dead-letter`, { enabled: true })
})

afterAll(async () => {
  await weir.dispose()
  await Promise.all([failing.close(), living.close()])
})

beforeEach(() => {
  for (const receiver of [failing, living]) {
    receiver.requests.length = 0
    receiver.answer = () => ({ status: 200 })
  }
  sent = []
})

let count = 0
async function send(lines: number): Promise<string> {
  const texts = Array.from({ length: lines }, () => `line ${count++}`)
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: texts.map(line => ({ line })) }),
  })
  expect(response.status).toBe(200)
  sent.push(...texts)
  return ((await response.json()) as { readonly batchID: string }).batchID
}

/** Fates of the lines of a request at a node. */
async function explained(batch: string, sink: number): Promise<string[]> {
  interface Line {
    readonly summary: string
    readonly pipeline: { readonly steps: readonly { readonly node_id: string; readonly delivery?: object }[] }
  }
  const { data } = await weir.get<{ data: Line[] }>(`/v3/pipeline/${pipeline}/explain?batch_id=${batch}`)
  return data.map(({ summary, pipeline: { steps } }) => {
    const { delivery } = steps.find(({ node_id: id }) => id === sinks[sink]) ?? {}
    return `${JSON.stringify(delivery)} ${summary}`
  })
}

function linesIn(requests: readonly TakenRequest[]): string[] {
  return requests.flatMap(({ body }) =>
    body
      .toString()
      .trimEnd()
      .split('\n')
      .map(text => (JSON.parse(text) as { readonly line: string }).line),
  )
}

interface Deliveries {
  readonly state: string
  readonly handed_over: number
  readonly delivered: number
  readonly given_up: number
  readonly waiting: number
  readonly last_trouble: { readonly status: number; readonly message: string } | null
}

async function deliveriesOf(sink: number): Promise<Deliveries> {
  const path = `/v3/pipeline/${pipeline}/sink/${sinks[sink]}/delivery`
  return (await weir.get<{ data: Deliveries }>(path)).data
}

const keyOf = ({ headers }: TakenRequest) => headers['idempotency-key']

/** Waits until a receiver has accepted that many lines. */
function accepted(receiver: ListeningReceiver, lines: number): Promise<string[]> {
  return eventually(
    async () => linesIn(receiver.accepted),
    found => found.length >= lines,
  )
}

test('lines arrive once, in order', async () => {
  for (let request = 0; request < 3; request++) await send(700)
  expect(await accepted(living, sent.length)).toEqual(sent)
  expect(await accepted(failing, sent.length)).toEqual(sent)
  const [first] = living.requests
  expect(first).toMatchObject({ method: 'POST', path: '/in' })
  expect(first?.headers['content-type']).toBe('application/x-ndjson')
  expect(new Set(living.requests.map(keyOf)).size).toBe(living.requests.length)
})

test('a receiver that is away delays neither others nor the own store, and receives everything later', async () => {
  failing.answer = () => ({ status: 503 })
  const batch = await send(200)
  await failing.close()
  await send(200)
  expect(await accepted(living, sent.length)).toEqual(sent)
  const stored = await eventually(
    () => countedLines(weir),
    lines => lines === count,
  )
  expect(stored).toBe(count)
  expect(await deliveriesOf(0)).toMatchObject({ state: 'retrying', waiting: 400, given_up: 0 })
  expect((await explained(batch, 0))[0]).toMatch(/"state":"waiting","batch_id".*, where it waits in batch /)
  expect(failing.accepted).toEqual([])
  failing.answer = () => ({ status: 200 })
  await failing.listen()
  expect(await accepted(failing, sent.length)).toEqual(sent)
  const line = await eventually(
    async () => (await explained(batch, 0))[0],
    text => text?.includes('"delivered"') === true,
  )
  const id = failing.accepted[0]?.headers['idempotency-key']
  expect(line).toContain(`{"state":"delivered","batch_id":"${id}"`)
})

test('a refused batch becomes dead letters, and the next is sent', async () => {
  failing.answer = ({ body }) => ({ status: body.includes(sent[0] as string) ? 400 : 200, body: 'bad line' })
  const batch = await send(3)
  const url = `/v3/pipeline/${pipeline}/dead-letter`
  const { data } = await eventually(
    () => weir.get<{ data: { code: string; event: { message: { line: string } } }[] }>(url),
    page => page.data.length >= 3,
  )
  expect(data.map(({ code, event }) => [code, event.message.line])).toEqual(
    expect.arrayContaining(sent.map(line => ['E_DELIVERY_FAILED', line])),
  )
  const found = await eventually(
    () => weir.get<{ data: object[] }>(`/v3/pipeline/${pipeline}/error?node_id=${sinks[0]}`),
    page => page.data.length > 0,
  )
  expect(found.data).toMatchObject([
    {
      ...{ node_kind: 'destination', code: 'E_DELIVERY_FAILED', level: 'error', count: 3 },
      message: 'The server answered 400: bad line',
      captured: expect.stringContaining(sent[0] as string),
    },
  ])
  for (const line of await explained(batch, 0)) {
    expect(line).toMatch(/"state":"given_up".*"attempts":1.*"code":"E_DELIVERY_FAILED".*"status":400/)
    expect(line).toMatch(/given up with batch .*: E_DELIVERY_FAILED: The server answered 400/)
  }
  const shown = await runWeir(['explain', pipeline, '--batch-id', batch], weir.environment)
  expect(shown.out).toMatch(/given up in batch \S+ at \S+: E_DELIVERY_FAILED: The server answered 400/)
  await send(2)
  expect(await accepted(failing, 2)).toEqual(sent.slice(3))
  const deliveries = await eventually(
    () => deliveriesOf(0),
    ({ waiting }) => waiting === 0,
  )
  expect(deliveries).toMatchObject({
    ...{ state: 'delivering', handed_over: count, delivered: count - 3, given_up: 3 },
    last_trouble: { status: 400, message: 'The server answered 400' },
  })
})

test('after a kill nothing is missing, and what is repeated are whole batches with their keys', async () => {
  let answers = 0
  failing.answer = () => (++answers % 3 === 0 ? null : { status: 200 })
  await send(1_500)
  await eventually(
    async () => failing.requests.length,
    requests => requests > 0,
  )
  await weir.end('SIGKILL')
  await weir.start()
  failing.answer = () => ({ status: 200 })
  for (const receiver of [failing, living]) {
    await eventually(
      async () => new Set(linesIn(receiver.accepted)).size,
      lines => lines === sent.length,
    )
    const bodies = Map.groupBy(receiver.requests, keyOf)
    for (const repeats of bodies.values())
      expect(new Set(repeats.map(({ body }) => body.toString())).size).toBe(1)
    const once = [...Map.groupBy(receiver.accepted, keyOf).values()].map(([first]) => first as TakenRequest)
    expect(linesIn(once)).toEqual(sent)
  }
  const verified = await runWeir(['verify'], weir.environment)
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('Deliveries add up: ')])
})

test('lines reach another installation, each once, also after a kill', async () => {
  const other = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
  try {
    const { ingestUrl: mezmo_host, ingestionKey: ingestion_key } = other.credentials
    const relay = await weir.create('/v3/pipeline', { title: 'to another installation' })
    const source = await weir.create(`/v3/pipeline/${relay}/source`, { type: 'log-analysis-ingestion' })
    const user_config = { mezmo_host, ingestion_key }
    await weir.create(`/v3/pipeline/${relay}/sink`, { type: 'mezmo', inputs: [source], user_config })
    await weir.send('POST', `/v3/pipeline/${relay}/publish`, {})
    for (let request = 0; request < 3; request++) await send(700)
    await weir.end('SIGKILL')
    await weir.start()
    await send(1)
    const reached = await eventually(
      () => countedLines(other),
      lines => lines >= sent.length,
    )
    expect(reached).toBe(sent.length)
  } finally {
    await other.dispose()
  }
})

test('a replayed dead letter has the id with which its event was sent, so a search server stores it once', async () => {
  const server = await ListeningReceiver.open()
  const documents = new Map<string, JsonValue>()
  const [strict] = ELASTICSEARCH_CASES as [DestinationCase]
  let isSick = true
  server.answer = ({ method, path, headers, body }) => {
    const request = { method, url: new URL(path, server.url).href, headers: headers as never }
    const found = strict.receive({ ...request, body: gunzipSync(body) }) as [string, string, JsonObject][]
    const items = found.map(([id, , document]) => {
      const isKnown = documents.has(id)
      documents.set(id, document)
      // It has stored the document, and yet reports a failure.
      if (isSick) return { create: { status: 400, error: { type: 'sick', reason: 'a bad moment' } } }
      return { create: { status: isKnown ? 409 : 201 } }
    })
    return { status: 200, body: JSON.stringify({ errors: true, items }) }
  }
  try {
    const search = await weir.create('/v3/pipeline', { title: 'to a search server' })
    const source = await weir.create(`/v3/pipeline/${search}/source`, { type: 'log-analysis-ingestion' })
    const user_config = { ...strict.at?.(new URL(server.url).origin), index: 'logs' }
    const sink = await weir.create(`/v3/pipeline/${search}/sink`, {
      ...{ type: 'elasticsearch', inputs: [source], user_config },
    })
    await weir.send('POST', `/v3/pipeline/${search}/publish`, {})
    const url = `/v3/pipeline/${search}/dead-letter`
    await weir.send('PUT', url, { enabled: true })
    await send(3)
    await eventually(
      () => weir.get<{ data: object[] }>(url),
      page => page.data.length === 3,
    )
    isSick = false
    await weir.send('POST', `${url}/replay`, {})
    const path = `/v3/pipeline/${search}/sink/${sink}/delivery`
    const { data } = await eventually(
      () => weir.get<{ data: Deliveries }>(path),
      page => page.data.delivered === 3,
    )
    expect(data).toMatchObject({ handed_over: 6, delivered: 3, given_up: 3 })
    expect(server.requests).toHaveLength(2)
    expect([...documents.values()].map(document => (document as { line?: string }).line)).toEqual(sent)
  } finally {
    await server.close()
  }
})

test('without acknowledgement, lines count as delivered when they are sent, and a refusal is an error alone', async () => {
  const server = await ListeningReceiver.open()
  server.answer = () => ({ status: 400, body: 'no' })
  try {
    const unsure = await weir.create('/v3/pipeline', { title: 'without acknowledgement' })
    const source = await weir.create(`/v3/pipeline/${unsure}/source`, { type: 'log-analysis-ingestion' })
    const user_config = { uri: server.url, encoding: 'ndjson', ack_enabled: false }
    const sink = await weir.create(`/v3/pipeline/${unsure}/sink`, {
      ...{ type: 'http', inputs: [source], user_config },
    })
    await weir.send('POST', `/v3/pipeline/${unsure}/publish`, {})
    await weir.send('PUT', `/v3/pipeline/${unsure}/dead-letter`, { enabled: true })
    await send(3)
    const { data } = await eventually(
      () => weir.get<{ data: { count: number; message: string }[] }>(`/v3/pipeline/${unsure}/error`),
      page => page.data.length > 0,
    )
    expect(data).toMatchObject([
      { code: 'E_DELIVERY_FAILED', count: 3, message: 'The server answered 400: no' },
    ])
    const path = `/v3/pipeline/${unsure}/sink/${sink}/delivery`
    expect((await weir.get<{ data: Deliveries }>(path)).data).toMatchObject({ delivered: 3, given_up: 0 })
    const letters = await weir.get<{ data: object[] }>(`/v3/pipeline/${unsure}/dead-letter`)
    expect(letters.data).toEqual([])
  } finally {
    await server.close()
  }
})
