import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { type Deployment, deployments, spreads } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { Event } from '../../engine/event/event.ts'
import { LineBatchView as Batch, type LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { LogError, type LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { cutsOf } from '../../engine/worker/cuts-on-the-log.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import {
  changeAccount,
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'
import { parcels } from '../../test/support/toy-nodes.ts'
import { GatewayRouteStates } from './gateway-route-states.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'

let installation: TestInstallation
let pipeline: string
let route: string
let key: string

beforeEach(async () => {
  installation = await testInstallation()
  ;({ pipeline, route } = await deployed({}))
  key = await newKey(route)
})

afterEach(() => installation.app.close())

async function created(url: string, payload: object): Promise<Record<string, string>> {
  const response = await installation.call({ method: 'POST', url, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data
}

/** A published pipeline that reads a route. */
async function deployed(
  config: object,
  shared?: string,
  type = 'http',
): Promise<{ pipeline: string; source: string; route: string }> {
  const { id } = await created('/v3/pipeline', { title: 'doors' })
  const source = await created(`/v3/pipeline/${id}/source`, {
    type,
    user_config: config,
    ...(shared && { gateway_route_id: shared }),
  })
  await created(`/v3/pipeline/${id}/sink`, { type: 'mezmo', inputs: [source.id] })
  await created(`/v3/pipeline/${id}/publish`, {})
  return { pipeline: id as string, source: source.id as string, route: source.gateway_route_id as string }
}

async function newKey(of: string): Promise<string> {
  const url = `/v3/pipeline/gateway-route/${of}/access-key`
  return (await created(url, { title: 'k', type: 'generated' })).key as string
}

function push(
  payload: string | Buffer | undefined,
  headers: Record<string, string> = {},
  options: InjectOptions = {},
): Promise<LightMyRequestResponse> {
  return installation.app.inject({
    method: 'POST',
    url: `/v1/${route}`,
    headers: { authorization: key, ...headers },
    ...(payload !== undefined && { payload }),
    ...options,
  })
}

async function records(): Promise<LogRecord[]> {
  const { ingest } = installation.ports.replay
  const found: LogRecord[] = []
  for (let partition = 0; partition < ingest.partitions; partition++)
    found.push(...(await ingest.read(partition, 0n, Number.MAX_SAFE_INTEGER)))
  return found
}

async function batches(): Promise<LineBatchView[]> {
  return (await records()).map(({ value }) => Batch.decode(value))
}

async function events(): Promise<Event[]> {
  return (await batches()).flatMap(batch =>
    Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index)),
  )
}

const messages = async () => (await events()).map(({ message }) => message)

async function expectRefused(
  response: Promise<LightMyRequestResponse>,
  status: number,
  code: string,
): Promise<LightMyRequestResponse> {
  const { statusCode, body } = await response
  expect([statusCode, JSON.parse(body)]).toEqual([
    status,
    { status: 'error', code, error: expect.stringMatching(/\w/) },
  ])
  expect(await batches()).toEqual([])
  return response
}

test('a damaged body whose content type is JSON is refused, and one without a content type is text', async () => {
  expect((await push('{"door":1}\n{"door":2}', { 'content-type': 'application/json' })).statusCode).toBe(200)
  expect((await push('{"door":3}', { 'content-type': 'application/json' })).statusCode).toBe(200)
  expect((await push('door=4', { 'content-type': 'application/jsonl' })).statusCode).toBe(200)
  expect((await push('{"door":5')).statusCode).toBe(200)
  const expected = [{ door: 1 }, { door: 2 }, { door: 3 }, 'door=4', '{"door":5']
  expect(await messages()).toEqual(expect.arrayContaining(expected))
  expect(await messages()).toHaveLength(expected.length)
  for (const type of ['application/json', 'Application/JSON; charset=utf-8']) {
    const { statusCode, body } = await push('[{"door":1},{"do', { 'content-type': type })
    const error = expect.stringContaining('neither one JSON text nor one on each line')
    expect([statusCode, JSON.parse(body)]).toEqual([
      400,
      { status: 'error', code: 'E_EVENT_NOT_JSON', error },
    ])
  }
})

test('JSON that is nested too deeply is refused with the bound, and stored as text if it is not said to be JSON', async () => {
  const deep = '['.repeat(5_000) + ']'.repeat(5_000)
  const { statusCode, body } = await push(deep, { 'content-type': 'application/json' })
  const error = 'The body is nested more than 200 levels deep'
  expect([statusCode, JSON.parse(body)]).toEqual([400, { status: 'error', code: 'E_EVENT_NOT_JSON', error }])
  expect((await push(deep)).statusCode).toBe(200)
  expect(await messages()).toContain(deep)
})

test('accepted events are on the log, in order, under the route, with the metadata of their request', async () => {
  const { clock, credentials } = installation
  const response = await push(
    '[{"door":"north-2"},"b",null]',
    { 'x-b': 'two', 'X-A': 'one', cookie: 'c', apikey: 'k', 'proxy-authorization': 'p' },
    { url: `/v1/${route}/some/where?site=oslo&tag=a&tag=b&apikey=s&token=t&access_key=u&__proto__=p` },
  )
  expect([response.statusCode, response.body]).toEqual([200, '{"status":"ok"}'])
  const [batch] = await batches()
  expect([batch?.account, batch?.entrance]).toEqual([credentials.accountId, route])
  const [first, second, third] = await events()
  expect([first?.message, second?.message, third?.message]).toEqual([{ door: 'north-2' }, 'b', null])
  expect(first?.timestampMs).toBe(clock.wallMs())
  const { headers, query } = (first as Event).metadata as Record<string, Record<string, unknown>>
  expect(Object.entries(query as object)).toEqual([
    ['site', 'oslo'],
    ['tag', ['a', 'b']],
    ['__proto__', 'p'],
  ])
  expect(headers).toEqual({
    'x-b': 'two',
    'x-a': 'one',
    'content-length': '29',
    host: 'localhost:80',
    'user-agent': 'lightMyRequest',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-path': '/some/where',
  })
  expect(second?.metadata).toBe(first?.metadata)
})

test('the address from a proxy is used as far as the proxy is trusted', async () => {
  await push('[1]', { 'x-forwarded-for': '192.0.2.7' })
  const [event] = await events()
  expect(event?.metadata).toMatchObject({ headers: { 'x-forwarded-for': '192.0.2.7' } })
})

test('PUT does the same, and an empty body or list is accepted without effect', async () => {
  for (const payload of [undefined, '', ' \n', '[]'])
    expect((await push(payload)).statusCode, JSON.stringify(payload)).toBe(200)
  expect(await batches()).toEqual([])
  expect((await push('{"a":1}', {}, { method: 'PUT' })).statusCode).toBe(200)
  expect(await messages()).toEqual([{ a: 1 }])
})

test('other methods are refused', async () => {
  for (const method of ['GET', 'PATCH', 'DELETE', 'OPTIONS'] as const)
    for (const url of [`/v1/${route}`, `/v1/${route}/services/x`]) {
      const response = await expectRefused(
        push(undefined, {}, { method, url }),
        405,
        'ERR_METHOD_NOT_ALLOWED',
      )
      expect(response.headers.allow).toBe('POST, PUT')
    }
  const head = await push(undefined, {}, { method: 'HEAD' })
  expect([head.statusCode, head.body]).toEqual([405, ''])
})

describe('credentials', () => {
  test.each<[string, () => Record<string, string>]>([
    ['the key alone', () => ({ authorization: key })],
    ['a bearer', () => ({ authorization: `Bearer ${key}` })],
    ['the header apikey', () => ({ apikey: key })],
  ])('%s can carry the key', async (_name, headers) => {
    const { app } = installation
    const response = await app.inject({
      method: 'POST',
      url: `/v1/${route}`,
      headers: headers(),
      payload: '1',
    })
    expect(response.statusCode).toBe(200)
    expect(response.headers['x-auth-account-short-id']).toBe(installation.credentials.accountId)
  })

  test('no key, a wrong one, one of another route, of the account or of a closed account: 401', async () => {
    const other = await deployed({})
    const wrong = [
      '',
      'wrong',
      `Basic ${key}`,
      await newKey(other.route),
      installation.credentials.ingestionKey,
      installation.credentials.accessToken,
    ]
    for (const authorization of wrong)
      await expectRefused(push('[1]', { authorization }), 401, 'ERR_UNAUTHORIZED')
    await changeAccount(installation, { status: 'deactivated' })
    await expectRefused(push('[1]'), 401, 'ERR_UNAUTHORIZED')
  })

  test('an unknown address is 404 with any key', async () => {
    for (const authorization of ['', key])
      await expectRefused(push('[1]', { authorization }, { url: `/v1/${NOWHERE}/x` }), 404, 'ERR_NOT_FOUND')
  })

  test('the other addresses below /v1 are unchanged', async () => {
    const { app } = installation
    for (const url of ['/v1/config', '/v1/nothing', `/v1/${route.slice(1)}`, `/v1/${route}0`]) {
      const stranger = await app.inject({ method: 'POST', url, payload: {} })
      expect([url, stranger.statusCode, stranger.json().code]).toEqual([url, 401, 'NotAuthorized'])
      const caller = await installation.call({ method: 'GET', url })
      expect([url, caller.statusCode, caller.json().code]).toEqual([url, 404, 'NotFound'])
    }
  })

  test('a deleted key is invalid from then on, and the others stay valid', async () => {
    const second = await newKey(route)
    const url = `/v3/pipeline/gateway-route/${route}/access-key`
    const [first] = (await installation.call({ url })).json().data
    await installation.call({ method: 'DELETE', url: `${url}/${first.id}` })
    await expectRefused(push('[1]'), 401, 'ERR_UNAUTHORIZED')
    expect((await push('[1]', { authorization: second })).statusCode).toBe(200)
  })

  test('while ingestion of the account is suspended nothing is accepted', async () => {
    await changeAccount(installation, { ingestionSuspended: true })
    await expectRefused(push('[1]'), 403, 'ERR_FORBIDDEN')
  })

  test('a key has the same limit of requests as a key of the account', async () => {
    const ingest = { perSecond: 1, burst: 2 }
    const own = installation
    installation = await testInstallation({ settings: { ...TEST_SETTINGS, limits: { ingest } } })
    await own.app.close()
    ;({ route } = await deployed({}))
    key = await newKey(route)
    const answers = [await push('1'), await push('2'), await push('3')]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429])
    expect(answers[2]?.json().code).toBe('ERR_TOO_MANY_REQUESTS')
    expect(answers[2]?.headers['retry-after']).toBe('1')
  })
})

describe('a source with places, paths and answers of its own', () => {
  beforeEach(async () => {
    await installation.app.close()
    installation = await testInstallation({ catalogue: catalogueWith({ sources: [parcels] }) })
    ;({ route } = await deployed({}, undefined, 'parcels'))
    key = await newKey(route)
  })

  const basic = (user: string) => `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`
  /** A request with a key in the given place alone. */
  const parcel = (payload: string, headers: Record<string, string>, query = '') =>
    push(payload, headers, { url: `/v1/${route}/north${query}`, headers })

  test.each<[string, () => [headers: Record<string, string>, query?: string]]>([
    ['a header of its own', () => [{ 'x-depot-key': key }]],
    ['the password of basic authentication', () => [{ authorization: basic('any') }]],
    ['a scheme of its own', () => [{ authorization: `DEPOT  ${key}` }]],
    ['a parameter of the query', () => [{}, `?depot_key=${key}`]],
    ['the second place, if the first is empty', () => [{ 'x-depot-key': ' ', authorization: basic('') }]],
  ])('%s can carry the key, which neither source nor event receives', async (_name, given) => {
    const [headers, query = '?'] = given()
    const response = await parcel('5', { ...headers, 'x-b': 'two', 'content-type': 'text/x' }, `${query}&a=1`)
    expect([response.statusCode, response.headers['content-type'], response.body]).toEqual([
      202,
      'text/plain',
      'taken /north',
    ])
    const [event] = await events()
    expect(event?.message).toMatchObject({
      parcel: 5,
      path: '/north',
      query: { a: '1' },
      headers: { 'x-b': 'two', 'content-type': 'text/x' },
    })
    const [record] = await records()
    expect(record?.value.includes(key)).toBe(false)
    expect(record?.value.includes(Buffer.from(key).toString('base64').slice(4, -4))).toBe(false)
  })

  test('no key, a wrong one and one in a common place are refused in its form', async () => {
    for (const [headers, status] of [
      [{}, 401],
      [{ 'x-depot-key': 'wrong' }, 403],
      [{ authorization: 'Basic wrong' }, 403],
      [{ authorization: key }, 401],
      [{ apikey: key }, 401],
    ] as const) {
      const response = await parcel('5', headers)
      expect([response.statusCode, response.json()]).toEqual([
        status,
        { fault: 'ERR_UNAUTHORIZED', at: null, path: '/north' },
      ])
    }
    expect(await batches()).toEqual([])
  })

  test('bodies that it refuses, and failures before them, are answered in its form', async () => {
    const refused = await parcel('kg=3', { 'x-depot-key': key })
    expect([refused.statusCode, refused.json()]).toEqual([
      400,
      { fault: 'E_EVENT_NOT_JSON', at: '1', path: '/north' },
    ])
    const large = await parcel('5'.repeat(TEST_SETTINGS.bodyLimitBytes + 1), { 'x-depot-key': key })
    expect([large.statusCode, large.json().fault]).toEqual([413, 'ERR_PAYLOAD_TOO_LARGE'])
    await created(`/v3/pipeline/${(await onlyPipeline()).id}/pause`, {})
    const paused = await parcel('5', { 'x-depot-key': key })
    expect([paused.statusCode, paused.headers['retry-after'], paused.json().fault]).toEqual([
      503,
      '10',
      'ERR_BUSY',
    ])
  })

  async function onlyPipeline(): Promise<{ readonly id: string }> {
    return (await installation.call({ url: '/v3/pipeline' })).json().data[0]
  }
})

test('a key in the place of a protocol is found before its source runs: the route is not read', async () => {
  const { id } = await created('/v3/pipeline/gateway-route', { title: 'r', type: 'kinesis-firehose' })
  route = id as string
  const headers = { 'x-amz-firehose-access-key': await newKey(route) }
  await expectRefused(push('{}', {}, { headers }), 409, 'ERR_NOT_DEPLOYED')
  await expectRefused(
    push('{}', {}, { headers: { 'x-amz-firehose-access-key': 'wrong' } }),
    401,
    'ERR_UNAUTHORIZED',
  )
})

describe('accepted bodies', () => {
  test('are decoded, the last coding first', async () => {
    const compressed: [string, Buffer][] = [
      ['gzip', gzipSync('1')],
      ['x-gzip', gzipSync('2')],
      ['deflate', deflateSync('3')],
      ['Deflate', deflateRawSync('4')],
      ['zstd', zstdCompressSync('5')],
      ['snappy', Buffer.from([1, 0, 0x36])],
      ['gzip, identity, zstd', zstdCompressSync(gzipSync('7'))],
    ]
    for (const [coding, payload] of compressed)
      expect((await push(payload, { 'content-encoding': coding })).statusCode, coding).toBe(200)
    expect(await messages()).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('with an unknown coding are 415, and damaged data is 400', async () => {
    await expectRefused(push('1', { 'content-encoding': 'br' }), 415, 'ERR_UNSUPPORTED_ENCODING')
    await expectRefused(
      push('1', { 'content-encoding': 'gzip,gzip,gzip,gzip,gzip' }),
      415,
      'ERR_UNSUPPORTED_ENCODING',
    )
    for (const coding of ['gzip', 'deflate', 'zstd', 'snappy'])
      await expectRefused(push('[1]', { 'content-encoding': coding }), 400, 'ERR_BAD_REQUEST')
  })

  test('can have 2 MiB, and ten times as much unpacked', async () => {
    const limit = TEST_SETTINGS.bodyLimitBytes
    const text = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`
    await expectRefused(push(text(limit + 1)), 413, 'ERR_PAYLOAD_TOO_LARGE')
    const lines = (bytes: number) => `${text(1_000)}\n`.repeat(bytes / 1_001).padEnd(bytes)
    for (const coding of ['gzip', 'zstd'] as const) {
      const compress = coding === 'gzip' ? gzipSync : zstdCompressSync
      const over = compress(lines(10 * limit + 1))
      await expectRefused(push(over, { 'content-encoding': coding }), 413, 'ERR_PAYLOAD_TOO_LARGE')
    }
    // Its length is written at its beginning.
    const claims = Buffer.from([0xff, 0xff, 0xff, 0x0f, 0])
    await expectRefused(push(claims, { 'content-encoding': 'snappy' }), 413, 'ERR_PAYLOAD_TOO_LARGE')
    expect((await push(text(limit))).statusCode).toBe(200)
    const most = gzipSync(lines(10 * limit))
    expect((await push(most, { 'content-encoding': 'gzip' })).statusCode).toBe(200)
    expect(await events()).toHaveLength(1 + Math.floor((10 * limit) / 1_001))
    // More events than fit into one record of the log.
    expect((await batches()).length).toBeGreaterThan(10)
  })

  test('with an event of very many members are 413, and the sentence says what they count', async () => {
    const wide = (members: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, 0])))
    const most = 1_000 + Math.floor(TEST_SETTINGS.bodyLimitBytes / 512)
    await expectRefused(push(wide(1_000 + TEST_SETTINGS.bodyLimitBytes / 256)), 413, 'ERR_PAYLOAD_TOO_LARGE')
    const { error } = (await push(wide(100_000))).json()
    expect(error).toContain(
      'beyond the first 1000 members, arrays and objects of an event, each counts 256 bytes',
    )
    expect((await push(wide(most))).statusCode).toBe(200)
  })

  test('that are small and unpack to a million tiny events are 413, compressed or not', async () => {
    for (const event of ['{}', '""', '0', 'null'])
      for (const body of [`[${Array(1_000_000).fill(event).join(',')}]`, `${event}\n`.repeat(690_000)]) {
        const compressed = { 'content-encoding': 'gzip' }
        await expectRefused(push(gzipSync(body), compressed), 413, 'ERR_PAYLOAD_TOO_LARGE')
        const plain = body
          .slice(0, TEST_SETTINGS.bodyLimitBytes - 8)
          .replace(/[,\n]?[^,\n]*$/, body.startsWith('[') ? ']' : '')
        await expectRefused(push(plain), 413, 'ERR_PAYLOAD_TOO_LARGE')
      }
    expect(await events()).toEqual([])
  })

  test.each([
    ['an array', (events: string[]) => `[${events.join(',')}]`],
    ['lines', (events: string[]) => events.join('\n')],
  ])('that are long no longer make others wait: %s', async (_form, body) => {
    let looks = 0
    vi.spyOn(installation.clock, 'monotonicMs').mockImplementation(() => looks++)
    const answered: string[] = []
    const note = (name: string) => (response: LightMyRequestResponse) => {
      expect(response.statusCode).toBe(200)
      answered.push(name)
    }
    const many = Array.from({ length: 40_000 }, (_, index) => `{"a":${index}}`)
    const long = push(body(many)).then(note('long'))
    await Promise.all([long, push('"short"').then(note('short'))])
    expect(answered).toEqual(['short', 'long'])
    const all = await messages()
    expect([all.length, all[0], all[1], all.at(-1)]).toEqual([40_001, 'short', { a: 0 }, { a: 39_999 }])
  })

  test('are cut into records in turns, too', async () => {
    let looks = 0
    vi.spyOn(installation.clock, 'monotonicMs').mockImplementation(() => looks++)
    const body = `[${'1,'.repeat(150_000)}1]`
    const [decodingSteps, cuttingSteps] = [body.length / 16_384, 150_000 / 4_096]
    expect((await push(body)).statusCode).toBe(200)
    // Each look at the clock ends a step or begins a turn, and a turn has at most two steps.
    expect(looks).toBeGreaterThan(decodingSteps * 1.5 + cuttingSteps)
  })

  test('of few bytes are many records, which are applied in turns', async () => {
    const body = `[${'1,'.repeat(150_000)}1]`
    const before = (await records()).length
    expect((await push(body)).statusCode).toBe(200)
    expect((await records()).length - before).toBe(16)
  })

  test('whose key is deleted meanwhile are refused', async () => {
    let looks = 0
    vi.spyOn(installation.clock, 'monotonicMs').mockImplementation(() => looks++)
    const long = push(`[${'{"a":1},'.repeat(40_000)}1]`)
    while (looks < 5) await new Promise(setImmediate)
    const { data } = (
      await installation.call({ url: `/v3/pipeline/gateway-route/${route}/access-key` })
    ).json()
    const url = `/v3/pipeline/gateway-route/${route}/access-key/${data[0].id}`
    expect((await installation.call({ method: 'DELETE', url })).statusCode).toBeLessThan(300)
    await expectRefused(long, 401, 'ERR_UNAUTHORIZED')
  })

  test('can be compressed many at a time', async () => {
    const body = gzipSync(JSON.stringify(Array.from({ length: 20_000 }, (_, number) => ({ number }))))
    expect(body.length).toBeGreaterThan(40_000) // a smaller one would be decompressed before the next is read
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => push(body, { 'content-encoding': 'gzip' })),
    )
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })

  test('can contain an event as large as the limit of a body, and no larger', async () => {
    const text = (bytes: number) => gzipSync(`"${'a'.repeat(bytes - 2)}"`)
    const limit = TEST_SETTINGS.bodyLimitBytes
    const compressed = { 'content-encoding': 'gzip' }
    await expectRefused(push(text(limit + 1), compressed), 413, 'ERR_PAYLOAD_TOO_LARGE')
    expect((await push(text(limit), compressed)).statusCode).toBe(200)
  })

  test('are accepted as a whole or not at all', async () => {
    const { route: other } = await deployed({ decoding: 'ndjson' })
    key = await newKey(other)
    route = other
    const body = `{"a":1}\n{"a":2}\nnope ${'x'.repeat(20_000)}`
    const { statusCode, body: answer } = await push(body)
    expect([statusCode, JSON.parse(answer)]).toEqual([
      400,
      {
        status: 'error',
        code: 'E_EVENT_NOT_NDJSON',
        error: 'Line 3 of the body is not one JSON text',
      },
    ])
    const [batch, ...others] = await batches()
    expect([batch?.count, others]).toEqual([1, []])
    const { message, ...refusal } = JSON.parse(batch?.refusalText(0) ?? '')
    expect(refusal).toEqual({ code: 'E_EVENT_NOT_NDJSON', field: '3' })
    expect(message).toMatch(/Line 3/)
    expect(await messages()).toEqual([body.slice(0, 16 * 1024)])
    const metrics = (await installation.app.inject({ url: '/metrics' })).body
    expect(metrics).toContain('weir_push_refused_total{code="E_EVENT_NOT_NDJSON"} 1')
    expect(metrics).toContain('weir_push_events_total 0')
  })

  test('are counted', async () => {
    await push(gzipSync('[1,2]'), { 'content-encoding': 'gzip' })
    const metrics = (await installation.app.inject({ url: '/metrics' })).body
    expect(metrics).toContain('weir_push_events_total 2')
    expect(metrics).toContain('weir_push_bytes_total 5')
    expect(metrics).toContain('weir_http_requests_total{method="POST",route="/v1/:routeId",status="200"} 1')
  })

  test('without capture_metadata have no metadata of the request', async () => {
    ;({ route } = await deployed({ decoding: 'bytes', capture_metadata: false }))
    key = await newKey(route)
    await push('[1]')
    const [event] = await events()
    expect([event?.message, event?.metadata]).toEqual(['[1]', {}])
  })

  test('are 503 if the log accepts nothing', async () => {
    const { ingest } = installation.ports.replay
    ingest.append = async () => {
      throw new LogError('LOG_FULL', 'it is full', { retriable: true })
    }
    const response = await expectRefused(push('[1]'), 503, 'ERR_BUSY')
    expect(response.headers['retry-after']).toBe('10')
  })

  test('of a spread account stay in its home partition', async () => {
    const { accountId } = installation.credentials
    await installation.write(
      create(spreads, accountId, {
        account: accountId,
        enabled: true,
        change: 1,
        spans: [{ fromMs: 0, untilMs: null }],
      }),
    )
    const { ingest } = installation.ports.replay
    const home = partitionOfAccount(accountId, ingest.partitions)
    for (let number = 0; number < 8; number++) await push(String(number), { 'x-number': String(number) })
    const found = await ingest.read(home, 0n, Number.MAX_SAFE_INTEGER)
    expect(found).toHaveLength(8)
  })
})

describe('the readers of a route', () => {
  const pausing = (id: string, call: string) => created(`/v3/pipeline/${id}/${call}`, {})

  test('are missing if no deployed pipeline has it, which is 409, also after its pipeline was deleted', async () => {
    const { id } = await created('/v3/pipeline/gateway-route', { title: 'r', type: 'http' })
    const own = route
    route = id as string
    key = await newKey(route)
    await expectRefused(push('[1]'), 409, 'ERR_NOT_DEPLOYED')
    const { pipeline: other } = await deployed({}, route)
    expect((await push('[]')).statusCode).toBe(200)
    await installation.call({ method: 'DELETE', url: `/v3/pipeline/${other}` })
    await expectRefused(push('[1]'), 409, 'ERR_NOT_DEPLOYED')
    expect(own).not.toBe(route)
  })

  test('are all paused, which is 503 with retry-after', async () => {
    const { pipeline: second } = await deployed({}, route)
    await pausing(pipeline, 'pause')
    expect((await push('[]')).statusCode).toBe(200)
    await pausing(second, 'pause')
    const response = await expectRefused(push('[1]'), 503, 'ERR_BUSY')
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    await pausing(pipeline, 'resume')
    expect((await push('[1]')).statusCode).toBe(200)
  })

  test('are held by one of them, which is 503 for all, until it is resumed or deleted', async () => {
    const { pipeline: second } = await deployed({}, route)
    await pausing(pipeline, 'pause?mode=hold')
    const response = await expectRefused(push('[1]'), 503, 'ERR_BUSY')
    expect(response.headers['retry-after']).toBe('10')
    await pausing(pipeline, 'resume')
    expect((await push('[1]')).statusCode).toBe(200)
    await pausing(second, 'pause?mode=hold')
    expect((await push('[2]')).statusCode).toBe(503)
    await installation.call({ method: 'DELETE', url: `/v3/pipeline/${second}` })
    expect((await push('[3]')).statusCode).toBe(200)
    expect(await messages()).toEqual([1, 3])
  })

  test('drop its events while all of them are paused: these are accepted', async () => {
    await pausing(pipeline, 'pause?mode=drop')
    expect((await push('[1]')).statusCode).toBe(200)
    await pausing(pipeline, 'pause?mode=store')
    expect((await push('[2]')).statusCode).toBe(503)
    expect(await messages()).toEqual([1])
  })

  test('share it in the form of the most recently published source', async () => {
    const { pipeline: second, source } = await deployed({ decoding: 'bytes' }, route)
    await push('[1]')
    await pausing(second, 'pause')
    await push('[2]')
    await pausing(second, 'resume')
    await installation.call({
      method: 'PUT',
      url: `/v3/pipeline/${second}/source/${source}`,
      payload: { user_config: { decoding: 'json' } },
    })
    // It is edited, but not deployed yet.
    await push('[3]')
    await created(`/v3/pipeline/${second}/publish`, {})
    await push('[4]')
    expect(await messages()).toEqual(['[1]', 2, '[3]', 4])
  })

  test('capture metadata if any source that shares it does', async () => {
    const { pipeline: second } = await deployed({ capture_metadata: false }, route)
    await push('[1]')
    await pausing(pipeline, 'pause')
    await push('[2]')
    await pausing(pipeline, 'resume')
    await pausing(second, 'pause')
    await push('[3]')
    const captured = (await events()).map(({ metadata }) => 'headers' in metadata)
    expect(captured).toEqual([true, false, true])
  })

  describe('are the deployed ones, whatever happens to the draft', () => {
    const status = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload = {}) => {
      const { statusCode } = await installation.call({
        method,
        url: `/v3/pipeline${path}`,
        ...(method === 'POST' && { payload }),
      })
      return statusCode
    }
    const routeStatus = () => status('GET', `/gateway-route/${route}`)
    const withoutSource = () => status('DELETE', `/${pipeline}/source/${route}`)

    test('a route stays, with its keys, when its source is deleted and restored', async () => {
      expect(await withoutSource()).toBe(200)
      expect([await routeStatus(), (await push('1')).statusCode]).toEqual([200, 200])
      expect(await status('DELETE', `/gateway-route/${route}`)).toBe(409)
      expect(await status('POST', `/${pipeline}/revision/1/restore`)).toBe(200)
      expect((await push('2')).statusCode).toBe(200)
    })

    test('a route is deleted when the next deployment has no source of it', async () => {
      await withoutSource()
      await created(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion', user_config: {} })
      expect(await status('POST', `/${pipeline}/publish?allow_unconnected_edges=true`)).toBe(200)
      expect([await routeStatus(), (await push('1')).statusCode]).toEqual([404, 404])
    })

    test('a route is deleted with its pipeline, even if the draft lacked it', async () => {
      await withoutSource()
      expect(await status('DELETE', `/${pipeline}`)).toBe(200)
      expect(await routeStatus()).toBe(404)
    })

    test('a route that another draft has joined stays even when nothing deployed reads it', async () => {
      const other = await created('/v3/pipeline', { title: 'other' })
      const joined = { type: 'http', user_config: {}, gateway_route_id: route }
      await created(`/v3/pipeline/${other.id}/source`, joined)
      expect(await status('DELETE', `/${pipeline}`)).toBe(200)
      expect([await routeStatus(), (await push('1')).statusCode]).toEqual([200, 409])
    })
  })

  describe('a deployment that may be unknown to its partition', () => {
    let inEffect: Map<string, number>
    let soughtAtLog: string[]

    beforeEach(async () => {
      await installation.app.close()
      inEffect = new Map()
      soughtAtLog = []
      installation = await testInstallation({
        inEffect: {
          cutVersion: (_account, _kind, entity) => inEffect.get(entity),
          versionOnLog: (_account, _kind, entity) => inEffect.get(entity),
          whenInEffect: async (_account, _kind, entity, version) => {
            soughtAtLog.push(`${entity} ${version}`)
            return false
          },
        },
      })
      ;({ pipeline, route } = await deployed({}))
      key = await newKey(route)
    })

    test('counts when a record has met it, which the process checks', async () => {
      expect(soughtAtLog).toContain(`${pipeline} 1`)
      for (const version of [undefined, 0]) {
        if (version !== undefined) inEffect.set(pipeline, version)
        const response = await expectRefused(push('[1]'), 503, 'ERR_BUSY')
        expect(response.headers['retry-after']).toBe('1')
      }
      inEffect.set(pipeline, 1)
      expect((await push('[1]')).statusCode).toBe(200)
    })

    test('counts after ten seconds without a worker, because this process then appends its cut, once', async () => {
      installation.clock.advance(9_999)
      await expectRefused(push('[1]'), 503, 'ERR_BUSY')
      installation.clock.advance(1)
      for (const body of ['[1]', '[2]']) expect((await push(body)).statusCode).toBe(200)
      const [first, ...others] = await records()
      expect(cutsOf(first as LogRecord)).toMatchObject([{ kind: 'pipeline', entity: pipeline, version: 1 }])
      expect(others.map(({ value }) => Batch.decode(value).entrance)).toEqual([route, route])
    })

    test('does not count while the log accepts nothing', async () => {
      installation.clock.advance(10_000)
      const { ingest } = installation.ports.replay
      const append = ingest.append.bind(ingest)
      ingest.append = () => Promise.reject(new LogError('LOG_UNAVAILABLE', 'away', { retriable: true }))
      await expectRefused(push('[1]'), 503, 'ERR_BUSY')
      ingest.append = append
      expect((await push('[1]')).statusCode).toBe(200)
      expect((await records()).flatMap(cutsOf)).toMatchObject([{ entity: pipeline, version: 1 }])
    })

    test('counts at once if it was there before the process', async () => {
      const { configuration, clock } = installation
      const reported: string[] = []
      const nothing = { cutVersion: () => undefined, whenInEffect: async () => false }
      const inEffect = { ...nothing, versionOnLog: () => undefined }
      const reportDeployment = async (id: string) => void reported.push(id)
      const routes = new GatewayRouteStates({
        catalogue: CATALOGUE,
        configuration,
        clock,
        inEffect,
        reportDeployment,
      })
      const { accountId } = installation.credentials
      expect(routes.stateOf(accountId, route)).toEqual({ kind: 'unreported' })
      await Promise.all([routes.report(accountId, route), routes.report(accountId, route)])
      await routes.report(accountId, route)
      expect([reported, routes.stateOf(accountId, route).kind]).toEqual([[pipeline], 'runs'])
    })

    test('is waited for if another was missed before it, because that may be a pause', async () => {
      inEffect.set(pipeline, 1)
      expect((await push('[1]')).statusCode).toBe(200)
      const { configuration } = installation
      const deployment = configuration.get(deployments, pipeline) as Entity<Deployment>
      const change = replace(deployments, deployment, { ...deployment.value, number: 3 })
      await configuration.append([change], { subjectId: 'test', account: deployment.value.account })
      expect((await push('[2]')).statusCode).toBe(503)
    })

    test('need not be waited for while another revision of it reads the route', async () => {
      inEffect.set(pipeline, 1)
      await created(`/v3/pipeline/${pipeline}/source`, { type: 'http' })
      await created(`/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
      expect((await push('[1]')).statusCode).toBe(200)
      // Two sources that have not met any event: each of them would read the route.
      await created(`/v3/pipeline/${pipeline}/source`, { type: 'http' })
      await created(`/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
      expect((await push('[2]')).statusCode).toBe(200)
      await pausing(pipeline, 'pause')
      expect((await push('[3]')).statusCode).toBe(503)
      await pausing(pipeline, 'resume')
      expect((await push('[3]')).statusCode).toBe(503)
      inEffect.set(pipeline, 5)
      expect((await push('[3]')).statusCode).toBe(200)
      expect(await messages()).toEqual([1, 2, 3])
    })

    test('is waited for by a route that only the new revision reads', async () => {
      inEffect.set(pipeline, 1)
      const { id } = await created(`/v3/pipeline/${pipeline}/source`, { type: 'http' })
      await created(`/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
      route = id as string
      key = await newKey(route)
      await expectRefused(push('[1]'), 503, 'ERR_BUSY')
      inEffect.set(pipeline, 2)
      expect((await push('[1]')).statusCode).toBe(200)
    })
  })

  test.each(['hold', 'drop'])(
    'events under way are acknowledged when a pause of mode %s begins, because they meet the pipeline',
    async mode => {
      const { ingest } = installation.ports.replay
      const append = ingest.append.bind(ingest)
      ingest.append = async (...record) => {
        ingest.append = append
        await pausing(pipeline, `pause?mode=${mode}`)
        return append(...record)
      }
      expect((await push('[1]')).statusCode).toBe(200)
      expect(await messages()).toEqual([1])
      expect((await push('[2]')).statusCode).toBe(mode === 'hold' ? 503 : 200)
    },
  )

  describe('events under way are neither acknowledged nor refused as if nothing had been accepted when', () => {
    test.each([
      ['the last pipeline was paused', () => pausing(pipeline, 'pause')],
      [
        'it was paused and went on',
        async () => {
          await pausing(pipeline, 'pause')
          await pausing(pipeline, 'resume')
        },
      ],
      ['it was deleted', () => installation.call({ method: 'DELETE', url: `/v3/pipeline/${pipeline}` })],
    ])('%s', async (_, change) => {
      const { ingest } = installation.ports.replay
      const append = ingest.append.bind(ingest)
      ingest.append = async (...record) => {
        ingest.append = append
        await change()
        return append(...record)
      }
      const response = await push('[1]')
      expect([response.statusCode, response.json()]).toEqual([
        503,
        { status: 'error', code: 'ERR_BUSY', error: expect.stringContaining('changed') },
      ])
    })

    test('a revision that also reads it has replaced another', async () => {
      const { ingest } = installation.ports.replay
      const append = ingest.append.bind(ingest)
      ingest.append = async (...record) => {
        ingest.append = append
        await created(`/v3/pipeline/${pipeline}/source`, { type: 'http' })
        await created(`/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
        return append(...record)
      }
      expect((await push('[1]')).statusCode).toBe(200)
    })
  })
})
