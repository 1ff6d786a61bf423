import { once } from 'node:events'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { Registry } from '@prometheus-io/client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../engine/clock/manual-clock.ts'
import { create as createEntity, remove, replace } from '../../../engine/configuration/configuration-log.ts'
import { type AccessToken, accessTokens, secretHash } from '../../../engine/configuration/entities.ts'
import { accessGroups, members } from '../../../engine/configuration/kinds/members.ts'
import { Event } from '../../../engine/event/event.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import { LiveTaps } from '../../../engine/replay/taps/taps.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import {
  changeAccount,
  type TestInstallation,
  testInstallation,
} from '../../../test/support/test-installation.ts'
import { buildServer } from '../../server.ts'

const KIB = 1024
/** Longer than anything that does not wait for a clock may take. */
const UNTIL_GIVEN_UP_MS = 10_000

let own: TestInstallation
let clock: ManualClock
let taps: LiveTaps
let pipeline: string
let source: string
let route: string
const peers: Peer[] = []

beforeEach(async () => {
  clock = manualClock()
  taps = new LiveTaps(CATALOGUE, clock)
  own = await testInstallation({ clock, taps })
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  pipeline = await create('/v3/pipeline', { title: 'watched' })
  source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  route = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'route',
    inputs: [source],
    user_config: {
      conditionals: [
        { label: 'apps', conditional: { expressions: [{ field: '.app', str_operator: 'exists' }] } },
      ],
    },
  })
  await publish()
})

afterEach(async () => {
  for (const { socket } of peers.splice(0)) socket.destroy()
  await own.app.close()
})

async function create(path: string, payload: object): Promise<string> {
  const response = await own.call({ method: 'POST', url: path, payload })
  expect(response.statusCode).toBe(200)
  return response.json().data.id
}

async function publish(): Promise<void> {
  const url = `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`
  expect((await own.call({ method: 'POST', url })).statusCode).toBe(200)
}

function tapUrl(query: Record<string, string> = {}, kind = 'source', node = source): string {
  return `/v3/pipeline/${pipeline}/${kind}/${node}/tap?${new URLSearchParams(query)}`
}

/** A client on a connection of its own, and everything that it received. */
interface Peer {
  readonly socket: Socket
  text(): string
  /** Waits as long as it takes for the received text to contain this text. */
  says(text: string): Promise<void>
}

function peer(head: string, headers: Readonly<Record<string, string>> = {}): Peer {
  const socket = createConnection((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  const all = { host: 'h', authorization: `Token ${own.credentials.accessToken}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${[`${head} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
  const pieces: Buffer[] = []
  socket.on('data', piece => pieces.push(piece))
  socket.on('error', () => {})
  const text = () => Buffer.concat(pieces).toString('latin1')
  const created: Peer = {
    socket,
    text,
    says: async wanted => {
      const untilMs = performance.now() + UNTIL_GIVEN_UP_MS
      while (!text().includes(wanted)) {
        if (performance.now() > untilMs) throw new Error(`it never said ${wanted}: ${text().slice(-2_000)}`)
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    },
  }
  peers.push(created)
  return created
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

/** Sends an event out of a node, as the graph does. */
function leave(node: string, message: JsonValue, output = ''): void {
  const event = Event.of(message, { from: 'test' }, '2031-03-09T08:15:30.250Z')
  taps.observerOf(own.credentials.accountId, pipeline)?.left(node, output, event, 0)
}

/** Advances the time in small steps and gives waiting work its turn. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    clock.advance(Math.min(50, ms - passed))
    await new Promise(resolve => setImmediate(resolve))
  }
}

describe('refusals, to a request and to one for a WebSocket alike', () => {
  const status = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await own.call({ url, headers })
    const refused = peer(`GET ${url}`, { ...UPGRADE, ...headers })
    await once(refused.socket, 'close')
    expect(refused.text()).toMatch(new RegExp(`^HTTP/1.1 ${answer.statusCode} `))
    expect(refused.text()).toContain(`"code":"${answer.json().code}"`)
    return { status: answer.statusCode, code: answer.json().code, message: answer.json().message }
  }

  test('callers without the right to edit the pipeline', async () => {
    expect(await status(tapUrl(), { authorization: 'Token nobody' })).toMatchObject({
      status: 401,
      code: 'EUNAUTHORIZED',
    })
    const reader = `Token ${await own.user('readonly')}`
    expect(await status(tapUrl(), { authorization: reader })).toMatchObject({
      status: 403,
      code: 'EFORBIDDEN',
    })
  })

  test('a token in the address', async () => {
    const url = tapUrl({ access_token: own.credentials.accessToken })
    expect(await status(url, { authorization: '' })).toMatchObject({ status: 401, code: 'EUNAUTHORIZED' })
  })

  test('an unknown pipeline, node, or node of that kind', async () => {
    const other = `/v3/pipeline/${source}/source/${source}/tap`
    for (const url of [other, tapUrl({}, 'source', route), tapUrl({}, 'transform', pipeline)])
      expect(await status(url)).toMatchObject({ status: 404, code: 'ENOTFOUND' })
  })

  test('an invalid query, with all findings', async () => {
    const answer = await own.call({ url: tapUrl({ limit: '0', filter: '[]', output: 'none' }) })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors).toEqual([
      { instancePath: '/limit', message: 'must be >= 1' },
      { instancePath: '/filter', message: 'must be object' },
      { instancePath: '/output', message: 'must be the id of an output of the node' },
    ])
    expect(await status(tapUrl({ limit: '1001' }))).toMatchObject({ status: 400, code: 'EVALIDATION' })
  })

  test('a node that is not deployed, and a pipeline without a deployment', async () => {
    const node = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
    expect(await status(tapUrl({}, 'source', node))).toEqual({
      status: 409,
      code: 'ENOTPUBLISHED',
      message: 'The source does not run yet: publish it first',
    })
    pipeline = await create('/v3/pipeline', { title: 'new' })
    const first = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
    expect(await status(tapUrl({}, 'source', first))).toEqual({
      status: 409,
      code: 'ENOTPUBLISHED',
      message: 'Nothing of the pipeline runs: publish it first',
    })
  })

  test('an eleventh tap of an account, until one of the ten is closed', async () => {
    const opened = Array.from({ length: 10 }, (_, index) =>
      peer(`GET ${tapUrl()}`, index % 2 === 0 ? UPGRADE : {}),
    )
    for (const each of opened) await each.says('"type":"revision"')
    expect(await status(tapUrl())).toEqual({
      status: 429,
      code: 'ETOOMANYREQUESTS',
      message: 'The account has 10 taps open in this process: close one of them first',
    })
    opened[0]?.socket.destroy()
    opened[1]?.socket.destroy()
    for (let isOpen = false; !isOpen; ) {
      const next = peer(`GET ${tapUrl()}`)
      await next.says('\r\n\r\n')
      isOpen = next.text().startsWith('HTTP/1.1 200 ')
    }
  })

  test('further taps beyond the limit of the operator for an account', async () => {
    await own.app.close()
    const settings = { ...own.ports.settings, maxTapsPerAccount: 1 }
    own = { ...own, app: await buildServer({ ...own.ports, settings, registry: new Registry() }) }
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    await peer(`GET ${tapUrl()}`).says('"type":"revision"')
    const second = peer(`GET ${tapUrl()}`)
    await second.says('The account has 1 tap open in this process')
    expect(second.text()).toMatch(/^HTTP\/1.1 429 /)
  })

  test('further taps beyond the limit of the process, whatever an account may have', async () => {
    await own.app.close()
    const settings = { ...own.ports.settings, maxTapsPerAccount: 1_000 }
    own = { ...own, app: await buildServer({ ...own.ports, settings, registry: new Registry() }) }
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const opened = Array.from({ length: 100 }, () => peer(`GET ${tapUrl()}`))
    for (const each of opened) await each.says('"type":"revision"')
    const refused = peer(`GET ${tapUrl()}`)
    await refused.says('This process has 100 taps open: close one of them first')
    expect(refused.text()).toMatch(/^HTTP\/1.1 429 /)
    for (const each of opened) each.socket.destroy()
  })

  test('every request, by a process without an engine', async () => {
    await own.app.close()
    own = await testInstallation()
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    pipeline = await create('/v3/pipeline', { title: 'watched' })
    source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
    await publish()
    expect(await status(tapUrl())).toMatchObject({ status: 503, code: 'EUNAVAILABLE' })
  })
})

describe.each([
  ['server-sent events', {}],
  ['a WebSocket', UPGRADE],
])('by %s', (_way, headers) => {
  const open = async (query: Record<string, string> = {}, kind = 'source', node = source) => {
    const opened = peer(`GET ${tapUrl(query, kind, node)}`, headers)
    await opened.says('"type":"revision"')
    return opened
  }

  test('events come whole, with the id of the output', async () => {
    const opened = await open({ output: `${route}._unmatched` }, 'transform', route)
    leave(route, 'of another output', 'apps')
    leave(route, { big: 9_007_199_254_740_993n }, '_unmatched')
    await pass(50)
    await opened.says('"type":"event"')
    expect(opened.text()).toContain(
      `{"type":"event","output":"${route}._unmatched","event":{"message":{"big":9007199254740993},"metadata":{"from":"test"},"timestamp":"2031-03-09T08:15:30.250Z"}}`,
    )
    expect(opened.text()).not.toContain('of another output')
  })

  test('an open tap sends a message every 15 s, and ends after the requested time', async () => {
    const opened = await open({ seconds: '40' })
    const sign = headers === UPGRADE ? '\x89\0' : ': still here\n\n'
    const signs = () => opened.text().split(sign).length - 1
    await pass(14_950)
    expect(signs()).toBe(0)
    await pass(50)
    await opened.says(sign)
    await pass(25_000)
    await opened.says('"reason":"time"')
    expect(signs()).toBe(2)
    expect(opened.text()).toContain('"message":"The time is over","events":0,"skipped":0')
  })

  test('a member who gets a group, or is deleted, sees no further events', async () => {
    const { accountId: account } = own.credentials
    const newest = () => own.configuration.list(members).at(-1)!
    const group = { account, name: 'g', accessScopes: '', createdAtMs: 0 }
    await own.write(createEntity(accessGroups, 'aaaaaaaaaa', group))
    for (const lose of [
      () => own.write(replace(members, newest(), { ...newest().value, groups: ['aaaaaaaaaa'] })),
      () => own.write(remove(members, newest())),
    ]) {
      const opened = peer(`GET ${tapUrl()}`, { authorization: `Token ${await own.user('member')}` })
      await opened.says('"type":"revision"')
      await lose()
      await opened.says('"reason":"rights"')
    }
  })

  test('a credential that is revoked, expires or loses its role sees no further events', async () => {
    const tokenOf = (secret: string) => own.configuration.find(accessTokens, 'hash', secretHash(secret))!
    const change = (secret: string, given: Partial<AccessToken>) =>
      own.write(replace(accessTokens, tokenOf(secret), { ...tokenOf(secret).value, ...given }))
    const newest = () => own.configuration.list(members).at(-1)!
    for (const [secret, lose] of [
      [await own.token({}), (token: string) => change(token, { revoked: true })],
      [await own.token({}), (token: string) => change(token, { hash: secretHash('another') })],
      [await own.token({}), (token: string) => change(token, { scope: 'readonly' })],
      [
        await own.user('member'),
        () => own.write(replace(members, newest(), { ...newest().value, role: 'readonly' })),
      ],
    ] as const) {
      const opened = peer(`GET ${tapUrl()}`, { ...headers, authorization: `Token ${secret}` })
      await opened.says('"type":"revision"')
      await lose(secret)
      leave(source, 'seen by nobody')
      await opened.says('"reason":"rights"')
      expect(opened.text()).not.toContain('seen by nobody')
    }
  })

  test('a token that expires ends it within a second, without any change of the configuration', async () => {
    const secret = await own.token({ expiresAtMs: clock.wallMs() + 20_000 })
    const opened = peer(`GET ${tapUrl()}`, { ...headers, authorization: `Token ${secret}` })
    await opened.says('"type":"revision"')
    await pass(19_000)
    expect(opened.text()).not.toContain('"type":"end"')
    await pass(2_000)
    await opened.says('"reason":"rights"')
  })

  test('an account that is closed', async () => {
    const opened = await open()
    await changeAccount(own, { status: 'deactivated' })
    await opened.says('"reason":"rights"')
  })

  test('a stop of the server ends it with the reason, without waiting for a silent client', async () => {
    const opened = await open()
    const closed = own.app.close()
    await opened.says('"reason":"stopped"')
    await pass(1_000)
    await closed
  })

  test('a client for which more than 1 MiB waits is disconnected, with the reason', async () => {
    const opened = await open({ limit: '1000' })
    opened.socket.pause()
    const large = 'x'.repeat(60 * KIB)
    let written = 0
    // Buffers of the operating system for the connection come in addition.
    while (taps.observerOf(own.credentials.accountId, pipeline) !== undefined && written < 900) {
      for (let count = 0; count < 17; count++, written++) leave(source, large)
      await pass(1_000)
    }
    expect(written).toBeGreaterThan(17)
    expect(written).toBeLessThan(900)
    opened.socket.resume()
    await opened.says('"reason":"slow"')
    await opened.says('The reader is too slow: more than 1 MiB waited for it')
  })

  test('a client that still accepts nothing loses the connection a second later', async () => {
    const opened = await open({ limit: '1000' })
    opened.socket.pause()
    const large = 'x'.repeat(60 * KIB)
    while (taps.observerOf(own.credentials.accountId, pipeline) !== undefined) {
      for (let count = 0; count < 17; count++) leave(source, large)
      await pass(1_000)
    }
    await pass(1_000)
    expect(
      await new Promise<number>(resolve => own.app.server.getConnections((_, count) => resolve(count))),
    ).toBe(0)
  })
})

describe('a request for another protocol', () => {
  test.each([
    ['of another kind on a tap', () => tapUrl({ limit: '0' }), 'h2c', ' 400 '],
    ['for a WebSocket on another path', () => '/v3/pipeline', 'websocket', ' 200 '],
  ])('%s is ignored', async (_name, url, upgrade, status) => {
    const asked = peer(`GET ${url()}`, { ...UPGRADE, upgrade })
    await asked.says(`HTTP/1.1${status}`)
  })

  test('with a body does not consume the body', async () => {
    const body = '{"lines":[{"line":"a"}]}'
    const asked = peer('POST /logs/ingest?hostname=h', {
      ...UPGRADE,
      upgrade: 'h2c',
      authorization: '',
      apikey: own.credentials.ingestionKey,
      'content-type': 'application/json',
      'content-length': String(body.length),
    })
    asked.socket.write(body)
    await asked.says('HTTP/1.1 200 ')
  })
})

test('messages over a WebSocket are ignored, and one of more than 4 KiB ends it', async () => {
  const opened = peer(`GET ${tapUrl()}`, UPGRADE)
  await opened.says('"type":"revision"')
  const masked = (bytes: number) => {
    const head = bytes < 126 ? [0x81, 0x80 | bytes] : [0x81, 0xfe, bytes >> 8, bytes & 0xff]
    return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.alloc(bytes, 'x')])
  }
  opened.socket.write(masked(10))
  leave(source, 'still there')
  await pass(50)
  await opened.says('still there')
  opened.socket.write(masked(4_097))
  await once(opened.socket, 'end')
  while (taps.observerOf(own.credentials.accountId, pipeline) !== undefined)
    await new Promise(resolve => setImmediate(resolve))
})

test('HEAD is refused', async () => {
  const answer = await own.call({ method: 'HEAD', url: tapUrl() })
  expect(answer.statusCode).toBe(405)
  expect(answer.headers.allow).toBe('GET')
})
