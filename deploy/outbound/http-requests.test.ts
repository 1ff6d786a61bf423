import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  isIP,
  type Server as TcpServer,
} from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decompressSnappy } from '../../api/ingest/snappy.ts'
import { parseBlock } from '../../engine/addresses/cidr.ts'
import type { HttpAnswer, HttpRequest } from '../../engine/outbound/http-exchange.ts'
import type { OutboundError } from '../../engine/outbound/outbound-error.ts'
import { type OutboundSettings, outboundRules } from '../../engine/outbound/outbound-rules.ts'
import { freePort } from '../../test/support/free-port.ts'
import { signatureHeaders } from './aws-signature.ts'
import { type NetworkOutbound, networkOutbound } from './network-outbound.ts'
import { tcpOutbound } from './tcp-outbound.ts'

const LOG_ID = 'log-1'
const [CERTIFICATE, KEY] = ['cert', 'key'].map(name =>
  readFileSync(new URL(`../../test/data/tls/${name}.pem`, import.meta.url), 'utf8'),
) as [string, string]

const opened: (Server | TcpServer)[] = []
const outbounds: NetworkOutbound[] = []

afterEach(async () => {
  await Promise.all(outbounds.splice(0).map(each => each.close()))
  for (const server of opened.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  }
})

async function portOf(server: Server | TcpServer): Promise<number> {
  opened.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A server that notes requests and answers them alike. */
function noting(answer: RequestListener = (_request, reply) => void reply.end('ok')) {
  const heard: Heard[] = []
  const listener: RequestListener = async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    heard.push({ method, url, headers, body: Buffer.concat(chunks) })
    answer(request, reply)
  }
  return { heard, listener }
}

function outboundWith(
  settings: Partial<OutboundSettings> = {},
  names: Readonly<Record<string, readonly string[]>> = {},
  ca?: string,
): NetworkOutbound {
  const rules = outboundRules({
    ...{ deny: [], allow: [], isCluster: false },
    ...{ ownPorts: () => new Set<number>(), servers: () => [], localAddresses: () => [] },
    ...settings,
  })
  const answers = new Map(Object.entries(names).map(([name, addresses]) => [name, [...addresses]]))
  const resolve = async (host: string) => {
    if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }]
    // Each lookup takes the next address; the last one stays.
    const addresses = answers.get(host) ?? []
    const address = addresses.length > 1 ? addresses.shift() : addresses[0]
    if (address === undefined) throw new Error(`${host} has no address`)
    return [{ address, family: 4 }]
  }
  const made = networkOutbound({ ...tcpOutbound({ rules, resolve }), rules, logId: LOG_ID, ca })
  outbounds.push(made)
  return made
}

const requestTo = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  ...{ method: 'POST', url, headers: {}, body: Buffer.from('hello') },
  ...more,
})

function send(outbound: NetworkOutbound, request: HttpRequest): Promise<HttpAnswer> {
  return outbound.request(request, new AbortController().signal)
}

async function failureOf(outbound: NetworkOutbound, request: HttpRequest): Promise<string> {
  try {
    return `answered ${(await send(outbound, request)).status}`
  } catch (error) {
    return (error as OutboundError).code
  }
}

describe('a request', () => {
  test('is repeated once with other headers after a conflict, if it names some', async () => {
    const { heard, listener } = noting((_request, reply) => void reply.writeHead(409).end())
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    const keys = { headers: { 'x-key': 'a/1', 'x-other': 'o' } }
    expect(await send(outboundWith(), requestTo(url, keys))).toMatchObject({ status: 409 })
    const changed = { ...keys, headersAfterConflict: { 'x-key': 'b' } }
    expect(await send(outboundWith(), requestTo(url, changed))).toMatchObject({ status: 409 })
    expect(heard.map(({ headers, body }) => [headers['x-key'], headers['x-other'], String(body)])).toEqual([
      ['a/1', 'o', 'hello'],
      ['a/1', 'o', 'hello'],
      ['b', 'o', 'hello'],
    ])
  })

  test('arrives with its method, path, headers, body and the way that it came', async () => {
    const { heard, listener } = noting((_request, reply) =>
      reply.writeHead(202, { 'x-a': ['1', '2'], 'Retry-After': '3' }).end('taken'),
    )
    const port = await portOf(createServer(listener))
    const url = `http://127.0.0.1:${port}/in?a=%20b&c=d`
    const answer = await send(outboundWith(), requestTo(url, { method: 'PUT', headers: { 'x-b': 'c' } }))
    expect(answer).toMatchObject({
      status: 202,
      headers: { 'x-a': '1, 2', 'retry-after': '3' },
      body: 'taken',
    })
    expect(heard).toMatchObject([
      {
        ...{ method: 'PUT', url: '/in?a=%20b&c=d', body: Buffer.from('hello') },
        headers: {
          ...{ host: `127.0.0.1:${port}`, 'content-length': '5', 'x-b': 'c' },
          'x-weir-path': LOG_ID,
        },
      },
    ])
  })

  test('continues the way of its events', async () => {
    const { heard, listener } = noting()
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    await send(outboundWith(), requestTo(url, { headers: { 'x-weir-path': 'first' } }))
    expect(heard[0]?.headers['x-weir-path']).toBe(`first, ${LOG_ID}`)
  })

  test('has a token of the service account, which an answer does not show', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const { heard, listener } = noting((request, reply) => reply.end(`got ${request.headers.authorization}`))
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    const serviceAccount = { email: 'a@example.com', privateKey: key, audience: 'https://a.example/' }
    const answer = await send(outboundWith(), requestTo(url, { serviceAccount }))
    expect(heard[0]?.headers.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
    expect(answer.body).toBe('got Bearer [hidden]')
  })

  test('cannot be written with a key that signs nothing', async () => {
    const serviceAccount = { email: 'a@example.com', privateKey: 'key', audience: 'https://a.example/' }
    expect(await failureOf(outboundWith(), requestTo('http://127.0.0.1:9/', { serviceAccount }))).toBe(
      'INVALID',
    )
  })

  test('is compressed on its way', async () => {
    const { heard, listener } = noting()
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    await send(
      outboundWith(),
      requestTo(url, { compression: 'gzip', headers: { 'content-encoding': 'gzip' } }),
    )
    expect(gunzipSync(heard[0]?.body as Buffer).toString()).toBe('hello')
  })

  test('is compressed with snappy, for remote write', async () => {
    const { heard, listener } = noting()
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    const body = Buffer.from('hello '.repeat(1_000))
    await send(outboundWith(), requestTo(url, { compression: 'snappy', body }))
    expect(heard[0]?.body.length).toBeLessThan(1_000)
    expect(decompressSnappy(heard[0]?.body as Buffer)).toEqual(body)
  })

  test('is signed as it is sent, if it has a key for that', async () => {
    const { heard, listener } = noting()
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/_bulk?a=b`
    const signature = { accessKeyId: 'AKIA', secretAccessKey: 's', region: 'eu-central-1', service: 'es' }
    await send(outboundWith(), requestTo(url, { signature, compression: 'gzip' }))
    const { headers, body } = heard[0] as Heard
    const time = String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5')
    const request = { method: 'POST', url, headers: {}, body }
    expect(headers.authorization).toBe(signatureHeaders(request, signature, Date.parse(time)).authorization)
  })

  test('uses a connection of those before', async () => {
    const { listener } = noting()
    const server = createServer(listener)
    let connections = 0
    server.on('connection', () => connections++)
    const outbound = outboundWith()
    const request = requestTo(`http://127.0.0.1:${await portOf(server)}/`)
    for (let number = 0; number < 9; number++) await send(outbound, request)
    // The next request may come before the connection of the last one is free.
    expect(connections).toBeLessThan(4)
  })

  test('does not wait for requests of other owners, which have a limited number of connections', async () => {
    let hanging = 0
    const server = createServer(({ url }, reply) => void (url === '/hang' ? hanging++ : reply.end()))
    const origin = `http://127.0.0.1:${await portOf(server)}`
    const outbound = outboundWith()
    const end = new AbortController()
    const hang = requestTo(`${origin}/hang`, { owner: 'a' })
    const hung = Array.from({ length: 70 }, () => outbound.request(hang, end.signal).catch(() => 'ended'))
    await expect.poll(() => hanging).toBe(64)
    const connection = { timeoutMs: 2_000 }
    expect(await failureOf(outbound, requestTo(origin, { owner: 'b', connection }))).toBe('answered 200')
    const late = requestTo(origin, { owner: 'a', connection: { timeoutMs: 150 } })
    expect(await failureOf(outbound, late)).toBe('TIMED_OUT')
    expect(hanging).toBe(64)
    end.abort()
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['ended']))
  })

  test('is sent although more owners send at once than have connections kept', async () => {
    const outbound = outboundWith({ isCluster: true })
    const of = (owner: string) => failureOf(outbound, requestTo('http://127.0.0.1/', { owner }))
    const sent = await Promise.all(Array.from({ length: 550 }, (_, each) => of(`owner ${each}`)))
    expect(new Set(sent)).toEqual(new Set(['DENIED']))
  })

  test('whose headers cannot be written is invalid, and reaches nobody', async () => {
    const { heard, listener } = noting()
    const url = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    const request = requestTo(url, { headers: { 'x-a': 'b\r\nx-c: d' } })
    expect([await failureOf(outboundWith(), request), heard]).toEqual(['INVALID', []])
  })

  test('ends when its caller gives up', async () => {
    const url = `http://127.0.0.1:${await portOf(createServer(() => {}))}/`
    const enough = new AbortController()
    const sent = outboundWith().request(requestTo(url), enough.signal)
    enough.abort()
    await expect(sent).rejects.toMatchObject({ code: 'BROKEN' })
  })
})

describe('an answer', () => {
  const answering = async (answer: RequestListener) =>
    requestTo(`http://127.0.0.1:${await portOf(createServer(noting(answer).listener))}/`)

  test('that redirects is an answer: nothing follows it', async () => {
    const { heard, listener } = noting()
    const elsewhere = `http://127.0.0.1:${await portOf(createServer(listener))}/`
    for (const status of [301, 302, 303, 307, 308]) {
      const request = await answering((_request, reply) =>
        reply.writeHead(status, { location: elsewhere }).end(),
      )
      expect(await send(outboundWith(), request)).toMatchObject({ status, headers: { location: elsewhere } })
    }
    expect(heard).toEqual([])
  })

  test('is kept up to its limit, without the part of a character', async () => {
    const request = await answering((_request, reply) => reply.end('ab€'.repeat(50_000)))
    const { body } = await send(outboundWith(), { ...request, connection: { answerBytes: 8 } })
    expect(body).toBe('ab€ab')
  })

  test('that ends before its length is broken', async () => {
    const request = await answering((_request, reply) => {
      reply.writeHead(200, { 'content-length': '100' }).write('part')
      setTimeout(() => reply.destroy(), 20)
    })
    expect(await failureOf(outboundWith(), request)).toBe('BROKEN')
  })

  test('in pieces that ends before its last piece is broken', async () => {
    const request = await answering((_request, reply) => {
      reply.writeHead(200).write('part')
      setTimeout(() => reply.destroy(), 20)
    })
    expect(await failureOf(outboundWith(), request)).toBe('BROKEN')
  })

  test('that never comes, or never ends, is given up after the time of the request', async () => {
    const connection = { timeoutMs: 150 }
    const silent = await answering(() => {})
    const endless = await answering((_request, reply) => void reply.writeHead(200).write('part'))
    for (const request of [silent, endless])
      expect(await failureOf(outboundWith(), { ...request, connection })).toBe('TIMED_OUT')
  })

  test('that is not HTTP is broken', async () => {
    const port = await portOf(createTcpServer(socket => socket.on('error', () => {}).end('hello\r\n')))
    expect(await failureOf(outboundWith(), requestTo(`http://127.0.0.1:${port}/`))).toBe('BROKEN')
  })
})

describe('an address', () => {
  let port: number
  let heard: readonly Heard[]
  beforeEach(async () => {
    const noted = noting()
    heard = noted.heard
    port = await portOf(createServer(noted.listener))
  })

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '127.1', 'here.example', '[64:ff9b::7f00:1]'])(
    'of a private network in a cluster is denied as %s',
    async host => {
      const outbound = outboundWith({ isCluster: true }, { 'here.example': ['127.0.0.1'] })
      const sent = await failureOf(outbound, requestTo(`http://${host}:${port}/`))
      expect([sent, heard]).toEqual(['DENIED', []])
    },
  )

  test('that is denied behind an allowed one is not reached by a second connection', async () => {
    const outbound = outboundWith({}, { 'moving.example': ['127.0.0.1', '169.254.169.254'] })
    const sent = () => failureOf(outbound, requestTo(`http://moving.example:${port}/`))
    expect(await sent()).toBe('answered 200')
    await outbound.close()
    expect(await sent()).toBe('DENIED')
    expect(heard).toHaveLength(1)
  })

  test('of a name that does not resolve, and a closed port, have codes of their own', async () => {
    expect(await failureOf(outboundWith(), requestTo('http://nowhere.example/'))).toBe('UNRESOLVED')
    const closed = `http://127.0.0.1:${await freePort()}/`
    expect(await failureOf(outboundWith(), requestTo(closed))).toBe('NOT_CONNECTED')
  })

  test('in a message ends at the host', async () => {
    const url = `http://127.0.0.1:${await freePort()}/hooks/T0123456789?key=secret`
    const error = await send(outboundWith(), requestTo(url)).catch((cause: Error) => cause.message)
    expect(error).not.toMatch(/T0123456789|secret/)
  })
})

describe('TLS', () => {
  const secure = (listener: RequestListener) => createTlsServer({ cert: CERTIFICATE, key: KEY }, listener)
  const names = { localhost: ['127.0.0.1'], 'other.example': ['127.0.0.1'] }

  test('of a trusted certificate carries the request', async () => {
    const { heard, listener } = noting()
    const port = await portOf(secure(listener))
    for (const host of ['localhost', '127.0.0.1'])
      expect(
        await failureOf(outboundWith({}, names, CERTIFICATE), requestTo(`https://${host}:${port}/`)),
      ).toBe('answered 200')
    expect(heard).toHaveLength(2)
  })

  test.each([
    ['by an unknown authority', 'localhost', undefined],
    ['for another name', 'other.example', CERTIFICATE],
  ])('with a certificate %s is not verified, and the request is not sent', async (_what, host, ca) => {
    const { heard, listener } = noting()
    const port = await portOf(secure(listener))
    const request = requestTo(`https://${host}:${port}/`)
    expect([await failureOf(outboundWith({}, names, ca), request), heard]).toEqual(['NOT_VERIFIED', []])
    const unseen = { ...request, connection: { verifiesCertificate: false } }
    expect(await failureOf(outboundWith({}, names, ca), unseen)).toBe('answered 200')
  })

  test('a connection that was opened unseen does not carry requests that verify', async () => {
    const port = await portOf(secure(noting().listener))
    const outbound = outboundWith({}, names)
    const request = requestTo(`https://localhost:${port}/`)
    const unseen = { ...request, connection: { verifiesCertificate: false } }
    expect(await failureOf(outbound, unseen)).toBe('answered 200')
    expect(await failureOf(outbound, request)).toBe('NOT_VERIFIED')
  })

  test('agrees on the first offered protocol that the server knows', async () => {
    const versions: string[] = []
    const both = createSecureServer({ cert: CERTIFICATE, key: KEY, allowHTTP1: true }, (request, reply) => {
      versions.push(request.httpVersion)
      reply.end('ok')
    })
    const port = await portOf(both as unknown as Server)
    const outbound = outboundWith({}, names, CERTIFICATE)
    for (const protocols of [['h2', 'http/1.1'], ['http/1.1'], undefined]) {
      const connection = protocols === undefined ? {} : { protocols }
      expect(await failureOf(outbound, requestTo(`https://localhost:${port}/`, { connection }))).toBe(
        'answered 200',
      )
    }
    expect(versions).toEqual(['2.0', '1.1', '1.1'])
  })

  test('that a server does not speak is not connected', async () => {
    const port = await portOf(createServer(noting().listener))
    expect(await failureOf(outboundWith(), requestTo(`https://127.0.0.1:${port}/`))).toBe('NOT_CONNECTED')
  })

  test('of a bare connection is verified as well', async () => {
    const port = await portOf(secure(noting().listener))
    const { signal } = new AbortController()
    const outbound = outboundWith({}, names)
    const address = { host: 'localhost', port }
    await expect(outbound.connectTls(address, {}, signal)).rejects.toMatchObject({ code: 'NOT_VERIFIED' })
    const connection = await outbound.connectTls(address, { ca: CERTIFICATE }, signal)
    connection.destroy()
  })
})

describe('a proxy', () => {
  let proxyPort: number
  let tunnels: string[]
  let credentials: (string | undefined)[]
  let target: number
  let heard: readonly Heard[]

  beforeEach(async () => {
    tunnels = []
    credentials = []
    const noted = noting()
    heard = noted.heard
    target = await portOf(createServer(noted.listener))
    const proxy = createServer(noting().listener).on('connect', (request, socket) => {
      tunnels.push(request.url ?? '')
      credentials.push(request.headers['proxy-authorization'])
      const there = connect(target, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        socket.pipe(there).pipe(socket)
      })
      for (const each of [socket, there]) each.on('error', () => {})
    })
    proxyPort = await portOf(proxy)
  })

  const through = (url: string, bypass: readonly string[] = [], user = '') =>
    requestTo(url, { connection: { proxy: { endpoint: `http://${user}127.0.0.1:${proxyPort}`, bypass } } })

  test('of the request opens the way to a server that only it can reach', async () => {
    const request = through('http://inside.example:8000/in', [], 'me:pass%20word@')
    expect(await failureOf(outboundWith(), request)).toBe('answered 200')
    expect([tunnels, credentials, heard.length]).toEqual([
      ['inside.example:8000'],
      [`Basic ${Buffer.from('me:pass word').toString('base64')}`],
      1,
    ])
  })

  test('is not used for hosts that bypass it', async () => {
    const request = through(`http://127.0.0.1:${target}/`, ['127.0.0.0/8'])
    expect([await failureOf(outboundWith(), request), tunnels]).toEqual(['answered 200', []])
  })

  test('is judged as every address, and so is an address behind it', async () => {
    const denied = outboundWith({ isCluster: true })
    expect(await failureOf(denied, through('http://inside.example/'))).toBe('DENIED')
    expect(await failureOf(outboundWith(), through('http://169.254.169.254/latest'))).toBe('DENIED')
    const deny = [parseBlock('10.0.0.0/8')].flatMap(block => block ?? [])
    expect(await failureOf(outboundWith({ deny }), through('http://10.1.2.3/'))).toBe('DENIED')
    expect(tunnels).toEqual([])
  })

  test('that refuses is not connected', async () => {
    const port = await portOf(
      createServer().on('connect', (_request, socket) => {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      }),
    )
    const connection = { proxy: { endpoint: `http://127.0.0.1:${port}`, bypass: [] } }
    expect(await failureOf(outboundWith(), requestTo('http://inside.example/', { connection }))).toBe(
      'NOT_CONNECTED',
    )
  })

  test('of the environment is not used', async () => {
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    const before = names.map(name => process.env[name])
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxyPort}`
    try {
      const request = requestTo(`http://127.0.0.1:${target}/`)
      expect([await failureOf(outboundWith(), request), tunnels]).toEqual(['answered 200', []])
    } finally {
      for (const [index, name] of names.entries()) {
        const value = before[index]
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })
})
