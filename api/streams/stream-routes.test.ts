import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkAddress, Outbound } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
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
const FAILED = 'Failed to connect to Kafka broker: no connection was established within 3 s'

let installation: TestInstallation
let server: Server
/** Address that accepts connections, and one that does not. */
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

/** An installation whose outbound connections are those of the test. */
async function reaching(outbound: Pick<Outbound, 'connect'>): Promise<void> {
  await installation.app.close()
  installation = await testInstallation({ outbound })
}

/** Allows the next attempt, whatever was tried before. */
const aMinuteLater = () => installation.clock.advance(60_000)

describe('a stream', () => {
  test('is created, read, replaced and deleted, and never shows its password', async () => {
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

  test('can be replaced by its own answer only with the password', async () => {
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
  test('are accepted when one of them accepts a connection', async () => {
    const created = await installation.clock.advanceUntil(send('POST', stream(closed, open)))
    expect(created.body.brokers).toEqual([closed, open])
    expect(connections).toBe(1)
  })

  test('must have a known name and an open port', async () => {
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

  test('that are slow do not make the others unavailable', async () => {
    await reaching({
      connect: ({ port }) => (port === 2 ? Promise.resolve(new PassThrough()) : new Promise(() => {})),
    })
    const sent = send('POST', stream('a.example:1', 'b.example:2'))
    expect((await installation.clock.advanceUntil(sent)).status).toBe(200)
  })

  test('can be IPv6 addresses', async () => {
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

  test('are not connected to before everything else is valid', async () => {
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

describe('a stream cannot be used to explore the network', () => {
  let silent: SilentListener
  /** Settled once a connection succeeds or fails, and used for one that does neither. */
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

  test('with one open broker, any others are accepted', async () => {
    const brokers = [...Object.values(KINDS).map(broker => broker()), open]
    const sent = send('POST', stream(...brokers))
    expect((await installation.clock.advanceUntil(sent)).body.brokers).toEqual(brokers)
  })

  test.each([0, 1, 2])(
    'seven requests in half a second revealed the open port of a list, open at place %i',
    async place => {
      // No port that the system hands out: the same one twice would make a part the tried list.
      const brokers = ['127.0.0.1:1', '127.0.0.1:2'].toSpliced(place, 0, open)
      let status: number | undefined
      const first = send('POST', stream(...brokers)).then(given => {
        status = given.status
      })
      while (connections === 0) await nextTurn()
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      installation.clock.advance(2_999)
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      expect(status, 'how soon one of several accepts says which').toBeUndefined()
      installation.clock.advance(1)
      await first
      expect(status).toBe(200)
      const parts = [
        ...brokers.map(broker => [broker]),
        brokers.slice(0, 2),
        brokers.slice(1),
        [...brokers, closed],
      ]
      for (const part of parts) expect((await send('PUT', stream(...part))).status).toBe(429)
      // The tried list, in any order: it is known to be open.
      expect((await send('PUT', stream(...brokers.toReversed()))).status).toBe(200)
      expect(connections).toBe(1)
    },
  )

  test('connections to the other addresses of a list continue when one is open', async () => {
    const signals: AbortSignal[] = []
    await reaching({
      connect: async (address, signal) => {
        signals.push(signal)
        return address.port === 1 ? new PassThrough() : await new Promise<never>(() => {})
      },
    })
    const sent = send('POST', stream('a.example:1', 'b.example:2'))
    while (signals.length < 2) await nextTurn()
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    installation.clock.advance(3_000)
    expect((await sent).status).toBe(200)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  test('an account has one attempt per minute, and another account of its enterprise has its own', async () => {
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
        error: 'Connections to other hosts and ports are tried once a minute for an account',
        code: 'TooManyRequests',
        status: 'error',
      },
    ])
    expect(connections).toBe(0)
    await installation.account('0123456789')
    const headers = { authorization: `Token ${await installation.token({ account: '0123456789' })}` }
    const sibling = { method: 'POST', url: STREAM, headers, payload: stream(open) } as const
    expect((await installation.call(sibling)).statusCode).toBe(200)
    installation.clock.advance(56_999)
    expect((await send('POST', stream(open))).status).toBe(429)
    installation.clock.advance(1)
    expect((await send('POST', stream(open))).status).toBe(200)
  })

  test('the accounts of an enterprise together have ten attempts per minute, and another enterprise has its own', async () => {
    await reaching({ connect: async () => new PassThrough() })
    const statusOf = async (account: string, enterprise?: null) => {
      await installation.account(account, enterprise === null ? { enterprise } : {})
      const headers = { authorization: `Token ${await installation.token({ account })}` }
      const answer = await installation.call({
        method: 'POST',
        url: STREAM,
        headers,
        payload: stream('a.example:1'),
      })
      return answer.statusCode
    }
    for (let sibling = 0; sibling < 10; sibling++) expect(await statusOf(`000000000${sibling}`)).toBe(200)
    expect(await statusOf('0000000010')).toBe(429)
    expect(await statusOf('0000000011', null)).toBe(200)
  })

  test('a second attempt during the first is refused', async () => {
    const first = send('POST', stream(KINDS.silent?.() ?? ''))
    await tried.promise
    expect((await send('POST', stream(open))).status).toBe(429)
    installation.clock.advance(3_000)
    expect((await first).status).toBe(400)
  })

  test('an address that was open a moment ago can be written again at once, without another connection', async () => {
    await send('POST', stream(open))
    expect((await send('PUT', { ...stream(open), topic: 'updated' })).status).toBe(200)
    await send('DELETE')
    expect((await send('POST', stream(open))).status).toBe(200)
    expect(connections).toBe(1)
    expect((await send('PUT', stream(closed))).status).toBe(429)
    expect((await send('PUT', stream(closed, open))).status).toBe(429)
    aMinuteLater()
    expect((await send('PUT', stream(open))).status).toBe(200)
    expect(connections).toBe(2)
  })

  test('the check of an object store counts as an attempt, too', async () => {
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

test('only the operator sees why an address is unreachable', async () => {
  const logged: object[] = []
  const logger = pino({ level: 'info' }, { write: line => void logged.push(JSON.parse(line)) })
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
  expect(logged).toMatchObject([{ why: 'a.example is 10.0.0.1, which is not connected to' }])
})

describe('these requests are refused', () => {
  test('all empty texts, in the order of the members', async () => {
    const { status, text } = await send('POST', { brokers: ['b:1'], password: '', user: '', topic: '' })
    expect(status).toBe(400)
    expect(text).toMatch(
      /\\"topic\\" is not allowed to be empty.*\\"user\\" is not allowed to be empty.*\\"password\\" is not allowed to be empty/,
    )
    expect(JSON.parse(text).details).toHaveLength(3)
  })

  test('all missing members', async () => {
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
  ])('a broker: "%s"', async broker => {
    const { status, body } = await send('POST', stream(broker))
    expect([status, body.details[0].message]).toEqual([400, '"brokers[0]" must be a valid host:port'])
  })

  test('no broker, too many, and a value that is not a list', async () => {
    const brokers = async (sent: unknown) => (await send('POST', { ...stream(), brokers: sent })).body.error
    expect(await brokers([])).toBe('"brokers" must contain at least 1 items')
    expect(await brokers(Array.from({ length: 11 }, (_, at) => `b${at}:1`))).toBe(
      '"brokers" must contain less than or equal to 10 items',
    )
    expect(await brokers('b:1')).toBe('"brokers" must be an array')
    expect(await brokers([1])).toBe('"brokers[0]" must be a string')
    expect(await brokers([''])).toBe('"brokers[0]" is not allowed to be empty')
  })

  test('everything except creating, before there is one', async () => {
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

test('no body gives a 500, and an accepted one can be read back', async () => {
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
