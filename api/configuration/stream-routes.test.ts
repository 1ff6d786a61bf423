import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anotherProcess } from '../../test/support/another-process.ts'
import { freePort } from '../../test/support/free-port.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import type { Reach } from './reach.ts'

const STREAM = '/v1/config/stream'
const FAILED = 'Failed to connect to Kafka broker'

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

/** An installation that reaches others as a test says. */
async function reaching(reach: Reach): Promise<void> {
  await installation.app.close()
  installation = await testInstallation({ reach })
}

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
    const refused = await send('POST', stream(closed))
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: `${FAILED}: ${closed}: ECONNREFUSED`, code: 'BadRequest', status: 'error' },
    ])
    const unknown = await send('POST', stream('broker-1.invalid:9090'))
    expect([unknown.status, unknown.body.error]).toEqual([
      400,
      expect.stringContaining(`${FAILED}: broker-1.invalid:9090: `),
    ])
    expect((await send('GET')).status).toBe(404)
    await send('POST', stream(open))
    expect((await send('PUT', stream(closed))).status).toBe(400)
    expect((await send('GET')).body.brokers).toEqual([open])
  })

  test('are waited for three seconds, and no longer', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>()
    await reaching({
      connect: (_address, signal) => {
        resolve(signal)
        return new Promise(() => {})
      },
    })
    const answer = send('POST', stream('a.example:1', 'b.example:2'))
    const signal = await asked
    installation.clock.advance(2_999)
    expect(signal.aborted).toBe(false)
    installation.clock.advance(1)
    expect((await answer).body.error).toBe(`${FAILED}: no answer within 3 s from a.example:1, b.example:2`)
    expect(signal.aborted).toBe(true)
  })

  test('that are slow do not keep the others waiting', async () => {
    await reaching({ connect: ({ port }) => (port === 2 ? Promise.resolve() : new Promise(() => {})) })
    expect((await send('POST', stream('a.example:1', 'b.example:2'))).status).toBe(200)
  })

  test('may be addresses of IPv6', async () => {
    const asked: object[] = []
    await reaching({
      connect: async address => {
        asked.push(address)
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
  await reaching({ connect: async () => {} })
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
      const { status, body, text: answer } = await send('PUT', payload)
      if (status === 200) expect((await send('GET')).text).toBe(answer)
      else expect([status, body.code]).toEqual([400, 'BadRequest'])
    }),
    { numRuns: 300 },
  )
})
