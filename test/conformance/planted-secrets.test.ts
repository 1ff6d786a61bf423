import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Registry } from '@prometheus-io/client'
import { pino } from 'pino'
import Type, { type TObject } from 'typebox'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { buildServer } from '../../api/server.ts'
import { outboxPorts } from '../../deploy/outbox.ts'
import { AlertService } from '../../engine/alerts/alert-service.ts'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { quotaLedgerOn } from '../../engine/configuration/kinds/quota-ledger.ts'
import { spreadReportsOn } from '../../engine/configuration/kinds/spread.ts'
import { Seal } from '../../engine/configuration/seal.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { pass as passOn } from '../../engine/event/outcome.ts'
import { wholeAssignment } from '../../engine/log/assignment.ts'
import type { Topic } from '../../engine/log/log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { Catalogue, type NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import { checkNode } from '../../engine/nodes/contract/check-node.ts'
import { defineProcessor } from '../../engine/nodes/contract/define-processor.ts'
import type { NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import { Secret, secretPlaces } from '../../engine/nodes/contract/secret.ts'
import type { KafkaOutbound } from '../../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../../engine/outbound/outbound.ts'
import { LiveTaps } from '../../engine/replay/taps/taps.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { Engine } from '../../engine/worker/engine.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { nodeTypesWith } from '../support/catalogue-with.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { stamp, stampOf } from '../support/stamp-processor.ts'
import { TEST_SETTINGS, type TestInstallation, testInstallation } from '../support/test-installation.ts'

/** Part of every secret; a number follows it that differs for each. */
const MARK = 'pl4ntd'
const MARK_LENGTH = 16

/**
 * A processor with a secret that partitions would read. The destinations that run have secrets, too, but cuts contain only
 * those of their options that the fold names. The mark is not the only guard of those.
 */
const vault = defineProcessor({
  type: 'vault',
  summary: 'Pass every event.',
  config: Type.Object(
    { keys: Type.Array(Type.Object({ token: Type.Optional(Secret({ description: 'Credential' })) })) },
    { additionalProperties: false },
  ),
  errors: [],
  compile: () => event => passOn(event),
  configs: [{ sent: { keys: [{ token: 'a token' }] } }],
  examples: [],
})

const LINE = 'a line of the account'

const seal = new Seal(Buffer.alloc(32, 1), seededEntropy(1))
const NODE_TYPES = { ...nodeTypesWith({ processors: [vault, stamp] }), seal }
const WITH_VAULT = new Catalogue(NODE_TYPES)

/** Cuts with all options of their nodes. */
class UnguardedCatalogue extends Catalogue {
  override foldOptionsOf({ user_config }: NodeDocument): JsonObject {
    return user_config
  }
}

interface PlantedNode {
  readonly kind: NodeKind
  readonly type: string
  readonly place: string
  readonly secret: string
  readonly config: JsonObject
}

/** Every secret option of every type, each with options that contain a secret of its own there. */
const PLANTED = (Object.entries(WITH_VAULT.declarations) as [NodeKind, readonly NodeDeclaration[]][]).flatMap(
  ([kind, declarations]) =>
    declarations.flatMap(declaration =>
      secretPlaces(declaration.config).map(place => ({ kind, declaration, place })),
    ),
)

function secretOf(number: number): string {
  return MARK + String(number).padStart(MARK_LENGTH - MARK.length, '0')
}

function planted({ kind, declaration, place }: (typeof PLANTED)[number], number: number): PlantedNode {
  const secret = secretOf(number)
  const name = place.join('.')
  for (const { sent } of declaration.configs) {
    const before = valueAt(sent, place)
    if (before === undefined || before === '') continue
    for (const text of formsOf(secret, String(before))) {
      const config = withValueAt(sent, place, text) as JsonObject
      if ('stored' in checkNode(WITH_VAULT, kind, declaration.type, config))
        return { kind, type: declaration.type, place: name, secret, config }
    }
  }
  throw new Error(`no example of ${kind} ${declaration.type} shows the secret option ${name}`)
}

/** A secret in the forms that options ask for: any text, one of a length, an address, JSON text. */
function formsOf(secret: string, before: string): string[] {
  return [secret, secret.padEnd(before.length, 'x'), `https://u:${secret}@example.org`, `{"k":"${secret}"}`]
}

function valueAt(value: JsonValue | undefined, [first, ...rest]: readonly string[]): JsonValue | undefined {
  if (first === undefined) return value
  if (first === '[]') return Array.isArray(value) ? valueAt(value[0], rest) : undefined
  return isJsonObject(value) ? valueAt(value[first], rest) : undefined
}

function withValueAt(value: JsonValue, [first, ...rest]: readonly string[], text: string): JsonValue {
  if (first === undefined) return text
  if (first === '[]')
    return (value as JsonValue[]).map((each, at) => (at === 0 ? withValueAt(each, rest, text) : each))
  const object = value as JsonObject
  return { ...object, [first]: withValueAt(object[first] as JsonValue, rest, text) }
}

/** Alerts whose services have all secret members among them. */
const SERVICES: readonly JsonObject[] = [
  {
    name: 'webhook',
    uri: 'https://hooks.example.org',
    message_text: 'hot',
    headers: [{ header_name: 'x-team', header_value: 'a value' }],
    auth: { strategy: 'basic', user: 'u', password: 'a password' },
  },
  {
    name: 'webhook',
    uri: 'https://hooks.example.org',
    message_text: 'hot',
    auth: { strategy: 'bearer', token: 'a token' },
  },
  {
    name: 'pager_duty',
    uri: 'https://pager.example.org',
    summary: 'hot',
    severity: 'ERROR',
    source: 'oven',
    routing_key: 'a key',
    event_action: 'trigger',
  },
  { name: 'log_analysis', severity: 'ERROR', subject: 'hot', body: 'oven', ingestion_key: 'a key' },
]

interface PlantedAlert {
  readonly type: string
  readonly place: string
  readonly secret: string
  readonly service: JsonObject
}

/** Every secret member of services, each in an alert of its own. @param first number of the first secret */
function plantedAlerts(first: number): PlantedAlert[] {
  return secretPlaces(AlertService).map((place, index) => {
    const secret = secretOf(first + index)
    const service = SERVICES.find(each => valueAt(each, place) !== undefined)
    if (service === undefined) throw new Error(`no service shows the secret member ${place.join('.')}`)
    const planted = withValueAt(service, place, secret) as JsonObject
    return { type: `alert ${service.name}`, place: place.join('.'), secret, service: planted }
  })
}

function alertWith(service: JsonObject, name: string, source: string): JsonObject {
  const evaluation = { alert_type: 'absence', event_type: 'log', event_timestamp: 'timestamp' }
  return {
    component_kind: 'source',
    inputs: [source],
    alert_config: { general: { name }, evaluation, alert_payload: { service } },
  }
}

/**
 * Answers that show the options of nodes and the services of alerts to users who may change them. On /v3 they are in clear,
 * because clients compare them (pipeline API, section 1.5). So are exports and revisions: an import or a restoration
 * brings back a pipeline that works.
 */
const OWN_OPTIONS =
  /^\/v3\/pipeline\/:pipelineId\/((source|transform|sink)(\/:nodeId)?|alert(\/:alertId)?|export|revision\/:number)$/
/** They do not end by themselves: the test opens tap and tail as clients do. */
const ENDLESS = /\/tap$|^\/ws\//
/** Files of the page of the API document, by names that no route has. */
const FILES = /\*|^\/v1\/:routeId/

let installation: TestInstallation
let engine: Engine
let app: TestInstallation['app']
let store: MemoryStore
let written: string[]

/** Refuses every request with an answer that repeats it, as some servers do. */
const ECHO: Pick<Outbound, 'request'> & KafkaOutbound = {
  produce: async () => ({ error: 'INVALID_TOPIC_EXCEPTION' }),
  request: async ({ body, ...head }) => ({
    ...{ status: 400, headers: {} },
    body: `${JSON.stringify(head)} ${new URLSearchParams(head.headers)} ${body}`,
  }),
}

/** Starts an installation and its engine. */
async function start(catalogue: Catalogue): Promise<void> {
  written = []
  const note = (text: string | Uint8Array) => {
    written.push(String(text))
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(note)
  vi.spyOn(process.stderr, 'write').mockImplementation(note)
  const logger = pino({ level: 'trace' }, { write: note })
  store = new MemoryStore()
  installation = await testInstallation({
    catalogue,
    logger,
    settings: { ...TEST_SETTINGS, isOwnHost: () => true },
  })
  const { log, configuration, clock } = installation
  const { deadLetters, outbox, ...topics } = await openPartitionedTopics(log, TEST_SETTINGS.partitions)
  const taps = new LiveTaps(catalogue, clock)
  engine = new Engine({
    catalogue,
    log,
    ...topics,
    keyed: { ...topics.keyed, reports: spreadReportsOn(configuration) },
    deadLetters: { topic: deadLetters, retentionMs: () => DAY_MS },
    outbox: outboxPorts({ ...installation, outbox, deadLetters, catalogue, outbound: ECHO }),
    quotas: quotaLedgerOn(configuration),
    store,
    clock,
    configuration: deployedConfiguration(catalogue, configuration),
    logger,
    workerName: 'test',
    logRetentionMs: 3_600_000,
    assignment: wholeAssignment(TEST_SETTINGS.partitions),
    watch: taps,
  })
  engine.start()
  app = await buildServer({
    ...installation.ports,
    taps,
    registry: new Registry(),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
}

/** Lets the engine do all its due work. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    installation.clock.advance(250)
    for (let turn = 0; turn < 4; turn++) await setImmediate()
  }
}

describe('a secret in an option of a node', () => {
  afterEach(async () => {
    await installation.clock.advanceUntil(engine.stop())
    await app.close()
    await installation.app.close()
    vi.restoreAllMocks()
  })

  test('is nowhere but in answers with the options of that node', async () => {
    await start(WITH_VAULT)
    const nodes = PLANTED.map(planted)
    const alerts = plantedAlerts(nodes.length)
    const types = nodes.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['log-analysis', 'vault', 'stamp']))
    const { found, look, call } = searchFor([...nodes, ...alerts])
    const all = await pipelineWith(nodes, call)
    const { runs, source, running } = await publishedWith(nodes, call)
    expect(running.map(({ type }) => type)).toEqual(expect.arrayContaining(['http', 'elasticsearch', 'loki']))
    expect((await call('POST', `/v3/pipeline/${all.id}/publish?allow_unconnected_edges=true`)).status).toBe(
      400,
    )
    await pass(2_000)
    const alertIds = await alertsOf(runs.id, source, alerts, call)
    const again = await call('POST', `/v3/pipeline/${runs.id}/publish?allow_unconnected_edges=true`)
    expect(again.status).toBe(200)
    const watched = await Promise.all([
      streamed(`/v3/pipeline/${runs.id}/source/${source}/tap`, LINE),
      ...running.flatMap(({ kind, type, config }, at) =>
        kind === 'transform'
          ? streamed(
              `/v3/pipeline/${runs.id}/transform/${runs.nodes[at]}/tap`,
              type === 'stamp' ? stampOf(String(config.key), LINE) : LINE,
            )
          : [],
      ),
      tailed('/ws/tail', LINE),
    ])
    const answer = await app.inject({
      method: 'POST',
      url: '/logs/ingest?hostname=web-1',
      headers: { apikey: installation.credentials.ingestionKey, 'content-type': 'application/json' },
      payload: { lines: [{ line: LINE }] },
    })
    expect(answer.statusCode).toBe(200)
    await pass(3_000)
    expect(JSON.stringify(store.rows('lines').map(({ line }) => line))).toContain(LINE)
    for (const { path, received } of watched) look(`watching ${path}`, await received())
    // Another secret in the place of each, so that revisions and drafts differ.
    for (const [at, { kind, type, config }] of running.entries()) {
      const changed = JSON.parse(JSON.stringify(config).replaceAll(MARK, `${MARK.slice(0, -1)}D`))
      await call(
        'PUT',
        `/v3/pipeline/${runs.id}/${kind}/${runs.nodes[at]}`,
        { type, user_config: changed, inputs: [source] },
        true,
      )
    }
    for (const [at, { service }] of alerts.entries()) {
      const changed = JSON.parse(JSON.stringify(service).replaceAll(MARK, `${MARK.slice(0, -1)}D`))
      const body = alertWith(changed, String(at), source)
      await call('PUT', `/v3/pipeline/${runs.id}/source/${source}/alert/${alertIds[at]}`, body, true)
    }
    const diff = await call('GET', `/v3/pipeline/${runs.id}/revision/1/diff/draft`)
    expect(diff.text).toContain('"before":"***"')
    const alertsChanged = await call('GET', `/v3/pipeline/${runs.id}/revision/2/diff/draft`)
    for (const { place } of alerts)
      expect(alertsChanged.text).toContain(place.replace('.[].', '/0/').replaceAll('.', '/'))
    const { text: exported } = await call(
      'GET',
      `/v3/pipeline/${runs.id}/export?format=json`,
      undefined,
      true,
    )
    const file = JSON.parse(exported)
    expect((await call('PUT', '/v3/pipeline/import?dry_run=true', file)).status).toBeLessThan(500)
    await engineStopped()
    const reader = await installation.user('readonly')
    const paths = await readableRoutes()
    expect(paths.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['/openapi.json', '/docs/static/index.html', '/docs/json']),
    )
    for (const { url } of paths) {
      for (const { id, nodes: ids } of [all, runs]) {
        const path = url
          .replace(':pipelineId', id)
          .replace(':nodeId', ids[0] ?? '')
          .replace(/:(number|from)/, '1')
          .replace(':to', 'draft')
          .replace(':alertId', alertIds[0] ?? '')
          .replace(/:\w+/g, 'x')
        await call('GET', path, undefined, OWN_OPTIONS.test(url))
        // A user who may only read gets them nowhere.
        const refused = await call('GET', path, undefined, false, reader)
        if (OWN_OPTIONS.test(url)) expect([url, refused.status]).toEqual([url, 403])
      }
    }
    await lookAtTopics(look)
    look(
      'the store',
      JSON.stringify(store.parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    )
    look('the output', written.join('\n'))
    expect(found).toEqual([])
  }, 120_000)

  test('would be found on the log and in checkpoints if cuts had all options', async () => {
    await start(new UnguardedCatalogue(NODE_TYPES))
    const { found, look, call } = searchFor(PLANTED.map(planted))
    const { running } = await publishedWith(PLANTED.map(planted), call)
    await pass(2_000)
    await engineStopped()
    await lookAtTopics(look)
    const everywhere = ['weir.checkpoints', 'weir.ingest'].flatMap(topic =>
      running.map(({ type, place }) => `${topic} contains ${place} of ${type}`),
    )
    expect(found.toSorted()).toEqual(everywhere.toSorted())
    expect(found).toEqual(
      expect.arrayContaining([
        'weir.checkpoints contains ingestion_key of log-analysis',
        'weir.checkpoints contains keys.[].token of vault',
        'weir.ingest contains key of stamp',
        'weir.ingest contains uri of http',
      ]),
    )
  })

  test('is nowhere after events were encrypted with it, nor are values that error records hide', async () => {
    await start(WITH_VAULT)
    const config = { algorithm: 'AES-128-CTR', key: secretOf(1) }
    const planted = { type: 'encrypt-fields', place: 'key', secret: config.key }
    const { found, look, call } = searchFor([planted])
    const { id } = (await call('POST', '/v3/pipeline', { title: 'Encrypted' })).body.data
    const add = async (kind: NodeKind, node: JsonObject) => {
      const { status, body } = await call('POST', `/v3/pipeline/${id}/${kind}`, node, true)
      expect([node, status]).toEqual([node, 200])
      return body.data.id
    }
    const source = await add('source', { type: 'log-analysis-ingestion' })
    const coded = async (type: string, field: string, iv_field: string) =>
      add('transform', { type, inputs: [source], user_config: { ...config, field, iv_field } })
    const closed = await coded('encrypt-fields', '.line', '.iv')
    await add('sink', { type: 'log-analysis', inputs: [closed] })
    const failing = [
      await coded('encrypt-fields', '.line', '.app.iv'),
      await coded('encrypt-fields', '.app', 'timestamp'),
      await coded('decrypt-fields', '.line', '.app'),
    ]
    expect((await call('POST', `/v3/pipeline/${id}/publish?allow_unconnected_edges=true`)).status).toBe(200)
    await pass(2_000)
    const answer = await app.inject({
      method: 'POST',
      url: '/logs/ingest?hostname=web-1',
      headers: { apikey: installation.credentials.ingestionKey, 'content-type': 'application/json' },
      payload: { lines: [{ line: LINE, app: 'an app of the account' }] },
    })
    expect(answer.statusCode).toBe(200)
    await pass(62_000)
    const [stored] = store.rows('lines')
    expect(String(stored?.line)).toMatch(/^[\w+/]{28}$/)
    const errors = store.rows('pipeline_errors').map(({ node, code, captured }) => [node, code, captured])
    const hiddenIn = (members: JsonObject) =>
      expect.stringContaining(JSON.stringify(members).slice(1, -1)) as unknown
    expect(errors).toEqual(
      expect.arrayContaining([
        [failing[0], 'E_ENCRYPT_FAILED', hiddenIn({ line: '[hidden]' })],
        [failing[1], 'E_ENCRYPT_FAILED', hiddenIn({ app: '[hidden]' })],
        [failing[2], 'E_DECRYPT_FIELD_DECODE', hiddenIn({ line: '[hidden]', app: '[hidden]' })],
      ]),
    )
    expect(errors).toHaveLength(3)
    expect((await call('GET', '/v1/config/audit')).status).toBe(200)
    await engineStopped()
    await lookAtTopics(look)
    look('the output', written.join('\n'))
    look(
      'the store',
      JSON.stringify(store.rows('lines'), (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    )
    expect(found).toEqual([])
  }, 60_000)

  type Call = (
    method: 'GET' | 'POST' | 'PUT',
    url: string,
    payload?: object,
    mayShow?: boolean,
    token?: string,
  ) => Promise<{
    readonly status: number
    readonly text: string
    readonly body: { readonly data: { readonly id: string } }
  }>

  /** @returns places where secrets of the nodes were found, by `look`, and by `call` in answers that must not show them */
  function searchFor(nodes: readonly Pick<PlantedNode, 'type' | 'place' | 'secret'>[]) {
    const found: string[] = []
    const look = (where: string, text: string) => {
      for (const { type, place, secret } of nodes)
        if (text.includes(secret)) found.push(`${where} contains ${place} of ${type}`)
    }
    const call: Call = async (method, url, payload, mayShow = false, token = accessToken()) => {
      const answered = app.inject({
        method,
        url,
        headers: { authorization: `Token ${token}` },
        ...(payload && { payload }),
      })
      const answer = await installation.clock.advanceUntil(answered)
      if (!mayShow) look(`${method} ${url}: ${answer.statusCode}`, answer.body)
      return {
        status: answer.statusCode,
        text: answer.body,
        body: answer.body.startsWith('{') ? answer.json() : { data: { id: '' } },
      }
    }
    return { found, look, call }
  }

  /** Publishes a pipeline with the secrets of all types that run. */
  async function publishedWith(nodes: readonly PlantedNode[], call: Call) {
    const running = nodes.filter(each => WITH_VAULT.isBuilt(each.kind, each.type) && isPublishable(each))
    const runs = await pipelineWith(running, call)
    const path = `/v3/pipeline/${runs.id}`
    const { body } = await call('POST', `${path}/source`, { type: 'log-analysis-ingestion' }, true)
    const source = body.data.id
    await call('POST', `${path}/sink`, { type: 'log-analysis', inputs: [source] })
    for (const [at, { kind, type, config }] of running.entries())
      await call(
        'PUT',
        `${path}/${kind}/${runs.nodes[at]}`,
        { type, user_config: config, inputs: [source] },
        true,
      )
    expect((await call('POST', `${path}/publish?allow_unconnected_edges=true`)).status).toBe(200)
    return { runs, source, running }
  }

  /** Whether options with a planted secret can be published: some secrets must have a form. */
  function isPublishable({ kind, type, config }: PlantedNode): boolean {
    const site = { isOwnHost: () => true, isForeignKey: () => false, notPublished: '' }
    const destination = kind === 'sink' ? WITH_VAULT.destinationOf(type) : undefined
    return (destination?.publishProblems?.(config, site) ?? []).length === 0
  }

  async function pipelineWith(nodes: readonly PlantedNode[], call: Call) {
    const { id } = (await call('POST', '/v3/pipeline', { title: 'Planted' })).body.data
    const ids: string[] = []
    for (const { kind, type, config } of nodes) {
      const url = `/v3/pipeline/${id}/${kind}`
      const refused = await call('POST', url, { type, user_config: { ...config, surplus_member: 1 } })
      expect([type, refused.status]).toEqual([type, 400])
      const { status, body } = await call('POST', url, { type, user_config: config }, true)
      expect([type, status]).toEqual([type, 200])
      ids.push(body.data.id)
    }
    return { id, nodes: ids }
  }

  function accessToken(): string {
    return installation.credentials.accessToken
  }

  /** @returns ids of the new alerts */
  async function alertsOf(pipeline: string, source: string, alerts: readonly PlantedAlert[], call: Call) {
    const ids: string[] = []
    for (const [at, { type, service }] of alerts.entries()) {
      const url = `/v3/pipeline/${pipeline}/source/${source}/alert`
      const body = alertWith(service, String(at), source)
      const wrong = alertWith({ ...service, surplus_member: 1 }, String(at), source)
      expect([type, (await call('POST', url, wrong)).status]).toEqual([type, 400])
      const { status, body: created } = await call('POST', url, body, true)
      expect([type, status]).toEqual([type, 200])
      ids.push(created.data.id)
    }
    return ids
  }

  interface Watched {
    readonly path: string
    /** Everything that was received up to the text that was asked for. */
    received(): Promise<string>
  }

  /** Opens a tap by server-sent events. */
  async function streamed(path: string, text: string): Promise<Watched> {
    const headers = { authorization: `Token ${accessToken()}` }
    const response = await fetch(`http://127.0.0.1:${port()}${path}`, { headers })
    expect([path, response.status]).toEqual([path, 200])
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader()
    const received = async () => {
      let all = ''
      while (!all.includes(text)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`${path} ended before ${text} came`)
        all += value
      }
      await reader.cancel()
      return all
    }
    return { path, received }
  }

  /** Opens a WebSocket. */
  async function tailed(path: string, text: string): Promise<Watched> {
    const headers = { authorization: `Token ${accessToken()}` }
    const socket = new WebSocket(`ws://127.0.0.1:${port()}${path}`, { headers } as never)
    let all = ''
    const waiting = new EventTarget()
    socket.addEventListener('message', ({ data }) => {
      all += data
      waiting.dispatchEvent(new Event('more'))
    })
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', reject)
    })
    const received = async () => {
      while (!all.includes(text))
        await new Promise(resolve => waiting.addEventListener('more', resolve, { once: true }))
      socket.close()
      return all
    }
    return { path, received }
  }

  function port(): number {
    return (app.server.address() as AddressInfo).port
  }

  async function engineStopped(): Promise<void> {
    await installation.clock.advanceUntil(engine.stop())
  }

  async function readableRoutes() {
    return app.routeTable
      .routes()
      .filter(({ method, url }) => method === 'GET' && !ENDLESS.test(url) && !FILES.test(url))
  }

  async function topics(): Promise<Topic[]> {
    const { log } = installation
    const { ingest, checkpoints, keyed, deadLetters, outbox } = await openPartitionedTopics(
      log,
      TEST_SETTINGS.partitions,
    )
    return [
      ingest,
      checkpoints,
      keyed.topic,
      keyed.checkpoints,
      deadLetters,
      outbox.topic,
      outbox.checkpoints,
      await log.topic(CONFIG_TOPIC, 1),
    ]
  }

  async function lookAtTopics(look: (where: string, text: string) => void): Promise<void> {
    for (const topic of await topics()) look(topic.name, await textOf(topic))
  }

  async function textOf(topic: Topic): Promise<string> {
    const texts: string[] = []
    for (let partition = 0; partition < topic.partitions; partition++) {
      let { first: offset } = await topic.bounds(partition)
      for (;;) {
        const records = await topic.read(partition, offset, 1_000_000)
        const last = records.at(-1)
        if (last === undefined) break
        for (const { value } of records) texts.push(value.toString('latin1'))
        offset = last.offset + 1n
      }
    }
    return texts.join('\n')
  }
})

/** Names of credentials, and of addresses, which can contain one. */
const CREDENTIAL =
  /password|secret|token|api_key|license_key|ingestion_key$|credentials|connection_string|^keys?$|routing_key|header_value|endpoint|ur[il]s?$/

interface OptionSchema {
  readonly type?: unknown
  readonly secret?: boolean
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly items?: OptionSchema
  readonly anyOf?: readonly OptionSchema[]
}

/** Places of texts whose name looks like that of a credential, and that are not secret. An element has the name of its list. */
function openCredentials(schema: OptionSchema, place: string, name = ''): string[] {
  const { type, secret = false, properties = {}, items, anyOf = [] } = schema
  const isOpen = type === 'string' && CREDENTIAL.test(name) && !name.startsWith('use_') && !secret
  return [
    ...(isOpen ? [place] : []),
    ...Object.entries(properties).flatMap(([member, each]) =>
      openCredentials(each, `${place}.${member}`, member),
    ),
    ...(items === undefined ? [] : openCredentials(items, `${place}[]`, name)),
    ...anyOf.flatMap(each => openCredentials(each, place, name)),
  ]
}

test('every option that is named like a credential or an address is secret', () => {
  const declarations = Object.values(CATALOGUE.declarations).flat()
  const open = declarations.flatMap(({ type, config }) => openCredentials(config as OptionSchema, type))
  expect([...open, ...openCredentials(AlertService as OptionSchema, 'alert')]).toEqual([])
})

test('a text that is named like a credential or an address is noticed, also in a list', () => {
  const text = Type.String()
  const schema = Type.Object({
    url: text,
    queue_url: text,
    endpoints: Type.Array(text),
    brokers: Type.Array(Type.Object({ password: Type.Union([text, Type.Null()]), host: text })),
    known: Type.Object({ url: Secret({ description: 'Address' }) }),
    seconds_to_url: Type.Integer(),
  })
  expect(openCredentials(schema as OptionSchema, 'own')).toEqual([
    'own.url',
    'own.queue_url',
    'own.endpoints[]',
    'own.brokers[].password',
  ])
})

test.each<[string, TObject]>([
  [
    'anyOf',
    Type.Object({ auth: Type.Union([Type.Object({ token: Secret({ description: 'T' }) }), Type.Null()]) }),
  ],
  ['patternProperties', Type.Object({ keys: Type.Record(Type.String(), Secret({ description: 'K' })) })],
  ['additionalProperties', Type.Object({}, { additionalProperties: Secret({ description: 'K' }) })],
  ['items', Type.Object({ pair: Type.Tuple([Secret({ description: 'A' }), Type.String()]) })],
  ['allOf', Type.Object({ list: Type.Array(Type.Object({}, { allOf: [Type.Object({})] })) })],
])('a type whose secrets could remain unseen in %s is in no catalogue', (keyword, config) => {
  const destinations = [{ type: 'unseen', summary: 'Hide.', config, configs: [] }]
  expect(() => new Catalogue({ ...NODE_TYPES, destinations })).toThrow(
    new RegExp(`secrets cannot be found in .*${keyword}.* "unseen`),
  )
})
