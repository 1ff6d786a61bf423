import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import type { NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import type { DescribedRoute, RouteRequest } from './route-requests.ts'

/** Objects of an account that requests need. */
export interface Planter {
  /** Mark in every name and title of the account: no other account may ever read it. */
  readonly mark: string
  readonly accountId: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers of the enterprise, for its routes; those of the account if it has none. */
  readonly enterpriseHeaders: Readonly<Record<string, string>>
  /** An account that no enterprise has. */
  readonly loose: { readonly accountId: string; readonly serviceKey: string }
}

/** Planter of a single request, with unique names. */
interface Numbered extends Planter {
  readonly number: number
  /** Id of an existing object, by the pattern of its path. */
  idAt(pattern: string): string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

type Send = (request: RouteRequest) => Promise<Answer>
type Text = (planter: Planter, path: string) => string
type Body = (planter: Numbered, path: string) => unknown

const THROTTLE = { threshold: 5, window_ms: 1_000, key_field: '.app' }
/** Nodes that other requests find in a pipeline. */
const NODES: Readonly<Record<NodeKind, object>> = {
  source: { type: 'log-analysis-ingestion' },
  transform: { type: 'throttle', user_config: THROTTLE },
  sink: { type: 'log-analysis' },
}
const PROFILER = {
  type: 'data-profiler',
  user_config: {
    ...{ app_fields: ['.app'], host_fields: ['.host'], level_fields: ['.level'], line_fields: ['.line'] },
  },
}
/** The id of nothing. */
const NOWHERE = '00000000-0000-4000-8000-000000000000'
const SILENCE = {
  general: { name: 'silence' },
  evaluation: { alert_type: 'absence', event_type: 'log' },
  alert_payload: {
    service: { name: 'slack', uri: 'https://hooks.example/secret', message_text: 'nothing came' },
  },
}
const LINE = {
  line: 'a line',
  app: 'web',
  level: 'info',
  timestamp: 1_700_000_000_000,
  meta: { a: { b: 1 } },
}

const nodeIn = (path: string, kind: string) => new RegExp(`/${kind}/([^/]+)`).exec(path)?.[1]
const alert =
  (kind: 'source' | 'transform'): Body =>
  ({ mark }, path) => ({
    component_kind: kind,
    inputs: [nodeIn(path, kind)],
    active: true,
    alert_config: { ...SILENCE, general: { name: mark } },
  })
const view: Body = ({ mark }) => ({
  name: mark,
  query: 'level:error',
  hosts: ['web-1'],
  channels: [{ integration: 'email', emails: ['a@example.org'], triggerlimit: 5, triggerinterval: '1m' }],
})
const exclusion: Body = ({ mark }) => ({ title: mark, active: true, apps: ['none-such'], query: 'absent' })
const file: Body = ({ mark }) => ({
  weir: 'pipeline/1',
  title: `${mark} of a file`,
  sources: [{ name: 'in', type: 'log-analysis-ingestion' }],
  processors: [{ name: 'limit', type: 'throttle', config: THROTTLE, inputs: ['in'] }],
  destinations: [{ name: 'out', type: 'log-analysis', inputs: ['limit'] }],
})
const presetAlert: Body = ({ mark }) => ({
  name: mark,
  channels: [{ integration: 'email', emails: ['a@example.org'], triggerlimit: 5, triggerinterval: '1m' }],
})
const archiving: Body = ({ mark }) => ({ integration: 's3', bucket: mark })
const stream: Body = ({ mark }) => ({
  brokers: ['kafka.example.com:9093'],
  topic: 'logs',
  user: mark,
  password: 'secret',
})
const named: Body = ({ mark }) => ({ name: mark })
const titled: Body = ({ mark }) => ({ title: mark })
const node =
  (type: string, config?: object): Body =>
  ({ mark }) => ({ type, title: mark, ...(config && { user_config: config }) })
/** Every type that runs, by turns, with options that it takes, behind the source. */
const nodeOfAnyType =
  (kind: NodeKind): Body =>
  ({ mark, number, idAt }) => {
    const types = CATALOGUE.declarations[kind].filter(({ type }) => CATALOGUE.isBuilt(kind, type))
    const { type, configs } = types[number % types.length] as NodeDeclaration
    const config = configs[number % Math.max(1, configs.length)]?.sent
    const source = kind === 'source' ? undefined : idAt('/v3/pipeline/:pipelineId/source/:nodeId')
    return {
      type,
      title: mark,
      ...(config && { user_config: config }),
      ...(source && { inputs: [source] }),
    }
  }
const key: Body = ({ mark }) => ({ name: mark })
const lines: Body = ({ mark }) => ({ lines: [{ ...LINE, line: mark }, LINE] })
const pushed: Body = ({ mark }) => [{ door: mark, n: 5 }, LINE, mark]
const child: Body = ({ mark }) => ({ company: mark, owneremail: 'owner@example.org' })

/** A body that each route takes. A route with a body is in the list, or it is not tried, and a test says so. */
const BODIES: Readonly<Record<string, Body>> = {
  'POST /logs/ingest': lines,
  'POST /logs/agent': lines,
  'POST /v1/:routeId': pushed,
  'PUT /v1/:routeId': pushed,
  'POST /v1/:routeId/*': pushed,
  'PUT /v1/:routeId/*': pushed,
  'POST /v3/pipeline': titled,
  'PUT /v3/pipeline/:pipelineId': titled,
  'POST /v3/pipeline/gateway-route': ({ mark }) => ({ type: 'http', title: mark }),
  'PUT /v3/pipeline/gateway-route/:routeId': titled,
  'POST /v3/pipeline/gateway-route/:routeId/access-key': ({ mark }) => ({ title: mark, type: 'generated' }),
  'PUT /v3/pipeline/:pipelineId/transform/:nodeId/exemption': () => ({ key: 'web', minutes: 5 }),
  'PUT /v3/pipeline/state-variable/:stateId': (_planter, path) => ({
    pipeline_id: path.split('/').at(-1),
    state: { operational_state: 'incident' },
  }),
  'PUT /v3/pipeline/:pipelineId/dead-letter': () => ({ enabled: true, retention_days: 3 }),
  'POST /v3/pipeline/:pipelineId/dead-letter/replay': () => ({
    filter: { code: 'E_NOT_FOUND', from: '2023-01-01T00:00:00Z' },
  }),
  'POST /v3/pipeline/simulate': planter => ({
    pipeline: file(planter, ''),
    samples: [{ line: 'a', app: 'web' }],
  }),
  'POST /v3/pipeline/:pipelineId/simulate': () => ({ samples: [{ message: { app: 'web' }, at: 5 }, 'text'] }),
  'POST /v3/pipeline/:pipelineId/preview': () => ({ minutes: 5 }),
  'PUT /v3/pipeline/import': file,
  'PUT /v3/pipeline/:pipelineId/graph': file,
  'POST /v3/pipeline/:pipelineId/source/:nodeId/alert': alert('source'),
  'PUT /v3/pipeline/:pipelineId/source/:nodeId/alert/:alertId': alert('source'),
  'POST /v3/pipeline/:pipelineId/transform/:nodeId/alert': alert('transform'),
  'PUT /v3/pipeline/:pipelineId/transform/:nodeId/alert/:alertId': alert('transform'),
  'POST /v3/pipeline/:pipelineId/source': nodeOfAnyType('source'),
  'PUT /v3/pipeline/:pipelineId/source/:nodeId': node('log-analysis-ingestion'),
  'POST /v3/pipeline/:pipelineId/transform': nodeOfAnyType('transform'),
  'PUT /v3/pipeline/:pipelineId/transform/:nodeId': node('throttle', THROTTLE),
  'POST /v3/pipeline/:pipelineId/sink': nodeOfAnyType('sink'),
  'PUT /v3/pipeline/:pipelineId/sink/:nodeId': node('log-analysis'),
  'POST /v1/config/view': view,
  'PUT /v1/config/view/:id': view,
  'POST /v1/config/presetalert': presetAlert,
  'PUT /v1/config/presetalert/:id': presetAlert,
  'POST /v1/config/categories/:type': named,
  'PUT /v1/config/categories/:type/:id': named,
  'POST /v1/config/board': ({ mark }) => ({ title: mark, graphs: [{ type: 'line', query: 'error' }] }),
  'PUT /v1/config/board/:id': titled,
  'PUT /v1/config/index-rate': () => ({
    max_lines: 5,
    threshold_alert: 'separate',
    frequency: 'hourly',
    channels: { email: ['a@example.org'] },
    enabled: true,
  }),
  'POST /v1/config/archiving': archiving,
  'PUT /v1/config/archiving': archiving,
  'POST /v1/config/keys': key,
  'PUT /v1/config/keys/:keyId': key,
  'POST /v1/config/members': ({ number }) => ({ email: `${number}@example.org`, role: 'member' }),
  'PUT /v1/config/members/:email': () => ({ role: 'readonly', groups: [] }),
  'POST /v1/config/groups': ({ mark }) => ({ name: mark, accessScopes: 'app:web' }),
  'PATCH /v1/config/groups/:groupId': ({ mark }) => ({ name: `${mark} 2` }),
  'POST /v1/config/stream': stream,
  'PUT /v1/config/stream': stream,
  'POST /v1/config/ingestion/suspend/confirm': () => ({ token: '0'.repeat(40) }),
  'POST /v1/config/ingestion/exclusions': exclusion,
  'PATCH /v1/config/ingestion/exclusions/:id': exclusion,
  'POST /v1/config/stream/exclusions': exclusion,
  'PATCH /v1/config/stream/exclusions/:id': exclusion,
  'POST /v1/config/retention-rules': ({ mark }) => ({ name: mark, priority: 1, days: 3, query: 'absent' }),
  'PATCH /v1/config/retention-rules/:id': () => ({ days: 4 }),
  'PUT /v1/config/retention': () => ({ days: 7 }),
  'PUT /v1/config/usage-quotas': () => ({
    daily: { limit: 1_000_000_000, rules: [{ percent: 50, apps: ['web'], active: true }] },
  }),
  'POST /v3/auth/session': () => ({ token: 'nonsense', stay: true }),
  'POST /v1/config/tokens': named,
  'PATCH /v1/config/tokens/:tokenId': named,
  'POST /v1/config/tokens/:tokenId/rotate': () => ({ grace_s: 60 }),
  'POST /v3/enterprise/account': child,
  'PUT /v3/enterprise/account/:accountId': child,
  'PUT /v1/enterprise/account/:accountId': () => ({ retention: 7 }),
  'POST /v1/enterprise/keys': key,
  'PUT /v3/account/spread': () => ({ enabled: false }),
}

const USAGE_PERIOD = ['from=2023-11-14T00:00:00Z', 'to=2023-11-16T00:00:00Z']

/** Queries without which a request is not complete. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'POST /logs/ingest': ['hostname=web-1'],
  'POST /logs/agent': ['hostname=web-1'],
  'POST /v1/config/keys': ['type=ingestion'],
  'GET /v3/explain': ['query=a', 'from=1699999999000'],
  'GET /v3/pipeline/:pipelineId/explain': ['query=a', 'from=1699999999000'],
  'GET /v1/export': ['from=1699999999', 'to=1700003600', 'query=line%20OR%20app:web'],
  'GET /v3/search': ['from=1699999999', 'to=1700003600', 'query=line', 'order=oldest'],
  'GET /v3/search/context': ['line_id=1', 'before=5'],
  'GET /v3/search/histogram': ['from=1699999999', 'to=1700003600', 'query=line', 'by=app'],
  'GET /v3/search/facet': ['from=1699999999', 'to=1700003600', 'fields=app,status'],
  'GET /v3/search/field': ['from=1699999999', 'to=1700003600', 'prefix=a'],
  'GET /v3/search/value': ['from=1699999999', 'to=1700003600', 'field=app', 'prefix=a'],
  'GET /v2/export': ['from=1699999999', 'to=1700003600', 'query=line'],
  'GET /v2/usage': USAGE_PERIOD,
  'GET /v2/usage/:kind': USAGE_PERIOD,
  'GET /v2/usage/:kind/:name': USAGE_PERIOD,
  'GET /v3/usage/series': ['kind=tags', 'from=1699999999', 'to=1700003600', 'zone=Asia/Kolkata'],
  'GET /v1/usage/:kind': ['from=1699999999', 'to=1700003600'],
  'GET /v1/usage/:kind/:name': ['from=1699999999', 'to=1700003600'],
  'PUT /v3/pipeline/:pipelineId/graph': ['dry_run=true'],
  'POST /v3/pipeline/:pipelineId/publish': ['allow_unconnected_edges=true'],
  'DELETE /v3/pipeline/:pipelineId/transform/:nodeId/exemption': ['key=web'],
}

/** Processor whose routes only a data-profiler has. */
const PROFILED = '/v3/pipeline/:pipelineId/transform/:nodeId/profile'

/** Destination whose route only those have that send requests. */
const DELIVERING = '/v3/pipeline/:pipelineId/sink/:nodeId/delivery'
const SENDING = { type: 'http', user_config: { uri: 'https://192.0.2.1/in' } }

/** Record with the id of its pipeline. */
const STATE = '/v3/pipeline/state-variable/:stateId'

/** Route that receives data. */
const PUSHED = '/v1/:routeId'

/** Parameters that are not the id of something that a POST makes. */
const PARAMETERS: Readonly<Record<string, Text>> = {
  '/v3/pipeline/:pipelineId/revision/:number': () => '1',
  '/v3/pipeline/:pipelineId/revision/:from': () => '1',
  '/v3/pipeline/:pipelineId/revision/:from/diff/:to': () => '1',
  '/v3/pipeline/:pipelineId/transform/:nodeId/bucket/:key': () => 'web',
  '/v3/auth/account/:accountId': ({ accountId }) => accountId,
  '/v1/enterprise/account/:accountId': ({ loose }) => loose.accountId,
  '/v1/config/categories/:type': () => 'views',
  '/v3/search/line/:lineId': () => '1',
  '/v1/usage/:kind': () => 'apps',
  '/v2/usage/:kind': () => 'apps',
  '/v1/usage/:kind/:name': () => 'web',
  '/v2/usage/:kind/:name': () => 'web',
}

/** Makes a valid request for every route; the objects in their paths are created first. */
export class ValidRequests {
  readonly #planter: Planter
  readonly #send: Send
  /** Ids of existing objects, percent-encoded, by pattern. */
  readonly #planted = new Map<string, string>()
  /** Access key of the gateway route that receives data. */
  #accessKey = ''
  #number = 0

  constructor(planter: Planter, send: Send) {
    this.#planter = planter
    this.#send = send
  }

  /** @throws Error when nothing is known of a parameter or the body of the route */
  async request(route: DescribedRoute & { readonly hasBody: boolean }): Promise<RouteRequest> {
    const { method, url, hasBody } = route
    const path = await this.#path(url)
    return this.#complete(method, url, path, hasBody)
  }

  /** Ids of all that is there. */
  get ids(): string[] {
    return [...this.#planted.values()]
  }

  /** Forgets ids and all objects below them: the next request that needs one creates it again. */
  forget(ids: readonly string[]): void {
    const gone = [...this.#planted].filter(([, id]) => ids.includes(id)).map(([pattern]) => pattern)
    for (const pattern of [...this.#planted.keys()])
      if (gone.some(each => pattern === each || pattern.startsWith(`${each}/`))) this.#planted.delete(pattern)
  }

  #complete(method: string, url: string, path: string, hasBody: boolean): RouteRequest {
    const name = `${method} ${url}`
    const body = BODIES[name]
    if (hasBody && body === undefined) throw new Error(`no body is known that ${name} takes`)
    const number = this.#number++
    const idAt = (pattern: string) => this.#planted.get(pattern)
    const planter = { ...this.#planter, mark: `${this.#planter.mark}-${number}`, number, idAt }
    return {
      method,
      path,
      query: QUERIES[name] ?? [],
      headers: this.#headers(name),
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body(planter, path))),
    }
  }

  #headers(name: string): Record<string, string> {
    const { headers, enterpriseHeaders, loose } = this.#planter
    const own = /\/v[13]\/enterprise/.test(name) ? enterpriseHeaders : headers
    const isPush = name.includes(PUSHED)
    return {
      ...own,
      ...(name === 'POST /v1/enterprise/account' && { servicekey: loose.serviceKey }),
      ...(isPush && { authorization: this.#accessKey }),
      ...(name.endsWith('/v3/auth/session') && { 'x-weir-console': '1' }),
      'content-type': 'application/json',
    }
  }

  async #path(pattern: string): Promise<string> {
    const { path } = await this.#reach(pattern.split('/'))
    if (pattern === DELIVERING)
      return path.replace(/(?<=\/sink\/)[^/]+/, this.#planted.get(DELIVERING) ?? NOWHERE)
    if (!pattern.startsWith(PROFILED)) return path
    const profiler = this.#planted.get(PROFILED) ?? NOWHERE
    return path.replace(/(?<=\/transform\/)[^/]+/, profiler)
  }

  async #reach(steps: readonly string[]): Promise<{ readonly path: string }> {
    let path = ''
    let pattern = ''
    for (const step of steps.slice(1)) {
      const parent = { path, pattern }
      pattern += `/${step}`
      if (!step.startsWith(':')) {
        path += `/${step}`
        continue
      }
      const known = PARAMETERS[pattern]?.(this.#planter, path) ?? this.#planted.get(pattern)
      const id = known ?? (await this.#plant(parent, pattern))
      path += `/${id}`
    }
    return { path }
  }

  async #plant(
    parent: { readonly path: string; readonly pattern: string },
    pattern: string,
  ): Promise<string> {
    // An alert is made at its node and read at its pipeline.
    if (pattern === '/v3/pipeline/:pipelineId/alert/:alertId')
      await this.#path('/v3/pipeline/:pipelineId/transform/:nodeId/alert/:alertId')
    else if (pattern === '/v3/pipeline/:pipelineId') return this.#plantPipeline()
    else if (pattern === PUSHED) return this.#plantPushed()
    else if (pattern === STATE)
      return (await this.#path('/v3/pipeline/:pipelineId')).split('/').at(-1) ?? NOWHERE
    const made = this.#planted.get(pattern)
    if (made !== undefined) return made
    if (BODIES[`POST ${parent.pattern}`] === undefined)
      throw new Error(`nothing is known that makes ${pattern}`)
    const kind = /\/(source|transform|sink)\/:nodeId$/.exec(pattern)?.[1] as NodeKind | undefined
    const id = await this.#create(parent.pattern, parent.path, kind && NODES[kind])
    if (id === undefined) return NOWHERE
    this.#planted.set(pattern, id)
    if (pattern.endsWith('/transform/:nodeId/alert/:alertId'))
      this.#planted.set('/v3/pipeline/:pipelineId/alert/:alertId', id)
    return id
  }

  /** A published one, from the source through a throttle and a profiler to the store. */
  async #plantPipeline(): Promise<string> {
    const id = await this.#create('/v3/pipeline', '/v3/pipeline')
    if (id === undefined) return NOWHERE
    const at = `/v3/pipeline/${id}`
    const pattern = '/v3/pipeline/:pipelineId'
    const { mark } = this.#planter
    let inputs: string[] = []
    for (const kind of ['source', 'transform', 'sink'] as const) {
      const made = { ...NODES[kind], title: mark, ...(inputs.length > 0 && { inputs }) }
      const node = await this.#create(`${pattern}/${kind}`, `${at}/${kind}`, made)
      if (node === undefined) return NOWHERE
      this.#planted.set(`${pattern}/${kind}/:nodeId`, node)
      inputs = [node]
      if (kind === 'transform') {
        const sender = await this.#create(`${pattern}/sink`, `${at}/sink`, { ...SENDING, inputs })
        if (sender === undefined) return NOWHERE
        this.#planted.set(DELIVERING, sender)
      }
      if (kind !== 'transform') continue
      const profiler = await this.#create(`${pattern}/${kind}`, `${at}/${kind}`, { ...PROFILER, inputs })
      if (profiler === undefined) return NOWHERE
      this.#planted.set(PROFILED, profiler)
      inputs = [profiler]
    }
    await this.#send(this.#complete('POST', `${pattern}/publish`, `${at}/publish`, false))
    this.#planted.set(pattern, id)
    return id
  }

  /** A gateway route that a published pipeline reads, with an access key. */
  async #plantPushed(): Promise<string> {
    const id = await this.#create('/v3/pipeline', '/v3/pipeline')
    const at = `/v3/pipeline/${id}`
    const source = await this.#create('/v3/pipeline/:pipelineId/source', `${at}/source`, { type: 'http' })
    if (id === undefined || source === undefined) return NOWHERE
    const sink = { type: 'log-analysis', inputs: [source] }
    await this.#create('/v3/pipeline/:pipelineId/sink', `${at}/sink`, sink)
    await this.#send(this.#complete('POST', '/v3/pipeline/:pipelineId/publish', `${at}/publish`, false))
    const keys = `/v3/pipeline/gateway-route/${source}/access-key`
    const asked = this.#complete('POST', '/v3/pipeline/gateway-route/:routeId/access-key', keys, true)
    const { text } = await this.#send(asked)
    this.#accessKey = String((JSON.parse(text) as { data?: { key?: string } }).data?.key)
    this.#planted.set(PUSHED, source)
    return source
  }

  /** @returns undefined when it is refused, as by a limit of the plan that earlier requests have reached */
  async #create(pattern: string, path: string, body?: object): Promise<string | undefined> {
    const request = this.#complete('POST', pattern, path, true)
    const given = body === undefined ? request : { ...request, body: Buffer.from(JSON.stringify(body)) }
    const { status, text } = await this.#send(given)
    if (status >= 400 && status < 500) return undefined
    const id = idIn(JSON.parse(text))
    if (id === undefined) throw new Error(`${path} answers without an id: ${text}`)
    return encodeURIComponent(id)
  }
}

/** Id of the object in an answer. */
export function idIn(answer: Readonly<Record<string, unknown>>): string | undefined {
  const { data, ...plain } = answer
  const { viewid, presetid, boardid, id, email, account } = (data ?? plain) as Record<string, unknown>
  const found = viewid ?? presetid ?? boardid ?? id ?? email ?? account
  return typeof found === 'string' ? found : undefined
}
