import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OutboundSettings, outboundRules } from '../../engine/outbound/outbound-rules.ts'
import { freePort } from '../../test/support/free-port.ts'
import { type SilentListener, silentListener } from '../../test/support/silent-listener.ts'
import { tcpOutbound } from './tcp-outbound.ts'

let server: Server
let port: number
let peers: string[]

beforeEach(async () => {
  peers = []
  server = createServer(socket => {
    peers.push(socket.localAddress as string)
    socket.on('error', () => {}).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(() => server.close())

const never = new AbortController().signal
const ip4 = (address: string): LookupAddress => ({ address, family: 4 })

function outbound(settings: Partial<OutboundSettings> = {}, ...answers: LookupAddress[][]) {
  const rules = outboundRules({
    deny: [],
    allow: [],
    isCluster: false,
    ownPorts: () => new Set(),
    servers: () => [],
    localAddresses: () => [],
    ...settings,
  })
  return answers.length === 0
    ? tcpOutbound({ rules })
    : tcpOutbound({ rules, resolve: async () => answers.shift() ?? [] })
}

async function reaches(connecting: Promise<{ destroy(): void }>): Promise<string> {
  try {
    const connection = await connecting
    connection.destroy()
    return 'connected'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a listening program is connected to, by address and by name', async () => {
  expect(await reaches(outbound().connect({ host: '127.0.0.1', port }, never))).toBe('connected')
  expect(await reaches(outbound().connect({ host: 'localhost', port }, never))).toBe('connected')
})

test('a closed port, an unknown name and a denying rule are distinguished', async () => {
  const closed = await freePort()
  expect(await reaches(outbound().connect({ host: '127.0.0.1', port: closed }, never))).toBe('NOT_CONNECTED')
  expect(await reaches(outbound().connect({ host: 'a.invalid', port }, never))).toBe('UNRESOLVED')
  expect(await reaches(outbound({ isCluster: true }).connect({ host: '127.0.0.1', port }, never))).toBe(
    'DENIED',
  )
})

test.each(['127.1', '2130706433', '0x7f.0.0.1', '0177.0.0.1', 'localhost', '::ffff:127.0.0.1'])(
  'loopback in a cluster is denied as %s, too',
  async host => {
    expect(await reaches(outbound({ isCluster: true }).connect({ host, port }, never))).toBe('DENIED')
    expect(peers).toEqual([])
  },
)

test('the own listener is denied under every name of this machine', async () => {
  const own = outbound({ ownPorts: () => new Set([port]) })
  for (const host of ['127.0.0.1', 'localhost', '127.9.9.9', '0.0.0.0', '::', '::ffff:7f00:1'])
    expect([host, await reaches(own.connect({ host, port }, never))]).toEqual([host, 'DENIED'])
  expect(peers).toEqual([])
})

test('the other end of a connection is judged, not only the address that was given to the system', async () => {
  const ends: string[] = []
  const { connect } = tcpOutbound({
    rules: address => {
      ends.push(address)
      return address === '0.0.0.0' ? undefined : 'it is elsewhere'
    },
    resolve: async () => [ip4('0.0.0.0')],
  })
  expect(await reaches(connect({ host: 'moving.example', port }, never))).toBe('DENIED')
  expect(ends).toEqual(['0.0.0.0', '127.0.0.1'])
})

describe('a name', () => {
  test('that changes its address after the check is not resolved again', async () => {
    const rebinding = outbound({ deny: [], isCluster: false }, [ip4('127.0.0.1')], [ip4('169.254.169.254')])
    expect(await reaches(rebinding.connect({ host: 'rebinding.example', port }, never))).toBe('connected')
    expect(peers).toEqual(['127.0.0.1'])
    expect(await reaches(rebinding.connect({ host: 'rebinding.example', port }, never))).toBe('DENIED')
  })

  test('with a forbidden and an allowed address leads to the allowed one only', async () => {
    const mixed = outbound({}, [ip4('169.254.169.254'), ip4('127.0.0.1')])
    expect(await reaches(mixed.connect({ host: 'mixed.example', port }, never))).toBe('connected')
    expect(peers).toEqual(['127.0.0.1'])
  })

  test('without an address is not resolved', async () => {
    expect(await reaches(outbound({}, []).connect({ host: 'empty.example', port }, never))).toBe('UNRESOLVED')
  })
})

test('names that do not resolve keep at most four lookups busy, and none once they are given up', async () => {
  let busy = 0
  let most = 0
  const waiting: (() => void)[] = []
  const { connect } = tcpOutbound({
    rules: () => undefined,
    resolve: async () => {
      most = Math.max(most, ++busy)
      await new Promise<void>(done => waiting.push(done))
      busy--
      return []
    },
  })
  const enough = new AbortController()
  const all = Array.from({ length: 20 }, () =>
    reaches(connect({ host: 'slow.example', port }, enough.signal)),
  )
  await new Promise(resolve => setImmediate(resolve))
  expect([busy, waiting.length]).toEqual([4, 4])
  enough.abort()
  for (const done of waiting) done()
  await Promise.all(all)
  expect([most, busy, waiting.length]).toEqual([4, 0, 4])
  const later = reaches(connect({ host: 'slow.example', port }, never))
  await new Promise(resolve => setImmediate(resolve))
  expect(busy).toBe(1)
  waiting.at(-1)?.()
  expect(await later).toBe('UNRESOLVED')
})

describe('a silent address', () => {
  let silent: SilentListener
  beforeEach(async () => {
    silent = await silentListener()
  })
  afterEach(() => silent.close())

  test('is waited for until the caller gives up', async () => {
    const enough = new AbortController()
    const connecting = reaches(outbound().connect({ host: '127.0.0.1', port: silent.port }, enough.signal))
    const early = await Promise.race([connecting, new Promise(done => setTimeout(done, 200, 'waiting'))])
    expect(early).toBe('waiting')
    enough.abort()
    expect(await connecting).toBe('NOT_CONNECTED')
  })
})
