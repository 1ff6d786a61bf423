import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** The number of events before which the program is killed, within each ten of them. */
const KILLED_AT = 4
const EVENTS = 30

/** One installation for all tests: each stores lines of an app of its own. */
let weir: RunningWeir
let ingestUrl: string

beforeAll(async () => {
  const [port, ingestPort] = [await freePort(), await freePort()]
  weir = await RunningWeir.start({ WEIR_PORT: String(port), WEIR_INGEST_PORT: String(ingestPort) })
  ingestUrl = `http://127.0.0.1:${ingestPort}`
})

afterAll(() => weir.dispose())

/** route → drop events that are not granted → own store, as lines of an app */
async function deploy(app: string, route?: string): Promise<{ pipeline: string; source: string }> {
  const pipeline = await weir.create('/v3/pipeline', { title: 'doors' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, {
    type: 'http',
    user_config: { decoding: 'json' },
    ...(route && { gateway_route_id: route }),
  })
  const filter = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: {
      action: 'drop',
      conditional: { expressions: [{ field: '.granted', str_operator: 'equal', value: 'no' }] },
    },
  })
  await weir.create(`/v3/pipeline/${pipeline}/sink`, {
    type: 'mezmo',
    inputs: [filter],
    user_config: {
      message: { scheme: 'Explicit field selection', app },
      query: { hostname: '{{ .door }}' },
    },
  })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  return { pipeline, source }
}

async function accessKey(route: string): Promise<string> {
  const path = `/v3/pipeline/gateway-route/${route}/access-key`
  const body = { title: 'gate', type: 'generated', gateway_route_id: route }
  return (await weir.send<{ data: { key: string } }>('POST', path, body)).data.key
}

function push(route: string, key: string, events: readonly object[], compressed = false): Promise<Response> {
  const body = JSON.stringify(events)
  return fetch(`${ingestUrl}/v1/${route}?site=oslo`, {
    method: 'POST',
    headers: { authorization: key, ...(compressed && { 'content-encoding': 'gzip' }) },
    body: compressed ? gzipSync(body) : body,
  })
}

/** Texts of the stored lines of an app, once there are this many. */
async function stored(app: string, count: number): Promise<Record<string, unknown>[]> {
  const lines = await eventually(
    () => exportedLines(weir, { apps: app }),
    found => found.length >= count,
  )
  return lines.map(line => JSON.parse(line._line) as Record<string, unknown>)
}

test('two pipelines share a route, and data is received once and counted at the source of each', async () => {
  const route = await weir.create('/v3/pipeline/gateway-route', { title: 'doors', type: 'http' })
  const first = await deploy('shared', route)
  const second = await deploy('shared', route)
  const key = await accessKey(route)
  expect(
    (
      await push(route, key, [
        { door: 'a', number: 1 },
        { door: 'b', number: 2 },
      ])
    ).status,
  ).toBe(200)
  expect((await stored('shared', 4)).map(each => each.number).toSorted()).toEqual([1, 1, 2, 2])
  const metrics = await (await fetch(`${weir.credentials.apiUrl}/metrics`)).text()
  for (const { pipeline, source } of [first, second])
    expect(metrics).toContain(
      `weir_node_events_total{pipeline="${pipeline}",node="${source}",outcome="in"} 2`,
    )
  expect(metrics).toContain('weir_push_events_total 2')
  expect(metrics).toContain('weir_http_requests_total{method="POST",route="/v1/:routeId",status="200"} 1')
})

test('acknowledged events are found once, with kill -9 in between, and during a pause senders keep their data', async () => {
  const { pipeline, source: route } = await deploy('doors')
  const key = await accessKey(route)
  const accepted: number[] = []
  let number = 0
  const sendOne = async () => {
    const events = [
      { door: 'north', number, granted: 'yes' },
      { door: 'south', number, granted: 'no' },
    ]
    const response = await push(route, key, events, number % 2 === 0).catch(() => undefined)
    if (response?.status !== 200) return response
    expect(await response.json()).toEqual({ status: 'ok' })
    accepted.push(number)
    return response
  }
  for (; number < EVENTS; number++) {
    expect((await sendOne())?.status, `event ${number}`).toBe(200)
    if (number % 10 !== KILLED_AT) continue
    await weir.end('SIGKILL')
    await weir.start()
    // The worker has to know its pipelines again; until then senders wait.
    await eventually(
      async () => (await push(route, key, [])).status,
      status => status === 200,
    )
  }

  await weir.send('POST', `/v3/pipeline/${pipeline}/pause`, {})
  const paused = await sendOne()
  expect([paused?.status, Number(paused?.headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await paused?.json()).toMatchObject({ status: 'error', code: 'ERR_BUSY' })
  await weir.send('POST', `/v3/pipeline/${pipeline}/resume`, {})
  expect((await sendOne())?.status).toBe(200)

  const found = await stored('doors', accepted.length)
  expect(found.map(each => each.number).toSorted((a, b) => Number(a) - Number(b))).toEqual(accepted)
  expect(found.every(each => each.granted === 'yes')).toBe(true)
  const lines = await exportedLines(weir, { query: 'number:7', apps: 'doors' })
  expect(lines.map(({ _host, _app }) => [_host, _app])).toEqual([['north', 'doors']])
})

test('an event can be explained, and a failed event can be replayed', async () => {
  const { pipeline, source: route } = await deploy('explained')
  const key = await accessKey(route)
  const url = `/v3/pipeline/${pipeline}`
  await weir.send('PUT', `${url}/dead-letter`, { enabled: true })
  const nowhere = { number: 2, granted: 'yes' }
  expect((await push(route, key, [{ door: 'north', number: 1, granted: 'yes' }, nowhere])).status).toBe(200)
  expect(await stored('explained', 1)).toEqual([{ number: 1, granted: 'yes' }])

  const [line] = await exportedLines(weir, { apps: 'explained' })
  const explained = await weir.get<{ data: { event: object; summary: string }[] }>(
    `${url}/explain?line_id=${line?._id}`,
  )
  expect(explained.data).toMatchObject([
    {
      event: {
        message: { door: 'north', number: 1, granted: 'yes' },
        metadata: { query: { site: 'oslo' }, headers: { 'x-forwarded-for': '127.0.0.1' } },
      },
      summary: expect.stringContaining('stored once'),
    },
  ])

  const letters = await eventually(
    () => weir.get<{ data: { id: string; event: object }[] }>(`${url}/dead-letter`),
    ({ data }) => data.length > 0,
  )
  expect(letters.data).toMatchObject([{ event: { message: nowhere, metadata: { query: { site: 'oslo' } } } }])
  const { data: nodes } = await weir.get<{ data: { id: string; inputs: string[] }[] }>(`${url}/sink`)
  const [sink] = nodes
  await weir.send('PUT', `${url}/sink/${sink?.id}`, {
    inputs: sink?.inputs,
    user_config: { message: { scheme: 'Explicit field selection', app: 'explained' } },
  })
  await weir.send('POST', `${url}/publish`, {})
  const replayed = await weir.send<{ data: object }>('POST', `${url}/dead-letter/replay`, {})
  expect(replayed.data).toMatchObject({ replayed: 1 })
  expect(await stored('explained', 2)).toContainEqual(nowhere)

  const simulated = await weir.send<{ data: { nodes: { kind: string; events_in: number }[] } }>(
    'POST',
    `${url}/simulate`,
    { samples: [{ door: 'a', granted: 'no' }, { door: 'b' }] },
  )
  expect(simulated.data.nodes.map(({ kind, events_in: count }) => [kind, count])).toEqual([
    ['source', 2],
    ['transform', 2],
    ['sink', 1],
  ])
  await weir.end('SIGTERM')
  expect(await runWeir(['verify'], weir.environment)).toMatchObject({ code: 0 })
})
