import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create } from '../../engine/configuration/configuration-log.ts'
import { accessKeys, drafts, revisions, secretHash } from '../../engine/configuration/entities.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import { documentNodes } from './revisions/revision.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOWHERE = '00000000-0000-4000-8000-000000000000'
const ROUTES = '/v3/pipeline/gateway-route'
const OTHER_ACCOUNT = '0123456789'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

let installation: TestInstallation
let otherToken: string

beforeEach(async () => {
  installation = await testInstallation()
  await installation.account(OTHER_ACCOUNT)
  otherToken = await installation.token({ account: OTHER_ACCOUNT })
})
afterEach(() => installation.app.close())

async function send(method: Method, url: string, payload?: unknown, token?: string) {
  const response = await installation.call({
    method,
    url,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Token ${token}` }),
    },
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  })
  const body = response.json()
  return { status: response.statusCode, text: response.body, body, data: body.data }
}

async function newPipeline(token?: string): Promise<string> {
  return (await send('POST', '/v3/pipeline', { title: 'P' }, token)).data.id
}

async function newSource(pipeline: string, node: object = {}): Promise<string> {
  const { status, body, data } = await send('POST', `/v3/pipeline/${pipeline}/source`, {
    type: 'http',
    ...node,
  })
  expect([status, body.errors]).toEqual([200, undefined])
  return data.id
}

async function newRoute(route: object = {}): Promise<string> {
  const { status, body, data } = await send('POST', ROUTES, { title: 'Shared', type: 'http', ...route })
  expect([status, body.errors]).toEqual([200, undefined])
  return data.id
}

async function newKey(route: string, title = 'My key') {
  const { status, data } = await send('POST', `${ROUTES}/${route}/access-key`, { title, type: 'generated' })
  expect(status).toBe(200)
  return data as { id: string; key: string }
}

const routeStatus = async (id: string) => (await send('GET', `${ROUTES}/${id}`)).status
const keysOf = (route: string) =>
  installation.configuration.list(accessKeys).filter(({ value }) => value.gatewayRoute === route)

function problemsOf({ errors }: { errors?: { instancePath: string; message: string }[] }): string[] {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('push sources (section 2.4)', () => {
  test.each(
    CATALOGUE.sources.flatMap(({ type, aliases = [], entrance }) =>
      entrance === 'gateway' ? [type, ...aliases] : [],
    ),
  )('%s: without gateway_route_id a route with the same id is created', async type => {
    const pipeline = await newPipeline()
    const { data } = await send('POST', `/v3/pipeline/${pipeline}/source`, { type, title: 'In' })
    expect(data).toMatchObject({ type, gateway_route_id: data.id })
    const route = await send('GET', `${ROUTES}/${data.id}`)
    expect(route.data).toMatchObject({ id: data.id, type, title: 'In', description: null })
    expect(route.data.consumer_id).toMatch(UUID)
    expect((await send('GET', `/v3/pipeline/${pipeline}/source/${data.id}`)).data).toEqual(data)
  })

  test.each([[''], [null]])('%j as gateway_route_id means none', async gateway_route_id => {
    const pipeline = await newPipeline()
    const { data } = await send('POST', `/v3/pipeline/${pipeline}/source`, { type: 'http', gateway_route_id })
    expect(data.gateway_route_id).toBe(data.id)
    const url = `/v3/pipeline/${pipeline}/source/${data.id}`
    const put = await send('PUT', url, { type: 'http', gateway_route_id })
    expect([put.status, put.data.gateway_route_id]).toEqual([200, data.id])
  })

  test('a pull source has no route, and creates none', async () => {
    const pipeline = await newPipeline()
    const pull = { type: 'demo-logs', user_config: { format: 'json' } }
    for (const gateway_route_id of [undefined, '', null]) {
      const { data } = await send('POST', `/v3/pipeline/${pipeline}/source`, { ...pull, gateway_route_id })
      expect(data.gateway_route_id).toBe(null)
    }
    expect((await send('GET', ROUTES)).data).toEqual([])
  })

  test('a source can join a route that was created for it, or by another source in any pipeline', async () => {
    const [first, second] = [await newPipeline(), await newPipeline()]
    const shared = await newRoute()
    const own = await newSource(first)
    for (const gateway_route_id of [shared, own]) {
      const { data } = await send('POST', `/v3/pipeline/${second}/source`, { type: 'http', gateway_route_id })
      expect(data).toMatchObject({ id: expect.stringMatching(UUID), gateway_route_id })
      expect(data.id).not.toBe(gateway_route_id)
      expect(await routeStatus(data.id)).toBe(404)
    }
    expect((await send('GET', ROUTES)).data.map(({ id }: { id: string }) => id)).toEqual([shared, own])
  })

  test('shared_source_id is another name of the member', async () => {
    const pipeline = await newPipeline()
    const [shared_source_id, another] = [await newRoute(), await newRoute()]
    const url = `/v3/pipeline/${pipeline}/source`
    const { data } = await send('POST', url, { type: 'http', shared_source_id })
    expect(data.gateway_route_id).toBe(shared_source_id)
    const { status, body } = await send('PUT', `${url}/${data.id}`, {
      type: 'http',
      shared_source_id: another,
    })
    expect([status, body.errors[0].instancePath]).toEqual([400, '/shared_source_id'])
  })

  test('both spellings of a type have the same meaning', async () => {
    const pipeline = await newPipeline()
    const shared = await newRoute({ type: 'mezmo-agent' })
    for (const type of ['log-agent', 'mezmo-agent']) {
      const { data } = await send('POST', `/v3/pipeline/${pipeline}/source`, {
        type,
        gateway_route_id: shared,
      })
      expect(data).toMatchObject({ type, gateway_route_id: shared })
    }
  })

  test.each<[string, object, string]>([
    ['an id of nothing', { gateway_route_id: NOWHERE }, 'must be the id of a gateway route of the account'],
    [
      'a text that is not an id',
      { gateway_route_id: 'x' },
      'must be the id of a gateway route of the account',
    ],
    ['a number', { gateway_route_id: 5 }, 'must be string,null'],
    [
      'a route of another type',
      { type: 'webhook' },
      'must be the id of a gateway route of type "webhook": it is for "http"',
    ],
    [
      'a source that pulls',
      { type: 'demo-logs', user_config: { format: 'json' } },
      'must be absent: the type has no gateway route',
    ],
  ])('%s is refused at /gateway_route_id, and nothing is created', async (_name, node, message) => {
    const pipeline = await newPipeline()
    const shared = await newRoute()
    const { status, body } = await send('POST', `/v3/pipeline/${pipeline}/source`, {
      type: 'http',
      gateway_route_id: shared,
      ...node,
    })
    expect([status, body.errors]).toEqual([400, [{ instancePath: '/gateway_route_id', message }]])
    expect((await send('GET', `/v3/pipeline/${pipeline}/source`)).data).toEqual([])
    expect((await send('GET', ROUTES)).data).toHaveLength(1)
  })

  test('a route of another account counts as unknown', async () => {
    const gateway_route_id = await newRoute()
    const pipeline = await newPipeline(otherToken)
    const node = { type: 'http', gateway_route_id }
    const { status, body } = await send('POST', `/v3/pipeline/${pipeline}/source`, node, otherToken)
    expect([status, problemsOf(body)]).toEqual([
      400,
      ['/gateway_route_id must be the id of a gateway route of the account'],
    ])
  })

  test('a wrong route is reported together with all other findings', async () => {
    const pipeline = await newPipeline()
    const { body } = await send('POST', `/v3/pipeline/${pipeline}/source`, {
      type: 'http',
      title: '',
      gateway_route_id: NOWHERE,
      user_config: { decoding: 'x', other: 1 },
    })
    expect(body.errors.map(({ instancePath }: { instancePath: string }) => instancePath).sort()).toEqual([
      '/gateway_route_id',
      '/title',
      '/user_config',
      '/user_config/decoding',
    ])
  })

  test('processors and destinations have none', async () => {
    const pipeline = await newPipeline()
    const gateway_route_id = await newRoute()
    const { status, body } = await send('POST', `/v3/pipeline/${pipeline}/sink`, {
      type: 'blackhole',
      gateway_route_id,
    })
    expect([status, problemsOf(body)]).toEqual([
      400,
      ['/gateway_route_id must be absent: the type has no gateway route'],
    ])
  })

  test('a change keeps the route and can repeat it, but never changes it', async () => {
    const pipeline = await newPipeline()
    const [shared, another] = [await newRoute(), await newRoute()]
    const id = await newSource(pipeline, { gateway_route_id: shared })
    const url = `/v3/pipeline/${pipeline}/source/${id}`
    const kept = await send('PUT', url, { type: 'http', title: 'T' })
    expect([kept.status, kept.data.gateway_route_id, kept.data.generation_id]).toEqual([200, shared, 1])
    const repeated = await send('PUT', url, { type: 'http', gateway_route_id: shared })
    expect([repeated.status, repeated.data.gateway_route_id, repeated.data.generation_id]).toEqual([
      200,
      shared,
      2,
    ])
    for (const gateway_route_id of [another, NOWHERE, id]) {
      const { status, body } = await send('PUT', url, { type: 'http', gateway_route_id })
      expect([status, problemsOf(body)]).toEqual([
        400,
        [`/gateway_route_id must stay "${shared}": the gateway route of a source does not change`],
      ])
    }
    expect((await send('GET', url)).data).toEqual(repeated.data)
  })

  test('a source is deleted with its own route and the access keys', async () => {
    const pipeline = await newPipeline()
    const id = await newSource(pipeline)
    await newKey(id)
    await send('DELETE', `/v3/pipeline/${pipeline}/source/${id}`)
    expect([await routeStatus(id), keysOf(id)]).toEqual([404, []])
    expect((await send('GET', `${ROUTES}/${id}/access-key`)).status).toBe(404)
  })

  test.each([
    ['its maker first', [0, 1, 2]],
    ['its maker last', [2, 1, 0]],
  ])('a route that others use is deleted with the last of them: %s', async (_name, order) => {
    const [first, second] = [await newPipeline(), await newPipeline()]
    const own = await newSource(first)
    const { key } = await newKey(own)
    const places = [
      [first, own],
      [second, await newSource(second, { gateway_route_id: own })],
      [first, await newSource(first, { gateway_route_id: own })],
    ] as const
    for (const index of order) {
      expect([await routeStatus(own), keysOf(own)[0]?.value.hash]).toEqual([200, secretHash(key)])
      const [pipeline, id] = places[index] as (typeof places)[number]
      expect((await send('DELETE', `/v3/pipeline/${pipeline}/source/${id}`)).status).toBe(200)
    }
    expect([await routeStatus(own), keysOf(own)]).toEqual([404, []])
  })

  test('a shared route stays when no source uses it any more', async () => {
    const pipeline = await newPipeline()
    const shared = await newRoute()
    const id = await newSource(pipeline, { gateway_route_id: shared })
    await send('DELETE', `/v3/pipeline/${pipeline}/source/${id}`)
    expect(await routeStatus(shared)).toBe(200)
  })

  test('a deleted pipeline leaves the routes that other pipelines use, and removes its own', async () => {
    const [first, second] = [await newPipeline(), await newPipeline()]
    const [alone, used, shared] = [await newSource(first), await newSource(first), await newRoute()]
    await newSource(first, { gateway_route_id: alone })
    await newSource(first, { gateway_route_id: shared })
    await newSource(second, { gateway_route_id: used })
    expect((await send('DELETE', `/v3/pipeline/${first}`)).status).toBe(200)
    expect([await routeStatus(alone), await routeStatus(used), await routeStatus(shared)]).toEqual([
      404, 200, 200,
    ])
    await send('DELETE', `/v3/pipeline/${second}`)
    expect([await routeStatus(used), await routeStatus(shared)]).toEqual([404, 200])
  })

  test('a source that this version does not run cannot be published', async () => {
    const pipeline = await newPipeline()
    const id = await newSource(pipeline, { type: 'fluent' })
    const url = `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`
    const { status, body } = await send('POST', url)
    expect([status, problemsOf(body)]).toEqual([400, [expect.stringContaining(`/source/${id}/type `)]])
  })

  test('a restored revision restores its sources with their routes, and does not change others', async () => {
    const [first, second] = [await newPipeline(), await newPipeline()]
    const shared = await newRoute()
    const [own, joined] = [await newSource(first), await newSource(first, { gateway_route_id: shared })]
    const { account, nodes } = installation.configuration.get(drafts, first)!.value
    const document = { id: first, accountId: account, title: 'P', revision: 1, nodes: documentNodes(nodes) }
    const revision = { account, pipeline: first, document, createdAtMs: 0 }
    await installation.write(create(revisions, NOWHERE, revision))
    for (const id of [own, joined]) await send('DELETE', `/v3/pipeline/${first}/source/${id}`)
    const later = await newSource(first)
    await newKey(later)
    expect([await routeStatus(own), await routeStatus(later)]).toEqual([404, 200])

    const { status } = await send('POST', `/v3/pipeline/${first}/revision/1/restore`)
    expect(status).toBe(200)
    expect([await routeStatus(own), await routeStatus(later), keysOf(later)]).toEqual([200, 404, []])
    const { data } = await send('GET', `/v3/pipeline/${first}/source`)
    expect(data.map((source: { gateway_route_id: string }) => source.gateway_route_id)).toEqual([own, shared])
    await newSource(second, { gateway_route_id: own })
    expect((await send('DELETE', `${ROUTES}/${shared}`)).status).toBe(409)
  })

  test('ten clients can join a route at once, and the last one that leaves removes it', async () => {
    const pipeline = await newPipeline()
    const own = await newSource(pipeline)
    const pipelines = await Promise.all(Array.from({ length: 10 }, () => newPipeline()))
    const node = { type: 'http', gateway_route_id: own }
    const created = await Promise.all(
      pipelines.map(pipeline => send('POST', `/v3/pipeline/${pipeline}/source`, node)),
    )
    expect(created.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const urls = created.map(({ data }) => `/v3/pipeline/${data.pipeline_id}/source/${data.id}`)
    const makerUrl = `/v3/pipeline/${pipeline}/source/${own}`
    const deleted = await Promise.all([makerUrl, ...urls].map(url => send('DELETE', url)))
    expect(deleted.map(({ status }) => status)).toEqual(Array(11).fill(200))
    expect(await routeStatus(own)).toBe(404)
  })

  test('ten sources that are added to one pipeline at once all get routes', async () => {
    const pipeline = await newPipeline()
    const ids = await Promise.all(Array.from({ length: 10 }, () => newSource(pipeline)))
    expect((await send('GET', `/v3/pipeline/${pipeline}/source`)).data).toHaveLength(10)
    for (const id of ids) expect(await routeStatus(id)).toBe(200)
  })
})

describe('shared sources (section 2.5)', () => {
  test.each([
    ...['http', 'splunk-hec', 'kinesis-firehose', 'fluent', 'logstash', 'mezmo-agent', 'log-agent'],
    ...['mezmo-datadog-source', 'datadog-agent', 'webhook', 'prometheus-remote-write'],
    ...['open-telemetry-metrics', 'open-telemetry-logs', 'open-telemetry-traces'],
  ])('one of type %s is created as clients send it, and is read back the same', async type => {
    const { status, body, data } = await send('POST', ROUTES, {
      id: '',
      consumer_id: '',
      title: 'Shared',
      type,
    })
    expect([status, data]).toEqual([
      200,
      {
        id: expect.stringMatching(UUID),
        account_id: installation.credentials.accountId,
        consumer_id: expect.stringMatching(UUID),
        type,
        title: 'Shared',
        description: null,
        created_at: new Date(installation.clock.wallMs()).toISOString(),
      },
    ])
    expect(body.meta).toEqual({
      pk: 'id',
      type: 'gateway-route',
      links: {
        self: { list: ROUTES, detail: `${ROUTES}/{gateway_route_id}` },
        related: { access_key: { list: null, detail: `${ROUTES}/{gateway_route_id}/access-key` } },
      },
      page: null,
    })
    expect((await send('GET', `${ROUTES}/${data.id}`)).data).toEqual(data)
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, [' must be object']],
    ['a list', [], [' must be object']],
    ['null', null, [' must be object']],
    ['an empty object', {}, [" must have required property 'title'", " must have required property 'type'"]],
    [
      'everything wrong at once',
      { title: '', description: '', type: 'kafka' },
      [
        '/description must NOT have fewer than 1 characters',
        '/title must NOT have fewer than 1 characters',
        '/type must be equal to one of the allowed values: …',
      ],
    ],
    [
      'a title of 513 characters',
      { title: 'x'.repeat(513), type: 'http' },
      ['/title must NOT have more than 512 characters'],
    ],
    [
      'wrong types',
      { title: 5, description: [], type: {} },
      ['/description must be string,null', '/title must be string', '/type must be string'],
    ],
    ...['log-analysis-ingestion', 's3', 'blackhole', 'nonsense', '', 'toString'].map(
      type =>
        [
          `the type "${type}"`,
          { title: 'T', type },
          ['/type must be equal to one of the allowed values: …'],
        ] as [string, unknown, string[]],
    ),
  ])('%s is refused', async (_name, payload, problems) => {
    const { status, body } = await send('POST', ROUTES, payload)
    expect([status, body.code]).toEqual([400, 'EVALIDATION'])
    expect(
      problemsOf(body)
        .map(problem => problem.replace(/: log-agent, .*/, ': …'))
        .sort(),
    ).toEqual(problems)
    expect((await send('GET', ROUTES)).data).toEqual([])
  })

  test('title and description can have their maximum length', async () => {
    const texts = { title: 'x'.repeat(512), description: 'y' }
    const id = await newRoute(texts)
    expect((await send('GET', `${ROUTES}/${id}`)).data).toMatchObject(texts)
    expect((await send('GET', `${ROUTES}/${await newRoute({ title: 't' })}`)).data.title).toBe('t')
  })

  test('a list contains the routes of the account, oldest first, and has pages', async () => {
    const ids = [await newRoute(), await newRoute(), await newRoute()]
    await send('POST', ROUTES, { title: 'Other', type: 'http' }, otherToken)
    const { body, data } = await send('GET', ROUTES)
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(body.meta.page).toEqual({ next: null, previous: null })
  })

  test('a change replaces title and description, and nothing else', async () => {
    const id = await newRoute({ description: 'D' })
    const { data: before } = await send('GET', `${ROUTES}/${id}`)
    const changed = await send('PUT', `${ROUTES}/${id}`, {
      id: '',
      consumer_id: '',
      title: 'Other',
      type: 'http',
    })
    expect([changed.status, changed.data]).toEqual([200, { ...before, title: 'Other', description: null }])
    expect((await send('GET', `${ROUTES}/${id}`)).data).toEqual(changed.data)
    const again = await send('PUT', `${ROUTES}/${id}`, { ...changed.data, description: 'E' })
    expect([again.status, again.data]).toEqual([200, { ...changed.data, description: 'E' }])
  })

  test('the type can be omitted and have another spelling, but cannot change', async () => {
    const id = await newRoute({ type: 'log-agent' })
    const url = `${ROUTES}/${id}`
    expect((await send('PUT', url, { title: 'T' })).data.type).toBe('log-agent')
    expect((await send('PUT', url, { title: 'T', type: 'mezmo-agent' })).data.type).toBe('mezmo-agent')
    for (const type of ['http', 'kafka', 'nonsense', '']) {
      const { status, body } = await send('PUT', url, { title: '', type })
      expect([status, problemsOf(body)]).toEqual([
        400,
        [
          '/title must NOT have fewer than 1 characters',
          '/type must stay "mezmo-agent": the type of a gateway route does not change',
        ],
      ])
    }
    expect((await send('GET', url)).data).toMatchObject({ title: 'T', type: 'mezmo-agent' })
  })

  test('a route that sources use cannot be deleted, however it was created', async () => {
    const pipeline = await newPipeline()
    const shared = await newRoute()
    const own = await newSource(pipeline)
    const source = await newSource(pipeline, { gateway_route_id: shared })
    for (const id of [shared, own]) {
      const { status, body } = await send('DELETE', `${ROUTES}/${id}`)
      expect([status, body.code]).toEqual([409, 'ECONFLICT'])
      expect(await routeStatus(id)).toBe(200)
    }
    await send('DELETE', `/v3/pipeline/${pipeline}/source/${source}`)
    await newKey(shared)
    const deleted = await send('DELETE', `${ROUTES}/${shared}`)
    expect([deleted.status, deleted.data]).toEqual([200, { id: shared, deleted: true }])
    expect([await routeStatus(shared), keysOf(shared)]).toEqual([404, []])
  })

  test('an unknown route, or one of another account, is 404 with every method', async () => {
    const id = await newRoute()
    const { id: key } = await newKey(id)
    for (const [route, token] of [
      [NOWHERE, undefined],
      ['x', undefined],
      [id, otherToken],
    ] as const) {
      for (const [method, url] of [
        ['GET', `${ROUTES}/${route}`],
        ['PUT', `${ROUTES}/${route}`],
        ['DELETE', `${ROUTES}/${route}`],
        ['GET', `${ROUTES}/${route}/access-key`],
        ['POST', `${ROUTES}/${route}/access-key`],
        ['DELETE', `${ROUTES}/${route}/access-key/${key}`],
      ] as const) {
        const { status, body } = await send(method, url, undefined, token)
        expect([method, url, status, body.code]).toEqual([method, url, 404, 'ENOTFOUND'])
      }
    }
    expect([await routeStatus(id), keysOf(id).length]).toEqual([200, 1])
  })

  test('gateway-route is never the id of a pipeline', async () => {
    for (const [method, url] of [
      ['PUT', ROUTES],
      ['DELETE', ROUTES],
      ['POST', `${ROUTES}/publish`],
      ['POST', `${ROUTES}/source`],
      ['PUT', `${ROUTES}/source/${NOWHERE}`],
      ['GET', `${ROUTES}/${NOWHERE}/access-key/${NOWHERE}`],
    ] as const) {
      const { status, body } = await send(method, url, { title: 'T', type: 'http' })
      expect([method, url, status, body.message]).toEqual([method, url, 404, 'Resource Not Found'])
    }
  })
})

describe('access keys (section 2.6)', () => {
  test.each(['shared', 'own'])('a key is shown once, on a route that is %s', async whose => {
    const route = whose === 'shared' ? await newRoute() : await newSource(await newPipeline())
    const { status, body, data } = await send('POST', `${ROUTES}/${route}/access-key`, {
      id: '',
      title: 'My key',
      type: 'generated',
      gateway_route_id: route,
    })
    expect([status, data]).toEqual([
      200,
      {
        key: expect.stringMatching(/^\w{32}$/),
        id: expect.stringMatching(UUID),
        account_id: installation.credentials.accountId,
        title: 'My key',
        gateway_route_id: route,
        created_at: new Date(installation.clock.wallMs()).toISOString(),
      },
    ])
    expect(body.meta).toEqual({
      pk: 'id',
      type: 'access-key',
      links: {
        self: { list: null, detail: `${ROUTES}/{gateway_route_id}/access-key` },
        related: { gateway_route: { list: ROUTES, detail: `${ROUTES}/{gateway_route_id}` } },
      },
      page: null,
    })
    const { key, ...shown } = data
    const list = await send('GET', `${ROUTES}/${route}/access-key`)
    expect([list.data, list.body.meta.page]).toEqual([[shown], { next: null, previous: null }])
    const found = installation.configuration.find(accessKeys, 'hash', secretHash(key))
    expect(found?.id).toBe(data.id)
  })

  test('the key itself is not on the log', async () => {
    const { key } = await newKey(await newRoute())
    const topic = await installation.log.topic(CONFIG_TOPIC, 1)
    const records = await topic.read(0, 0n, 10_000_000)
    const texts = records.map(({ value }) => Buffer.from(value).toString('latin1'))
    expect(texts.some(text => text.includes(secretHash(key)))).toBe(true)
    expect(texts.some(text => text.includes(key))).toBe(false)
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, [' must be object']],
    ['an empty object', {}, [" must have required property 'title'", " must have required property 'type'"]],
    [
      'everything wrong at once',
      { title: '', type: 'other', gateway_route_id: NOWHERE },
      [
        '/gateway_route_id must be the same as in the path',
        '/title must NOT have fewer than 1 characters',
        '/type must be equal to one of the allowed values: generated',
      ],
    ],
    [
      'a title of 513 characters',
      { title: 'x'.repeat(513), type: 'generated' },
      ['/title must NOT have more than 512 characters'],
    ],
    [
      'a route that is a number',
      { title: 'T', type: 'generated', gateway_route_id: 5 },
      ['/gateway_route_id must be string,null'],
    ],
  ])('%s is refused', async (_name, payload, problems) => {
    const route = await newRoute()
    const { status, body } = await send('POST', `${ROUTES}/${route}/access-key`, payload)
    expect([status, problemsOf(body).sort()]).toEqual([400, problems])
    expect(keysOf(route)).toEqual([])
  })

  test('a title can have 512 characters, and two keys the same title', async () => {
    const route = await newRoute()
    const title = 'x'.repeat(512)
    const keys = [await newKey(route, title), await newKey(route, title)]
    expect(new Set(keys.map(({ key }) => key)).size).toBe(2)
    expect((await send('GET', `${ROUTES}/${route}/access-key`)).data).toMatchObject([{ title }, { title }])
  })

  test('a revoked key does not exist any more, and cannot be found through another route', async () => {
    const [route, another] = [await newRoute(), await newRoute()]
    const { id, key } = await newKey(route)
    expect((await send('DELETE', `${ROUTES}/${another}/access-key/${id}`)).status).toBe(404)
    const deleted = await send('DELETE', `${ROUTES}/${route}/access-key/${id}`)
    expect([deleted.status, deleted.data]).toEqual([200, { id, deleted: true }])
    expect(installation.configuration.find(accessKeys, 'hash', secretHash(key))).toBeUndefined()
    expect((await send('DELETE', `${ROUTES}/${route}/access-key/${id}`)).status).toBe(404)
  })

  test('ten clients that request keys at once all get one, and the route keeps them through a change', async () => {
    const route = await newRoute()
    const keys = await Promise.all(Array.from({ length: 10 }, (_, index) => newKey(route, `Key ${index}`)))
    await send('PUT', `${ROUTES}/${route}`, { title: 'Other' })
    expect(keysOf(route).map(({ id }) => id)).toEqual(keys.map(({ id }) => id))
    expect((await send('DELETE', `${ROUTES}/${route}`)).status).toBe(200)
    expect(keysOf(route)).toEqual([])
  })
})
