import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSettings } from '../settings.ts'
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

async function outcome(environment: Record<string, string>, listening: readonly AddressInfo[], host: string) {
  const outbound = installationOutbound(readSettings(environment), () => listening)
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

test('"weir store" beside the process counts as its own listener, too', async () => {
  const settings = { ...CLUSTER, WEIR_OUTBOUND_ALLOW: '127.0.0.0/8' }
  expect(await outcome({ ...settings, CLICKHOUSE_URL: `http://localhost:${port}` }, [], '127.0.0.1')).toBe(
    'DENIED',
  )
})
