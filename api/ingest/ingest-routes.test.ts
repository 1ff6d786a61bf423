import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { Producer } from '../../engine/log/producer.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import type { Authenticator, Caller, IngestCredentials } from '../auth/caller.ts'
import { RefusalLog } from '../auth/refusal-log.ts'
import { sendError } from '../error-reply.ts'
import { serveIngestion } from './ingest-routes.ts'
import { IngestWriter } from './ingest-writer.ts'
import { RecentAnswers } from './recent-answers.ts'

const KEY = '7b273eb8adc962f2711ad760730debb0'
const NOW_MS = 1_767_225_600_000
const LIMIT_BYTES = 2_097_152
const PARTITIONS = 4
const ACCOUNT = { shortId: '507f1f77bc', id: 'a-1', retentionDays: 30, ingestionSuspended: false }
const KEY_CALLER: Caller = {
  subjectId: 'key-1',
  credential: { id: 'k', scope: null, expiresAtMs: null },
  accessType: 'ingestion',
  role: 'ingest',
  account: ACCOUNT,
  delegated: false,
}
const CALLERS: Record<string, Caller> = {
  [KEY]: KEY_CALLER,
  suspended: { ...KEY_CALLER, account: { ...ACCOUNT, ingestionSuspended: true } },
  readonly: { ...KEY_CALLER, accessType: 'user', role: 'readonly' },
  member: { ...KEY_CALLER, accessType: 'user', role: 'member', subjectEmail: 'ann@example.com' },
}

/** Replaces the configuration: secrets with their owners. The first present carrier decides. */
const authenticator: Authenticator = {
  ingest: credentials => {
    const secret = secretOf(credentials)
    const caller = secret === undefined ? undefined : CALLERS[secret]
    return caller === undefined ? { failure: { status: 401, message: 'Not Authorized' } } : { caller }
  },
}

function secretOf({ apikeyHeader, authorization, queryApikey, bodyApikey }: IngestCredentials) {
  if (apikeyHeader !== undefined) return apikeyHeader
  if (authorization?.startsWith('Basic ')) {
    const [user, password] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
    return password || user
  }
  return authorization?.split(' ')[1] ?? queryApikey ?? bodyApikey
}

interface Front {
  app: FastifyInstance
  writer: IngestWriter
  clock: ReturnType<typeof manualClock>
  post(body: unknown, options?: InjectOptions): Promise<LightMyRequestResponse>
  batches(): Promise<LineBatchView[]>
}

const open: FastifyInstance[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

async function openFront(
  options: {
    maxWaitingBytes?: number
    maxLogBytes?: number
    bodyLimitBytes?: number
    trustProxy?: boolean
    /** Step of the monotonic clock at each look at it. */
    monotonicStepMs?: number
    /** Called when a body has its turn. */
    onBody?: () => void
    /** Whether a paused pipeline holds lines, at each look. */
    isHeld?: () => boolean
  } = {},
): Promise<Front> {
  const clock = manualClock(NOW_MS)
  const entropy = seededEntropy(7)
  const { maxLogBytes: maxBytes, maxWaitingBytes } = options
  const log = memoryLog({ clock, entropy, ...(maxBytes !== undefined && { maxBytes }) })
  const topic = await log.topic(INGEST_TOPIC, PARTITIONS)
  const writer = new IngestWriter({
    topic,
    producer: new Producer({ topic, clock, entropy }),
    ...(maxWaitingBytes !== undefined && { maxWaitingBytes }),
  })
  let looks = 0
  const app = fastify({ trustProxy: options.trustProxy ?? false })
  const refusals = new RefusalLog(clock)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, refusals))
  serveIngestion(app, {
    writer,
    partitionOf: ({ account }) => {
      options.onBody?.()
      return partitionOfAccount(account, PARTITIONS)
    },
    authenticator,
    keys: new RecentAnswers({ clock }),
    clock: { ...clock, monotonicMs: () => (looks += options.monotonicStepMs ?? 0) },
    bodyLimitBytes: options.bodyLimitBytes ?? LIMIT_BYTES,
    corsOrigins: ['https://app.example.com'],
    ...(options.isHeld && { holds: { isHeld: options.isHeld } }),
  })
  open.push(app)
  return {
    app,
    writer,
    clock,
    post: (body, injected = {}) =>
      app.inject({
        method: 'POST',
        url: '/logs/ingest?hostname=web-1',
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        ...injected,
        headers: { apikey: KEY, ...injected.headers },
      } as InjectOptions),
    batches: async () => {
      const partition = partitionOfAccount(ACCOUNT.shortId, PARTITIONS)
      const records = await topic.read(partition, 0n, 2 ** 30)
      return records.map(record => LineBatchView.decode(record.value))
    },
  }
}

async function storedAfter(body: unknown, options?: InjectOptions) {
  const front = await openFront()
  const response = await front.post(body, options)
  expect(response.statusCode).toBe(200)
  const [batch] = await front.batches()
  return batch as LineBatchView
}

const ONE_LINE = { lines: [{ line: 'hello' }] }
const DETAIL = (message: string) =>
  expect.objectContaining({ error: message, code: 'BadRequest', status: 'error' })

describe('an answer', () => {
  test('to durable lines is ok with a batch id that contains their place', async () => {
    const front = await openFront()
    const response = await front.post({ lines: [{ line: 'a' }, { line: 'b' }] })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const partition = partitionOfAccount(ACCOUNT.shortId, PARTITIONS)
    expect(response.body).toMatch(new RegExp(`^{"status":"ok","batchID":"[0-9a-f]{8}:${partition}:0:0"}$`))
    const [batch] = await front.batches()
    expect(batch?.count).toBe(2)
    expect(batch?.account).toBe(ACCOUNT.shortId)
    expect(batch?.entrance).toBe('ingest')
  })

  test('of the alias /logs/agent is the same', async () => {
    const front = await openFront()
    expect((await front.post(ONE_LINE, { url: '/logs/agent?hostname=h' })).statusCode).toBe(200)
    expect((await front.batches())[0]?.lineText(0)).toBe('hello')
  })

  test('to an empty array of lines is ok, and nothing is stored', async () => {
    const front = await openFront()
    const response = await front.post({ lines: [] })
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'ok', batchID: '' }])
    expect(await front.batches()).toEqual([])
  })

  test('to a body with empty lines refuses them one by one, and stores the others in order', async () => {
    const front = await openFront()
    const lines = [{ line: 'a' }, null, 5, {}, { line: null }, true, ['x'], 'bare', { line: 'b' }]
    const response = await front.post({ lines })
    expect(response.statusCode).toBe(207)
    expect(response.json()).toEqual({
      status: [200, 400, 400, 400, 400, 400, 400, 200, 200],
      batchID: expect.stringMatching(/:0:0$/),
    })
    const [batch] = await front.batches()
    expect([0, 1, 2].map(index => batch?.lineText(index))).toEqual(['a', 'bare', 'b'])
  })

  test('to a body with only empty lines is 400, and nothing is stored', async () => {
    const front = await openFront()
    const response = await front.post({ lines: [null, {}, { app: 'x' }] })
    expect([response.statusCode, response.json().code]).toEqual([400, 'BadRequest'])
    expect(await front.batches()).toEqual([])
  })

  test.each([
    ['{"lines":[{"line":"a"}', 'The body is not valid JSON'],
    ['{"lines":[{"line":"a\nb"}]}', 'The body is not valid JSON'],
    ['{"lines":[{"line":"\\x"}]}', 'The body is not valid JSON'],
    ['not json', 'The body is not valid JSON'],
    ['', 'The body is empty'],
    ['{}', '"lines" is required'],
    ['[]', '"lines" is required'],
    ['7', '"lines" is required'],
    ['{"lines":{}}', '"lines" must be an array'],
    ['{"lines":null}', '"lines" must be an array'],
    ['{"ls":"x"}', '"lines" must be an array'],
    ['['.repeat(200_000), 'The body is nested more than 256 levels deep'],
    ['{"a":'.repeat(200_000), 'The body is nested more than 256 levels deep'],
    [
      `{"lines":[{"line":"x","meta":${'['.repeat(5000)}${']'.repeat(5000)}}]}`,
      'The body is nested more than 256 levels deep',
    ],
  ])('to %.40s is 400', async (body, message) => {
    const front = await openFront()
    const response = await front.post(body)
    expect([response.statusCode, response.json()]).toEqual([400, DETAIL(message)])
    expect(await front.batches()).toEqual([])
  })

  test('is the same for any content type if the body is JSON, and for none or a damaged one', async () => {
    for (const type of [
      'text/plain',
      'APPLICATION/JSON; Charset=UTF-8',
      ';;',
      'application/x-www-form-urlencoded',
    ]) {
      const front = await openFront()
      const response = await front.post(ONE_LINE, { headers: { 'content-type': type } })
      expect([type, response.statusCode]).toEqual([type, 200])
    }
    const front = await openFront()
    const response = await front.post(Buffer.from(JSON.stringify(ONE_LINE)))
    expect(response.statusCode).toBe(200)
  })
})

describe('query', () => {
  test.each([
    ['/logs/ingest', '"hostname" is required'],
    ['/logs/ingest?hostname=', '"hostname" is required'],
    ['/logs/ingest?hostname=h&mac=nonsense', '"mac" must be a valid MAC address'],
    ['/logs/ingest?hostname=h&mac=c0:ff:ee:c0:ff', '"mac" must be a valid MAC address'],
    ['/logs/ingest?hostname=h&ip=10.0.0.256', '"ip" must be a valid ip address'],
    ['/logs/ingest?mac=1&ip=2', '"hostname" is required'],
  ])('%s is 400: %s', async (url, message) => {
    const front = await openFront()
    const response = await front.post(ONE_LINE, { url })
    expect([response.statusCode, response.json()]).toEqual([400, DETAIL(message)])
    expect(await front.batches()).toEqual([])
  })

  test('every invalid parameter is reported', async () => {
    const front = await openFront()
    const response = await front.post(ONE_LINE, { url: '/logs/ingest?mac=1&ip=2' })
    expect(response.json().details.map((detail: { key: string }) => detail.key)).toEqual([
      'hostname',
      'mac',
      'ip',
    ])
  })

  test('information of the request is stored with its lines', async () => {
    const url = `/logs/ingest?hostname=web%201&mac=C0-FF-EE-c0-ff-ee&ip=fe80::1&now=${NOW_MS - 7000}&tags=a,%20b,,a&tags=c`
    const batch = await storedAfter(ONE_LINE, { url, remoteAddress: '192.0.2.7' })
    expect(batch.requests).toEqual([
      expect.objectContaining({
        lines: 1,
        hostname: 'web 1',
        mac: 'C0-FF-EE-c0-ff-ee',
        ip: 'fe80::1',
        remoteAddress: '192.0.2.7',
        tags: ['a', 'b', 'c'],
        receivedAtMs: NOW_MS,
        driftMs: 7000,
      }),
    ])
    expect(batch.requests[0]?.idempotency).toBeNull()
  })

  test('empty parameters count as absent', async () => {
    const batch = await storedAfter(ONE_LINE, { url: '/logs/ingest?hostname=h&mac=&ip=&now=&tags=' })
    expect(batch.requests[0]).toMatchObject({ mac: '', ip: '', driftMs: null, tags: [] })
  })

  test('members of the body replace absent parameters, never present ones', async () => {
    const body = { hostname: 'body', ip: '10.0.0.1', mac: 'c0:ff:ee:c0:ff:ee', tags: ['x', 'y'], ...ONE_LINE }
    const without = await storedAfter(body, { url: '/logs/ingest' })
    expect(without.requests[0]).toMatchObject({
      hostname: 'body',
      ip: '10.0.0.1',
      mac: 'c0:ff:ee:c0:ff:ee',
      tags: ['x', 'y'],
    })
    const url = '/logs/ingest?hostname=query&ip=10.0.0.2&mac=00:ff:ee:c0:ff:ee&tags=z'
    const withAll = await storedAfter(body, { url })
    expect(withAll.requests[0]).toMatchObject({
      hostname: 'query',
      ip: '10.0.0.2',
      mac: '00:ff:ee:c0:ff:ee',
      tags: ['z'],
    })
  })

  test('blanks around members of the body are ignored like those in the query', async () => {
    const body = { hostname: ' body ', ip: ' ', mac: ' ', ...ONE_LINE }
    const batch = await storedAfter(body, { url: '/logs/ingest' })
    expect(batch.requests[0]).toMatchObject({ hostname: 'body', ip: '', mac: '' })
    const front = await openFront()
    const response = await front.post({ hostname: ' ', ...ONE_LINE }, { url: '/logs/ingest' })
    expect([response.statusCode, response.json()]).toEqual([400, DETAIL('"hostname" is required')])
  })

  test('a bad address in the body is refused like one in the query', async () => {
    const front = await openFront()
    const response = await front.post({ ip: 'nowhere', ...ONE_LINE })
    expect([response.statusCode, response.json()]).toEqual([400, DETAIL('"ip" must be a valid ip address')])
  })
})

describe('credentials', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const send = async (options: { headers?: Record<string, string>; url?: string; body?: unknown }) => {
    const front = await openFront()
    const response = await front.app.inject({
      method: 'POST',
      url: options.url ?? '/logs/ingest?hostname=h',
      payload: JSON.stringify(options.body ?? ONE_LINE),
      headers: { 'content-type': 'application/json', ...options.headers },
    })
    const stored = (await front.batches()).length
    return { response, stored }
  }

  test.each([
    ['header apikey', { headers: { APIKEY: KEY } }],
    ['Basic user', { headers: { authorization: basic(`${KEY}:`) } }],
    ['Basic password', { headers: { authorization: basic(`someone:${KEY}`) } }],
    ['query', { url: `/logs/ingest?hostname=h&apikey=${KEY}` }],
    ['body', { body: { apikey: KEY, ...ONE_LINE } }],
    ['access token', { headers: { authorization: 'Token member' } }],
  ])('the key can be sent by %s', async (_name, options) => {
    const { response, stored } = await send(options)
    expect([response.statusCode, stored]).toEqual([200, 1])
    expect(response.headers['x-auth-account-short-id']).toBe(ACCOUNT.shortId)
  })

  test.each([
    ['nothing', {}],
    ['a wrong key', { headers: { apikey: 'wrong' } }],
    [
      'a wrong header before a right query',
      { headers: { apikey: 'wrong' }, url: `/logs/ingest?hostname=h&apikey=${KEY}` },
    ],
    [
      'a wrong authorization before a right query',
      { headers: { authorization: basic('x:') }, url: `/logs/ingest?apikey=${KEY}` },
    ],
    [
      'a wrong query before a right body',
      { url: '/logs/ingest?apikey=wrong', body: { apikey: KEY, ...ONE_LINE } },
    ],
    ['a wrong key in the body', { body: { apikey: 'wrong', ...ONE_LINE } }],
    ['a key that is not a text', { body: { apikey: { a: 1 }, ...ONE_LINE } }],
  ])('%s is 401 and stores nothing', async (_name, options) => {
    const { response, stored } = await send(options)
    expect([response.statusCode, stored]).toEqual([401, 0])
    expect(response.json()).toEqual({ error: expect.any(String), code: 'NotAuthorized', status: 'error' })
    expect(response.headers['x-auth-account-id']).toBeUndefined()
  })

  test('a header takes precedence over the other places', async () => {
    const { response } = await send({ headers: { apikey: KEY, authorization: 'Token wrong' } })
    expect(response.statusCode).toBe(200)
  })

  test('a member of the body with an escaped name is found', async () => {
    const front = await openFront()
    const payload = `{"api\\u006bey":"${KEY}","lines":[{"line":"x"}]}`
    const response = await front.app.inject({ method: 'POST', url: '/logs/ingest?hostname=h', payload })
    expect(response.statusCode).toBe(200)
  })

  test.each([
    ['{"broken', {}],
    [Buffer.from('no gzip'), { 'content-encoding': 'gzip' }],
    ['x', { 'content-encoding': 'br' }],
    ['', {}],
  ])('without a key %s is 401, not 400', async (payload, headers) => {
    const front = await openFront()
    const response = await front.app.inject({
      method: 'POST',
      url: '/logs/ingest?hostname=h',
      payload,
      headers,
    })
    expect(response.statusCode).toBe(401)
  })

  test('an empty body with a good key is 400, and with a bad one 401, because a health check must not get 403', async () => {
    const front = await openFront()
    for (const [apikey, status] of [
      [KEY, 400],
      ['wrong', 401],
      ['suspended', 400],
    ] as const) {
      const response = await front.app.inject({ method: 'POST', url: '/logs/ingest', headers: { apikey } })
      expect([apikey, response.statusCode]).toEqual([apikey, status])
    }
  })

  test.each(['suspended', 'readonly'])('%s is 403 and stores nothing', async apikey => {
    const { response, stored } = await send({ headers: { apikey } })
    expect([response.statusCode, response.json().code, stored]).toEqual([403, 'Forbidden', 0])
    expect(response.headers['x-auth-account-short-id']).toBe(ACCOUNT.shortId)
  })
})

describe('size', () => {
  /** A body with exactly that many bytes. */
  const bodyOf = (bytes: number) => {
    const frame = '{"lines":[{"line":""}]}'
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }
  const TOO_LARGE = { error: 'Request Entity Too Large', code: 'PayloadTooLarge', status: 'error' }

  test.each([
    ['plain', (body: string) => Buffer.from(body), {}],
    ['gzip', (body: string) => gzipSync(body), { 'content-encoding': 'gzip' }],
    ['x-gzip', (body: string) => gzipSync(body), { 'content-encoding': 'X-GZIP' }],
    ['deflate', (body: string) => deflateSync(body), { 'content-encoding': 'deflate' }],
    ['bare deflate', (body: string) => deflateRawSync(body), { 'content-encoding': 'deflate' }],
    ['stored gzip', (body: string) => gzipSync(body, { level: 0 }), { 'content-encoding': 'identity, gzip' }],
  ])(
    '%s: a body of the limit is accepted even if its compressed size is larger',
    async (name, encode, headers) => {
      const front = await openFront({ bodyLimitBytes: 100_000 })
      const isLarger = name === 'stored gzip' // an incompressible body is larger than its content
      const atLimit = await front.post(encode(bodyOf(100_000)), { headers })
      expect(atLimit.statusCode).toBe(isLarger ? 413 : 200)
      const below = await front.post(encode(bodyOf(99_900)), { headers })
      expect(below.statusCode).toBe(200)
      const over = await front.post(encode(bodyOf(100_001)), { headers })
      expect([over.statusCode, over.json()]).toEqual([413, TOO_LARGE])
      expect((await front.batches()).length).toBe(isLarger ? 1 : 2)
    },
  )

  test('the default limit is exactly 2,097,152 bytes', async () => {
    const front = await openFront()
    expect((await front.post(bodyOf(LIMIT_BYTES))).statusCode).toBe(200)
    expect((await front.post(bodyOf(LIMIT_BYTES + 1))).statusCode).toBe(413)
    expect((await front.batches()).length).toBe(1)
  })

  test.each([
    ['gzip', Buffer.from('nonsense')],
    ['gzip', gzipSync(bodyOf(5000)).subarray(0, 40)],
    ['deflate', Buffer.from([0x78, 0x9c, 0xff, 0xff])],
    ['gzip', Buffer.concat([gzipSync(bodyOf(200)), Buffer.from('garbage')])],
  ])('damaged %s data is 400', async (coding, payload) => {
    const front = await openFront()
    const response = await front.post(payload, { headers: { 'content-encoding': coding } })
    expect([response.statusCode, response.json().code]).toEqual([400, 'BadRequest'])
  })

  test.each(['br', 'gzip, gzip', 'nonsense'])('content encoding %s is 400 with its name', async coding => {
    const front = await openFront()
    const response = await front.post(ONE_LINE, { headers: { 'content-encoding': coding } })
    expect([response.statusCode, response.json()]).toMatchObject([
      400,
      { code: 'BadRequest', details: [{ key: 'content-encoding' }] },
    ])
  })

  test('a gzip bomb is 413 and never uses more memory than the limit', async () => {
    const front = await openFront()
    const bomb = gzipSync(Buffer.alloc(300_000_000), { level: 9 })
    expect(bomb.length).toBeGreaterThan(32 * 1024)
    const small = gzipSync(Buffer.alloc(20_000_000), { level: 9 })
    expect(small.length).toBeLessThan(32 * 1024)
    const before = process.memoryUsage().rss
    for (const payload of [bomb, small]) {
      const response = await front.post(payload, { headers: { 'content-encoding': 'gzip' } })
      expect(response.statusCode).toBe(413)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })

  test.each(['""', '{}', 'null'])(
    'a small body that unpacks to 690,000 lines of %s is 413, after a short time',
    async line => {
      const front = await openFront()
      for (const [open, close] of [
        ['{"lines":[', ']}'],
        ['{"e":"ls","ls":[', ']}'],
        ['{"lines":[', '],"other":1}'],
      ] as const) {
        const count = Math.floor((LIMIT_BYTES - open.length - close.length) / (line.length + 1))
        const body = `${open}${Array(count).fill(line).join(',')}${close}`
        for (const [payload, headers] of [
          [body, {}],
          [gzipSync(body), { 'content-encoding': 'gzip' }],
        ] as const) {
          const response = await front.post(payload, { headers })
          expect([response.statusCode, response.json()]).toEqual([413, TOO_LARGE])
        }
      }
      expect(await front.batches()).toEqual([])
    },
  )

  test('ordinary bodies of senders with some empty lines are accepted', async () => {
    const front = await openFront()
    // The command line's largest batch, and a body of 2 MB of empty lines with the usual members.
    expect((await front.post({ lines: Array(5_000).fill({ line: '' }) })).statusCode).toBe(200)
    const usual = '{"line":"","timestamp":1700000000000,"app":"a","level":"INFO","env":""}'
    const count = Math.floor((LIMIT_BYTES - 12) / (usual.length + 1))
    expect((await front.post(`{"lines":[${Array(count).fill(usual).join(',')}]}`)).statusCode).toBe(200)
  })

  test('a body of tiny lines that is too large for a record is 413, and its neighbours are stored', async () => {
    const front = await openFront({ bodyLimitBytes: 5_000_000 })
    const tiny = `{"lines":[${'"a",'.repeat(2 ** 20)}{"line":"","app":"a","level":"b","env":"c","file":"d"}]}`
    const [first, huge] = await Promise.all([front.post(ONE_LINE), front.post(tiny), front.post(ONE_LINE)])
    expect([first.statusCode, huge.statusCode]).toEqual([200, 413])
    const lines = (await front.batches()).reduce((sum, batch) => sum + batch.count, 0)
    expect(lines).toBe(2)
  })

  test.each([
    ['announced', `content-length: ${LIMIT_BYTES + 5_000_000}\r\n`, (chunk: Buffer) => [chunk]],
    [
      'chunked',
      'transfer-encoding: chunked\r\n',
      (chunk: Buffer) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')],
    ],
  ])(
    'the sender of a body that is too large (%s) gets the answer, and the connection stays usable',
    async (kind, header, frame) => {
      const { app, clock } = await openFront()
      clock.advance(0)
      const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
      const socket = connect(Number(address.port), '127.0.0.1')
      const head = (extra: string) =>
        `POST /logs/ingest?hostname=h HTTP/1.1\r\nhost: h\r\napikey: ${KEY}\r\n${extra}\r\n`
      let answers = ''
      socket.on('data', data => {
        answers += data.toString()
      })
      const write = async (data: Buffer | string) => {
        if (!socket.write(data)) await once(socket, 'drain')
      }
      await write(head(header))
      const chunk = Buffer.alloc(100_000, 'x')
      for (let left = LIMIT_BYTES + 5_000_000; left > 0; left -= chunk.length)
        for (const part of frame(chunk.subarray(0, Math.min(left, chunk.length)))) await write(part)
      if (kind === 'chunked') await write('0\r\n\r\n')
      const next = JSON.stringify(ONE_LINE)
      await write(head(`content-length: ${next.length}\r\n`) + next)
      while (!answers.includes('"ok"')) await once(socket, 'data')
      socket.destroy()
      expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    },
  )
})

describe('problems with the log', () => {
  test('a full log is 503 with retry-after', async () => {
    const front = await openFront({ maxLogBytes: 20_000 })
    const line = { lines: [{ line: 'x'.repeat(5000) }] }
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) {
      const response = await front.post(line)
      statuses.push(response.statusCode)
      if (response.statusCode === 503) {
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
        expect(response.json()).toMatchObject({ code: 'ServiceUnavailable', status: 'error' })
      }
    }
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(503)
    expect((await front.batches()).length).toBe(statuses.filter(status => status === 200).length)
  })
})

describe('idempotency key', () => {
  const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

  test('a repeat gets the same answer and is not appended again', async () => {
    const front = await openFront()
    const first = await front.post({ lines: ['a', null] }, withKey('k'))
    const second = await front.post({ lines: ['a', null] }, withKey('k'))
    expect([first.statusCode, second.statusCode]).toEqual([207, 207])
    expect(second.json()).toEqual(first.json())
    const [batch, ...more] = await front.batches()
    expect(more).toEqual([])
    expect(batch?.requests[0]?.idempotency?.key).toBe('k')
    expect(batch?.requests[0]?.idempotency?.digest.length).toBe(16)
  })

  test('two simultaneous requests with one key are appended once', async () => {
    const front = await openFront()
    const responses = await Promise.all([
      front.post(ONE_LINE, withKey('k')),
      front.post(ONE_LINE, withKey('k')),
    ])
    expect(new Set(responses.map(response => response.body)).size).toBe(1)
    expect((await front.batches()).reduce((sum, batch) => sum + batch.count, 0)).toBe(1)
  })

  test('the digest is that of the decompressed body', async () => {
    const front = await openFront()
    await front.post(ONE_LINE, withKey('k'))
    const gzip = { 'content-encoding': 'gzip', 'idempotency-key': 'k' }
    const response = await front.post(gzipSync(JSON.stringify(ONE_LINE)), { headers: gzip })
    expect(response.statusCode).toBe(200)
    expect((await front.batches()).length).toBe(1)
  })

  test('the same key with another body is 409', async () => {
    const front = await openFront()
    await front.post(ONE_LINE, withKey('k'))
    const response = await front.post({ lines: ['other'] }, withKey('k'))
    expect([response.statusCode, response.json().code]).toEqual([409, 'Conflict'])
    expect((await front.batches()).length).toBe(1)
  })

  test.each(['', ' ', 'a b', 'é', 'x'.repeat(129)])('%j is 400', async key => {
    const front = await openFront()
    const response = await front.post(ONE_LINE, withKey(key))
    expect([response.statusCode, response.json().details[0].key]).toEqual([400, 'idempotency-key'])
  })

  test('128 characters are accepted', async () => {
    const front = await openFront()
    expect((await front.post(ONE_LINE, withKey('x'.repeat(128)))).statusCode).toBe(200)
  })

  test('a refused request leaves the key unused', async () => {
    const front = await openFront()
    expect((await front.post('{broken', withKey('k'))).statusCode).toBe(400)
    expect((await front.post(ONE_LINE, withKey('k'))).statusCode).toBe(200)
  })
})

describe('browsers', () => {
  test('a preflight from a configured origin is answered without a key', async () => {
    const front = await openFront()
    const response = await front.app.inject({
      method: 'OPTIONS',
      url: '/logs/agent',
      headers: { origin: 'https://app.example.com' },
    })
    expect(response.statusCode).toBe(204)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'content-type, authorization, apikey, content-encoding',
      'access-control-max-age': '86400',
    })
  })

  test('a preflight with a body is answered like one without', async () => {
    const front = await openFront()
    const request = { method: 'OPTIONS', url: '/logs/ingest', payload: ONE_LINE } as const
    expect((await front.app.inject(request)).statusCode).toBe(204)
  })

  test('another origin is refused', async () => {
    const front = await openFront()
    const headers = { origin: 'https://evil.example.com' }
    const response = await front.app.inject({ method: 'OPTIONS', url: '/logs/ingest', headers })
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('answers and errors contain the origin, too', async () => {
    const front = await openFront()
    const headers = { origin: 'https://app.example.com' }
    for (const body of [ONE_LINE, '{'])
      expect((await front.post(body, { headers })).headers['access-control-allow-origin']).toBe(
        headers.origin,
      )
  })
})

test('no body, header or query gives a 500', async () => {
  const front = await openFront({ bodyLimitBytes: 20_000 })
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const header = text.map(value =>
    Buffer.from(value)
      .toString('latin1')
      .replace(/[^\x20-\x7e\x80-\xff]/g, ''),
  )
  const line = fc.oneof(
    fc.json(),
    text.map(value => JSON.stringify(value)),
  )
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
    fc.array(line, { maxLength: 5 }).map(lines => Buffer.from(`{"lines":[${lines.join(',')}]}`)),
    fc.json().map(json => Buffer.from(`{"lines":[{"line":"x","meta":${json},"timestamp":${json}}]}`)),
    fc.json().map(json => Buffer.from(`{"lines":["x"],"hostname":${json},"tags":${json},"ip":${json}}`)),
  )
  const request = fc.record({
    body,
    query: text,
    headers: fc.dictionary(
      fc.constantFrom(
        'content-type',
        'content-encoding',
        'idempotency-key',
        'x-delegate-account-id',
        'origin',
      ),
      fc.oneof(header, fc.constantFrom('gzip', 'deflate', 'application/json')),
    ),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ body, query, headers }) => {
      const url = `/logs/ingest?hostname=${encodeURIComponent(query.toWellFormed())}&${encodeURI(query.toWellFormed())}`
      const response = await front.post(body, { url, headers })
      expect([200, 207, 400, 401, 409, 413]).toContain(response.statusCode)
    }),
    { numRuns: 400 },
  )
})

test('large bodies that are complete at the same time are read in several turns of the event loop', async () => {
  const bodiesOfTurns = [0]
  const front = await openFront({
    onBody: () => {
      bodiesOfTurns[0] = (bodiesOfTurns[0] as number) + 1
    },
  })
  const line = 'x'.repeat(100_000)
  const answers = Promise.all(Array.from({ length: 7 }, () => front.post({ lines: [{ line }] })))
  let isOver = false
  const ended = answers.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await setImmediate()
    bodiesOfTurns.unshift(0)
  }
  expect((await ended).map(({ statusCode }) => statusCode)).toEqual(Array(7).fill(200))
  expect(Math.max(...bodiesOfTurns)).toBe(2)
})

test('a short body does not wait for the turns of large ones that came before it', async () => {
  const front = await openFront()
  const answered: string[] = []
  const post = async (name: string, bytes: number) => {
    const lines = Array(Math.ceil(bytes / 1_000)).fill({ line: 'x'.repeat(1_000) })
    const { statusCode } = await front.post({ lines })
    answered.push(`${name} ${statusCode}`)
  }
  const large = ['a', 'b', 'c'].map(name => post(name, 1_000_000))
  await setImmediate()
  await Promise.all([...large, post('short', 1_000)])
  expect(answered).toHaveLength(4)
  expect(answered.slice(0, 2)).toContain('short 200')
})

describe('a body of many lines that only the complete rules can read, which made all other work wait', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ line: `${index}`, q: 1 }))

  test('a request behind it is answered first', async () => {
    const front = await openFront({ monotonicStepMs: 1 })
    const answered: string[] = []
    const note = (name: string) => (response: LightMyRequestResponse) => {
      expect(response.statusCode).toBe(200)
      answered.push(name)
    }
    const long = front.post({ lines: lines(50_000) }).then(note('long'))
    await Promise.all([long, front.post(ONE_LINE).then(note('short'))])
    expect(answered).toEqual(['short', 'long'])
    const batches = await front.batches()
    expect(batches.map(batch => batch.count)).toEqual([1, 50_000])
    expect([0, 49_999].map(index => batches[1]?.lineText(index))).toEqual(['0', '49999'])
  })

  test.each([
    ['in it', { apikey: KEY }, 200],
    ['that is wrong', { apikey: 'wrong' }, 401],
  ])(
    'a request behind a body with very many members and a key %s is answered first',
    async (_what, key, status) => {
      const front = await openFront({ monotonicStepMs: 1 })
      const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))
      const answered: string[] = []
      const payload = { lines: ['long'], ...many, ...key }
      const long = front.app.inject({ method: 'POST', url: '/logs/ingest?hostname=web-1', payload })
      await Promise.all([
        long.then(({ statusCode }) => answered.push(`long ${statusCode}`)),
        front.post(ONE_LINE).then(({ statusCode }) => answered.push(`short ${statusCode}`)),
      ])
      expect(answered).toEqual(['short 200', `long ${status}`])
      const texts = (await front.batches()).map(batch => batch.lineText(0))
      expect(texts).toEqual(status === 200 ? ['hello', 'long'] : ['hello'])
    },
  )

  test('a body that cannot be read leaves nothing behind', async () => {
    const front = await openFront({ monotonicStepMs: 1 })
    const damaged = JSON.stringify({ lines: lines(5_000) }).slice(0, -1)
    expect((await front.post(damaged)).json()).toEqual(DETAIL('The body is not valid JSON'))
    expect(await front.batches()).toEqual([])
  })

  test('a key that is suspended meanwhile is refused', async () => {
    const front = await openFront({ monotonicStepMs: 1 })
    // Its key is looked at before the body is received, before the body is read, and before the lines are appended.
    const looks = [KEY_CALLER, KEY_CALLER, CALLERS.suspended]
    Object.defineProperty(CALLERS, 'passing', { get: () => looks.shift() })
    const long = await front.post({ lines: lines(50_000) }, { headers: { apikey: 'passing' } })
    expect(long.statusCode).toBe(403)
    expect(await front.batches()).toEqual([])
  })

  test('a pipeline that begins to hold lines meanwhile holds these, too', async () => {
    // Before the body is received, before it is read, and before the lines are appended.
    const looks = [false, false, true]
    const front = await openFront({ monotonicStepMs: 1, isHeld: () => looks.shift() ?? false })
    const headers = { apikey: KEY, 'idempotency-key': 'once' }
    const long = await front.post({ lines: lines(50_000) }, { headers })
    expect([long.statusCode, long.headers['retry-after'], looks.length]).toEqual([503, '10', 0])
    expect(await front.batches()).toEqual([])
    expect((await front.post({ lines: lines(50_000) }, { headers })).statusCode).toBe(200)
    expect(await front.batches()).toHaveLength(1)
  })

  test('a repeat with the same key waits for the answer to the first', async () => {
    const front = await openFront({ monotonicStepMs: 1 })
    const headers = { apikey: KEY, 'idempotency-key': 'once' }
    const send = () => front.post({ lines: lines(5_000) }, { headers })
    const [first, second] = await Promise.all([send(), send()])
    expect(second.json()).toEqual(first.json())
    expect(await front.batches()).toHaveLength(1)
  })
})

test('lines of a sender that goes before its body is read are stored, with its address', async () => {
  const accepted: Socket[] = []
  const front = await openFront({
    onBody: () => {
      for (const socket of accepted) socket.destroy()
    },
  })
  front.app.server.on('connection', socket => accepted.push(socket))
  const address = new URL(await front.app.listen({ host: '127.0.0.1', port: 0 }))
  const body = JSON.stringify(ONE_LINE)
  const socket = connect(Number(address.port), '127.0.0.1')
  socket.write(
    `POST /logs/ingest?hostname=h HTTP/1.1\r\nhost: h\r\napikey: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'close')
  await front.writer.idle()
  const [batch] = await front.batches()
  expect([batch?.lineText(0), batch?.request(0).remoteAddress]).toEqual(['hello', '127.0.0.1'])
})
