import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create } from '../../engine/configuration/configuration-log.ts'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { accountKeys, revisions } from '../../engine/configuration/entities.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import {
  changeAccount,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'
import { declaredTypes } from '../../test/support/toy-nodes.ts'

const catalogue = catalogueWith(declaredTypes)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOWHERE = '00000000-0000-4000-8000-000000000000'
const EQUAL = { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] }
const EQUAL_STORED = {
  expressions: [{ field: '.level', str_operator: 'equal', value: 'debug', negate: false }],
  logical_operation: 'AND',
}

type Kind = 'source' | 'transform' | 'sink'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation({ catalogue })
})
afterEach(() => installation.app.close())

async function send(method: Method, url: string, payload?: object | string) {
  const headers = { 'content-type': 'application/json' }
  const response = await installation.call(
    payload === undefined ? { method, url } : { method, url, headers, payload },
  )
  return {
    status: response.statusCode,
    text: response.body,
    body: response.json(),
    data: response.json().data,
  }
}

async function newPipeline(title = 'My pipeline'): Promise<string> {
  return (await send('POST', '/v3/pipeline', { title, origin: 'terraform' })).data.id
}

/** Adds a node and returns its id. */
async function add(pipeline: string, kind: Kind, node: object): Promise<string> {
  const { status, body, data } = await send('POST', `/v3/pipeline/${pipeline}/${kind}`, node)
  expect([status, body.errors]).toEqual([200, undefined])
  return data.id
}

const source = (pipeline: string) => add(pipeline, 'source', { type: 'log-analysis-ingestion' })
const filter = (inputs: string[] = []) => ({
  type: 'filter',
  user_config: { action: 'drop', conditional: EQUAL },
  inputs,
})
const route = (...labels: string[]) => ({
  type: 'route',
  user_config: { conditionals: labels.map(label => ({ label, conditional: EQUAL })) },
})

const ORIGINS = 'must be equal to one of the allowed values: terraform, ui'

describe('pipelines', () => {
  test('creation returns the whole pipeline, without a type in meta', async () => {
    const { status, text, body, data } = await send('POST', '/v3/pipeline', {
      title: 'P',
      origin: 'terraform',
    })
    expect(status).toBe(200)
    expect(text).not.toMatch(/": |, "/)
    expect(data).toEqual({
      id: expect.stringMatching(UUID),
      account_id: installation.credentials.accountId,
      partition_id: 'gen1',
      title: 'P',
      deploy_type: 'saas',
      deployment_groups: [],
      config: {},
      created_at: new Date(installation.clock.wallMs()).toISOString(),
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
    })
    expect(body.meta).toEqual({
      pk: 'id',
      links: {
        self: { list: '/v3/pipeline', detail: '/v3/pipeline/{pipeline_id}' },
        related: {
          source: { list: null, detail: '/v3/pipeline/{pipeline_id}/source/{source_id}' },
          transform: { list: null, detail: '/v3/pipeline/{pipeline_id}/transform/{transform_id}' },
          sink: { list: null, detail: '/v3/pipeline/{pipeline_id}/sink/{sink_id}' },
        },
      },
      page: null,
    })
  })

  test('origin is ui unless it is sent, and is returned as sent', async () => {
    expect((await send('POST', '/v3/pipeline', { title: 'P' })).data.origin).toBe('ui')
  })

  test('a list begins with the oldest and has pages', async () => {
    const ids = [await newPipeline('a'), await newPipeline('b'), await newPipeline('c')]
    const { body, data } = await send('GET', '/v3/pipeline')
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(body.meta).toMatchObject({ type: 'pipeline', page: { next: null, previous: null } })
    const again = ids[0] as string
    await send('PUT', `/v3/pipeline/${again}`, { title: 'z' })
    expect((await send('GET', '/v3/pipeline')).data[0].id).toBe(again)
  })

  test('an update replaces the title, sets updated_at and accepts the id as an empty text', async () => {
    const id = await newPipeline()
    installation.clock.advance(1500)
    const { data } = await send('PUT', `/v3/pipeline/${id}`, { id: '', title: 'Other', origin: 'terraform' })
    expect(data).toMatchObject({
      title: 'Other',
      updated_at: new Date(installation.clock.wallMs()).toISOString(),
    })
    expect((await send('GET', `/v3/pipeline/${id}`)).data).toEqual(data)
  })

  test.each([
    ['no title', {}, '', "must have required property 'title'"],
    ['an empty title', { title: '' }, '/title', 'must NOT have fewer than 1 characters'],
    ['a number as title', { title: 5 }, '/title', 'must be string'],
    ['another origin', { title: 't', origin: 'x' }, '/origin', ORIGINS],
    ['an unknown member', { title: 't', colour: 1 }, '', "must NOT have additional properties: 'colour'"],
    [
      'a misspelt member',
      { title: 't', orgin: 'ui' },
      '',
      'must NOT have additional properties: "orgin" is not a setting of the request; did you mean "origin"?',
    ],
    ['a list', [], '', 'must be object'],
  ])('%s is refused with a pointer', async (_name, payload, instancePath, message) => {
    const { status, body } = await send('POST', '/v3/pipeline', payload)
    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 400, code: 'EVALIDATION', message: body.error })
    expect(body.errors).toContainEqual({ instancePath, message })
    expect((await send('GET', '/v3/pipeline')).data).toEqual([])
  })

  test.each([[''], ['x'], [7], [null]])('read-only members of nodes that are %j are ignored', async value => {
    const names = ['pipeline_id', 'generation_id', 'component_id', 'consumer_id']
    const payload = { title: 'P', ...Object.fromEntries(names.map(name => [name, value])) }
    const created = await send('POST', '/v3/pipeline', payload)
    expect([created.status, created.body.errors]).toEqual([200, undefined])
    const changed = await send('PUT', `/v3/pipeline/${created.data.id}`, { ...payload, title: 'Q' })
    expect([changed.status, changed.data]).toEqual([
      200,
      { ...created.data, title: 'Q', updated_at: expect.any(String) },
    ])
    expect((await send('POST', '/v3/pipeline', { ...payload, generation: 1 })).status).toBe(400)
  })

  test('a pipeline is deleted with its nodes', async () => {
    const id = await newPipeline()
    const node = await source(id)
    expect((await send('DELETE', `/v3/pipeline/${id}`)).status).toBe(200)
    for (const url of [`/v3/pipeline/${id}`, `/v3/pipeline/${id}/source/${node}`]) {
      expect((await send('GET', url)).status).toBe(404)
    }
    expect((await send('DELETE', `/v3/pipeline/${id}`)).status).toBe(404)
    expect((await send('POST', `/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' })).status).toBe(
      404,
    )
  })

  test('a delete can have the JSON content type without a body', async () => {
    const id = await newPipeline()
    const response = await installation.call({
      method: 'DELETE',
      url: `/v3/pipeline/${id}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.statusCode).toBe(200)
  })

  test('segments that are not ids are 404 with every method', async () => {
    for (const url of ['/v3/pipeline/gateway-route/a/b', '/v3/pipeline/state-variable/a/b']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
        expect([url, method, (await send(method, url)).status]).toEqual([url, method, 404])
      }
    }
  })

  test('the plan limits pipelines and nodes, with the codes that clients know', async () => {
    const { configuration, credentials } = installation
    const { accounts } = await import('../../engine/configuration/entities.ts')
    const { plan } = configuration.get(accounts, credentials.accountId)!.value
    await changeAccount(installation, { plan: { ...plan, maxPipelines: 1, maxNodesPerPipeline: 1 } })
    const id = await newPipeline()
    await source(id)
    const pipeline = await send('POST', '/v3/pipeline', { title: 'one more' })
    expect([pipeline.status, pipeline.body.code]).toEqual([403, 'ERR_PLAN_EXCEEDED_PIPELINE_LIMIT'])
    const node = await send('POST', `/v3/pipeline/${id}/sink`, { type: 'blackhole' })
    expect([node.status, node.body.code]).toEqual([403, 'ERR_PLAN_EXCEEDED_NODE_LIMIT'])
  })
})

describe('nodes', () => {
  test('a source has outputs and no inputs, and a pull source has no gateway route', async () => {
    const pipeline = await newPipeline()
    const { body, data } = await send('POST', `/v3/pipeline/${pipeline}/source`, {
      id: '',
      type: 'log-analysis-ingestion',
      generation_id: 5,
      user_config: {},
    })
    expect(data).toEqual({
      id: expect.stringMatching(UUID),
      title: null,
      description: null,
      account_id: installation.credentials.accountId,
      pipeline_id: pipeline,
      generation_id: 0,
      type: 'log-analysis-ingestion',
      deploy_type: 'saas',
      user_config: {},
      outputs: [{ id: data.id, label: 'Default' }],
      gateway_route_id: null,
      access_keys: [],
      access_keys_user_provided: false,
      durability_profile: null,
    })
    expect(body.meta).toEqual({
      pk: 'id',
      type: 'source',
      links: {
        self: { list: null, detail: '/v3/pipeline/{pipeline_id}/source/{source_id}' },
        related: { pipeline: { list: '/v3/pipeline', detail: '/v3/pipeline/{pipeline_id}' } },
      },
      page: null,
    })
  })

  test('a transform has both, always as lists, and a sink has only inputs', async () => {
    const pipeline = await newPipeline()
    const transform = await send('POST', `/v3/pipeline/${pipeline}/transform`, {
      type: 'drop-fields',
      user_config: { fields: ['.x'] },
    })
    expect(transform.data).toMatchObject({
      inputs: [],
      outputs: [{ id: transform.data.id, label: 'Default' }],
    })
    const sink = await send('POST', `/v3/pipeline/${pipeline}/sink`, { type: 'blackhole' })
    expect(sink.data).toMatchObject({ inputs: [], user_config: { ack_enabled: true } })
    expect(sink.data).not.toHaveProperty('outputs')
  })

  test.each<[string, Kind, object, object]>([
    [
      'drop-fields',
      'transform',
      { type: 'drop-fields', user_config: { fields: ['.b', '.a[0]."x-y"'] } },
      { fields: ['.b', '.a[0]."x-y"'] },
    ],
    [
      'throttle',
      'transform',
      { type: 'throttle', user_config: { threshold: 1, window_ms: 1000 } },
      { threshold: 1, window_ms: 1000 },
    ],
    [
      'throttle with everything',
      'transform',
      {
        type: 'throttle',
        user_config: { threshold: 1, window_ms: 1000, key_field: '.app', exclude: EQUAL },
      },
      { threshold: 1, window_ms: 1000, key_field: '.app', exclude: EQUAL_STORED },
    ],
    [
      'filter',
      'transform',
      { type: 'filter', user_config: { action: 'allow', conditional: EQUAL } },
      { action: 'allow', conditional: EQUAL_STORED },
    ],
    [
      'mezmo',
      'sink',
      {
        type: 'mezmo',
        user_config: { mezmo_host: 'logs.example.org', ingestion_key: 'clear text', query: {} },
      },
      {
        mezmo_host: 'logs.example.org',
        ingestion_key: 'clear text',
        use_ingestion_key: true,
        query: { hostname: 'mezmo' },
        message: { scheme: 'Explicit field selection' },
        ack_enabled: true,
      },
    ],
    [
      'log-analysis',
      'sink',
      { type: 'log-analysis' },
      {
        use_ingestion_key: false,
        query: { hostname: 'log-analysis' },
        message: { scheme: 'Explicit field selection' },
        ack_enabled: true,
      },
    ],
  ])(
    '%s is read back exactly as it was sent, with the listed defaults',
    async (_name, kind, node, expected) => {
      const pipeline = await newPipeline()
      const id = await add(pipeline, kind, node)
      const { text, data } = await send('GET', `/v3/pipeline/${pipeline}/${kind}/${id}`)
      expect(data.user_config).toEqual(expected)
      expect(text).not.toContain('undefined')
    },
  )

  test('numbers keep all digits', async () => {
    const pipeline = await newPipeline()
    const conditional =
      '{"expressions":[{"field":".n","str_operator":"greater","value":9007199254740993},{"field":".r","str_operator":"less","value":55.67}]}'
    const { status, text } = await send(
      'POST',
      `/v3/pipeline/${pipeline}/transform`,
      `{"type":"filter","user_config":{"action":"drop","conditional":${conditional}}}`,
    )
    expect(status).toBe(200)
    expect(text).toContain('9007199254740993')
    expect(text).toContain('55.67')
  })

  test('generation is 0, then one more per successful change of that node only', async () => {
    const pipeline = await newPipeline()
    const id = await add(pipeline, 'transform', filter())
    const other = await add(pipeline, 'transform', filter())
    const url = `/v3/pipeline/${pipeline}/transform/${id}`
    const put = (node: object) => send('PUT', url, node)
    expect((await put({ ...filter(), title: 'a' })).data.generation_id).toBe(1)
    expect((await put({ ...filter(), generation_id: 0, title: 'b' })).data.generation_id).toBe(2)
    expect((await put({ type: 'filter', user_config: {} })).status).toBe(400)
    expect((await send('GET', url)).data).toMatchObject({ generation_id: 2, title: 'b' })
    await send('PUT', `/v3/pipeline/${pipeline}`, { title: 'renamed' })
    await send('POST', `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`)
    expect((await send('GET', url)).data.generation_id).toBe(2)
    expect((await send('GET', `/v3/pipeline/${pipeline}/transform/${other}`)).data.generation_id).toBe(0)
  })

  test('a change replaces everything: members that were not sent are cleared or get their default', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const id = await add(pipeline, 'transform', {
      type: 'throttle',
      title: 'T',
      description: 'D',
      inputs: [first],
      user_config: { threshold: 1, window_ms: 1000, key_field: '.app' },
    })
    const { data } = await send('PUT', `/v3/pipeline/${pipeline}/transform/${id}`, {
      type: 'throttle',
      user_config: { threshold: 2, window_ms: 2000 },
    })
    expect(data).toMatchObject({ title: null, description: null, inputs: [] })
    expect(data.user_config).toEqual({ threshold: 2, window_ms: 2000 })
  })

  test('the answer to a read can be sent back', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const id = await add(pipeline, 'transform', { ...route('a', 'b'), inputs: [first] })
    for (const [kind, node] of [
      ['source', first],
      ['transform', id],
    ]) {
      const url = `/v3/pipeline/${pipeline}/${kind}/${node}`
      const { data } = await send('GET', url)
      const again = await send('PUT', url, data)
      expect(again.status).toBe(200)
      expect(again.data).toEqual({ ...data, generation_id: 1 })
    }
    const whole = (await send('GET', `/v3/pipeline/${pipeline}`)).data
    expect((await send('PUT', `/v3/pipeline/${pipeline}`, whole)).status).toBe(200)
  })

  test('the type never changes, and an alias of it is the same type', async () => {
    const pipeline = await newPipeline()
    const id = await add(pipeline, 'transform', filter())
    const url = `/v3/pipeline/${pipeline}/transform/${id}`
    const changed = await send('PUT', url, { type: 'drop-fields', user_config: { fields: ['.x'] } })
    expect([changed.status, changed.body.errors[0].instancePath]).toEqual([400, '/type'])
    const kept = await send('PUT', url, { user_config: filter().user_config })
    expect([kept.status, kept.data.type]).toEqual([200, 'filter'])
    const sink = await add(pipeline, 'sink', { type: 'mezmo' })
    const alias = await send('PUT', `/v3/pipeline/${pipeline}/sink/${sink}`, { type: 'log-analysis' })
    expect([alias.status, alias.data.type]).toEqual([200, 'log-analysis'])
  })

  test.each<[string, Kind, object, string[]]>([
    ['no type', 'transform', { user_config: {} }, ['']],
    ['an unknown type', 'transform', { type: 'nonsense' }, ['/type']],
    ['a type of another kind', 'sink', { type: 'filter' }, ['/type']],
    ['a number as type', 'transform', { type: 5 }, ['/type']],
    ['a title that is too long', 'sink', { type: 'blackhole', title: 'x'.repeat(257) }, ['/title']],
    ['an empty description', 'sink', { type: 'blackhole', description: '' }, ['/description']],
    ['an option nobody knows', 'sink', { type: 'blackhole', user_config: { x: 1 } }, ['/user_config']],
    ['options that are a list', 'sink', { type: 'blackhole', user_config: [] }, ['/user_config']],
    ['options that are null', 'sink', { type: 'blackhole', user_config: null }, ['/user_config']],
    ['inputs that are a text', 'sink', { type: 'blackhole', inputs: 'x' }, ['/inputs']],
    ['an unknown input', 'sink', { type: 'blackhole', inputs: [NOWHERE] }, ['/inputs/0']],
    ['inputs of a source', 'source', { type: 'log-analysis-ingestion', inputs: [NOWHERE] }, ['/inputs']],
    [
      'a gateway route of a source that pulls',
      'source',
      { type: 'log-analysis-ingestion', gateway_route_id: NOWHERE },
      ['/gateway_route_id'],
    ],
    [
      'a field path that is none',
      'transform',
      { type: 'drop-fields', user_config: { fields: ['.ok', 'not-a-valid-field'] } },
      ['/user_config/fields/1'],
    ],
    [
      'everything at once',
      'transform',
      {
        type: 'throttle',
        title: '',
        inputs: [NOWHERE],
        user_config: { threshold: 0, window_ms: '1', key_field: '10' },
      },
      ['/inputs/0', '/title', '/user_config/key_field', '/user_config/threshold', '/user_config/window_ms'],
    ],
  ])('%s is refused with a pointer, and nothing is stored', async (_name, kind, node, pointers) => {
    const pipeline = await newPipeline()
    const { status, body } = await send('POST', `/v3/pipeline/${pipeline}/${kind}`, node)
    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 400, code: 'EVALIDATION', message: body.error })
    const found = body.errors.map(({ instancePath }: { instancePath: string }) => instancePath)
    expect([...new Set(found)].sort()).toEqual(pointers)
    expect((await send('GET', `/v3/pipeline/${pipeline}`)).data.updated_at).toBe(null)
  })

  test('a type that this version does not run is saved, and its pipeline cannot be published', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const node = { type: 'declared-processor', title: 'as text', inputs: [first] }
    const id = await add(pipeline, 'transform', node)
    await add(pipeline, 'sink', { type: 'blackhole', inputs: [id] })
    const { status, body } = await send('POST', `/v3/pipeline/${pipeline}/publish`, {})
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          instancePath: `/transform/${id}/type`,
          message: expect.stringMatching(
            new RegExp(`"declared-processor" is not available .* ${id} \\("as text"\\)`),
          ),
        },
      ],
    ])
    await send('DELETE', `/v3/pipeline/${pipeline}/transform/${id}`)
    expect((await send('POST', `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`)).status).toBe(
      200,
    )
  })

  test('a number that is too large for a double is refused, not stored as null', async () => {
    const pipeline = await newPipeline()
    for (const number of ['1e400', '-1e999', `1${'0'.repeat(400)}.5`, '9'.repeat(309)]) {
      const conditional = `{"expressions":[{"field":".n","str_operator":"equal","value":${number}}]}`
      const body = `{"type":"filter","user_config":{"action":"drop","conditional":${conditional}}}`
      const { status, body: answer } = await send('POST', `/v3/pipeline/${pipeline}/transform`, body)
      expect([status, answer.message]).toEqual([400, expect.stringContaining('too large')])
    }
    const large = `{"expressions":[{"field":".n","str_operator":"equal","value":1e300}]}`
    for (const kept of [large, large.replace('1e300', '9'.repeat(308))]) {
      const body = `{"type":"filter","user_config":{"action":"drop","conditional":${kept}}}`
      expect((await send('POST', `/v3/pipeline/${pipeline}/transform`, body)).status).toBe(200)
    }
  })

  test('messages contain the fragments that clients look for', async () => {
    const pipeline = await newPipeline()
    const messageOf = async (user_config: JsonObject, type: string) => {
      const { body } = await send('POST', `/v3/pipeline/${pipeline}/transform`, { type, user_config })
      return body.errors.map(({ message }: { message: string }) => message).join('; ')
    }
    expect(await messageOf({ fields: ['10'] }, 'drop-fields')).toContain('Must be a valid data access syntax')
    const textForNumber = { expressions: [{ field: '.a', str_operator: 'greater', value: 'many' }] }
    expect(await messageOf({ action: 'drop', conditional: textForNumber }, 'filter')).toContain(
      'Value must be a number',
    )
  })

  test('a node is found only under its own kind and pipeline', async () => {
    const [pipeline, other] = [await newPipeline(), await newPipeline()]
    const id = await add(pipeline, 'transform', filter())
    for (const url of [
      `/v3/pipeline/${pipeline}/sink/${id}`,
      `/v3/pipeline/${other}/transform/${id}`,
      `/v3/pipeline/${pipeline}/transform/${NOWHERE}`,
      `/v3/pipeline/${NOWHERE}/transform/${id}`,
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const { status, body } = await send(method, url, method === 'PUT' ? filter() : undefined)
        expect([url, method, status, body.code]).toEqual([url, method, 404, 'ENOTFOUND'])
      }
    }
    expect((await send('GET', `/v3/pipeline/${pipeline}/transform/${id}`)).status).toBe(200)
    expect((await send('GET', `/v3/pipeline/${pipeline}/nonsense/${id}`)).status).toBe(404)
  })
})

describe('outputs and inputs', () => {
  test('a route has one output per rule, the unmatched one first, and names that stay', async () => {
    const pipeline = await newPipeline()
    const id = await add(pipeline, 'transform', route('a', 'b'))
    const url = `/v3/pipeline/${pipeline}/transform/${id}`
    const { data } = await send('GET', url)
    const names = data.user_config.conditionals.map((rule: JsonObject) => rule._output_name)
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/)
    expect(data.outputs).toEqual([
      { id: `${id}._unmatched`, label: 'Unmatched' },
      { id: `${id}.${names[0]}`, label: 'a' },
      { id: `${id}.${names[1]}`, label: 'b' },
    ])
    const swapped = await send('PUT', url, route('b', 'a'))
    expect(swapped.data.outputs.map(({ id: output }: { id: string }) => output)).toEqual([
      `${id}._unmatched`,
      `${id}.${names[1]}`,
      `${id}.${names[0]}`,
    ])
  })

  test('a removed rule removes its output from the inputs of others, whose generation does not change', async () => {
    const pipeline = await newPipeline()
    const id = await add(pipeline, 'transform', route('a', 'b'))
    const [unmatched, a, b] = (
      await send('GET', `/v3/pipeline/${pipeline}/transform/${id}`)
    ).data.outputs.map(({ id: output }: { id: string }) => output)
    const sink = await add(pipeline, 'sink', { type: 'blackhole', inputs: [unmatched, a, b] })
    await send('PUT', `/v3/pipeline/${pipeline}/transform/${id}`, route('b'))
    expect((await send('GET', `/v3/pipeline/${pipeline}/sink/${sink}`)).data).toMatchObject({
      inputs: [unmatched, b],
      generation_id: 0,
    })
  })

  test('a removed node disappears from the inputs of others', async () => {
    const pipeline = await newPipeline()
    const [first, second] = [await source(pipeline), await source(pipeline)]
    const sink = await add(pipeline, 'sink', { type: 'blackhole', inputs: [first, second] })
    expect((await send('DELETE', `/v3/pipeline/${pipeline}/source/${first}`)).status).toBe(200)
    expect((await send('GET', `/v3/pipeline/${pipeline}/sink/${sink}`)).data).toMatchObject({
      inputs: [second],
      generation_id: 0,
    })
  })

  test('inputs are outputs of other nodes of the same pipeline, each once, and never form a circle', async () => {
    const [pipeline, elsewhere] = [await newPipeline(), await newPipeline()]
    const foreign = await source(elsewhere)
    const first = await source(pipeline)
    const routing = await add(pipeline, 'transform', { ...route('a'), inputs: [first] })
    const next = await add(pipeline, 'transform', filter([`${routing}._unmatched`]))
    const url = `/v3/pipeline/${pipeline}/transform/${routing}`
    const sinkOf = await add(pipeline, 'sink', { type: 'blackhole', inputs: [next] })
    for (const [inputs, pointer] of [
      [[foreign], '/inputs/0'],
      [[first, first], '/inputs/1'],
      [[first, sinkOf], '/inputs/1'],
      [[next], '/inputs/0'],
      [[`${routing}._unmatched`], '/inputs/0'],
      [[routing], '/inputs/0'],
      [[`${first}.nonsense`], '/inputs/0'],
    ] as [string[], string][]) {
      const { status, body } = await send('PUT', url, { ...route('a'), inputs })
      expect([inputs, status, body.errors?.[0].instancePath]).toEqual([inputs, 400, pointer])
    }
    expect((await send('GET', url)).data).toMatchObject({ inputs: [first], generation_id: 0 })
  })

  test('ten nodes that are created at the same time all exist', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => add(pipeline, 'transform', filter([first]))),
    )
    expect(new Set(ids).size).toBe(10)
    for (const id of ids) {
      expect((await send('GET', `/v3/pipeline/${pipeline}/transform/${id}`)).data.inputs).toEqual([first])
    }
  })

  test('simultaneous changes of the same node all count', async () => {
    const pipeline = await newPipeline()
    const id = await add(pipeline, 'transform', filter())
    const url = `/v3/pipeline/${pipeline}/transform/${id}`
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('PUT', url, filter())))
    expect(answers.map(({ data }) => data.generation_id).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })
})

describe('publishing', () => {
  const publish = (pipeline: string, query = '?allow_unconnected_edges=true', payload?: object) =>
    send('POST', `/v3/pipeline/${pipeline}/publish${query}`, payload)

  test('an empty pipeline can be published, and then nothing has changed', async () => {
    const pipeline = await newPipeline()
    const { status, body, data } = await publish(pipeline, undefined, {})
    expect(status).toBe(200)
    expect(data).toMatchObject({
      published_at: new Date(installation.clock.wallMs()).toISOString(),
      published_revision_id: expect.stringMatching(UUID),
      has_changes: false,
    })
    expect(body.meta).toMatchObject({
      type: 'pipeline',
      links: { self: { detail: '/v3/pipeline/{pipeline_id}/publish' } },
    })
    const again = await publish(pipeline)
    expect([again.status, again.body.code]).toEqual([409, 'ENOCHANGES'])
    expect((await send('GET', `/v3/pipeline/${pipeline}`)).data).toEqual(data)
  })

  test.each(['[]', '5', '"x"', 'null'])(
    'a body %s is not a JSON object: 400, and nothing is published',
    async body => {
      const pipeline = await newPipeline()
      const refused = await send(
        'POST',
        `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`,
        body,
      )
      expect([refused.status, refused.body.code]).toEqual([400, 'EVALIDATION'])
      expect(refused.body.message).toBe('The body must be a JSON object')
      expect((await send('GET', `/v3/pipeline/${pipeline}`)).data.published_at).toBeNull()
      expect((await publish(pipeline)).status).toBe(200)
    },
  )

  test('unconnected nodes are refused unless the flag allows them', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const refused = await publish(pipeline, '')
    expect([refused.status, refused.body.code]).toEqual([400, 'EVALIDATION'])
    expect(refused.body.errors[0].instancePath).toBe(`/source/${first}`)
    expect((await publish(pipeline, '?allow_unconnected_edges=false')).status).toBe(400)
    expect((await publish(pipeline, '?allow_unconnected_edges=perhaps')).status).toBe(400)
    await add(pipeline, 'sink', { type: 'blackhole', inputs: [first] })
    expect((await publish(pipeline, '')).status).toBe(200)
  })

  test('editing does not change the deployed revision until the next publication', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const id = await add(pipeline, 'transform', {
      type: 'throttle',
      inputs: [first],
      user_config: { threshold: 1, window_ms: 1000 },
    })
    const url = `/v3/pipeline/${pipeline}/transform/${id}`
    const running = () => {
      const cuts = [...deployedConfiguration(CATALOGUE, installation.configuration).cuts()]
      const cut = cuts.find(each => each.cut.entity === pipeline)?.cut
      return cut === undefined
        ? undefined
        : { version: cut.version, document: JSON.parse(cut.payload || 'null') }
    }
    expect(running()).toBeUndefined()
    await publish(pipeline)
    expect(running()).toMatchObject({
      version: 1,
      document: { revision: 1, nodes: [{}, { user_config: { threshold: 1 } }] },
    })
    await send('PUT', url, {
      type: 'throttle',
      inputs: [first],
      user_config: { threshold: 9, window_ms: 1000 },
    })
    expect(running()).toMatchObject({
      version: 1,
      document: { nodes: [{}, { user_config: { threshold: 1 } }] },
    })
    expect((await send('GET', `/v3/pipeline/${pipeline}`)).data.has_changes).toBe(true)
    const { data } = await publish(pipeline)
    expect(data.has_changes).toBe(false)
    expect(running()).toMatchObject({
      version: 2,
      document: { nodes: [{}, { user_config: { threshold: 9 } }] },
    })
    const kept = installation.configuration.list(revisions, installation.credentials.accountId)
    expect(kept.map(({ value }) => value.document.revision)).toEqual([1, 2])
    await send('DELETE', `/v3/pipeline/${pipeline}`)
    expect(running()).toEqual({ version: 3, document: null })
  })

  test('a change that was reverted is not a change', async () => {
    const pipeline = await newPipeline()
    const id = await add(pipeline, 'transform', filter())
    await publish(pipeline)
    const url = `/v3/pipeline/${pipeline}/transform/${id}`
    await send('PUT', url, { ...filter(), title: 'other' })
    await send('PUT', url, filter())
    expect((await publish(pipeline)).body.code).toBe('ENOCHANGES')
  })

  test('one of two simultaneous publications publishes', async () => {
    const pipeline = await newPipeline()
    await source(pipeline)
    const answers = await Promise.all([publish(pipeline), publish(pipeline)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('a destination in another installation needs the key of that one', async () => {
    const pipeline = await newPipeline()
    const first = await source(pipeline)
    const sink = { type: 'mezmo', inputs: [first], user_config: { mezmo_host: 'logs.elsewhere.example' } }
    const id = await add(pipeline, 'sink', sink)
    const { status, body } = await publish(pipeline)
    expect(status).toBe(400)
    expect(body.errors).toEqual([
      { instancePath: `/sink/${id}/user_config`, message: expect.stringContaining("'ingestion_key'") },
    ])
    const publishedWith = async (user_config: object) => {
      await send('PUT', `/v3/pipeline/${pipeline}/sink/${id}`, { ...sink, user_config })
      expect((await publish(pipeline)).status).toBe(200)
      const kept = installation.configuration.list(revisions, installation.credentials.accountId)
      return kept.findLast(({ value }) => value.pipeline === pipeline)?.value.elsewhere
    }
    const elsewhere = { ...sink.user_config, ingestion_key: 'k' }
    expect(await publishedWith(elsewhere)).toEqual([id])
    expect(await publishedWith({ mezmo_host: 'localhost' })).toBeUndefined()
  })

  describe('a destination with an ingestion key', () => {
    const CHILD = '0123456789'
    const keyOf = async (account: string, type: 'ingestion' | 'service' = 'ingestion') => {
      const key = installation.entropy.bytes(16).toString('hex')
      const value = { account, type, key, name: 'k', createdAtMs: 0 }
      await installation.write(create(accountKeys, installation.entropy.uuid(), value))
      return key
    }
    const withKey = async (type: string, user_config: object, title?: string) => {
      const pipeline = await newPipeline()
      const first = await source(pipeline)
      const id = await add(pipeline, 'sink', { type, title, inputs: [first], user_config })
      return { pipeline, first, id }
    }

    beforeEach(() => installation.account(CHILD))

    test.each(['mezmo', 'log-store', 'log-analysis'])(
      'of another account is saved, and refused when it is published: %s',
      async type => {
        const key = await keyOf(CHILD)
        const { pipeline, first, id } = await withKey(type, { ingestion_key: key }, 'Child')
        const { status, body, text } = await publish(pipeline)
        expect([status, body.code]).toEqual([400, 'EVALIDATION'])
        expect(body.errors).toEqual([
          {
            instancePath: `/sink/${id}/user_config/ingestion_key`,
            message:
              'must be an ingestion key of this account: delivery to another account is not part of this version, ' +
              `so the sink ${id} ("Child") is kept, and cannot be published`,
          },
        ])
        expect(text).not.toContain(key)
        expect((await send('GET', `/v3/pipeline/${pipeline}`)).data.published_at).toBeNull()
        const sink = { type, inputs: [first], user_config: {} }
        expect((await send('PUT', `/v3/pipeline/${pipeline}/sink/${id}`, sink)).status).toBe(200)
        expect((await publish(pipeline)).status).toBe(200)
      },
    )

    // The host can be another name of this installation.
    test('of another account is refused for another host, too', async () => {
      const { pipeline, id } = await withKey('mezmo', {
        mezmo_host: 'logs.elsewhere.example',
        use_ingestion_key: true,
        ingestion_key: await keyOf(CHILD),
      })
      const paths = (await publish(pipeline)).body.errors.map(
        ({ instancePath }: { instancePath: string }) => instancePath,
      )
      expect(paths).toEqual([`/sink/${id}/user_config/ingestion_key`])
    })

    test('of its own account, or an unknown one, is published', async () => {
      const own = installation.credentials
      for (const user_config of [
        { ingestion_key: own.ingestionKey },
        { ingestion_key: await keyOf(own.accountId), use_ingestion_key: true },
        { ingestion_key: 'key' },
        { ingestion_key: await keyOf(CHILD, 'service') },
        { use_ingestion_key: false },
      ]) {
        const { pipeline } = await withKey('mezmo', user_config)
        expect([user_config, (await publish(pipeline)).status]).toEqual([user_config, 200])
      }
    })

    test('is judged by the account of its pipeline', async () => {
      const authorization = `Token ${await installation.token({ account: CHILD })}`
      const asChild = async (url: string, payload: object) =>
        (await installation.call({ method: 'POST', url, headers: { authorization }, payload })).json()
      const { id } = (await asChild('/v3/pipeline', { title: 'of the child' })).data
      const { id: first } = (await asChild(`/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' }))
        .data
      const sink = async (ingestion_key: string) =>
        asChild(`/v3/pipeline/${id}/sink`, { type: 'mezmo', inputs: [first], user_config: { ingestion_key } })
      await sink(await keyOf(CHILD))
      expect((await asChild(`/v3/pipeline/${id}/publish`, {})).data.has_changes).toBe(false)
      await sink(installation.credentials.ingestionKey)
      expect((await asChild(`/v3/pipeline/${id}/publish`, {})).errors).toHaveLength(1)
    })
  })

  test('an unknown pipeline cannot be published', async () => {
    expect((await publish(NOWHERE)).status).toBe(404)
  })

  test('no body and no content type are allowed', async () => {
    const pipeline = await newPipeline()
    const response = await installation.call({ method: 'POST', url: `/v3/pipeline/${pipeline}/publish` })
    expect(response.statusCode).toBe(200)
  })
})
