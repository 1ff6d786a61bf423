import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NetworkAddress, type Outbound, OutboundError } from '../../engine/outbound/outbound.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import { freePort } from '../../test/support/free-port.ts'
import { type SilentListener, silentListener } from '../../test/support/silent-listener.ts'
import {
  TEST_OUTBOUND,
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const STREAM = '/v1/config/stream'
const FAILED = 'Failed to connect to Kafka broker: no connection came about within 3 s'

let installation: TestInstallation
let server: Server
/** Of something that accepts connections, and of nothing. */
let open: string
let closed: string
let connections: number

beforeEach(async () => {
  installation = await testInstallation()
  connections = 0
  server = createServer(socket => {
    connections++
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open = `127.0.0.1:${(server.address() as AddressInfo).port}`
  closed = `127.0.0.1:${await freePort()}`
})
afterEach(async () => {
  server.close()
  await installation.app.close()
})

async function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', payload?: unknown) {
  const response = await installation.call({
    method,
    url: STREAM,
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}

const stream = (...brokers: string[]) => ({ brokers, topic: 'logs', user: 'u', password: 'sEcReT' })

/** An installation whose way out is as a test says. */
async function reaching(outbound: Outbound): Promise<void> {
  await installation.app.close()
  installation = await testInstallation({ outbound })
}

/** What is sent now is tried, whatever was tried before. */
const aMinuteLater = () => installation.clock.advance(60_000)

describe('a stream', () => {
  test('is created, read, replaced and deleted, and never tells its password', async () => {
    const created = await send('POST', stream(open))
    expect(created).toMatchObject({
      status: 200,
      text: `{"status":"active","brokers":["${open}"],"topic":"logs","user":"u"}`,
    })
    expect((await send('GET')).text).toBe(created.text)
    const changed = await send('PUT', { ...stream(open), topic: 'updated', user: 'v' })
    expect(changed.body).toEqual({ status: 'active', brokers: [open], topic: 'updated', user: 'v' })
    expect((await send('GET')).text).toBe(changed.text)
    expect((await send('DELETE')).text).toBe('{"deleted":true}')
    expect((await send('GET')).status).toBe(404)
    const topic = await installation.log.topic('weir.config', 1)
    const records = await topic.read(0, 0n, 10_000_000)
    expect(Buffer.concat(records.map(({ value }) => value)).includes('sEcReT')).toBe(false)
  })

  test('sends back what GET returned only with the password', async () => {
    const { body } = await send('POST', stream(open))
    expect((await send('PUT', body)).body.details).toEqual([
      { message: '"password" is required', key: 'password' },
    ])
    expect((await send('PUT', { ...body, password: 'p' })).body).toEqual(body)
  })

  test('belongs to one account', async () => {
    await installation.account('0123456789')
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    await send('POST', stream(open))
    expect((await installation.call({ url: STREAM, headers: { authorization } })).statusCode).toBe(404)
  })
})

describe('its brokers', () => {
  test('are enough when one of them accepts a connection', async () => {
    expect((await send('POST', stream(closed, open))).body.brokers).toEqual([closed, open])
    expect(connections).toBe(1)
  })

  test('must resolve, and listen', async () => {
    const refused = await installation.clock.advanceUntil(send('POST', stream(closed)))
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: FAILED, code: 'BadRequest', status: 'error' },
    ])
    aMinuteLater()
    const unknown = await installation.clock.advanceUntil(send('POST', stream('broker-1.invalid:9090')))
    expect(unknown).toEqual(refused)
    expect((await send('GET')).status).toBe(404)
    aMinuteLater()
    await send('POST', stream(open))
    aMinuteLater()
    expect((await installation.clock.advanceUntil(send('PUT', stream(closed)))).status).toBe(400)
    expect((await send('GET')).body.brokers).toEqual([open])
  })

  test('that are slow do not keep the others waiting', async () => {
    await reaching({
      connect: ({ port }) => (port === 2 ? Promise.resolve(new PassThrough()) : new Promise(() => {})),
    })
    expect((await send('POST', stream('a.example:1', 'b.example:2'))).status).toBe(200)
  })

  test('may be addresses of IPv6', async () => {
    const asked: NetworkAddress[] = []
    await reaching({
      connect: async address => {
        asked.push(address)
        return new PassThrough()
      },
    })
    expect((await send('POST', stream('[::1]:9092'))).status).toBe(200)
    expect(asked).toEqual([{ host: '::1', port: 9092 }])
  })

  test('are not asked before everything else is right', async () => {
    let asked = 0
    await reaching({
      connect: async () => {
        asked++
        return new PassThrough()
      },
    })
    await send('POST', { ...stream('a.example:1'), topic: '' })
    await send('PUT', stream('a.example:1'))
    expect(asked).toBe(0)
    await send('POST', stream('a.example:1'))
    await send('POST', stream('a.example:1'))
    expect(asked).toBe(1)
  })
})

describe('a stream is no way to look around in the network', () => {
  let silent: SilentListener
  /** Fulfilled once the connection has come about or not, and asked for where it does neither. */
  let tried: PromiseWithResolvers<void>

  beforeEach(async () => {
    silent = await silentListener()
    tried = Promise.withResolvers()
    await reaching({
      connect: async (address, signal) => {
        if (address.port === silent.port) tried.resolve()
        try {
          return await TEST_OUTBOUND.connect(address, signal)
        } finally {
          tried.resolve()
        }
      },
    })
  })
  afterEach(() => silent.close())

  const KINDS: Readonly<Record<string, () => string>> = {
    closed: () => closed,
    silent: () => `127.0.0.1:${silent.port}`,
    'link-local': () => '169.254.169.254:80',
    unresolvable: () => 'broker-1.invalid:9090',
  }

  test.each(Object.keys(KINDS))('%s: the same answer after exactly three seconds', async kind => {
    let status: number | undefined
    const answer = send('POST', stream(KINDS[kind]?.() ?? '')).then(given => {
      status = given.status
      return given
    })
    await tried.promise
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(status).toBeUndefined()
    installation.clock.advance(2_999)
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(status).toBeUndefined()
    installation.clock.advance(1)
    expect(await answer).toMatchObject({
      status: 400,
      text: `{"error":"${FAILED}","code":"BadRequest","status":"error"}`,
    })
  })

  test('all of them beside one that is open are as good as it alone', async () => {
    const brokers = [...Object.values(KINDS).map(broker => broker()), open]
    expect((await send('POST', stream(...brokers))).body.brokers).toEqual(brokers)
  })

  test('an account has one try a minute, and another account one of its own', async () => {
    const refused = await installation.clock.advanceUntil(send('POST', stream(closed)))
    expect(refused.status).toBe(400)
    // Three seconds are over.
    const early = await installation.call({
      method: 'POST',
      url: STREAM,
      payload: stream(open),
    })
    expect([early.statusCode, early.headers['retry-after'], early.json()]).toEqual([
      429,
      '57',
      {
        error: 'Connections to other hosts and ports are tried once a minute for each account',
        code: 'TooManyRequests',
        status: 'error',
      },
    ])
    expect(connections).toBe(0)
    await installation.account('0123456789')
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    const other = await installation.call({
      method: 'POST',
      url: STREAM,
      headers: { authorization },
      payload: stream(open),
    })
    expect(other.statusCode).toBe(200)
    installation.clock.advance(56_999)
    expect((await send('POST', stream(open))).status).toBe(429)
    installation.clock.advance(1)
    expect((await send('POST', stream(open))).status).toBe(200)
  })

  test('a second try beside one that goes on is refused', async () => {
    const first = send('POST', stream(KINDS.silent?.() ?? ''))
    await tried.promise
    expect((await send('POST', stream(open))).status).toBe(429)
    installation.clock.advance(3_000)
    expect((await first).status).toBe(400)
  })

  test('what accepted a connection a moment ago can be written again at once, and is not asked again', async () => {
    await send('POST', stream(open))
    expect((await send('PUT', { ...stream(closed, open), topic: 'updated' })).status).toBe(200)
    await send('DELETE')
    expect((await send('POST', stream(open))).status).toBe(200)
    expect(connections).toBe(1)
    expect((await send('PUT', stream(closed))).status).toBe(429)
    aMinuteLater()
    expect((await send('PUT', stream(open))).status).toBe(200)
    expect(connections).toBe(2)
  })

  test('the check of an object store is a try, too', async () => {
    await installation.app.close()
    installation = await testInstallation({ settings: { ...TEST_SETTINGS, checkArchiving: true } })
    await installation.clock.advanceUntil(send('POST', stream(closed)))
    const archiving = await installation.call({
      method: 'POST',
      url: '/v1/config/archiving',
      payload: { integration: 's3', bucket: 'b', endpoint: open },
    })
    expect(archiving.statusCode).toBe(429)
  })
})

test('what keeps an address from being reached is told to the operator alone', async () => {
  const told: object[] = []
  const logger = pino({ level: 'info' }, { write: line => void told.push(JSON.parse(line)) })
  await installation.app.close()
  installation = await testInstallation({
    logger,
    outbound: {
      connect: async () => {
        throw new OutboundError('DENIED', 'a.example is 10.0.0.1, which is not connected to')
      },
    },
  })
  const { text } = await installation.clock.advanceUntil(send('POST', stream('a.example:1')))
  expect(text).not.toContain('10.0.0.1')
  expect(told).toMatchObject([{ why: 'a.example is 10.0.0.1, which is not connected to' }])
})

describe('what is refused', () => {
  test('empty texts, all of them, in the order of the members', async () => {
    const { status, text } = await send('POST', { brokers: ['b:1'], password: '', user: '', topic: '' })
    expect(status).toBe(400)
    expect(text).toMatch(
      /\\"topic\\" is not allowed to be empty.*\\"user\\" is not allowed to be empty.*\\"password\\" is not allowed to be empty/,
    )
    expect(JSON.parse(text).details).toHaveLength(3)
  })

  test('what is missing, all of it', async () => {
    expect((await send('POST', {})).body.details.map(({ message }: { message: string }) => message)).toEqual([
      '"brokers" is required',
      '"topic" is required',
      '"user" is required',
      '"password" is required',
    ])
  })

  test.each([
    'b',
    'b:',
    ':1',
    'b:0',
    'b:00',
    'b:65536',
    'b:x',
    'a b:1',
    'http://b:1',
    'b:1,c:1',
    '::1:9092',
    'b:1/x',
  ])('as a broker: "%s"', async broker => {
    const { status, body } = await send('POST', stream(broker))
    expect([status, body.details[0].message]).toEqual([400, '"brokers[0]" must be a valid host:port'])
  })

  test('no broker, too many, and what is no list', async () => {
    const brokers = async (sent: unknown) => (await send('POST', { ...stream(), brokers: sent })).body.error
    expect(await brokers([])).toBe('"brokers" must contain at least 1 items')
    expect(await brokers(Array.from({ length: 101 }, (_, at) => `b${at}:1`))).toBe(
      '"brokers" must contain less than or equal to 100 items',
    )
    expect(await brokers('b:1')).toBe('"brokers" must be an array')
    expect(await brokers([1])).toBe('"brokers[0]" must be a string')
    expect(await brokers([''])).toBe('"brokers[0]" is not allowed to be empty')
  })

  test('everything but creating, while there is none', async () => {
    const none = '{"error":"Not found","code":"NotFound","status":"error"}'
    expect(await send('GET')).toMatchObject({ status: 404, text: none })
    expect(await send('DELETE')).toMatchObject({ status: 404, text: none })
    expect(await send('PUT', stream(open))).toMatchObject({
      status: 404,
      text: '{"error":"Streaming configuration does not exist","code":"NotFound","status":"error"}',
    })
  })

  test('a second one, also when two processes create it at once', async () => {
    const other = await anotherProcess(installation)
    const headers = { authorization: `Token ${installation.credentials.accessToken}` }
    const create = (app: typeof installation.app, topic: string) =>
      app.inject({ method: 'POST', url: STREAM, headers, payload: { ...stream(open), topic } })
    const answers = await Promise.all([create(installation.app, 'a'), create(other.app, 'b')])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    expect((await send('GET')).body).toEqual(answers.find(({ statusCode }) => statusCode === 200)?.json())
    await other.app.close()
  })
})

test('whatever is sent is no 500, and what is accepted reads back', async () => {
  await reaching({ connect: async () => new PassThrough() })
  await send('POST', stream('b:1'))
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue())
  const broker = fc.oneof(
    fc.string(),
    fc.tuple(fc.domain(), fc.nat(70_000)).map(([host, port]) => `${host}:${port}`),
  )
  const payloads = fc.oneof(
    fc.record(
      { brokers: fc.oneof(fc.array(broker), fc.jsonValue()), topic: text, user: text, password: text },
      { requiredKeys: [] },
    ),
    fc.record({ brokers: fc.constant(['b:1']), topic: text, user: text, password: text }),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(payloads, async payload => {
      aMinuteLater()
      const { status, body, text: answer } = await send('PUT', payload)
      if (status === 200) expect((await send('GET')).text).toBe(answer)
      else expect([status, body.code]).toEqual([400, 'BadRequest'])
    }),
    { numRuns: 300 },
  )
})
