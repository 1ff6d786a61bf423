import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildServer } from '../../api/server.ts'
import { outboxPorts } from '../../deploy/outbox.ts'
import { ConfigurationLog, create } from '../../engine/configuration/configuration-log.ts'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { accountKeys, enterprises } from '../../engine/configuration/entities.ts'
import { quotaLedgerOn } from '../../engine/configuration/kinds/quota-ledger.ts'
import { spreadReportsOn } from '../../engine/configuration/kinds/spread.ts'
import { KINDS } from '../../engine/configuration/kinds.ts'
import { wholeAssignment } from '../../engine/log/assignment.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { KafkaOutbound } from '../../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../../engine/outbound/outbound.ts'
import { LiveTaps } from '../../engine/replay/taps/taps.ts'
import type { Store } from '../../engine/store/store.ts'
import type { StoreSearches } from '../../engine/store/store-searches.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { Engine } from '../../engine/worker/engine.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { newDice } from '../support/dice.ts'
import { IS_LONG } from '../support/long-form.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { type DescribedRoute, INJECTIONS, type RouteRequest, spoiled } from '../support/route-requests.ts'
import { openStoredLines, type StoredLines } from '../support/stored-lines.ts'
import { TEST_SETTINGS, type TestInstallation, testInstallation } from '../support/test-installation.ts'
import { type Answer, idIn, type Planter, ValidRequests } from '../support/valid-requests.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 4 : 1))
const FIRST_SEED = Number(process.env.SEED ?? 1)
const REQUESTS = 300
/** Beyond, a body goes past the sockets: it is refused before it has been sent as a whole. */
const MAX_SENT_BYTES = 1_000_000

/** Mark in every name, title and line of an account. */
const MINE = 'mark-of-mine'
const THEIRS = 'mark-of-theirs'
const OTHER_ACCOUNT = '0123456789'
/** A server that accepts every request. */
const ACCEPTING: Pick<Outbound, 'request'> & KafkaOutbound = {
  request: async () => ({ status: 200, headers: {}, body: '' }),
  produce: async () => ({ error: null }),
}
const OTHER_ENTERPRISE = 'cccccccccc'
const LOOSE_ACCOUNT = 'aaaaaaaaaa'

/** Pages of the API document, and parts of the contract that are not endpoints. */
const NOT_TRIED = /^\S+ (\/docs(\/.*)?|\/v3\/pipeline\/gateway-route\/\*|\/openapi\.json)$/

/** Routes that refuse our request as it is, with their status. */
const REFUSED: Readonly<Record<string, number>> = {
  'POST /v1/config/ingestion/suspend/confirm': 400,
  'POST /v3/auth/session': 401,
  'GET /ws/tail': 400,
  'GET /v3/search/line/:lineId': 404,
  'GET /v3/search/context': 404,
  // Its options are those of any type, which may not be ready for a publication.
  'POST /v3/pipeline/:pipelineId/sink/:nodeId/check': 400,
  'PUT /v3/pipeline/gateway-route': 404,
  'DELETE /v3/pipeline/gateway-route': 404,
  ...Object.fromEntries(
    ['GET', 'PATCH', 'DELETE', 'OPTIONS'].flatMap(method =>
      ['/v1/:routeId', '/v1/:routeId/*'].map(url => [`${method} ${url}`, 405]),
    ),
  ),
}

/** Routes whose written values change by themselves, or are read elsewhere or in another form. */
const READ_OTHERWISE =
  /\/(preview|simulate|import|graph|dead-letter|exemption|replay)$|^\/v1\/[0-9a-f-]{36}(\/|$)/

const PUBLIC = /^\/(healthz|readyz|metrics|v3\/auth\/session)/
const STRANGER = 'Token nonsense'

type Route = DescribedRoute & { readonly hasBody: boolean; readonly isPublic: boolean }

interface Side {
  readonly planter: Planter
  /** Mark that it must not see. */
  readonly other: string
  readonly requests: ValidRequests
}

let lines: StoredLines
let installation: TestInstallation
/** Server with taps on the engine. */
let app: FastifyInstance
let engine: Engine
let origin: { readonly port: number; readonly host: string }
let routes: readonly Route[]
let mine: Side
let theirs: Side
let agent: Agent
let storeErrors: unknown[]
/** Messages of the server about its own mistakes. */
let failures: string[]

beforeAll(async () => {
  lines = await openStoredLines()
})
afterAll(() => lines.close())

beforeEach(async () => {
  const store = watched(lines.store)
  storeErrors = []
  failures = []
  agent = new Agent({ keepAlive: true, maxSockets: 4 })
  installation = await testInstallation({
    store,
    logger: pino({ level: 'error' }, { write: text => void failures.push(text) }),
    settings: { ...TEST_SETTINGS, allowServiceKeyCreation: true },
    outbound: { connect: async () => new PassThrough() },
  })
  const { credentials, log, configuration, clock, token, account, write } = installation
  await write(create(enterprises, OTHER_ENTERPRISE, { id: OTHER_ENTERPRISE, name: '', createdAtMs: 0 }))
  await account(OTHER_ACCOUNT, { enterprise: OTHER_ENTERPRISE })
  await account(LOOSE_ACCOUNT, { enterprise: null })
  const keys = { [OTHER_ACCOUNT]: 'd'.repeat(32), [LOOSE_ACCOUNT]: 'a'.repeat(32) }
  for (const [owner, key] of Object.entries(keys))
    await write(
      create(accountKeys, `${owner}k`, { account: owner, type: 'service', key, name: '', createdAtMs: 0 }),
    )
  const otherIngestion = 'e'.repeat(32)
  await write(
    create(accountKeys, 'otherother', {
      account: OTHER_ACCOUNT,
      type: 'ingestion',
      key: otherIngestion,
      name: '',
      createdAtMs: 0,
    }),
  )
  const { deadLetters, outbox, ...topics } = await openPartitionedTopics(log, TEST_SETTINGS.partitions)
  const taps = new LiveTaps(CATALOGUE, clock)
  const counted = {
    workerName: 'test',
    get status() {
      return engine.status
    },
    nodeTotals: () => engine.nodeTotals(),
  }
  const system = { ...installation.ports.system, engine: counted }
  app = await buildServer({ ...installation.ports, taps, system, registry: new Registry() })
  engine = new Engine({
    catalogue: CATALOGUE,
    log,
    ...topics,
    keyed: { ...topics.keyed, reports: spreadReportsOn(configuration) },
    deadLetters: { topic: deadLetters, retentionMs: () => DAY_MS },
    outbox: outboxPorts({ ...installation, outbox, deadLetters, catalogue: CATALOGUE, outbound: ACCEPTING }),
    quotas: quotaLedgerOn(configuration),
    store: new MemoryStore(),
    clock,
    configuration: deployedConfiguration(CATALOGUE, configuration),
    logger: silentLogger,
    workerName: 'test',
    logRetentionMs: 3_600_000,
    assignment: wholeAssignment(TEST_SETTINGS.partitions),
    watch: taps,
  })
  engine.start()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port, address: host } = app.server.address() as AddressInfo
  origin = { port, host }
  routes = described(await app.inject({ url: '/openapi.json' }).then(answer => answer.json()))
  for (const [account, mark] of Object.entries({ [credentials.accountId]: MINE, [OTHER_ACCOUNT]: THEIRS }))
    await lines.add([{ line: `line ${mark}`, app: 'web', level: 'error', host: mark }], {
      account,
      timeMs: clock.wallMs(),
    })
  const loose = { accountId: LOOSE_ACCOUNT, serviceKey: keys[LOOSE_ACCOUNT] as string }
  const enterpriseHeaders = { authorization: `Token ${credentials.enterpriseAccessToken}` }
  mine = side({
    mark: MINE,
    accountId: credentials.accountId,
    headers: { authorization: `Token ${credentials.accessToken}`, servicekey: credentials.serviceKey },
    enterpriseHeaders,
    loose,
  })
  const ofEnterprise = await token({ kind: 'enterprise', account: null, enterprise: OTHER_ENTERPRISE })
  const headers = {
    authorization: `Token ${await token({ account: OTHER_ACCOUNT })}`,
    servicekey: keys[OTHER_ACCOUNT],
  }
  theirs = side({
    mark: THEIRS,
    accountId: OTHER_ACCOUNT,
    headers,
    enterpriseHeaders: { authorization: `Token ${ofEnterprise}` },
    loose,
  })
})

afterEach(async () => {
  agent.destroy()
  await installation.clock.advanceUntil(engine.stop())
  await app.close()
  await installation.app.close()
})

function side(planter: Planter): Side {
  const other = planter.mark === MINE ? THEIRS : MINE
  return { planter, other, requests: new ValidRequests(planter, send) }
}

/** A store that records the queries it could not answer. */
function watched(store: Store): Store {
  const noted = (error: unknown) => {
    storeErrors.push(error)
    throw error
  }
  async function* watchedRows<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    try {
      yield* rows
    } catch (error) {
      noted(error)
    }
  }
  const searches: StoreSearches = {
    search: (...given) => {
      const { access, rows, parts } = store.search(...given)
      return {
        access,
        rows: signal => watchedRows(rows(signal)),
        parts: signal => watchedRows(parts(signal)),
      }
    },
    countByValue: (...given) => watchedRows(store.countByValue(...given)),
    countByTime: (...given) => watchedRows(store.countByTime(...given)),
    usageByKindStream: (...given) => watchedRows(store.usageByKindStream(...given)),
    fullFieldDays: (...given) => store.fullFieldDays(...given).catch(noted),
    usageByKind: (...given) => store.usageByKind(...given).catch(noted),
    usageSeries: (...given) => store.usageSeries(...given).catch(noted),
    usageTotals: (...given) => store.usageTotals(...given).catch(noted),
    pipelineErrors: (...given) => store.pipelineErrors(...given).catch(noted),
    pipelineErrorCounts: (...given) => store.pipelineErrorCounts(...given).catch(noted),
    nodeMetrics: (...given) => store.nodeMetrics(...given).catch(noted),
  }
  return Object.assign(new MemoryStore(), searches)
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: object
}

/** Every route of the server, with its entry in the API document. */
function described({
  paths,
}: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}): Route[] {
  return app.routeTable
    .routes()
    .filter(({ method, url }) => method !== 'HEAD' && !NOT_TRIED.test(`${method} ${url}`))
    .map(({ method, url, needs }) => {
      const operation = paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      const query = (operation?.parameters ?? []).filter(each => each.in === 'query').map(({ name }) => name)
      return {
        method,
        url,
        query,
        hasBody: operation?.requestBody !== undefined,
        isPublic: needs === 'public',
      }
    })
}

async function send(request: RouteRequest): Promise<Answer> {
  const answered = new AbortController()
  // Some answers wait for the clock, which does not advance by itself here.
  const waited = setInterval(() => installation.clock.advance(1_000), 200)
  const late = setTimeout(() => answered.abort(new Error(`no answer to ${shown(request)}`)), 30_000)
  try {
    return await answerTo(request, answered.signal)
  } finally {
    clearInterval(waited)
    clearTimeout(late)
  }
}

async function answerTo(request: RouteRequest, signal: AbortSignal): Promise<Answer> {
  const { method, path, query, headers, body } = request
  const url = query.length === 0 ? path : `${path}?${query.join('&')}`
  // Live answers end when their reader disconnects, and ignore the body.
  if (body !== undefined && body.length > MAX_SENT_BYTES && !/\/(tap|live)$/.test(path)) {
    const answer = await app.inject({ method: method as 'PUT', url, headers, payload: body, signal })
    return { status: answer.statusCode, headers: answer.headers as Answer['headers'], text: answer.body }
  }
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  const sent = httpRequest({ ...origin, agent, method, path: url, headers: { ...headers, ...length } })
  // Errors of the rest of a body when the answer has already come.
  sent.on('error', () => {})
  sent.end(body)
  const [response] = await once(sent, 'response', { signal })
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk)
    // A live answer ends when the caller disconnects.
    if (response.headers['content-type']?.startsWith('text/event-stream')) break
  }
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }
}

/** Lets the engine do its due work. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    installation.clock.advance(250)
    for (let turn = 0; turn < 4; turn++) await setImmediate()
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Faults of an answer that are independent of the request. */
function faultsOf(request: RouteRequest, answer: Answer, { planter, other }: Side): string[] {
  const { status, headers, text } = answer
  const isPublic = PUBLIC.test(request.path) || request.method === 'OPTIONS'

  const faults: string[] = []
  if (status >= 500) faults.push('the server failed')
  if (!/^([0-9a-f-]{36}|mine-1)$/.test(String(headers['x-request-id']))) faults.push('no request id')
  if (text.includes(other)) faults.push('tells of another account')
  const isKnown = request.headers.authorization !== STRANGER
  const named = [headers['x-auth-access-type'], headers['x-auth-account-short-id']]
  if (!isKnown && named.some(each => each !== undefined)) faults.push('names a stranger')
  if (!isKnown && status < 300 && !isPublic) faults.push('is for everybody')
  if (isKnown && status < 300 && !isPublic && named[0] === undefined) faults.push('does not name its caller')
  if (named[1] !== undefined && named[1] !== planter.accountId) faults.push('names somebody else')
  if (status < 400 || request.method === 'HEAD') return faults
  const body = parsed(text)
  if (/^\/v3([/?]|$)/i.test(request.path)) {
    const shape = { status, code: expect.any(String), message: expect.any(String), error: expect.any(String) }
    const problem = { instancePath: expect.any(String), message: expect.any(String) }
    if (!fits(body, shape) || !membersFit(body, 'errors', problem)) faults.push('no error of /v3')
  } else {
    const shape = { error: expect.any(String), code: expect.any(String), status: 'error' }
    const detail = { message: expect.any(String), key: expect.any(String) }
    if (!fits(body, shape) || !membersFit(body, 'details', detail)) faults.push('no error of /v1')
  }
  return faults
}

function fits(value: unknown, shape: object): boolean {
  return typeof value === 'object' && value !== null && expect.objectContaining(shape).asymmetricMatch(value)
}

function membersFit(body: unknown, name: string, shape: object): boolean {
  const members = (body as Record<string, unknown>)[name]
  return members === undefined || (Array.isArray(members) && members.every(each => fits(each, shape)))
}

function shown({ method, path, query, headers, body }: RouteRequest, answer?: Answer): string {
  const { authorization: _, servicekey: __, ...others } = headers
  const parts = [
    `${method} ${path}?${query.join('&')}`,
    JSON.stringify(others),
    body?.toString() ?? '',
    answer === undefined ? '' : `${answer.status} ${answer.text}`,
    failures.at(-1) ?? '',
  ]
  return parts.map(part => part.slice(0, 3_000)).join('\n')
}

const ORDER = ['POST', 'PUT', 'PATCH', 'GET', 'OPTIONS', 'DELETE']
/** Objects below another one are removed before it. */
const byMethod = (one: Route, another: Route) =>
  ORDER.indexOf(one.method) - ORDER.indexOf(another.method) || another.url.length - one.url.length

test('every route accepts a valid request', async () => {
  const found: Record<string, number> = {}
  const wanted: Record<string, number> = {}
  for (const route of routes.toSorted(byMethod)) {
    const name = `${route.method} ${route.url}`
    const request = await mine.requests.request(route)
    const answer = await send(request)
    expect(faultsOf(request, answer, mine), shown(request, answer)).toEqual([])
    if (answer.status < 300) await readBack(request, answer, mine)
    found[name] = answer.status
    wanted[name] = REFUSED[name] ?? (route.method === 'OPTIONS' ? 204 : 200)
  }
  expect(found).toEqual(wanted)
})

test('no path shows the objects of an account to another account', async () => {
  let tried = 0
  // An e-mail address may be one of both.
  for (const route of routes.filter(({ url }) => !url.includes(':email'))) {
    const request = await theirs.requests.request(route)
    if (!request.path.split('/').some(step => theirs.requests.ids.includes(step))) continue
    const { headers } = await mine.requests.request(route)
    const answer = await send({ ...request, headers })
    expect(faultsOf(request, answer, mine), shown(request, answer)).toEqual([])
    const wanted = route.url.startsWith('/v1/:routeId')
      ? [401, 405] // a key of its own identifies no caller there
      : [403, 404, ...(request.body === undefined ? [] : [400])]
    expect(wanted, shown(request, answer)).toContain(answer.status)
    tried++
  }
  expect(tried).toBeGreaterThan(80)
})

test('a parameter of a search reaches the store only as a value', async () => {
  const searches = routes.filter(({ url }) => /export|usage|explain|dead-letter|bucket|audit|tail/.test(url))
  for (const route of searches.filter(({ method }) => method === 'GET')) {
    const right = await mine.requests.request(route)
    const last = right.path.lastIndexOf('/') + 1
    for (const [number, text] of INJECTIONS.map(encodeURIComponent).entries()) {
      // In the short form a parameter gets every other text, its neighbour the rest.
      const names = route.query.filter((_, index) => IS_LONG || (number + index) % 2 === 0)
      const values = names.map(name => {
        const others = right.query.filter(each => !each.startsWith(`${name}=`))
        return { ...right, query: [...others, `${name}=${text}`] }
      })
      const named = /:\w+$/.test(route.url) ? [{ ...right, path: right.path.slice(0, last) + text }] : []
      for (const request of [...values, ...named]) {
        const answer = await send(request)
        expect(faultsOf(request, answer, mine), shown(request, answer)).toEqual([])
      }
    }
  }
  expect(storeErrors).toEqual([])
})

describe.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))('SEED=%i', seed => {
  test('no request makes the server fail or reveals another account', async () => {
    const dice = newDice(seed)
    for (let number = 0; number < REQUESTS; number++) {
      const [caller, other] = dice.chance(0.8) ? [mine, theirs] : [theirs, mine]
      const route = dice.pick(routes)
      const right = await caller.requests.request(route)
      const changed = dice.chance(0.1) ? right : spoiled(right, route, dice, other.requests.ids)
      const { servicekey: _, ...headers } = changed.headers
      const isStranger = dice.chance(0.05)
      const request = isStranger ? { ...changed, headers: { ...headers, authorization: STRANGER } } : changed
      const answer = await send(request)
      expect(faultsOf(request, answer, caller), shown(request, answer)).toEqual([])
      if (answer.status < 300) await readBack(request, answer, caller)
      else if (answer.status === 404) caller.requests.forget(right.path.split('/'))
      if (number % 40 === 0) await pass(1_000)
    }
    await goesOn()
    await isKept()
  })
})

/** Reads an accepted object and compares it with the answer of the write. */
async function readBack(request: RouteRequest, { text }: Answer, { requests: own }: Side): Promise<void> {
  const { method, path, headers } = request
  if (method === 'DELETE') return own.forget(path.split('/').slice(-1))
  if ((method !== 'POST' && method !== 'PUT' && method !== 'PATCH') || READ_OTHERWISE.test(path)) return
  const answered = parsed(text) as Record<string, unknown> | undefined
  const id = answered === undefined ? undefined : idIn(answered)
  if (method === 'POST' && id === undefined) return
  const place = method === 'POST' ? `${path}/${encodeURIComponent(id ?? '')}` : path
  if (answered === undefined || !routes.some(({ method, url }) => method === 'GET' && leadsTo(url, place)))
    return
  const read = { method: 'GET', path: place, query: [], headers, body: undefined }
  const answer = await send(read)
  expect(answer.status, `${shown(request)}\nis read as ${shown(read, answer)}`).toBe(200)
  const shownAnswer = parsed(answer.text) as Record<string, unknown>
  // Secrets are shown once, when they are created.
  expect(answered.data ?? answered, shown(request)).toMatchObject(shownAnswer.data ?? shownAnswer)
}

function leadsTo(url: string, path: string): boolean {
  const parts = path.split('/')
  const steps = url.split('/')
  return (
    steps.length === parts.length && steps.every((step, at) => step.startsWith(':') || step === parts[at])
  )
}

/** The partitions must reach the end of the log and store their results, whatever was published. */
async function goesOn(): Promise<void> {
  for (const { requests: own } of [mine, theirs])
    await send(await own.request(routeNamed('POST /logs/ingest')))
  await pass(3_000)
  expect([...engine.status.troubles]).toEqual([])
  for (let turn = 0; turn < 1_000 && (await recordsAhead()) > 0n; turn++) await setImmediate()
  expect(engine.status.workers).toHaveLength(TEST_SETTINGS.partitions)
  expect(await recordsAhead()).toBe(0n)
  expect(storeErrors).toEqual([])
}

async function recordsAhead(): Promise<bigint> {
  const { ingest } = installation.ports.replay
  let ahead = 0n
  for (const { partition, nextOffset } of engine.status.workers)
    ahead += (await ingest.bounds(partition)).next - nextOffset
  return ahead
}

function routeNamed(name: string): Route {
  const found = routes.find(({ method, url }) => `${method} ${url}` === name)
  if (found === undefined) throw new Error(`there is no route ${name}`)
  return found
}

/** The configuration is the same when it is read again from its log alone. */
async function isKept(): Promise<void> {
  const { configuration, ports, log } = installation
  await configuration.catchUp()
  const again = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock: ports.clock,
    entropy: ports.entropy,
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
  })
  for (const kind of KINDS) expect(again.list(kind)).toEqual(configuration.list(kind))
}
