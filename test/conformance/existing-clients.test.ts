import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { BrowserClient } from '../support/clients/browser-client.ts'
import { CollectorPlugin } from '../support/clients/collector-plugin.ts'
import { type Answer, basic, exchange } from '../support/clients/exchange.ts'
import { HostAgent } from '../support/clients/host-agent.ts'
import { NodeLogger } from '../support/clients/node-logger.ts'
import { NO_CONNECTION } from '../support/clients/outbox.ts'
import type { ClientOptions, LoggedLine, ShippingClient } from '../support/clients/shipping-client.ts'
import {
  type ClientKind,
  META,
  PAGE,
  PLUGINS,
  RUBY_HANDLER,
  SHIPPING_CLIENTS,
  WAITING_ON_429,
} from '../support/clients/shipping-clients.ts'
import { TagRepeatingClient } from '../support/clients/tag-repeating-client.ts'
import { type ExportedLine, eventually, exportedLines } from '../support/exported-lines.ts'
import { lastingPort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'
import { type StalledUploads, stalledUploads } from '../support/stalled-uploads.ts'
import { TEST_SETTINGS, testInstallation } from '../support/test-installation.ts'

/**
 * The clients that send lines. Each sends its usual requests to the real program, and repeats or drops by its own rules
 * (ingestion, sections 1.1 to 1.5).
 */

/** Members that a record has only if they were sent. */
const OPTIONAL_MEMBERS = ['_tag', '_mac', '_ip', '_env', '_file', '_meta', '_label', '_annotation', '_drift']

interface StartedClient extends ClientKind {
  readonly client: ShippingClient
}

let weir: RunningWeir

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await lastingPort()), WEIR_CORS_ORIGINS: PAGE })
})

afterAll(() => weir.dispose())

function started(options: Partial<ClientOptions> = {}): StartedClient[] {
  const { ingestUrl: origin, ingestionKey: key } = weir.credentials
  return SHIPPING_CLIENTS.map(kind => ({
    ...kind,
    client: kind.newClient({ origin, key, hostname: kind.hostname, ...options }),
  }))
}

/** Lines that a program logs, always the same. */
function linesOf(app: string, count: number): LoggedLine[] {
  const nowMs = Date.now()
  return Array.from({ length: count }, (_, place) => ({
    text: `line ${place}: grüße 👋 "quoted" \\ back`,
    app,
    level: 'Notice',
    timeMs: nowMs - 60_000 + place * 7,
    meta: META,
  }))
}

/**
 * All lines of an app that were accepted so far. A later line, in the order of the log, is among them, so none is
 * missing.
 */
async function storedLines(app: string): Promise<ExportedLine[]> {
  const { ingestUrl: origin, ingestionKey: key } = weir.credentials
  const last = new TagRepeatingClient({ origin, key, hostname: 'last' })
  const query = `last-${randomUUID()}`
  last.log({ text: query, app: 'last', level: '', timeMs: Date.now() })
  await last.outbox.settled()
  const found = await eventually(
    () => exportedLines(weir, { apps: 'last', query: `"${query}"` }),
    lines => lines.length > 0,
  )
  expect(found).toHaveLength(1)
  return exportedLines(weir, { apps: app })
}

function textsOf(lines: readonly ExportedLine[], hostname: string): string[] {
  return lines.filter(({ _host }) => _host === hostname.slice(0, 256)).map(({ _line }) => _line)
}

const texts = (lines: readonly LoggedLine[]) => lines.map(({ text }) => text)

test('every existing client is understood, and each line is stored once with all its data', async () => {
  const logged = linesOf('shop', 25)
  const clients = started()
  for (const { client } of clients) for (const line of logged) client.log(line)
  await Promise.all(clients.map(({ client }) => client.outbox.settled()))
  const stored = await storedLines('shop')
  for (const { name, client, hostname, members } of clients) {
    expect([name, client.outbox.failures, client.outbox.lost]).toEqual([name, [], []])
    const host = hostname.slice(0, 256)
    const records = stored.filter(({ _host }) => _host === host)
    expect([name, records.map(common)]).toEqual([
      name,
      logged.map(({ text, app, timeMs }) => ({
        _line: text,
        _app: app,
        _ts: timeMs,
        level: 'NOTICE',
        _ipremote: '127.0.0.1',
      })),
    ])
    for (const record of records) expect([name, optional(record)]).toEqual([name, members])
  }
  expect(stored).toHaveLength(clients.length * logged.length)
})

function common({ _line, _app, _ts, level, _ipremote }: ExportedLine) {
  return { _line, _app, _ts, level, _ipremote }
}

function optional(record: ExportedLine): Record<string, unknown> {
  const present = OPTIONAL_MEMBERS.filter(member => member in record)
  return Object.fromEntries(present.map(member => [member, record[member]]))
}

test('meta that is an object is found by its fields, and meta that is a text only by its words', async () => {
  const hosts = async (query: string) => {
    const found = await exportedLines(weir, { apps: 'shop', query })
    return new Set(found.map(({ _host }) => _host))
  }
  const isText = ({ members }: ClientKind) => typeof members._meta === 'string'
  const named = (kinds: readonly ClientKind[]) => new Set(kinds.map(({ hostname }) => hostname.slice(0, 256)))
  expect(await hosts('meta.user.id:7')).toEqual(named(SHIPPING_CLIENTS.filter(kind => !isText(kind))))
  expect(await hosts('user')).toEqual(named(SHIPPING_CLIENTS))
})

test('an overloaded server answers 503, and clients that repeat lose and duplicate nothing; the Ruby handler drops', async () => {
  const logged = linesOf('overload', 12)
  const { uploads, refusal } = await overloaded()
  expect(refusal.headers['retry-after']).toMatch(/^\d+$/)
  expect(JSON.parse(refusal.body)).toMatchObject({ code: 'ServiceUnavailable', status: 'error' })
  const clients = started()
  for (const { client } of clients) for (const line of logged) client.log(line)
  const failing = await notFailing(clients)
  uploads.release()
  expect(failing).toEqual([])
  await Promise.all(clients.map(({ client }) => client.outbox.settled()))
  const stored = await storedLines('overload')
  for (const { name, client, hostname } of clients) {
    expect([name, new Set(client.outbox.failures)]).toEqual([name, new Set([503])])
    const kept = name === RUBY_HANDLER ? [] : texts(logged)
    expect([name, textsOf(stored, hostname)]).toEqual([name, kept])
    const lost = client.outbox.lost.flatMap(({ lines }) => lines).length
    expect([name, lost]).toEqual([name, logged.length - kept.length])
  }
})

/** Fills the server until it refuses requests, with and without a key; the test empties it at its end. */
async function overloaded(): Promise<{ uploads: StalledUploads; refusal: Answer }> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const uploads = await stalledUploads(ingestUrl, ingestionKey)
  onTestFinished(() => uploads.release())
  const isRefused = ({ status }: Answer) => status === 503
  const probed = (headers?: Record<string, string>) =>
    eventually(async () => {
      await uploads.fillUp()
      return probe(headers)
    }, isRefused)
  const refusal = await probed({ apikey: ingestionKey })
  expect([refusal.status, (await probed()).status]).toEqual([503, 503])
  return { uploads, refusal }
}

/** A request that stores nothing. */
function probe(headers: Record<string, string> = {}): Promise<Answer> {
  const { ingestUrl: origin, ingestionKey } = weir.credentials
  const body = JSON.stringify({ apikey: ingestionKey, lines: [] })
  return exchange({ origin, path: '/logs/ingest?hostname=probe', headers, body })
}

test('a server that stops between batches and returns later neither loses nor duplicates lines of any client', async () => {
  const logged = linesOf('away', 80)
  const amid = logged.slice(0, 70)
  const during = logged.slice(70)
  const clients = started()
  for (const { client } of clients) for (const line of amid) client.log(line)
  await eventually(async () => clients.some(({ client }) => client.outbox.delivered.length > 1), Boolean)
  expect(await weir.end('SIGTERM')).toBe(0)
  for (const { client } of clients) for (const line of during) client.log(line)
  expect(await notFailing(clients)).toEqual([])
  await weir.start()
  await Promise.all(clients.map(({ client }) => client.outbox.settled()))
  const stored = await storedLines('away')
  for (const { name, client, hostname } of clients) {
    const { failures, lost } = client.outbox
    expect(failures).toContain(NO_CONNECTION)
    // The end of a stop may be a 503, which costs the Ruby handler a batch.
    if (name !== RUBY_HANDLER) expect([name, lost]).toEqual([name, []])
    const dropped = new Set(lost.flatMap(({ lines }) => lines).map(({ line }) => line))
    const kept = texts(logged).filter(text => !dropped.has(text))
    expect([name, textsOf(stored, hostname)]).toEqual([name, kept])
  }
})

/** Waits until all have failed twice. @returns those that do not */
function notFailing(clients: readonly StartedClient[]): Promise<string[]> {
  return eventually(
    async () => clients.filter(({ client }) => client.outbox.failures.length < 2).map(({ name }) => name),
    names => names.length === 0,
  )
}

test('a host agent with a large backlog sends it at once', async () => {
  const { ingestUrl: origin, ingestionKey: key } = weir.credentials
  const agent = new HostAgent({ origin, key, hostname: 'busy' })
  const logged = linesOf('much', 5_000)
  for (const line of logged) agent.log(line)
  await agent.outbox.settled()
  expect([agent.outbox.failures, agent.outbox.delivered.length]).toEqual([[], 1])
  expect(textsOf(await storedLines('much'), 'busy')).toEqual(texts(logged))
})

test('every client gets 401 for an invalid key, however it is sent, and nothing is stored', async () => {
  const clients = started({ key: '0'.repeat(32) })
  for (const { client } of clients) for (const line of linesOf('stranger', 3)) client.log(line)
  await eventually(async () => clients.every(({ client }) => client.outbox.failures.length > 0), Boolean)
  await Promise.all(clients.map(({ client }) => client.outbox.abandon()))
  for (const { name, client } of clients) {
    expect([name, new Set(client.outbox.failures)]).toEqual([name, new Set([401])])
    const lost = client.outbox.lost.flatMap(({ lines }) => lines).length
    expect([name, lost]).toEqual([name, PLUGINS.includes(name) ? 0 : 3])
  }
  expect(await storedLines('stranger')).toEqual([])
})

describe('a collector checks whether the server is up', () => {
  const plugin = () => {
    const { ingestUrl: origin, ingestionKey: key } = weir.credentials
    return new CollectorPlugin({ origin, key, hostname: 'collector', language: 'C' })
  }

  test.each<[string, () => string | undefined]>([
    ['without a key', () => undefined],
    ['with its key', () => basic(weir.credentials.ingestionKey)],
    ['with a key that is not valid', () => basic('0'.repeat(32))],
    ['with an empty key', () => basic('')],
    ['with a service key', () => basic(weir.credentials.serviceKey)],
    ['with something that is not a credential', () => 'nonsense'],
    ['with an access token', () => `Token ${weir.credentials.accessToken}`],
  ])('%s', async (_name, authorization) => {
    expect(await plugin().isUp(authorization())).toBe(true)
  })

  test('also while the log has no room for a batch', async () => {
    await overloaded()
    expect(await plugin().isUp(basic(weir.credentials.ingestionKey))).toBe(true)
    expect(await plugin().isUp()).toBe(true)
  })
})

test('during a suspension collectors wait and other clients drop, and nothing is stored until ingestion is resumed', async () => {
  const { token } = await weir.send<{ token: string }>('POST', '/v1/config/ingestion/suspend', {})
  await weir.send('POST', '/v1/config/ingestion/suspend/confirm', { token })
  const resume = () => weir.send('POST', '/v1/config/ingestion/resume', {})
  onTestFinished(async () => void (await resume()))
  const clients = started()
  const logged = linesOf('suspended', 3)
  for (const { client } of clients) for (const line of logged) client.log(line)
  const others = clients.filter(({ name }) => !PLUGINS.includes(name))
  await Promise.all(others.map(({ client }) => client.outbox.settled()))
  for (const { name, client } of others) {
    const { lost } = client.outbox
    const statuses = lost.flatMap(({ status, lines }) => lines.map(() => status))
    expect([name, statuses]).toEqual([name, logged.map(() => 403)])
  }
  await resume()
  await Promise.all(clients.map(({ client }) => client.outbox.settled()))
  const stored = await storedLines('suspended')
  for (const { name, hostname } of clients) {
    const kept = PLUGINS.includes(name) ? texts(logged) : []
    expect([name, textsOf(stored, hostname)]).toEqual([name, kept])
  }
})

test('there is no limit of requests by default; beyond a limit some clients wait and others drop', async () => {
  const settings = {
    ...TEST_SETTINGS,
    corsOrigins: [PAGE],
    maxIngestionKeys: SHIPPING_CLIENTS.length + 1,
    limits: { ingest: { perSecond: 1, burst: 1 } },
  }
  const installation = await testInstallation({ settings })
  onTestFinished(() => installation.app.close())
  const origin = await installation.app.listen({ host: '127.0.0.1', port: 0 })
  const newKey = async () => {
    const created = await installation.call({
      method: 'POST',
      url: '/v1/config/keys?type=ingestion',
      payload: {},
    })
    return (created.json() as { key: string }).key
  }
  const clients = await Promise.all(
    SHIPPING_CLIENTS.map(async kind => {
      const options = { origin, key: await newKey(), hostname: kind.hostname }
      return { ...kind, client: kind.newClient(options) }
    }),
  )
  const [first, second] = linesOf('limited', 2) as [LoggedLine, LoggedLine]
  for (const { client } of clients) client.log(first)
  await Promise.all(clients.map(({ client }) => client.outbox.settled()))
  for (const { client } of clients) client.log(second)
  await eventually(async () => clients.every(({ client }) => client.outbox.failures.length > 0), Boolean)
  installation.clock.advance(1_000)
  await Promise.all(clients.map(({ client }) => client.outbox.settled()))
  for (const { name, client } of clients) {
    const { delivered, failures, lost } = client.outbox
    expect([name, new Set(failures)]).toEqual([name, new Set([429])])
    const waits = WAITING_ON_429.includes(name)
    expect([name, delivered.length, lost.length]).toEqual([name, waits ? 2 : 1, waits ? 0 : 1])
  }
})

describe('a batch with empty lines', () => {
  const app = 'nothing'
  const logged: LoggedLine[] = [
    ...linesOf(app, 1),
    { app, level: '', timeMs: Date.now() },
    { text: 'last', app, level: '', timeMs: Date.now() },
  ]
  const options = (hostname: string) => {
    const { ingestUrl: origin, ingestionKey: key } = weir.credentials
    return { origin, key, hostname }
  }

  test('is stored without the empty lines, and the Node.js logger learns which they were', async () => {
    const logger = new NodeLogger(options('node-nothing'))
    for (const line of logged) logger.log(line)
    await logger.outbox.settled()
    expect(logger.lineStatuses).toEqual([[200, 400, 200]])
    expect(logger.outbox.lost).toEqual([])
    const kept = texts([logged[0], logged[2]] as LoggedLine[])
    expect(textsOf(await storedLines(app), 'node-nothing')).toEqual(kept)
  })

  test('is refused whole and dropped if all its lines are empty', async () => {
    const logger = new NodeLogger(options('node-empty'))
    logger.log(logged[1] as LoggedLine)
    await logger.outbox.settled()
    expect(logger.outbox.lost.map(({ status }) => status)).toEqual([400])
  })

  test('is repeated by the collector plugin in C without end, because it treats 207 as a failure', async () => {
    const plugin = new CollectorPlugin({ ...options('collector-nothing'), language: 'C' })
    for (const line of logged) plugin.log(line)
    await eventually(async () => plugin.outbox.failures.length >= 2, Boolean)
    await plugin.outbox.abandon()
    const { failures } = plugin.outbox
    expect(new Set(failures)).toEqual(new Set([207]))
    const stored = await storedLines(app)
    expect(textsOf(stored, 'collector-nothing')).toHaveLength(2 * failures.length)
  })
})

test('a batch above the limit is refused with an answer and dropped, and later batches are stored', async () => {
  const { ingestUrl: origin, ingestionKey: key } = weir.credentials
  const logger = new NodeLogger({ origin, key, hostname: 'node-large', batchLines: 250 })
  const large = linesOf('large', 250).map(line => ({ ...line, text: `${line.text} ${'x'.repeat(10_000)}` }))
  const small = linesOf('large', 1)
  for (const line of [...large, ...small]) logger.log(line)
  await logger.outbox.settled()
  expect(logger.outbox.failures).toEqual([413])
  expect(logger.outbox.lost.map(({ status, lines }) => [status, lines.length])).toEqual([[413, 250]])
  expect(textsOf(await storedLines('large'), 'node-large')).toEqual(texts(small))
})

test('pages of another origin are refused', async () => {
  const { ingestUrl: origin, ingestionKey: key } = weir.credentials
  const client = new BrowserClient({
    origin,
    key,
    hostname: 'other',
    pageOrigin: 'https://other.example.org',
  })
  for (const line of linesOf('other-page', 1)) client.log(line)
  await eventually(async () => client.outbox.failures.length > 0, Boolean)
  await client.outbox.abandon()
  expect(new Set(client.outbox.failures)).toEqual(new Set([NO_CONNECTION]))
  expect(await storedLines('other-page')).toEqual([])
})
