import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { closeServers, listen, openServers } from './servers.ts'
import { readSettings } from './settings/settings.ts'
import { RenewedTls } from './tls.ts'

const CERTIFICATE = new URL('../test/data/tls/cert.pem', import.meta.url).pathname
const KEY = new URL('../test/data/tls/key.pem', import.meta.url).pathname

let folder: string
let installation: Installation | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-servers-'))
})
afterEach(async () => {
  if (installation !== undefined) await closeInstallation(installation)
  installation = undefined
  rmSync(folder, { recursive: true })
})

async function serve(given: Readonly<Record<string, string>>) {
  const settings = readSettings({ WEIR_DATA_DIR: join(folder, 'data'), WEIR_PARTITIONS: '1', ...given })
  const logger = pino({ level: 'silent' })
  installation = await openInstallation(settings, logger)
  const serves = { lines: true, api: true }
  const { api } = await openServers(settings, { ...installation, serves }, undefined, logger)
  const headers = { authorization: `Token ${installation.keys.accessToken}` }
  return {
    get: (url: string) => api.inject({ url, headers }),
    post: (url: string, payload?: object) =>
      api.inject({ method: 'POST', url, headers, ...(payload && { payload }) }),
  }
}

test('limits of the operator hold at the API', async () => {
  const { get, post } = await serve({ WEIR_MAX_EXPORT_LINES: '12345', WEIR_MAX_MEMBER_KEYS: '2' })
  expect((await get('/v1/export?from=1&to=2&size=12346')).json().error).toBe(
    '"size" must be less than or equal to 12345',
  )
  const key = { name: 'key', kind: 'user', email: 'owner@weir.local', scope: 'admin' }
  const statuses = []
  for (let at = 0; at < 3; at++) statuses.push((await post('/v1/config/tokens', key)).statusCode)
  expect(statuses).toEqual([200, 200, 400])
})

/** The answer of a server to a request without a credential. */
async function statusOf(server: FastifyInstance | undefined, url: string): Promise<number | undefined> {
  return (await server?.inject({ url }))?.statusCode
}

async function overTls(url: string): Promise<string> {
  const ca = readFileSync(CERTIFICATE)
  return text(
    await new Promise<IncomingMessage>((resolve, reject) => get(url, { ca }, resolve).on('error', reject)),
  )
}

test('ports for ingestion and for metrics serve these alone, all of them by HTTPS', async () => {
  const settings = readSettings({
    WEIR_TLS_CERT: CERTIFICATE,
    WEIR_TLS_KEY: KEY,
    WEIR_DATA_DIR: join(folder, 'data'),
    WEIR_PARTITIONS: '1',
    WEIR_PORT: '0',
    WEIR_INGEST_PORT: '0',
    WEIR_METRICS_PORT: '0',
  })
  const logger = pino({ level: 'silent' })
  installation = await openInstallation(settings, logger)
  const serves = { lines: true, api: true }
  const tls = await RenewedTls.open(settings, logger)
  const servers = await openServers(settings, { ...installation, serves }, tls, logger)
  try {
    const { api, ingest, metrics } = servers
    const urls = ['/healthz', '/readyz?for=ingest', '/metrics']
    for (const server of [api, metrics])
      expect(await Promise.all(urls.map(url => statusOf(server, url)))).toEqual([200, 200, 200])
    expect(await Promise.all(urls.map(url => statusOf(ingest, url)))).toEqual([200, 200, 404])
    const headers = { authorization: `Token ${installation.keys.accessToken}` }
    for (const url of [
      '/',
      '/v3/pipeline',
      '/v1/export',
      '/logs/ingest',
      '/docs',
      '/openapi.json',
      '/console/',
    ])
      expect([url, (await metrics?.inject({ url, headers }))?.statusCode]).toEqual([url, 404])
    const addresses = await listen(settings, servers, logger)
    expect(addresses.apiUrl).toMatch(/^https:/)
    expect(addresses.ingestUrl).not.toBe(addresses.apiUrl)
    expect((await ingest?.inject({ url: '/v3/pipeline', headers }))?.statusCode).toBe(404)
    const ports = installation.listeners.flatMap(listener => listener.addresses()).map(({ port }) => port)
    expect(new Set(ports).size).toBe(3)
    for (const url of [addresses.apiUrl, `https://127.0.0.1:${ports[2]}`])
      expect(await overTls(`${url}/metrics`)).toMatch(/^weir_log_takes_ingest 1$/m)
    // Users name servers for destinations and streams; the process connects to none of its own ports.
    for (const port of ports)
      await expect(
        installation.outbound.connect({ host: '127.0.0.1', port }, AbortSignal.timeout(10_000)),
      ).rejects.toMatchObject({ code: 'DENIED' })
  } finally {
    await closeServers(servers)
  }
})

test('a port that another program has is named with its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const port = String((other.address() as AddressInfo).port)
  const settings = readSettings({
    WEIR_DATA_DIR: join(folder, 'data'),
    WEIR_PARTITIONS: '1',
    WEIR_PORT: '0',
    WEIR_METRICS_PORT: port,
  })
  const logger = pino({ level: 'silent' })
  installation = await openInstallation(settings, logger)
  const serves = { lines: true, api: true }
  const servers = await openServers(settings, { ...installation, serves }, undefined, logger)
  await expect(listen(settings, servers, logger)).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} (WEIR_HOST, WEIR_METRICS_PORT): another program listens there`,
  )
  await closeServers(servers)
  other.close()
  // The operator has not seen the credentials of this first start, so the next one tells of them.
  await closeInstallation(installation)
  installation = await openInstallation(settings, logger)
  expect(installation.created).toBe(true)
})
