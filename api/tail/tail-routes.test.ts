import { once } from 'node:events'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import { accessTokens, type Role, secretHash } from '../../engine/configuration/entities.ts'
import { lineRules, noLineRules } from '../../engine/configuration/kinds/line-rules.ts'
import { accessGroups, members } from '../../engine/configuration/kinds/members.ts'
import { LogError } from '../../engine/log/log.ts'
import { lineId } from '../../schemas/log/position.ts'
import {
  changeAccount,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

let own: TestInstallation
const peers: Peer[] = []

beforeEach(async () => {
  own = await testInstallation()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
})

afterEach(async () => {
  for (const { socket } of peers.splice(0)) socket.destroy()
  await own.app.close()
})

/** Longer than anything that does not wait for a clock may take. */
const UNTIL_GIVEN_UP_MS = 10_000

/** A client on a connection of its own, and everything that it received. */
interface Peer {
  readonly socket: Socket
  text(): string
  /** Waits as long as it takes for the received text to contain this text. */
  says(text: string): Promise<void>
  /** Texts of the lines so far. */
  lines(): string[]
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function connect(url: string, headers: Readonly<Record<string, string>>): Peer {
  const socket = createConnection((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  const lines = Object.entries({ host: 'h', ...UPGRADE, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`${[`GET ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
  const pieces: Buffer[] = []
  socket.on('data', piece => pieces.push(piece))
  socket.on('error', () => {})
  const text = () => Buffer.concat(pieces).toString('latin1')
  const peer: Peer = {
    socket,
    text,
    says: async wanted => {
      const untilMs = performance.now() + UNTIL_GIVEN_UP_MS
      while (!text().includes(wanted)) {
        if (performance.now() > untilMs) throw new Error(`it never said ${wanted}: ${text().slice(-2_000)}`)
        await pass(50)
        await new Promise(resolve => setTimeout(resolve, 2))
      }
    },
    lines: () => [...text().matchAll(/"_line":"([^"]*)"/g)].map(([, line]) => line as string),
  }
  peers.push(peer)
  return peer
}

const token = (secret: string) => ({ authorization: `Token ${secret}` })

async function open(query = '', headers: Record<string, string> = token(own.credentials.accessToken)) {
  const peer = connect(`/ws/tail${query}`, headers)
  await peer.says('HTTP/1.1 101 Switching Protocols')
  return peer
}

/** Advances the time in small steps and gives waiting work its turn. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    own.clock.advance(Math.min(50, ms - passed))
    await new Promise(resolve => setImmediate(resolve))
  }
}

async function post(...lines: readonly object[]): Promise<void> {
  const response = await own.app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=web-1',
    headers: { apikey: own.credentials.ingestionKey },
    payload: { lines },
  })
  expect(response.statusCode).toBe(200)
}

/** The close frame of a server, as text: its code in two bytes, then the reason. */
function closing(code: number, reason: string): string {
  const body = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)])
  return Buffer.concat([Buffer.from([0x88, body.length]), body]).toString('latin1')
}

const TOO_LARGE = closing(1009, 'A message may have 4096 bytes')
const REFUSED = closing(1008, 'The credential no longer allows this')

describe('refusals are HTTP answers, not WebSockets', () => {
  const refusal = async (query: string, headers: Record<string, string>) => {
    const peer = connect(`/ws/tail${query}`, headers)
    await once(peer.socket, 'close')
    const [head = '', body = ''] = peer.text().split('\r\n\r\n')
    expect(head).toContain('content-type: application/json')
    const retry = /retry-after: (\d+)/.exec(head)?.[1]
    const { code, error } = JSON.parse(body)
    return { status: Number(head.slice(9, 12)), code, error, ...(retry && { retry }) }
  }

  test('no credential, a wrong one, one of ingestion', async () => {
    const wrong = [
      {},
      token('sts_0'),
      { servicekey: own.credentials.ingestionKey },
      token(await own.token({ revoked: true })),
      token(await own.token({ expiresAtMs: own.clock.wallMs() })),
    ]
    for (const headers of wrong)
      expect(await refusal('', headers)).toMatchObject({ status: 401, code: 'NotAuthorized' })
  })

  test('another method: first a credential is required', async () => {
    for (const method of ['POST', 'HEAD'] as const) {
      expect((await own.app.inject({ method, url: '/ws/tail' })).statusCode).toBe(401)
      expect((await own.call({ method, url: '/ws/tail' })).statusCode).toBe(405)
    }
  })

  test('a token that can only ingest, one of an enterprise without an account, one of another account', async () => {
    const { enterpriseAccessToken } = own.credentials
    const foreign = { ...token(enterpriseAccessToken), 'x-delegate-account-id': 'ffffffffff' }
    for (const headers of [
      token(await own.token({ scope: 'ingest' })),
      token(enterpriseAccessToken),
      foreign,
    ])
      expect(await refusal('', headers)).toMatchObject({ status: 403, code: 'Forbidden' })
  })

  test('an invalid query, and an unknown parameter', async () => {
    const headers = token(own.credentials.accessToken)
    expect(await refusal('?q=(a', headers)).toMatchObject({ status: 400, code: 'BadRequest' })
    for (const rate of ['0', '1.5', 'x', '100001'])
      expect(await refusal(`?max_per_s=${rate}`, headers)).toMatchObject({
        status: 400,
        error: expect.stringContaining('"max_per_s" must be'),
      })
    expect(await refusal('?q=a&q=b', headers)).toMatchObject({ status: 400, error: '"q" must be a string' })
  })

  test('a request that is not for a WebSocket, together with all other findings', async () => {
    const response = await own.call({ url: '/ws/tail?q=(a' })
    expect(response.statusCode).toBe(400)
    expect(response.json().details.map(({ key }: { key: string }) => key)).toEqual(['q', 'upgrade'])
  })

  test('more tails than an account, its enterprise, or the process can have, until one is closed', async () => {
    const headers = token(own.credentials.accessToken)
    const [first] = [await open(), await open()]
    expect(await refusal('', headers)).toMatchObject({ status: 429, code: 'TooManyRequests', retry: '5' })
    await own.account('aaaaaaaaaa', { enterprise: null })
    await own.account('bbbbbbbbbb', { enterprise: null })
    await own.account('cccccccccc')
    const of = async (account: string) => token(await own.token({ account }))
    await open('', await of('cccccccccc'))
    expect(await refusal('', await of('cccccccccc'))).toMatchObject({
      status: 429,
      error: expect.stringContaining('The accounts of the enterprise have 3 tails'),
    })
    for (let tail = 0; tail < 2; tail++) await open('', await of('aaaaaaaaaa'))
    expect(await refusal('', await of('bbbbbbbbbb'))).toMatchObject({
      status: 429,
      error: expect.stringContaining('This process'),
    })
    const metrics = async () => (await own.app.inject({ url: '/metrics' })).body
    expect(await metrics()).toContain('weir_tails_open 5')
    first?.socket.destroy()
    while ((await metrics()).includes('weir_tails_open 5'))
      await new Promise(resolve => setTimeout(resolve, 2))
    await open('', await of('bbbbbbbbbb'))
  })

  test('all requests while the log is unavailable', async () => {
    const { tails } = own.ports
    tails.open = async () => {
      throw new LogError('LOG_UNAVAILABLE', 'away', { retriable: true })
    }
    for (let attempt = 0; attempt < 4; attempt++)
      expect(await refusal('', token(own.credentials.accessToken))).toMatchObject({ status: 503, retry: '2' })
  })
})

test('every carrier of a key or token is accepted', async () => {
  const { serviceKey, accessToken, enterpriseAccessToken, accountId } = own.credentials
  const carriers: Record<string, string>[] = [
    { authorization: `Basic ${Buffer.from(`${serviceKey}:`).toString('base64')}` },
    { servicekey: serviceKey },
    { authorization: `Bearer ${accessToken}` },
    { ...token(enterpriseAccessToken), 'x-delegate-account-id': accountId },
  ]
  for (const headers of carriers) {
    const peer = await open('?hosts=&tags=&levels=&apps=&q=_account:*', headers)
    await post({ line: 'seen' })
    await peer.says('"_line":"seen"')
    peer.socket.destroy()
    await once(peer.socket, 'close')
    await pass(50)
  }
})

describe('rights are checked during a tail', () => {
  const tokenEntity = (secret: string) => {
    const found = own.configuration.find(accessTokens, 'hash', secretHash(secret))
    if (found === undefined) throw new Error('no such token')
    return found
  }

  const memberOf = (role: Role) => {
    const found = own.configuration
      .list(members, own.credentials.accountId)
      .find(({ value }) => value.role === role)
    if (found === undefined) throw new Error('no such member')
    return found
  }

  test('a revoked token ends it at once, and no later line is shown', async () => {
    const secret = await own.token({})
    const peer = await open('', token(secret))
    await post({ line: 'before' })
    await peer.says('"_line":"before"')
    const entity = tokenEntity(secret)
    await own.write(replace(accessTokens, entity, { ...entity.value, revoked: true }))
    await post({ line: 'after' })
    await peer.says(REFUSED)
    expect(peer.lines()).toEqual(['before'])
  })

  test('a token that is revoked while a tail is being opened', async () => {
    const secret = await own.token({})
    const { tails } = own.ports
    tails.open = async () => {
      const entity = tokenEntity(secret)
      await own.write(replace(accessTokens, entity, { ...entity.value, revoked: true }))
    }
    await (await open('', token(secret))).says(REFUSED)
  })

  test('a token that expires ends it within a second', async () => {
    const peer = await open('', token(await own.token({ expiresAtMs: own.clock.wallMs() + 60_000 })))
    const beganMs = own.clock.wallMs()
    await pass(Math.max(0, 59_000 - (own.clock.wallMs() - beganMs)))
    expect(peer.text()).not.toContain(REFUSED)
    await pass(2_000)
    await peer.says(REFUSED)
  })

  test('a deleted member, and a closed account', async () => {
    const secret = await own.user('readonly')
    const peer = await open('', token(secret))
    await own.write(remove(members, memberOf('readonly')))
    await peer.says(REFUSED)
    const other = await open()
    await changeAccount(own, { status: 'deactivated' })
    await other.says(REFUSED)
  })

  test('a change of groups, of a group and of the role takes effect with the next line', async () => {
    const group = (id: string, accessScopes: string) =>
      create(accessGroups, id, { account: own.credentials.accountId, name: id, accessScopes, createdAtMs: 0 })
    await own.write(group('aaaaaaaaaa', 'app:a'), group('bbbbbbbbbb', 'app:b'))
    const peer = await open('?q=-never', token(await own.user('member')))
    const groups = (...names: string[]) =>
      own.write(replace(members, memberOf('member'), { ...memberOf('member').value, groups: names }))
    let round = 0
    const shown = async () => {
      round++
      const before = peer.lines().length
      await post(
        { line: `${round}a`, app: 'a' },
        { line: `${round}b`, app: 'b' },
        { line: `${round}never`, app: 'a' },
      )
      await pass(400)
      await new Promise(resolve => setTimeout(resolve, 20))
      return peer.lines().slice(before)
    }
    expect(await shown()).toEqual(['1a', '1b'])
    await groups('aaaaaaaaaa')
    expect(await shown()).toEqual(['2a'])
    await groups('aaaaaaaaaa', 'bbbbbbbbbb')
    expect(await shown()).toEqual(['3a', '3b'])
    // A waiting line is not sent once the reader must not see it any more.
    await post({ line: 'waits', app: 'b' })
    await new Promise(resolve => setTimeout(resolve, 20))
    const changed = own.configuration.get(accessGroups, 'bbbbbbbbbb')
    if (changed === undefined) throw new Error('no group')
    await own.write(replace(accessGroups, changed, { ...changed.value, accessScopes: 'nothing' }))
    expect(await shown()).toEqual(['4a'])
    expect(peer.text()).toContain('{"e":"meta","p":{"dropped":1}}')
    await own.write(replace(members, memberOf('member'), { ...memberOf('member').value, role: 'admin' }))
    expect(await shown()).toEqual(['5a', '5b'])
  })
})

test('a tail goes on behind a line of an earlier one, and leaves no gap', async () => {
  const first = await open()
  await post({ line: 'a' }, { line: 'b' }, { line: 'c' })
  await first.says('"_line":"c"')
  const id = /"_id":"(\d+)"/g
  const ids = [...first.text().matchAll(id)].map(([, each]) => each as string)
  expect(ids).toHaveLength(3)
  first.socket.destroy()
  await once(first.socket, 'close')
  await post({ line: 'd' })
  await pass(5_000)
  await post({ line: 'e' })
  const second = await open(`?after=${ids[0]}`)
  await second.says('"_line":"e"')
  await post({ line: 'f' })
  await second.says('"_line":"f"')
  expect(second.lines()).toEqual(['b', 'c', 'd', 'e', 'f'])
})

test('a tail behind a line that the log does not have, or that is none, is refused', async () => {
  const gone = lineId({ timeMs: 1, topic: 'weir.ingest', partition: 0, offset: 99n, row: 0 })
  const stored = lineId({ timeMs: 1, topic: 'weir.keyed', partition: 0, offset: 0n, row: 0 })
  for (const [after, status] of [
    [gone, 404],
    [stored, 400],
    ['x', 400],
  ] as const) {
    const peer = connect(`/ws/tail?after=${after}`, token(own.credentials.accessToken))
    await once(peer.socket, 'close')
    expect([after, Number(peer.text().slice(9, 12))]).toEqual([after, status])
  }
})

test('lines that a rule drops entirely are not shown, and lines that are only not stored are', async () => {
  const peer = await open()
  const account = own.credentials.accountId
  const rule = (id: string, app: string, indexonly: boolean) => ({
    id,
    title: '',
    active: true,
    apps: [app],
    hosts: [],
    query: '',
    indexonly,
  })
  const exclusions = [rule('1', 'gone', false), rule('2', 'stored-not', true)]
  await own.write(create(lineRules, account, { ...noLineRules(account), exclusions }))
  await post({ line: 'a', app: 'gone' }, { line: 'b', app: 'stored-not' }, { line: 'c', app: 'x' })
  await peer.says('"_line":"c"')
  expect(peer.lines()).toEqual(['b', 'c'])
})

test('a client gets a ping every 30 seconds, and is disconnected if it does not answer two of them', async () => {
  const peer = await open()
  let gone = false
  peer.socket.once('close', () => {
    gone = true
  })
  const pings = () => peer.text().split('\u0089\u0000').length - 1
  await pass(30_000)
  await peer.says('\u0089\u0000')
  peer.socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0])) // A pong.
  await new Promise(resolve => setTimeout(resolve, 20))
  await pass(60_000)
  await new Promise(resolve => setTimeout(resolve, 20))
  expect([pings(), gone]).toEqual([3, false])
  await pass(35_000)
  while (!gone) await new Promise(resolve => setTimeout(resolve, 2))
  expect(pings()).toBe(3)
})

test('messages of clients are ignored, unless they are too large', async () => {
  const peer = await open()
  peer.socket.write(Buffer.concat([Buffer.from([0x81, 0x82, 0, 0, 0, 0]), Buffer.from('hi')]))
  await post({ line: 'still here' })
  await peer.says('still here')
  const length = Buffer.from([0x81, 0xfe, 0x20, 0x00, 0, 0, 0, 0])
  peer.socket.write(Buffer.concat([length, Buffer.alloc(0x2000, 0x61)]))
  await peer.says(TOO_LARGE)
})

test('an endless message is refused before it is complete', async () => {
  const peer = await open()
  const gone = once(peer.socket, 'end')
  peer.socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 0, 0]))
  await peer.says(TOO_LARGE)
  await gone
})

test('a stop of the server is reported after the collected lines', async () => {
  const peer = await open()
  await post({ line: 'last' })
  await new Promise(resolve => setTimeout(resolve, 20))
  const closed = own.app.close()
  await peer.says(closing(1001, 'The server stops'))
  expect(peer.lines()).toEqual(['last'])
  peer.socket.end()
  await closed
})
