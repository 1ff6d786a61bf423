import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import type { ConfigExample } from '../../engine/nodes/contract/node-declaration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { IS_LONG } from '../support/long-form.ts'
import {
  PIPELINES,
  PipelineClient,
  type ResourceKind,
  ROUTES,
  shuffled,
  tenAtOnce,
  valuesIn,
} from '../support/pipeline-client.ts'
import { storedOptions } from '../support/stored-options.ts'
import { type TestInstallation, testInstallation } from '../support/test-installation.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const KINDS = ['source', 'transform', 'sink'] as const
const JSON_TYPE = 'application/json'
const SEEDS = IS_LONG ? [1, 2] : [1]
/** Members that the server fills in although they hold nothing (pipeline API, sections 5 and 6). */
const LISTED_EMPTY = ['/target_field', '/fields', '/advanced_options', '/file_consolidation/base_path']
/** Read-only members as the client sends them. */
const BLANK = { id: '', pipeline_id: '', account_id: '', component_id: '', consumer_id: '' }

/** Every wire id with every example of its options, in no order. */
const NODE_TYPES = KINDS.flatMap(kind =>
  CATALOGUE.declarations[kind].flatMap(({ type: canonical, aliases = [], configs }) =>
    [canonical, ...aliases].flatMap(type => configs.map(config => ({ kind, canonical, type, config }))),
  ),
)
const PUSH_TYPES = CATALOGUE.sources
  .filter(({ entrance }) => entrance === 'gateway')
  .flatMap(({ type, aliases = [] }) => [type, ...aliases])

const CONDITIONAL = { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] }
const CONDITIONAL_STORED = {
  expressions: [{ field: '.level', str_operator: 'equal', value: 'debug', negate: false }],
  logical_operation: 'AND',
}
const CHANGE = { field: '.value', str_operator: 'percent_change_greater', value: 20.5, negate: true }

/** One alert of each type, with the stored form of its configuration (pipeline API, section 7). */
interface AlertExample {
  readonly sent: JsonObject
  readonly stored: JsonObject
}

const ALERTS: readonly AlertExample[] = [
  {
    sent: {
      general: { name: 'too many', description: 'Look at the ovens' },
      evaluation: {
        alert_type: 'threshold',
        event_type: 'metric',
        operation: 'SUM',
        conditional: CONDITIONAL,
      },
      alert_payload: {
        service: { name: 'slack', uri: 'https://hooks.example.com/{{ .name }}', message_text: 'hot' },
        throttling: {},
      },
    },
    stored: {
      general: { name: 'too many', description: 'Look at the ovens' },
      evaluation: {
        alert_type: 'threshold',
        event_type: 'metric',
        operation: 'SUM',
        conditional: CONDITIONAL_STORED,
        window_type: 'tumbling',
        window_duration_minutes: 5,
      },
      alert_payload: {
        service: { name: 'slack', uri: 'https://hooks.example.com/{{ .name }}', message_text: 'hot' },
        throttling: { window_secs: 60, threshold: 1 },
      },
    },
  },
  {
    sent: {
      general: { name: 'jumps' },
      evaluation: {
        alert_type: 'change',
        event_type: 'log',
        operation: 'CUSTOM',
        script: 'function newer(accumulator, event) { return event }',
        conditional: { expressions: [CHANGE], logical_operation: 'OR' },
        window_type: 'sliding',
        window_duration_minutes: 1440,
        group_by: ['.host', '.app'],
        event_timestamp: '.time',
      },
      alert_payload: {
        service: {
          name: 'webhook',
          uri: 'https://example.com/in',
          message_text: '{"text":"jump"}',
          method: 'put',
          headers: [{ header_name: 'x-team', header_value: 'ovens' }],
          auth: { strategy: 'bearer', token: 'secret' },
        },
        throttling: { window_secs: 0, threshold: 7 },
      },
    },
    stored: {
      general: { name: 'jumps' },
      evaluation: {
        alert_type: 'change',
        event_type: 'log',
        operation: 'CUSTOM',
        script: 'function newer(accumulator, event) { return event }',
        conditional: { expressions: [CHANGE], logical_operation: 'OR' },
        window_type: 'sliding',
        window_duration_minutes: 1440,
        group_by: ['.host', '.app'],
        event_timestamp: '.time',
      },
      alert_payload: {
        service: {
          name: 'webhook',
          uri: 'https://example.com/in',
          message_text: '{"text":"jump"}',
          method: 'put',
          headers: [{ header_name: 'x-team', header_value: 'ovens' }],
          auth: { strategy: 'bearer', token: 'secret' },
        },
        throttling: { window_secs: 60, threshold: 7 },
      },
    },
  },
  ...[
    { name: 'log_analysis', severity: 'WARNING', subject: 'Silence', body: 'Nothing', ingestion_key: 'key' },
    {
      name: 'pager_duty',
      uri: 'https://events.example.com',
      summary: 'Silence',
      severity: 'CRITICAL',
      source: 'ovens',
      routing_key: 'secret',
      event_action: 'trigger',
    },
  ].map(service => ({
    sent: {
      general: { name: 'silence' },
      evaluation: { alert_type: 'absence', event_type: 'metric' },
      alert_payload: { service },
    },
    stored: {
      general: { name: 'silence' },
      evaluation: {
        alert_type: 'absence',
        event_type: 'metric',
        window_type: 'tumbling',
        window_duration_minutes: 5,
      },
      alert_payload: { service, throttling: { window_secs: 60, threshold: 1 } },
    },
  })),
]

/** State of one resource in the client. */
interface Kept {
  readonly kind: ResourceKind
  readonly url: string
  readonly readUrl: string
  state: JsonObject
}

interface KeptNode extends Kept {
  readonly kind: NodeKind
  readonly canonical: string
  readonly pipeline: string
  readonly outputs: readonly string[]
}

let installation: TestInstallation
let client: PipelineClient

beforeEach(async () => {
  installation = await testInstallation()
  client = new PipelineClient(installation)
})
afterEach(() => installation.app.close())

describe.each(SEEDS)('everything that a client can describe (SEED=%i)', seed => {
  test('is created, read, imported, updated and deleted as the contract says', async () => {
    const world = new World(newDice(seed))
    await world.createAll()
    await world.importAll()
    await world.updateAll()
    await world.importAll()
    await world.deleteAll()
  })
})

/** Everything of one configuration, in an order of the dice. */
class World {
  readonly #dice: Dice
  readonly #pipelines: Kept[] = []
  readonly #routes: Kept[] = []
  readonly #keys: { readonly url: string }[] = []
  readonly #nodes: KeptNode[] = []
  readonly #alerts: Kept[] = []

  constructor(dice: Dice) {
    this.#dice = dice
  }

  async createAll(): Promise<void> {
    await this.#inAnyOrder(['one', 'two'], title => this.#createPipeline(title))
    await this.#inAnyOrder(PUSH_TYPES, type => this.#createRoute(type))
    for (const kind of KINDS) {
      const types = NODE_TYPES.filter(each => each.kind === kind)
      await this.#inAnyOrder(types, type => this.#createNode(type))
    }
    const routes = [
      ...this.#routes,
      ...this.#nodes.filter(({ state }) => state.gateway_route_id === state.id),
    ]
    await this.#inAnyOrder(routes, ({ state }) => this.#createKey(state.id as string))
    const watched = this.#nodes.filter(({ kind, outputs }) => kind !== 'sink' && outputs.length === 1)
    await this.#inAnyOrder(watched, node => this.#createAlert(node, this.#dice.pick(ALERTS)))
  }

  /** Reading every id into an empty state gives the client's state: no write has changed another resource. */
  async importAll(): Promise<void> {
    const all = [...this.#routes, ...this.#nodes, ...this.#alerts]
    await this.#inAnyOrder(all, async ({ kind, readUrl, state }) => {
      expect(await client.read(kind, readUrl)).toEqual(state)
    })
    for (const pipeline of this.#pipelines) {
      const { updated_at: updatedAt, ...imported } = await client.read('pipeline', pipeline.readUrl)
      expect(updatedAt).toMatch(TIME)
      expect(imported).toEqual(pipeline.state)
    }
  }

  async updateAll(): Promise<void> {
    await this.#inAnyOrder(this.#nodes, node => this.#updateNode(node))
    await this.#inAnyOrder(this.#alerts, alert => this.#updateAlert(alert))
    await this.#inAnyOrder(this.#routes, route => this.#updateRoute(route))
    await this.#inAnyOrder(this.#pipelines, pipeline => this.#updatePipeline(pipeline))
  }

  /** Dependents first; older clients send a content type and no body. */
  async deleteAll(): Promise<void> {
    const ofKind = (kind: NodeKind) => this.#nodes.filter(node => node.kind === kind)
    const levels: (readonly {
      readonly url: string
      readonly readUrl?: string
    }[])[] = [
      this.#alerts,
      ofKind('sink'),
      ofKind('transform'),
      this.#keys,
      ofKind('source'),
      this.#routes,
      this.#pipelines,
    ]
    for (const level of levels) {
      await this.#inAnyOrder(level, async ({ url, readUrl }) => {
        await client.delete(url, this.#dice.chance(0.5) ? JSON_TYPE : undefined)
        expect(await client.send('DELETE', url)).toMatchObject({ status: 404, body: { status: 404 } })
        if (readUrl === undefined) return
        const { status, body } = await client.send('GET', readUrl)
        expect([status, body.status, body.code]).toEqual([404, 404, 'ENOTFOUND'])
      })
    }
    expect((await client.send('GET', PIPELINES)).body.data).toEqual([])
    expect((await client.send('GET', ROUTES)).body.data).toEqual([])
  }

  async #createPipeline(title: string): Promise<void> {
    const created = await client.create('pipeline', PIPELINES, { title, origin: 'terraform' })
    expect(created).toEqual(pipelineWith(created.id, title))
    const url = `${PIPELINES}/${created.id}`
    // Its nodes change these two.
    const { updated_at: _, ...kept } = created
    this.#pipelines.push({ kind: 'pipeline', url, readUrl: url, state: { ...kept, has_changes: true } })
  }

  async #createRoute(type: string): Promise<void> {
    const described = this.#dice.chance(0.5) ? { description: `Shared ${type}` } : {}
    const sent = { id: '', consumer_id: '', title: `My ${type}`, type, ...described }
    const state = await client.create('gateway-route', ROUTES, sent)
    expect(state).toEqual(routeWith(state.id, { ...sent, ...described }))
    const url = `${ROUTES}/${state.id}`
    this.#routes.push({ kind: 'gateway-route', url, readUrl: url, state })
  }

  async #createKey(route: string): Promise<void> {
    const url = `${ROUTES}/${route}/access-key`
    const sent = { id: '', title: `Key of ${route}`, type: 'generated', gateway_route_id: route }
    const { key, ...state } = await client.create('access-key', url, sent)
    expect(key).toMatch(/^\w+$/)
    expect(state).toEqual({
      id: expect.stringMatching(UUID) as unknown,
      account_id: installation.credentials.accountId,
      title: sent.title,
      gateway_route_id: route,
      created_at: expect.stringMatching(TIME) as unknown,
    })
    this.#keys.push({ url: `${url}/${state.id}` })
  }

  async #createNode({ kind, canonical, type, config }: (typeof NODE_TYPES)[number]): Promise<void> {
    const pipeline = this.#dice.pick(this.#pipelines).state.id as string
    const route = kind === 'source' ? this.#routeToShare(type) : undefined
    const sent: JsonObject = {
      ...(this.#dice.chance(0.3) ? BLANK : {}),
      type,
      user_config: config.sent,
      generation_id: 0,
      ...this.#described(),
      ...this.#inputs(kind, pipeline),
      ...(route === undefined ? {} : { gateway_route_id: route }),
    }
    const list = `${PIPELINES}/${pipeline}/${kind}`
    const state = await client.create(kind, list, sent)
    const url = `${list}/${state.id}`
    const outputs = expectNode(kind, state, { sent, config, pipeline, generation: 0 })
    this.#nodes.push({ kind, canonical, pipeline, url, readUrl: url, state, outputs })
    expect(await client.read(kind, url)).toEqual(state)
  }

  /** A full replacement with another example of the options; before it one that is refused. */
  async #updateNode(node: KeptNode): Promise<void> {
    const { kind, canonical, pipeline, url } = node
    const { type, gateway_route_id: route } = node.state as { type: string; gateway_route_id?: JsonValue }
    const { configs } = CATALOGUE.declarations[kind].find(each => each.type === canonical) ?? { configs: [] }
    const changes = 1 + this.#dice.below(2)
    for (let change = 0; change < changes; change++) {
      const config = this.#dice.pick(configs)
      const generation = (node.state.generation_id as number) + 1
      await client.refusal('PUT', url, { type, user_config: { ...config.sent, unknown: 1 } })
      const sent: JsonObject = {
        ...(this.#dice.chance(0.3) ? BLANK : {}),
        type,
        user_config: config.sent,
        generation_id: node.state.generation_id ?? null,
        ...this.#described(),
        ...this.#inputs(kind, pipeline, node.state.inputs),
      }
      node.state = await client.update(kind, url, sent)
      const gatewayRoute = route === undefined ? {} : { gateway_route_id: route }
      expectNode(kind, node.state, { sent: { ...sent, ...gatewayRoute }, config, pipeline, generation })
    }
  }

  async #createAlert({ kind, pipeline, url: node, state: { id } }: KeptNode, { sent, stored }: AlertExample) {
    const write = {
      ...(this.#dice.chance(0.5) ? { id: '' } : {}),
      pipeline_id: pipeline,
      component_kind: kind,
      component_id: id as string,
      inputs: [id as string],
      active: this.#dice.chance(0.5),
      alert_config: sent,
    }
    const state = await client.create('alert', `${node}/alert`, write)
    expectAlert(state, { ...write, alert_config: stored })
    const readUrl = `${PIPELINES}/${pipeline}/alert/${state.id}`
    this.#alerts.push({ kind: 'alert', url: `${node}/alert/${state.id}`, readUrl, state })
  }

  async #updateAlert(alert: Kept): Promise<void> {
    const { alert_config: before, component_kind, component_id, pipeline_id, inputs } = alert.state
    const typeOf = (config: JsonValue | undefined) =>
      ((config as JsonObject).evaluation as JsonObject).alert_type
    const { sent, stored } = this.#dice.pick(ALERTS.filter(each => typeOf(each.stored) === typeOf(before)))
    const write = { pipeline_id, component_kind, component_id, inputs, alert_config: sent } as JsonObject
    alert.state = await client.update('alert', alert.url, write)
    expectAlert(alert.state, { ...write, active: true, alert_config: stored })
  }

  async #updateRoute(route: Kept): Promise<void> {
    const { id, type, consumer_id: consumer, created_at: created } = route.state
    const sent = { id: id ?? '', consumer_id: '', title: 'Renamed', type: type ?? '' }
    route.state = await client.update('gateway-route', route.url, sent)
    expect(route.state).toEqual({ ...routeWith(id, sent), consumer_id: consumer, created_at: created })
  }

  async #updatePipeline(pipeline: Kept): Promise<void> {
    const { id } = pipeline.state
    const { updated_at: updated, ...state } = await client.update('pipeline', pipeline.url, {
      id: id ?? '',
      title: 'Renamed',
      origin: 'terraform',
    })
    expect(updated).toMatch(TIME)
    expect(state).toEqual({ ...pipeline.state, title: 'Renamed' })
    pipeline.state = state
  }

  /** Left out when there is none: the client never sends null or an empty text. */
  #described(): JsonObject {
    return {
      ...(this.#dice.chance(0.5) ? { title: 'A title' } : {}),
      ...(this.#dice.chance(0.5) ? { description: 'What it is for' } : {}),
    }
  }

  /** Outputs of the kind before, in an order of the dice; the client drops an empty list. */
  #inputs(kind: NodeKind, pipeline: string, present?: JsonValue): JsonObject {
    if (kind === 'source') return {}
    if (present !== undefined && this.#dice.chance(0.3)) return {}
    const before = kind === 'transform' ? 'source' : 'transform'
    const outputs = this.#nodes
      .filter(node => node.kind === before && node.pipeline === pipeline)
      .flatMap(node => node.outputs)
    const chosen = shuffled(this.#dice, outputs).slice(0, this.#dice.below(4))
    return chosen.length === 0 ? {} : { inputs: chosen }
  }

  #routeToShare(type: string): string | undefined {
    const fitting = this.#routes.filter(({ state }) => state.type === type)
    return fitting.length > 0 && this.#dice.chance(0.5)
      ? (this.#dice.pick(fitting).state.id as string)
      : undefined
  }

  #inAnyOrder<T>(list: readonly T[], one: (each: T) => Promise<void>): Promise<void> {
    return tenAtOnce(shuffled(this.#dice, list), one)
  }
}

function pipelineWith(id: JsonValue | undefined, title: string) {
  expect(id).toMatch(UUID)
  return {
    id,
    account_id: installation.credentials.accountId,
    partition_id: 'gen1',
    title,
    deploy_type: 'saas',
    deployment_groups: [],
    config: {},
    created_at: expect.stringMatching(TIME) as unknown,
    updated_at: null,
    published_at: null,
    published_revision_id: null,
    deployed_revision_id: null,
    loaded_revision_id: null,
    processing_status: 'enabled',
    has_pending_actions: false,
    has_changes: false,
    origin: 'terraform',
    template: null,
  }
}

function routeWith(
  id: JsonValue | undefined,
  { title, type, description }: { title: string; type: JsonValue; description?: string },
) {
  expect(id).toMatch(UUID)
  return {
    id,
    account_id: installation.credentials.accountId,
    consumer_id: expect.stringMatching(UUID) as unknown,
    type,
    title,
    description: description ?? null,
    created_at: expect.stringMatching(TIME) as unknown,
  }
}

function expectAlert(state: JsonObject, written: JsonObject): void {
  const { pipeline_id, component_kind, component_id, inputs, active, alert_config } = written
  expect(state).toEqual({
    id: expect.stringMatching(UUID) as unknown,
    account_id: installation.credentials.accountId,
    pipeline_id,
    component_kind,
    component_id,
    inputs,
    active,
    alert_config,
  })
}

interface WrittenNode {
  readonly sent: JsonObject
  readonly config: ConfigExample
  readonly pipeline: string
  readonly generation: number
}

/** Every member of a node, and none besides (pipeline API, sections 1.5, 2.2 and 2.3). @returns ids of its outputs */
function expectNode(kind: NodeKind, state: JsonObject, written: WrittenNode): string[] {
  const { sent, config, pipeline, generation } = written
  const { id } = state
  expect(id).toMatch(UUID)
  const type = sent.type as string
  expectEcho(state.user_config ?? null, config.sent)
  const names = outputNames(type, state.user_config as JsonObject)
  const outputs =
    names.length === 0
      ? [{ id, label: 'Default' }]
      : [
          { id: `${id}._unmatched`, label: 'Unmatched' },
          ...names.map(each => ({ ...each, id: `${id}.${each.id}` })),
        ]
  const isPush = PUSH_TYPES.includes(type)
  const members: Readonly<Record<NodeKind, object>> = {
    source: {
      outputs,
      gateway_route_id: isPush ? (sent.gateway_route_id ?? id) : null,
      access_keys: [],
      access_keys_user_provided: false,
      durability_profile: null,
    },
    transform: { inputs: sent.inputs ?? [], outputs },
    sink: { inputs: sent.inputs ?? [] },
  }
  expect(state).toEqual({
    id,
    title: sent.title ?? null,
    description: sent.description ?? null,
    account_id: installation.credentials.accountId,
    pipeline_id: pipeline,
    generation_id: generation,
    type,
    deploy_type: 'saas',
    user_config: storedConfig(type, config, state.user_config as JsonObject),
    ...members[kind],
  })
  return kind === 'sink' ? [] : outputs.map(output => output.id as string)
}

/** All sent members are stored, exactly and in their order; additional ones are neither null nor empty. */
function expectEcho(stored: JsonValue, sent: JsonValue): void {
  const returned = new Map(valuesIn(stored))
  const asSent = new Map(valuesIn(sent))
  for (const [at, value] of asSent) {
    if (isContainer(value)) continue
    const isBlankMechanism = at === '/sasl_mechanism' && value === ''
    expect(returned.get(at), at).toEqual(isBlankMechanism ? 'PLAIN' : value)
  }
  for (const [at, value] of returned) {
    if (asSent.has(at) || LISTED_EMPTY.includes(at)) continue
    expect(value, at).not.toBe(null)
    expect(value, at).not.toBe('')
    if (isContainer(value)) expect(Object.keys(value), at).not.toEqual([])
  }
}

function isContainer(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === 'object' && value !== null
}

/** Names and labels of the outputs of rules; none of other types. */
function outputNames(type: string, config: JsonObject): { readonly id: string; readonly label: string }[] {
  if (type !== 'route' && type !== 'parse-sequentially') return []
  const rules = (type === 'route' ? config.conditionals : config.parsers) as JsonObject[]
  const names = rules.map(({ _output_name: name }) => name as string)
  for (const name of names) expect(name).toMatch(type === 'route' ? /^[0-9a-f]{8}$/ : /^[0-9a-f]{32}$/)
  expect(new Set(names).size).toBe(names.length)
  return rules.map(({ label, parser, _output_name: name }) => ({
    id: name as string,
    label: (label ?? parser) as string,
  }))
}

/** The stored configuration of the example, with the output names and the type of this node. */
function storedConfig(type: string, example: ConfigExample, returned: JsonObject): JsonObject {
  const { sent } = example
  const stored = storedOptions(example)
  const names = [...valuesIn(returned)].filter(([at]) => at.endsWith('/_output_name')).map(([, name]) => name)
  const withNames = JSON.parse(
    JSON.stringify(stored, (key, value: JsonValue) => (key === '_output_name' ? names.shift() : value)),
  )
  const isLogAnalysis = ['log-analysis', 'log-store', 'mezmo'].includes(type) && isJsonObject(stored.query)
  if (!isLogAnalysis || (isJsonObject(sent.query) && sent.query.hostname !== undefined)) return withNames
  return { ...withNames, query: { ...withNames.query, hostname: type } }
}
