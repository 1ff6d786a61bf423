import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { LogError } from '../engine/log/log.ts'
import { TEST_SETTINGS, type TestInstallation, testInstallation } from '../test/support/test-installation.ts'
import type { ServerPorts, ServerSettings } from './ports.ts'
import { buildServer } from './server.ts'

let installation: TestInstallation
let pipeline: string

beforeAll(async () => {
  installation = await testInstallation()
  const { call } = installation
  pipeline = (await call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'P' } })).json().data.id
})
afterAll(() => installation.app.close())

describe('every answer', () => {
  test("has a request id: the sender's own when it is well formed, else a new one", async () => {
    const idOf = async (sent: string) =>
      (await installation.call({ url: '/v3/pipeline', headers: { 'x-request-id': sent } })).headers[
        'x-request-id'
      ]
    expect(await idOf('a.B_c-9')).toBe('a.B_c-9')
    expect(await idOf('x'.repeat(128))).toBe('x'.repeat(128))
    for (const bad of ['x'.repeat(129), '', 'a b', 'a\u00e9'])
      expect(await idOf(bad)).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is compact JSON with its charset, and safe in a browser', async () => {
    const { headers, body } = await installation.call({ url: '/v3/auth/token' })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(body).not.toMatch(/[:,] "/)
  })
})

describe('paths', () => {
  test('a trailing slash changes nothing', async () => {
    expect((await installation.call({ url: '/v3/pipeline/' })).statusCode).toBe(200)
    expect((await installation.call({ url: `/v3/pipeline/${pipeline}/` })).statusCode).toBe(200)
  })

  test.each([
    ['/v1/nothing', 404, 'NotFound'],
    ['/v3/nothing', 404, 'ENOTFOUND'],
    ['/nothing', 404, 'NotFound'],
    ['/v3/pipeline/%E0%A4%A', 400, 'EVALIDATION'],
    ['/v1/%zz', 400, 'BadRequest'],
    [`/v3/pipeline/${'x'.repeat(7000)}`, 404, 'ENOTFOUND'],
  ])('%s is answered in the form of its version', async (url, status, code) => {
    const response = await installation.call({ url })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
    expect(response.json().error).toEqual(expect.any(String))
    expect(response.json().status).toBe(url.startsWith('/v3') ? status : 'error')
    expect(response.headers['x-request-id']).toBeDefined()
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('an unknown path of the API is not revealed without a credential', async () => {
    const { app } = installation
    expect((await app.inject({ url: '/v1/nothing' })).statusCode).toBe(401)
    expect((await app.inject({ url: '/v3/pipeline/x', method: 'PATCH' })).statusCode).toBe(401)
    expect((await app.inject({ url: '/nothing' })).statusCode).toBe(404)
  })

  test('a known path with another method is 405 with the allowed methods', async () => {
    for (const [method, url, allow] of [
      ['DELETE', '/v3/pipeline', 'GET, HEAD, POST'],
      ['PATCH', `/v3/pipeline/${pipeline}`, 'DELETE, GET, HEAD, PUT'],
      ['GET', `/v3/pipeline/${pipeline}/publish`, 'POST'],
      ['GET', '/logs/ingest', 'OPTIONS, POST'],
      ['POST', '/healthz', 'GET, HEAD'],
    ] as const) {
      const response = await installation.call({ method, url })
      expect([method, url, response.statusCode, response.headers.allow]).toEqual([method, url, 405, allow])
      expect(response.json().code).toBe(url.startsWith('/v3') ? 'EMETHODNOTALLOWED' : 'MethodNotAllowed')
    }
  })
})

describe('bodies', () => {
  const post = (payload: string | Buffer, contentType = 'application/json') =>
    installation.call({
      method: 'POST',
      url: '/v3/pipeline',
      headers: { 'content-type': contentType },
      payload,
    })

  test.each([
    ['malformed', '{"title":'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['nested without end', `{"title":"t","x":${'['.repeat(100_000)}`],
    ['nested too deeply', `{"title":${'['.repeat(65)}${']'.repeat(65)}}`],
    ['a number', '5'],
    ['null', 'null'],
    ['empty', ''],
    ['blank', '  '],
  ])('one that is %s is 400', async (_name, payload) => {
    const response = await post(payload)
    expect([response.statusCode, response.json().code]).toEqual([400, 'EVALIDATION'])
  })

  test('64 levels of nesting are allowed, and 65 are not', async () => {
    const nested = (levels: number) =>
      post(`{"title":"t","id":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`)
    expect((await nested(64)).statusCode).toBe(200)
    expect((await nested(65)).json().error).toContain('nested')
    const brackets = '[{'.repeat(100)
    expect((await post(JSON.stringify({ title: `\\"${brackets}` }))).statusCode).toBe(200)
  })

  test('JSON is recognised under any content type', async () => {
    for (const type of [
      'application/json; charset=UTF-8',
      'text/plain',
      'application/x-www-form-urlencoded',
    ]) {
      expect((await post('{"title":"t"}', type)).statusCode).toBe(200)
    }
  })

  test.each(['', ' ', ';', 'not a type', 'application/'])(
    'JSON is recognised with the content type %j, as without one',
    async contentType => {
      expect((await post('{"title":"t"}', contentType)).statusCode).toBe(200)
      expect((await post('{"title":', contentType)).statusCode).toBe(400)
      const { call } = installation
      const url = `/v3/pipeline/nowhere`
      const bare = await call({ method: 'DELETE', url, headers: { 'content-type': contentType } })
      expect(bare.statusCode).toBe(404)
    },
  )

  test.each([
    ['malformed', '{"title":'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['nested too deeply', `{"title":${'['.repeat(65)}${']'.repeat(65)}}`],
  ])('one that is %s is reported in the form of the version', async (_name, payload) => {
    const { error, errors } = (await post(payload)).json()
    expect(errors).toEqual([{ instancePath: '', message: error }])
    const plain = await installation.call({
      method: 'POST',
      url: '/v1/config/view',
      headers: { 'content-type': 'application/json' },
      payload,
    })
    expect([plain.statusCode, plain.json()]).toEqual([
      400,
      { details: [{ message: error, key: 'body' }], error, code: 'BadRequest', status: 'error' },
    ])
  })

  test('a body that is shorter than announced is reported, too', async () => {
    const response = await installation.call({
      method: 'POST',
      url: '/v3/pipeline',
      headers: { 'content-type': 'application/json', 'content-length': '50' },
      payload: '{"title":"t"}',
    })
    expect([response.statusCode, response.json().errors]).toEqual([
      400,
      [{ instancePath: '', message: expect.any(String) }],
    ])
  })

  test('a body of the limit is accepted, and one more byte is 413', async () => {
    const limit = TEST_SETTINGS.bodyLimitBytes
    const simulate = (bytes: number) =>
      installation.call({
        method: 'POST',
        url: '/v3/pipeline/simulate',
        payload: `{"samples":"${'x'.repeat(bytes - 14)}"}`,
      })
    expect((await simulate(limit)).json().message).toBe("must have required property 'pipeline'")
    const refused = await simulate(limit + 1)
    expect([refused.statusCode, refused.json().code, refused.json().error]).toEqual([
      413,
      'EPAYLOADTOOLARGE',
      'Request Entity Too Large',
    ])
  })

  test('members with names of built-in properties do no harm', async () => {
    const response = await post(
      '{"title":"t","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(response.statusCode).toBe(400)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('a failure', () => {
  const failing = async (error: Error) => {
    const own = await testInstallation()
    own.configuration.append = () => Promise.reject(error)
    const response = await own.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 't' } })
    await own.app.close()
    return response
  }

  test('of a full log is 503 with a time to repeat', async () => {
    const response = await failing(new LogError('LOG_FULL', 'full', { retriable: true }))
    expect([response.statusCode, response.json().code]).toEqual([503, 'EUNAVAILABLE'])
    expect(response.headers['retry-after']).toBe('2')
  })

  describe('of reading back a write is 503 with the next step', () => {
    const READ_FIRST = 'Read the present state before you send the request again: it may be done twice.'
    const REPEAT = 'Read the present state, or send the request again: doing it twice has no further effect.'

    test.each<[string, InjectOptions, string]>([
      ['POST', { url: '/v3/pipeline', payload: { title: 't' } }, READ_FIRST],
      ['POST', { url: '/v1/config/presetalert', payload: { name: 'n' } }, READ_FIRST],
      ['PUT', { url: '/v3/account/spread', payload: { enabled: true } }, REPEAT],
      ['PUT', { url: '/v1/config/retention', payload: { days: 7 } }, REPEAT],
      ['PUT', { url: '/v1/config/usage-quotas', payload: {} }, REPEAT],
      ['DELETE', { url: '/v3/pipeline/{id}' }, REPEAT],
    ])('%s %j', async (method, request, next) => {
      const own = await testInstallation()
      const made = await own.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'P' } })
      const topic = await own.log.topic('weir.config', 1)
      const away = new LogError('LOG_UNAVAILABLE', 'away', { retriable: true })
      const reading = vi.spyOn(topic, 'read').mockRejectedValue(away)
      const url = String(request.url).replace('{id}', made.json().data.id)
      const response = await own.call({ ...request, method: method as 'POST', url })
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '2'])
      expect(response.json().error).toBe(
        `The log cannot be written at the moment; whether the change holds is not known. ${next}`,
      )
      reading.mockRestore()
      await own.app.close()
    })
  })

  test('that was not expected is 500, does not reveal its cause, and is logged without the path', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const own = await testInstallation({ logger } as Partial<ServerPorts>)
    own.configuration.append = () => Promise.reject(new Error('secret detail'))
    const response = await own.call({
      method: 'POST',
      url: '/v3/pipeline?servicekey=hidden-key',
      payload: { title: 't' },
    })
    expect([response.statusCode, response.json().code]).toEqual([500, 'ESERVERERROR'])
    expect(response.body).not.toContain('secret')
    expect(lines.join()).toContain('secret detail')
    expect(lines.join()).not.toContain('hidden-key')
    await own.app.close()
  })

  test('because a pipeline grows beyond its limit is 400, and nothing has changed', async () => {
    const own = await testInstallation()
    const id = (await own.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'P' } })).json().data
      .id
    const add = () =>
      own.call({
        method: 'POST',
        url: `/v3/pipeline/${id}/transform`,
        payload: { type: 'drop-fields', user_config: { fields: [`.${'x'.repeat(500_000)}`] } },
      })
    let answer = await add()
    for (let nodes = 1; answer.statusCode === 200 && nodes < 12; nodes++) answer = await add()
    expect([answer.statusCode, answer.json().message]).toEqual([
      400,
      'The draft must be at most 4194304 characters long as it is stored',
    ])
    const { data } = (await own.call({ url: `/v3/pipeline/${id}/transform` })).json()
    expect(data).toHaveLength(6)
    await own.app.close()
  })
})

describe('a second address for ingestion only', () => {
  test('accepts lines and health checks, and nothing else', async () => {
    const app = await buildServer({ ...installation.ports, only: 'ingest' })
    const { ingestionKey, accessToken } = installation.credentials
    const headers = { apikey: ingestionKey, authorization: `Token ${accessToken}` }
    const sent = await app.inject({
      method: 'POST',
      url: '/logs/ingest?hostname=h',
      headers,
      payload: { lines: [{ line: 'x' }] },
    })
    expect(sent.statusCode).toBe(200)
    expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200)
    for (const url of ['/v3/pipeline', '/v1/export', '/docs']) {
      expect((await app.inject({ url, headers })).statusCode).toBe(404)
    }
    await app.close()
  })

  test('has no metrics, and no other path of the first address', async () => {
    const app = await buildServer({ ...installation.ports, only: 'ingest' })
    await app.ready()
    const metrics = await app.inject({ url: '/metrics' })
    expect([metrics.statusCode, metrics.json()]).toEqual([
      404,
      { error: 'Resource Not Found', code: 'NotFound', status: 'error' },
    ])
    expect((await installation.app.inject({ url: '/metrics' })).statusCode).toBe(200)
    const paths = (of: typeof app) => [...new Set(of.routeTable.routes().map(({ url }) => url))].toSorted()
    expect(paths(app)).toEqual([
      '/healthz',
      '/logs/agent',
      '/logs/ingest',
      '/readyz',
      '/v1/:routeId',
      '/v1/:routeId/*',
    ])
    const { accessToken, ingestionKey } = installation.credentials
    const headers = { authorization: `Token ${accessToken}`, apikey: ingestionKey }
    for (const { method, url } of installation.app.routeTable.routes()) {
      // The framework refuses an unknown method before it looks for the path.
      if (paths(app).includes(url) || method === 'QUERY') continue
      const path = url.replaceAll(/:[a-z_]+/gi, 'x').replace('*', 'x')
      const { statusCode } = await app.inject({ method: method as 'GET', url: path, headers })
      // Addresses one step below /v1 belong to gateway routes, with another key and two methods.
      const wanted = /^\/v1\/[^/]+/.test(path) ? [401, 404, 405] : [404]
      expect([method, path, wanted.includes(statusCode)]).toEqual([method, path, true])
    }
    await app.close()
  })
})

describe('on a real connection', () => {
  test('input that is not HTTP at all is 400 in the form of every error', async () => {
    const own = await testInstallation()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const address = own.app.server.address()
    if (address === null || typeof address === 'string') throw new Error('not listening')
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = createConnection(address.port, '127.0.0.1', () => socket.end('NONSENSE\r\n\r\n'))
      socket
        .on('data', chunk => {
          text += chunk.toString()
        })
        .on('end', () => resolve(text))
        .on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: expect.any(String),
      code: 'BadRequest',
      status: 'error',
    })
    await own.app.close()
  })
})

test('an incomplete request is 408 and its connection is closed, even if the sender stays', async () => {
  const own = await testInstallation()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = own.app.server.address() as AddressInfo
  const accepted = once(own.app.server, 'connection')
  const sender = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true })
  sender.write('POST /logs/ingest?hostname=h HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\n{"lines')
  const [socket] = (await accepted) as [Socket]
  const closed = once(socket, 'close')
  // Error that Node raises after the two minutes.
  const timeout = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  own.app.server.emit('clientError', timeout, socket)
  const [answer] = (await once(sender, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"code":"RequestTimeout"/)
  await closed
  sender.destroy()
  await own.app.close()
})

describe('a request that never reaches a route gets the form of every error', () => {
  test.each([
    ['no host', 'GET /v1/export HTTP/1.1\r\nx-request-id: mine\r\nconnection: close\r\n\r\n', 400, 'mine'],
    ['an expectation', 'GET /healthz HTTP/1.1\r\nhost: h\r\nexpect: foo\r\n\r\n', 417, undefined],
    ['too long a header', `GET / HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(50_000)}\r\n\r\n`, 431, undefined],
    ['no HTTP', 'NONSENSE\r\n\r\n', 400, undefined],
  ])('%s', async (_name, request, status, requestId) => {
    const { head, body } = await rawAnswer(request)
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head.toLowerCase()).toContain('\r\ncontent-type: application/json; charset=utf-8')
    expect(/^x-request-id: (.+)$/im.exec(head)?.[1]).toMatch(requestId ?? /^[0-9a-f-]{36}$/)
    expect(body).toMatchObject({ error: expect.any(String), code: 'BadRequest', status: 'error' })
  })

  test.each([
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n'],
    ['one host twice', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhOST: a\r\nconnection: close\r\n\r\n'],
    ['two hosts of an older version', 'GET /healthz HTTP/1.0\r\nhost: a\r\nhost: b\r\n\r\n'],
    [
      'two hosts for a WebSocket',
      'GET /ws/tail HTTP/1.1\r\nhost: a\r\nhost: b\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    ],
  ])('%s are refused, also over TLS', async (_name, request) => {
    for (const tls of [undefined, TLS]) {
      const { head, body } = await rawAnswer(request, tls)
      expect(head).toMatch(/^HTTP\/1\.1 400 /)
      expect(body).toEqual({
        details: [{ message: '"host" header must be there only once', key: 'host' }],
        error: '"host" header must be there only once',
        code: 'BadRequest',
        status: 'error',
      })
    }
  })

  test('a missing host is refused also over TLS', async () => {
    const { head } = await rawAnswer('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', TLS)
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    const one = 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'
    expect((await rawAnswer(one, TLS)).head).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a query of the allowed length works in any encoding, and a longer one gets the reason', async () => {
    const own = await testInstallation()
    const answerTo = (query: string) => {
      const url = `/v1/export?from=1&to=2&query=${[...Buffer.from(query)].map(percentEncoded).join('')}`
      const authorization = `authorization: Token ${own.credentials.accessToken}`
      return rawAnswer(`GET ${url} HTTP/1.1\r\nhost: h\r\n${authorization}\r\nconnection: close\r\n\r\n`)
    }
    const longest = 'a'.repeat(8_192)
    expect((await answerTo(longest)).head).toMatch(/^HTTP\/1\.1 200 /)
    const { head, body } = await answerTo(`${longest}a`)
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(body).toMatchObject({ error: expect.stringMatching(/^"query" .*8192 bytes/) })
    await own.app.close()
  })

  test('version 3 has its own form, and HTTP/1.0 needs no host', async () => {
    const { body } = await rawAnswer('GET /v3/pipeline HTTP/1.1\r\nconnection: close\r\n\r\n')
    expect(body).toMatchObject({ status: 400, code: 'EVALIDATION', errors: [{ instancePath: '/host' }] })
    expect((await rawAnswer('GET /healthz HTTP/1.0\r\n\r\n')).head).toMatch(/^HTTP\/1\.1 200 /)
  })
})

function percentEncoded(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

const TLS = {
  cert: readFileSync(new URL('../test/data/tls/cert.pem', import.meta.url)),
  key: readFileSync(new URL('../test/data/tls/key.pem', import.meta.url)),
}

/** Sends a text as it is. */
async function rawAnswer(
  request: string,
  tls?: ServerSettings['tls'],
): Promise<{ head: string; body: unknown }> {
  const own = await testInstallation({ settings: { ...TEST_SETTINGS, tls } })
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = own.app.server.address() as AddressInfo
  const chunks: Buffer[] = []
  const host = '127.0.0.1'
  const socket =
    tls === undefined ? createConnection(port, host) : connectTls({ port, host, rejectUnauthorized: false })
  socket.on('data', chunk => chunks.push(chunk)).write(request)
  await once(socket, 'end')
  socket.destroy()
  await own.app.close()
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  return { head, body: body === '' ? undefined : JSON.parse(body) }
}

test('no request makes the server fail', async () => {
  const json = fc.json({ maxDepth: 4 })
  const known = fc.constantFrom(
    'title',
    'type',
    'user_config',
    'inputs',
    'description',
    'id',
    'origin',
    'fields',
  )
  const conditional = fc.record({ expressions: fc.array(fc.jsonValue()), logical_operation: fc.jsonValue() })
  const config = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom('fields', 'threshold', 'window_ms', 'key_field', 'action', 'query'),
      fc.jsonValue(),
    ),
    fc.record({ conditional, action: fc.constant('drop') }),
    fc.record({ conditionals: fc.array(fc.record({ label: fc.jsonValue(), conditional })) }),
  )
  const type = fc.constantFrom('filter', 'route', 'throttle', 'drop-fields', 'mezmo', 'blackhole', 'x')
  const node = fc.record({ type, user_config: config, inputs: fc.jsonValue() }, { requiredKeys: ['type'] })
  const body = fc.oneof(
    json,
    fc.string({ unit: 'binary' }),
    fc.dictionary(known, fc.jsonValue()).map(value => JSON.stringify(value)),
    node.map(value => JSON.stringify(value)),
  )
  const segment = fc.oneof(
    fc.constantFrom('source', 'transform', 'sink', 'publish', 'gateway-route', 'alert', ''),
    fc.constant(pipeline),
    fc.string({ unit: 'binary', maxLength: 12 }).map(encodeURIComponentLeniently),
    fc.string({ maxLength: 12 }).filter(text => !/[\s#]/.test(text)),
  )
  const path = fc.array(segment, { maxLength: 4 }).map(segments => `/v3/pipeline/${segments.join('/')}`)
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD')
  await fc.assert(
    fc.asyncProperty(method, path, body, async (verb, url, payload) => {
      const withBody = verb === 'GET' || verb === 'HEAD' ? {} : { payload }
      const response = await installation.call({
        method: verb as 'GET',
        url,
        headers: { 'content-type': 'application/json' },
        ...withBody,
      })
      expect(response.statusCode).toBeLessThan(500)
      if (response.statusCode >= 400 && verb !== 'HEAD') {
        expect(response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) })
      }
    }),
    { numRuns: 300 },
  )
})

function encodeURIComponentLeniently(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
