import { once } from 'node:events'
import { type AddressInfo, createServer, isIP, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { installationOutbound } from './installation-outbound.ts'

let server: Server
let port: number

beforeEach(async () => {
  server = createServer(socket => socket.on('error', () => {}).end()).listen(0)
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(() => server.close())

const CLUSTER = {
  KAFKA_BROKERS: 'kafka:9092',
  WEIR_SECRET_KEY: 'ab'.repeat(32),
  CLICKHOUSE_URL: 'http://clickhouse:8123',
}

const LOG_ID = 'log-1'

/** Names of this test; every other one does not resolve. */
const NAMES: Record<string, string> = { broker: '127.0.0.1', registry: '127.0.0.1', clickhouse: '192.0.2.1' }

async function resolve(host: string) {
  const address = isIP(host) === 0 ? NAMES[host] : host
  if (address === undefined) throw new Error(`${host} has no address`)
  return [{ address, family: isIP(address) }]
}

async function outcome(environment: Record<string, string>, listening: readonly AddressInfo[], host: string) {
  const outbound = installationOutbound(readSettings(environment), LOG_ID, () => listening, resolve)
  try {
    const connection = await outbound.connect({ host, port }, new AbortController().signal)
    connection.destroy()
    return 'connected'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a single server connects to its machine, and a cluster only if that is allowed', async () => {
  expect(await outcome({}, [], '127.0.0.1')).toBe('connected')
  expect(await outcome({ WEIR_OUTBOUND_DENY: '127.0.0.0/8' }, [], '127.0.0.1')).toBe('DENIED')
  expect(await outcome(CLUSTER, [], '127.0.0.1')).toBe('DENIED')
  expect(await outcome({ ...CLUSTER, WEIR_OUTBOUND_ALLOW: '127.0.0.1' }, [], '127.0.0.1')).toBe('connected')
})

test('the own listener is denied at every address of this machine, whatever is allowed', async () => {
  const own = [server.address() as AddressInfo]
  const addresses = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  expect(addresses.length).toBeGreaterThan(0)
  for (const { address } of addresses)
    expect([
      address,
      await outcome({ WEIR_OUTBOUND_ALLOW: address.replace(/%.*$/, '') }, own, address),
    ]).toEqual([address, 'DENIED'])
})

test.each([
  ['a broker', { KAFKA_BROKERS: 'kafka:9092,broker:?' }],
  ['the schema registry', { SCHEMA_REGISTRY_URL: 'http://registry:?' }],
  ['"weir store" beside the process', { CLICKHOUSE_URL: 'http://127.0.0.1:?' }],
  ['a store with a name', { CLICKHOUSE_URL: 'http://broker:?' }],
])('%s could be reached where its network is allowed', async (_server, named) => {
  const settings = { ...CLUSTER, WEIR_OUTBOUND_ALLOW: '127.0.0.0/8' }
  const own = Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name, value.replace('?', String(port))]),
  )
  expect(await outcome(settings, [], '127.0.0.1')).toBe('connected')
  for (const host of ['127.0.0.1', '127.0.0.2', 'broker', 'registry'])
    expect([host, await outcome({ ...settings, ...own }, [], host)]).toEqual([host, 'DENIED'])
})

test('an own server whose name no longer resolves keeps its last addresses', async () => {
  const environment = { CLICKHOUSE_URL: `http://store:${port}` }
  const outbound = installationOutbound(readSettings(environment), LOG_ID, () => [], resolve)
  const attempt = () =>
    outbound.connect({ host: '127.0.0.1', port }, new AbortController().signal).then(
      connection => connection.destroy() && 'connected',
      (error: { code: string }) => error.code,
    )
  NAMES.store = '127.0.0.1'
  expect(await attempt()).toBe('DENIED')
  delete NAMES.store
  expect(await attempt()).toBe('DENIED')
})

test('an attempt ends with its signal while names of own servers resolve', async () => {
  const silent = () => new Promise<never>(() => {})
  const outbound = installationOutbound(readSettings(CLUSTER), LOG_ID, () => [], silent)
  const connecting = outbound.connect({ host: '127.0.0.1', port }, AbortSignal.timeout(10))
  await expect(connecting).rejects.toMatchObject({ code: 'NOT_CONNECTED' })
})
