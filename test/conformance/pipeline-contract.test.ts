import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { NOWHERE, PIPELINES, PipelineClient, ROUTES, valuesIn } from '../support/pipeline-client.ts'
import {
  apache,
  CONDITIONAL,
  ECHOES,
  elastic,
  parsing,
  REFUSALS,
  sampling,
  sixMembers,
  tumbling,
} from '../support/pipeline-contract-rows.ts'
import { TEST_SETTINGS, type TestInstallation, testInstallation } from '../support/test-installation.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
let installation: TestInstallation
let client: PipelineClient
let pipeline: string

beforeAll(async () => {
  const destinations = { installationHosts: /^logs\.example\.com$/ }
  installation = await testInstallation({ settings: { ...TEST_SETTINGS, destinations } })
  client = new PipelineClient(installation)
  pipeline = await client.newPipeline()
})
afterAll(() => installation.app.close())

const list = (kind: NodeKind, of = pipeline) => `${PIPELINES}/${of}/${kind}`

/** A new node, and where it is. */
async function newNode(kind: NodeKind, type: string, userConfig: object = {}, members: object = {}) {
  const state = await client.create(kind, list(kind), { type, user_config: userConfig, ...members })
  const id = state.id as string
  return { id, url: `${list(kind)}/${id}`, state, config: state.user_config as JsonObject }
}

describe('members that clients read back (rows marked T and C)', () => {
  test.each(ECHOES)('%s: %s %s', async (_about, kind, type, sent, read) => {
    const { url, state, config } = await newNode(kind, type, sent)
    expect(config).toEqual(read)
    expect(state.type).toBe(type)
    expect(await client.read(kind, url)).toEqual(state)
    // The client sends its user's text repeatedly: nothing may remain or grow.
    const again = await client.update(kind, url, { type, user_config: sent })
    expect(again.user_config).toEqual(read)
  })
})

describe('refusals that clients read (section 1.3)', () => {
  test.each(REFUSALS)('%s: %s %s', async (_about, kind, type, sent, { instancePath, message }) => {
    const problems = await client.refusal('POST', list(kind), { type, user_config: sent })
    const there = problems.filter(problem => problem.instancePath === instancePath)
    expect(there.map(problem => problem.message).join('; '), JSON.stringify(problems)).toContain(message)
    expect(there).not.toEqual([])
  })

  test('a duplicate parser is also refused in a change, which then changes nothing', async () => {
    const { url, state } = await newNode('transform', 'parse-sequentially', {
      field: '.line',
      parsers: [{ parser: 'parse_json' }],
    })
    const parsers = [{ parser: 'parse_int' }, { parser: 'parse_int' }]
    const problems = await client.refusal('PUT', url, {
      type: 'parse-sequentially',
      user_config: { field: '.line', parsers },
    })
    expect(problems.map(({ instancePath }) => instancePath)).toEqual(['/user_config/parsers/1'])
    expect(await client.read('transform', url)).toEqual(state)
  })

  test('all findings are reported at once', async () => {
    const problems = await client.refusal('POST', list('transform'), {
      type: 'map-fields',
      title: '',
      inputs: [NOWHERE],
      user_config: { mappings: [{ source_field: 'invalid', target_field: '10' }], other: 1 },
    })
    expect(problems.map(({ instancePath }) => instancePath).toSorted()).toEqual([
      '/inputs/0',
      '/title',
      '/user_config',
      '/user_config/mappings/0/source_field',
      '/user_config/mappings/0/target_field',
    ])
  })

  test('a finding about the body as a whole has the empty pointer', async () => {
    for (const sent of ['{"title":', '[]', '{}']) {
      const problems = await client.refusal('POST', PIPELINES, sent)
      expect(problems.map(({ instancePath }) => instancePath)).toEqual([''])
    }
  })

  test('the other statuses have the same flat form', async () => {
    const url = `${PIPELINES}/${NOWHERE}`
    const replies = [
      await client.send('GET', url),
      await client.send('POST', `${url}/publish`, {}),
      await client.send('POST', `${url}/sink`, { type: 'blackhole' }),
    ]
    for (const { status, body } of replies) {
      expect([status, body.status, body.code, typeof body.message]).toEqual([404, 404, 'ENOTFOUND', 'string'])
      for (const wrapper of ['data', 'meta', 'errors']) expect(body).not.toHaveProperty(wrapper)
    }
  })
})

/** An alert of a source, as a user wrote it. */
const silence = (source: string, service: JsonObject, members: JsonObject = {}): JsonObject => ({
  pipeline_id: pipeline,
  component_kind: 'source',
  component_id: source,
  inputs: [source],
  alert_config: {
    general: { name: 'silence' },
    evaluation: { alert_type: 'absence', event_type: 'metric' },
    alert_payload: { service, ...members },
  },
})
const webhook = (members: JsonObject = {}): JsonObject => ({
  name: 'webhook',
  uri: 'https://example.com/in',
  message_text: 'quiet',
  ...members,
})
const serviceOf = (alert: JsonObject) => (alert as unknown as Alert).alert_config.alert_payload.service
interface Alert {
  readonly alert_config: {
    readonly alert_payload: { readonly service: JsonObject; readonly throttling: JsonObject }
    readonly evaluation: JsonObject
  }
}

describe('alerts (section 7)', () => {
  test('a webhook has method, headers and auth only if sent, and a change without them removes them', async () => {
    const { id, url } = await newNode('source', 'demo-logs', { format: 'json' })
    const more = {
      method: 'put',
      headers: [
        { header_name: 'z', header_value: '1' },
        { header_name: 'a', header_value: '2' },
      ],
      auth: { strategy: 'basic', user: 'u', password: 'clear text' },
    }
    const alert = await client.create('alert', `${url}/alert`, silence(id, webhook(more)))
    expect(serviceOf(alert)).toEqual(webhook(more))
    const alertUrl = `${url}/alert/${alert.id}`
    const changed = await client.update('alert', alertUrl, silence(id, webhook()))
    expect(serviceOf(changed)).toEqual(webhook())
    expect(await client.read('alert', `${PIPELINES}/${pipeline}/alert/${alert.id}`)).toEqual(changed)
  })

  test.each<[JsonObject, JsonObject]>([
    [{}, { window_secs: 60, threshold: 1 }],
    [{ throttling: {} }, { window_secs: 60, threshold: 1 }],
    [{ throttling: { window_secs: 0, threshold: 5 } }, { window_secs: 60, threshold: 5 }],
    [{ throttling: { window_secs: 5, threshold: 0 } }, { window_secs: 5, threshold: 1 }],
    [{ throttling: { window_secs: 1 } }, { window_secs: 1, threshold: 1 }],
  ])('throttling %j has both members on read', async (members, throttling) => {
    const { id, url } = await newNode('source', 'demo-logs', { format: 'json' })
    const alert = await client.create('alert', `${url}/alert`, silence(id, webhook(), members))
    expect((alert as unknown as Alert).alert_config.alert_payload.throttling).toEqual(throttling)
    const { evaluation } = (alert as unknown as Alert).alert_config
    expect(evaluation).toEqual({
      alert_type: 'absence',
      event_type: 'metric',
      window_type: 'tumbling',
      window_duration_minutes: 5,
    })
  })

  test('a member of another service is refused', async () => {
    const { id, url } = await newNode('source', 'demo-logs', { format: 'json' })
    const problems = await client.refusal('POST', `${url}/alert`, silence(id, webhook({ subject: 'x' })))
    expect(problems.map(({ instancePath }) => instancePath)).toEqual([
      '/alert_config/alert_payload/service/subject',
    ])
  })
})

describe('the check list (section 8)', () => {
  test('1. gateway_route_id is the id of the source, and survives a change that replaces everything else', async () => {
    const { id, url, state } = await newNode('source', 'http', { decoding: 'json' }, { title: 'T' })
    expect(state.gateway_route_id).toBe(id)
    const changed = await client.update('source', url, { type: 'http', user_config: {} })
    expect(changed).toEqual({ ...state, title: null, user_config: { decoding: 'auto' }, generation_id: 1 })
    const joined = await newNode('source', 'http', {}, { gateway_route_id: id })
    expect(joined.state.gateway_route_id).toBe(id)
    const put = await client.update('source', joined.url, { type: 'http', user_config: {} })
    expect(put.gateway_route_id).toBe(id)
    const key = { title: 'My key', type: 'generated' }
    expect((await client.create('access-key', `${ROUTES}/${id}/access-key`, key)).gateway_route_id).toBe(id)
  })

  test('2. a change without title and description clears them', async () => {
    const { url } = await newNode('sink', 'blackhole', {}, { title: 'T', description: 'D' })
    expect(await client.update('sink', url, { type: 'blackhole' })).toMatchObject({
      title: null,
      description: null,
    })
  })

  test('3. null and empty containers are returned only if they were sent; secrets and empty texts are returned as sent', async () => {
    const auth = sixMembers({ user: 'u', password: 'clear text' })
    const { config } = await newNode('sink', 'elasticsearch', elastic(auth))
    expect(config).toEqual({
      ...elastic(auth),
      ack_enabled: true,
      compression: 'none',
      index: 'logs-%Y.%m.%d',
    })
    const script = 'function process(event) { return event } // clear text'
    expect((await newNode('transform', 'js-script', { script })).config).toEqual({ script })
    expect((await newNode('transform', 'reduce')).config).toEqual({ duration_ms: 30_000 })
  })

  test('4. inputs are always a list, and a change without inputs clears them', async () => {
    const source = await newNode('source', 'log-analysis-ingestion')
    for (const [kind, type] of [
      ['transform', 'stringify'],
      ['sink', 'blackhole'],
    ] as const) {
      expect((await newNode(kind, type)).state.inputs).toEqual([])
      const { url, state } = await newNode(kind, type, {}, { inputs: [source.id] })
      expect(state.inputs).toEqual([source.id])
      expect((await client.update(kind, url, { type, user_config: {} })).inputs).toEqual([])
    }
  })

  test.each<[string, JsonObject, readonly string[], number]>([
    [
      'route',
      { conditionals: ['Hot', 'cold'].map(label => ({ label, conditional: CONDITIONAL })) },
      ['Hot', 'cold'],
      8,
    ],
    [
      'parse-sequentially',
      { field: '.a', parsers: [{ parser: 'parse_json', label: 'Hot' }, { parser: 'parse_int' }] },
      ['Hot', 'parse_int'],
      32,
    ],
  ])(
    '5. every rule of %s has a name and an output, _unmatched is the first',
    async (type, config, labels, digits) => {
      const { id, url, state } = await newNode('transform', type, config)
      const names = [...valuesIn(state.user_config ?? null)]
        .filter(([at]) => at.endsWith('/_output_name'))
        .map(([, name]) => name as string)
      expect(names).toHaveLength(2)
      for (const name of names) expect(name).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`))
      expect(state.outputs).toEqual([
        { id: `${id}._unmatched`, label: 'Unmatched' },
        ...names.map((name, index) => ({ id: `${id}.${name}`, label: labels[index] })),
      ])
      const inputs = [`${id}.${names[1]}`, `${id}._unmatched`]
      const sink = await newNode('sink', 'blackhole', {}, { inputs })
      const alert = silence(id, webhook())
      await client.create('alert', `${url}/alert`, { ...alert, component_kind: 'transform', inputs })
      // The client does not send the names back: those of rules that are still there stay.
      const changed = await client.update('transform', url, { type, user_config: config, title: 'T' })
      expect(changed).toEqual({ ...state, title: 'T', generation_id: 1 })
      expect(await client.read('sink', sink.url)).toEqual(sink.state)
    },
  )

  test.each<[NodeKind, string, JsonObject, Record<string, unknown>]>([
    ['transform', 'aggregate', tumbling, { '/event_timestamp': 'timestamp', '/window/window_min': 5 }],
    ['transform', 'sample', sampling('contains', { value: 'x' }), { '/always_include/case_sensitive': true }],
    [
      'transform',
      'parse',
      parsing('parse_nginx_log', apache),
      { '/target_field': '', '/options/timestamp_format': '%d/%b/%Y:%T %z' },
    ],
    [
      'transform',
      'parse',
      parsing('parse_regex', { pattern: 'a' }),
      { '/options/case_sensitive': true, '/options/multiline': false, '/options/crlf_newline': false },
    ],
    ['transform', 'trace-sampling', { sample_type: 'head' }, { '/rate': 10, '/trace_id_field': '.trace_id' }],
    [
      'transform',
      'trace-sampling',
      { sample_type: 'tail', conditionals: [{ rate: 1, conditional: CONDITIONAL, _output_name: '' }] },
      {
        '/parent_span_id_field': '.parent_span_id',
        '/conditionals/0/_output_name': expect.stringMatching(/^[0-9a-f]{8}$/),
      },
    ],
    [
      'sink',
      'azure-blob-storage',
      { container_name: 'a', connection_string: 'foo', file_consolidation: {} },
      { '/file_consolidation/enabled': false, '/file_consolidation/base_path': '' },
    ],
    [
      'sink',
      'kafka',
      {
        ...{ brokers: [{ host: 'a', port: 1 }], topic: 'a', sasl_enabled: true },
        ...{ sasl_username: 'u', sasl_password: 'p' },
      },
      { '/sasl_mechanism': 'PLAIN' },
    ],
    ['sink', 'mezmo', { query: { tags: ['a'] } }, { '/query/hostname': 'mezmo' }],
    ['sink', 'log-analysis', { query: {} }, { '/query/hostname': 'log-analysis' }],
  ])('6. the server gives the defaults of %s %s %j', async (kind, type, sent, defaults) => {
    const { config } = await newNode(kind, type, sent)
    const found = new Map(valuesIn(config))
    expect(Object.fromEntries(Object.keys(defaults).map(at => [at, found.get(at)]))).toEqual(defaults)
  })

  test('7. generation_id is 0, then one more for each change of that node, and for nothing else', async () => {
    const { url, state } = await newNode('sink', 'blackhole', {}, { generation_id: 7 })
    expect(state.generation_id).toBe(0)
    const other = await newNode('sink', 'blackhole')
    for (const generation of [1, 2]) {
      const sent = { type: 'blackhole', user_config: {}, generation_id: 0, title: 'same' }
      expect((await client.update('sink', url, sent)).generation_id).toBe(generation)
    }
    await client.refusal('PUT', url, { type: 'blackhole', user_config: { x: 1 } })
    await client.update('pipeline', `${PIPELINES}/${pipeline}`, { title: 'Other', origin: 'terraform' })
    expect((await client.read('sink', url)).generation_id).toBe(2)
    expect((await client.read('sink', other.url)).generation_id).toBe(0)
    await client.delete(url)
    const again = await newNode('sink', 'blackhole')
    expect(again.state.generation_id).toBe(0)
    expect([state.id, other.id]).not.toContain(again.id)
  })

  test('8. publishing without changes answers ENOCHANGES; an empty pipeline can be published', async () => {
    const empty = await client.newPipeline('Empty')
    const published = await client.publish(empty)
    expect(published).toMatchObject({
      id: empty,
      published_at: expect.stringMatching(/Z$/) as unknown,
      published_revision_id: expect.stringMatching(UUID) as unknown,
    })
    const url = `${PIPELINES}/${empty}/publish?allow_unconnected_edges=true`
    expect(await client.send('POST', url, {})).toMatchObject({ status: 409, body: { code: 'ENOCHANGES' } })
    const unconnected = await client.create('sink', list('sink', empty), { type: 'blackhole' })
    expect((await client.publish(empty)).published_revision_id).not.toBe(published.published_revision_id)
    expect(await client.read('sink', `${list('sink', empty)}/${unconnected.id}`)).toEqual(unconnected)
  })

  test('9. an object that is deleted, of another kind or of another pipeline is 404', async () => {
    const other = await client.newPipeline('Other')
    for (const [kind, type] of [
      ['source', 'log-analysis-ingestion'],
      ['transform', 'stringify'],
      ['sink', 'blackhole'],
    ] as const) {
      const { id, url } = await newNode(kind, type)
      const elsewhere = (['source', 'transform', 'sink'] as const)
        .filter(each => each !== kind)
        .map(each => `${list(each)}/${id}`)
      await client.read(kind, url)
      for (const wrong of [...elsewhere, `${list(kind, other)}/${id}`]) {
        for (const method of ['GET', 'DELETE'] as const)
          expect((await client.send(method, wrong)).status).toBe(404)
        expect((await client.send('PUT', wrong, { type })).status).toBe(404)
      }
      await client.delete(url)
      expect((await client.send('GET', url)).status).toBe(404)
    }
  })

  test.each(['application/json', 'application/json; charset=utf-8'])(
    '10. DELETE with %s and no body works for every object',
    async contentType => {
      const of = await client.newPipeline('To be deleted')
      const route = await client.create('gateway-route', ROUTES, { title: 'R', type: 'webhook' })
      const keys = `${ROUTES}/${route.id}/access-key`
      const key = await client.create('access-key', keys, { title: 'K', type: 'generated' })
      const source = await client.create('source', list('source', of), { type: 'log-analysis-ingestion' })
      const url = `${list('source', of)}/${source.id}`
      const write = { ...silence(source.id as string, webhook()), pipeline_id: of }
      const alert = await client.create('alert', `${url}/alert`, write)
      const gone = [`${url}/alert/${alert.id}`, url, `${keys}/${key.id}`, `${ROUTES}/${route.id}`]
      for (const each of [...gone, `${PIPELINES}/${of}`]) await client.delete(each, contentType)
    },
  )

  test('11. superfluous members of a real client are accepted', async () => {
    const route = { id: '', consumer_id: '', title: 'Shared', type: 'mezmo-agent' }
    const { id: routeId } = await client.create('gateway-route', ROUTES, route)
    const key = { id: '', title: 'K', type: 'generated', gateway_route_id: routeId ?? '' }
    await client.create('access-key', `${ROUTES}/${routeId}/access-key`, key)
    const blank = { id: '', pipeline_id: '', component_id: '', consumer_id: '', generation_id: '' }
    const { id, url, state } = await newNode('source', 'demo-logs', { format: 'json' }, blank)
    expect(state.id).toMatch(UUID)
    const alert = { ...silence(id, webhook(), { throttling: {} }), ...blank }
    await client.create('alert', `${url}/alert`, alert)
    await client.create('pipeline', PIPELINES, { title: 'P', origin: 'terraform', ...blank })
    const parsers = [{ parser: 'parse_json', _output_name: '' }]
    const rules = [{ label: 'a', conditional: CONDITIONAL, _output_name: '' }]
    for (const [type, config] of [
      ['route', { conditionals: rules }],
      ['parse-sequentially', { field: '.a', parsers }],
      ['aggregate', { ...tumbling, window: { ...tumbling.window, window_min: 0 } }],
    ] as const) {
      const { config: stored } = await newNode('transform', type, config)
      expect(JSON.stringify(stored)).not.toContain('"_output_name":""')
      if (type === 'aggregate') expect(stored).toMatchObject({ window: { window_min: 0 } })
    }
  })
})
