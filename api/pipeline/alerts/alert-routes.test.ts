import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deployedConfiguration } from '../../../engine/configuration/deployed-cuts.ts'
import { drafts, revisions } from '../../../engine/configuration/entities.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOWHERE = '00000000-0000-4000-8000-000000000000'
const CONDITIONAL = { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] }
const SECRET = 'https://hooks.example/very-secret'

type Kind = 'source' | 'transform' | 'sink'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

let installation: TestInstallation
let pipeline: string
let source: string

beforeEach(async () => {
  installation = await testInstallation()
  pipeline = await newPipeline()
  source = await addNode(pipeline, 'source', { type: 'log-analysis-ingestion' })
})
afterEach(() => installation.app.close())

async function send(method: Method, path: string, payload?: object | string) {
  const headers = { 'content-type': 'application/json' }
  const url = `/v3/pipeline${path}`
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

async function newPipeline(): Promise<string> {
  return (await send('POST', '', { title: 'P' })).data.id
}

async function addNode(of: string, kind: Kind, node: object): Promise<string> {
  const { status, body, data } = await send('POST', `/${of}/${kind}`, node)
  expect([status, body.errors]).toEqual([200, undefined])
  return data.id
}

const filter = { type: 'filter', user_config: { action: 'drop', conditional: CONDITIONAL } }
const route = (...labels: string[]) => ({
  type: 'route',
  user_config: { conditionals: labels.map(label => ({ label, conditional: CONDITIONAL })) },
})
const absence = (name = 'silence', members: JsonObject = {}) => ({
  general: { name },
  evaluation: { alert_type: 'absence', event_type: 'log', ...members },
  alert_payload: { service: { name: 'slack', uri: SECRET, message_text: 'nothing came' } },
})
const write = (kind: string, node: string, members: JsonObject = {}) => ({
  pipeline_id: pipeline,
  component_kind: kind,
  component_id: node,
  inputs: [node],
  active: true,
  alert_config: absence(),
  ...members,
})

async function addAlert(kind: Kind, node: string, members: JsonObject = {}): Promise<string> {
  const { status, body, data } = await send(
    'POST',
    `/${pipeline}/${kind}/${node}/alert`,
    write(kind, node, members),
  )
  expect([status, body.errors]).toEqual([200, undefined])
  return data.id
}

const read = (id: string) => send('GET', `/${pipeline}/alert/${id}`)
const outputsOf = async (kind: Kind, node: string): Promise<string[]> =>
  (await send('GET', `/${pipeline}/${kind}/${node}`)).data.outputs.map(({ id }: { id: string }) => id)
const hasChanges = async () => (await send('GET', `/${pipeline}`)).data.has_changes
const publish = () => send('POST', `/${pipeline}/publish?allow_unconnected_edges=true`)

describe('an alert', () => {
  test('is returned whole, with its defaults, and can be read at its own, shorter path', async () => {
    const { status, text, body, data } = await send(
      'POST',
      `/${pipeline}/source/${source}/alert`,
      write('source', source),
    )
    expect(status).toBe(200)
    expect(data).toEqual({
      id: expect.stringMatching(UUID),
      account_id: installation.credentials.accountId,
      pipeline_id: pipeline,
      component_kind: 'source',
      component_id: source,
      inputs: [source],
      active: true,
      alert_config: {
        general: { name: 'silence' },
        evaluation: {
          alert_type: 'absence',
          event_type: 'log',
          window_type: 'tumbling',
          window_duration_minutes: 5,
        },
        alert_payload: {
          service: { name: 'slack', uri: SECRET, message_text: 'nothing came' },
          throttling: { window_secs: 60, threshold: 1 },
        },
      },
    })
    expect(body.meta).toEqual({
      pk: 'id',
      type: 'alert',
      links: {
        self: { list: null, detail: '/v3/pipeline/{pipeline_id}/alert/{alert_id}' },
        related: { pipeline: { list: '/v3/pipeline', detail: '/v3/pipeline/{pipeline_id}' } },
      },
      page: null,
    })
    expect((await read(data.id)).text).toBe(text)
    expect((await send('GET', `/${pipeline}/source/${source}/alert/${data.id}`)).status).toBe(405)
  })

  test('is listed with the others of its pipeline, oldest first', async () => {
    const transform = await addNode(pipeline, 'transform', filter)
    const ids = [await addAlert('source', source), await addAlert('transform', transform)]
    const { body, data } = await send('GET', `/${pipeline}/alert`)
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(body.meta).toMatchObject({ type: 'alert', page: { next: null, previous: null } })
    expect((await send('GET', `/${await newPipeline()}/alert`)).data).toEqual([])
  })

  test('is replaced by a change: members that were not sent get their default or are removed', async () => {
    const id = await addAlert('source', source, {
      active: false,
      alert_config: {
        ...absence('before', { group_by: ['.host'], window_duration_minutes: 30 }),
        general: { name: 'before', description: 'x' },
        alert_payload: {
          service: {
            name: 'webhook',
            uri: SECRET,
            message_text: 'x',
            method: 'put',
            headers: [{ header_name: 'a', header_value: 'b' }],
            auth: { strategy: 'basic', user: 'u', password: 'p' },
          },
          throttling: { window_secs: 300, threshold: 9 },
        },
      },
    })
    const { active: _, ...others } = write('source', source, {
      alert_config: {
        ...absence('after'),
        alert_payload: { service: { name: 'webhook', uri: SECRET, message_text: 'y' } },
      },
    })
    const { status, data } = await send('PUT', `/${pipeline}/source/${source}/alert/${id}`, others)
    expect(status).toBe(200)
    expect(data).toMatchObject({ id, active: true })
    expect(data.alert_config).toEqual({
      general: { name: 'after' },
      evaluation: {
        alert_type: 'absence',
        event_type: 'log',
        window_type: 'tumbling',
        window_duration_minutes: 5,
      },
      alert_payload: {
        service: { name: 'webhook', uri: SECRET, message_text: 'y' },
        throttling: { window_secs: 60, threshold: 1 },
      },
    })
    expect((await read(id)).data).toEqual(data)
  })

  test('can be sent back as it was read, which changes nothing', async () => {
    const id = await addAlert('source', source)
    const before = (await read(id)).data
    await publish()
    expect((await send('PUT', `/${pipeline}/source/${source}/alert/${id}`, before)).data).toEqual(before)
    expect(await hasChanges()).toBe(false)
  })

  test('moves to another node by a change under its path', async () => {
    const transform = await addNode(pipeline, 'transform', filter)
    const id = await addAlert('source', source)
    const path = `/${pipeline}/transform/${transform}/alert/${id}`
    expect((await send('PUT', path, write('source', source))).body.errors).toEqual([
      { instancePath: '/component_id', message: 'must be the node of the path' },
      { instancePath: '/component_kind', message: 'must be "transform", as in the path' },
      { instancePath: '/inputs/0', message: 'must be an output of the node of the path' },
    ])
    const { status, data } = await send('PUT', path, write('transform', transform))
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id,
      component_kind: 'transform',
      component_id: transform,
      inputs: [transform],
    })
    expect((await send('DELETE', `/${pipeline}/source/${source}`)).status).toBe(200)
    expect((await read(id)).data).toEqual(data)
  })

  test('keeps its type', async () => {
    const id = await addAlert('source', source)
    const path = `/${pipeline}/source/${source}/alert/${id}`
    const { status, body } = await send(
      'PUT',
      path,
      write('source', source, { alert_config: absence('a', { alert_type: 'threshold' }) }),
    )
    expect([status, body.code]).toEqual([400, 'EVALIDATION'])
    expect(body.errors).toContainEqual({
      instancePath: '/alert_config/evaluation/alert_type',
      message: expect.stringContaining('must stay "absence"'),
    })
  })

  test('returns its id when it is deleted, and is then not found', async () => {
    const [id, other] = [await addAlert('source', source), await addAlert('source', source)]
    const path = `/${pipeline}/source/${source}/alert/${id}`
    const { status, body, data } = await send('DELETE', path)
    expect([status, body.meta.type, data]).toEqual([200, 'alert', { id, deleted: true }])
    for (const [method, at] of [
      ['DELETE', path],
      ['PUT', path],
      ['GET', `/${pipeline}/alert/${id}`],
    ] as const) {
      const gone = await send(method, at, method === 'PUT' ? write('source', source) : undefined)
      expect([method, gone.status, gone.body.code]).toEqual([method, 404, 'ENOTFOUND'])
    }
    expect((await read(other)).status).toBe(200)
  })

  test('can be deleted with a content type and no body', async () => {
    const id = await addAlert('source', source)
    const response = await installation.call({
      method: 'DELETE',
      url: `/v3/pipeline/${pipeline}/source/${source}/alert/${id}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.statusCode).toBe(200)
  })

  test('is found under its own pipeline, its node under its own kind, and deleted under its own node', async () => {
    const other = await newPipeline()
    const transform = await addNode(pipeline, 'transform', filter)
    const sink = await addNode(pipeline, 'sink', { type: 'blackhole' })
    const id = await addAlert('source', source)
    const body = write('source', source)
    for (const [method, path] of [
      ['GET', `/${other}/alert/${id}`],
      ['GET', `/${NOWHERE}/alert/${id}`],
      ['GET', `/${NOWHERE}/alert`],
      ['GET', `/${pipeline}/alert/${source}`],
      ['POST', `/${pipeline}/transform/${source}/alert`],
      ['POST', `/${pipeline}/sink/${sink}/alert`],
      ['POST', `/${pipeline}/source/${NOWHERE}/alert`],
      ['POST', `/${NOWHERE}/source/${source}/alert`],
      ['PUT', `/${pipeline}/transform/${source}/alert/${id}`],
      ['PUT', `/${other}/source/${source}/alert/${id}`],
      ['PUT', `/${pipeline}/source/${source}/alert/${NOWHERE}`],
      ['DELETE', `/${pipeline}/transform/${transform}/alert/${id}`],
      ['DELETE', `/${other}/source/${source}/alert/${id}`],
    ] as const) {
      const payload = method === 'POST' || method === 'PUT' ? body : undefined
      const { status, body: answer } = await send(method, path, payload)
      expect([method, path, status, answer.code]).toEqual([method, path, 404, 'ENOTFOUND'])
    }
    expect((await read(id)).status).toBe(200)
  })

  test('cannot be read by other accounts', async () => {
    const id = await addAlert('source', source)
    await installation.account('0123456789')
    const token = await installation.token({ account: '0123456789' })
    const url = `/v3/pipeline/${pipeline}/alert/${id}`
    const headers = { authorization: `Token ${token}` }
    expect((await installation.app.inject({ url, headers })).statusCode).toBe(404)
  })

  test('is not changed by a refused write, which reports all findings', async () => {
    const id = await addAlert('source', source)
    const before = [await read(id), await send('GET', `/${pipeline}`)].map(({ text }) => text)
    installation.clock.advance(1000)
    const bad = {
      component_kind: 'transform',
      inputs: [NOWHERE],
      alert_config: { ...absence(''), general: null },
    }
    for (const [method, path] of [
      ['POST', `/${pipeline}/source/${source}/alert`],
      ['PUT', `/${pipeline}/source/${source}/alert/${id}`],
    ] as const) {
      const { status, body } = await send(method, path, bad)
      expect([status, body.status, body.code]).toEqual([400, 400, 'EVALIDATION'])
      expect(
        body.errors.map(({ instancePath }: { instancePath: string }) => instancePath).toSorted(),
      ).toEqual(['/alert_config/general', '/component_kind', '/inputs/0'])
    }
    expect([await read(id), await send('GET', `/${pipeline}`)].map(({ text }) => text)).toEqual(before)
  })

  test('changes the time of the pipeline, and no generation', async () => {
    installation.clock.advance(1000)
    await addAlert('source', source)
    expect((await send('GET', `/${pipeline}`)).data.updated_at).toBe(
      new Date(installation.clock.wallMs()).toISOString(),
    )
    expect((await send('GET', `/${pipeline}/source/${source}`)).data.generation_id).toBe(0)
  })

  test('can be created ten times at once, and all are stored', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => addAlert('source', source)))
    for (const id of ids) expect((await read(id)).status).toBe(200)
  })
})

describe('alerts and their nodes', () => {
  test('a node is deleted with its alerts, and those of others stay', async () => {
    const transform = await addNode(pipeline, 'transform', filter)
    const [gone, kept] = [await addAlert('transform', transform), await addAlert('source', source)]
    await send('DELETE', `/${pipeline}/transform/${transform}`)
    expect((await read(gone)).status).toBe(404)
    expect((await read(kept)).data.inputs).toEqual([source])
  })

  test('a removed output disappears from the inputs, and an alert without outputs is deleted', async () => {
    const transform = await addNode(pipeline, 'transform', route('a', 'b'))
    const [unmatched, a, b] = (await outputsOf('transform', transform)) as [string, string, string]
    const all = await addAlert('transform', transform, { inputs: [b, a, unmatched] })
    const only = await addAlert('transform', transform, { inputs: [a] })
    const before = (await read(all)).data
    await send('PUT', `/${pipeline}/transform/${transform}`, route('b'))
    expect((await read(all)).data).toEqual({ ...before, inputs: [b, unmatched] })
    expect((await read(only)).status).toBe(404)
  })

  test('a replaced node with the same outputs keeps its alerts', async () => {
    const transform = await addNode(pipeline, 'transform', filter)
    const id = await addAlert('transform', transform)
    const before = (await read(id)).text
    await send('PUT', `/${pipeline}/transform/${transform}`, { ...filter, title: 'other' })
    expect((await read(id)).text).toBe(before)
  })

  test('a pipeline is deleted with its alerts', async () => {
    const id = await addAlert('source', source)
    expect((await send('DELETE', `/${pipeline}`)).status).toBe(200)
    expect((await read(id)).status).toBe(404)
  })
})

describe('publishing', () => {
  test('a change of only an alert can be published, and reverting it leaves no change', async () => {
    await publish()
    const id = await addAlert('source', source)
    expect(await hasChanges()).toBe(true)
    expect((await publish()).status).toBe(200)
    expect(await hasChanges()).toBe(false)
    expect((await publish()).body.code).toBe('ENOCHANGES')

    const path = `/${pipeline}/source/${source}/alert/${id}`
    await send('PUT', path, write('source', source, { active: false }))
    expect(await hasChanges()).toBe(true)
    await send('PUT', path, write('source', source))
    expect(await hasChanges()).toBe(false)

    await send('DELETE', path)
    expect(await hasChanges()).toBe(true)
    await publish()
    expect(await hasChanges()).toBe(false)
  })

  test('an alert that was created and deleted before the first publication leaves nothing to publish', async () => {
    await publish()
    const id = await addAlert('source', source)
    await send('DELETE', `/${pipeline}/source/${source}/alert/${id}`)
    expect(await hasChanges()).toBe(false)
  })

  test('a revision keeps the alerts as they were, and partitions do not get them', async () => {
    await publish()
    const id = await addAlert('source', source)
    await publish()
    await send('PUT', `/${pipeline}/source/${source}/alert/${id}`, write('source', source, { active: false }))
    const { accountId } = installation.credentials
    const documents = installation.configuration.list(revisions, accountId).map(({ value }) => value.document)
    expect(documents[0]).not.toHaveProperty('alerts')
    const { account_id: _, pipeline_id: __, ...alert } = (await read(id)).data
    expect(documents[1]?.alerts).toEqual([{ ...alert, active: true }])
    const cuts = [...deployedConfiguration(CATALOGUE, installation.configuration).cuts()]
    const cut = cuts.find(each => each.cut.entity === pipeline)?.cut
    expect(JSON.parse(cut?.payload ?? '')).toMatchObject({ revision: 2, nodes: [{ id: source }] })
    expect(cut?.payload).not.toContain('alerts')
    expect(cut?.payload).not.toContain(SECRET)
  })

  test('a restored revision brings its alerts back, and reports their differences', async () => {
    await publish()
    const id = await addAlert('source', source)
    const before = (await read(id)).text
    await publish()
    await send('PUT', `/${pipeline}/source/${source}/alert/${id}`, write('source', source, { active: false }))
    await send('PUT', `/${pipeline}/source/${source}`, { type: 'log-analysis-ingestion', title: 'in' })
    expect((await send('GET', `/${pipeline}/revision/2/diff/draft`)).data).toMatchObject({
      nodes: [{ change: 'changed', id: source }],
      alerts: [
        {
          change: 'changed',
          id,
          name: 'silence',
          members: [{ path: '/active', before: true, after: false }],
        },
      ],
      text: [
        `~ source log-analysis-ingestion "in" (${source})`,
        '    ~ /title null → "in"',
        `~ alert "silence" (${id})`,
        '    ~ /active true → false',
      ],
    })
    expect((await send('GET', `/${pipeline}/revision/1/diff/2`)).data.text).toEqual([
      `+ alert "silence" (${id})`,
    ])
    expect((await send('GET', `/${pipeline}/revision/2`)).data.alerts).toMatchObject([{ id, active: true }])

    await send('POST', `/${pipeline}/revision/2/restore`)
    expect((await read(id)).text).toBe(before)
    expect(await hasChanges()).toBe(false)
    await send('POST', `/${pipeline}/revision/1/restore`)
    expect((await read(id)).status).toBe(404)
    await send('POST', `/${pipeline}/revision/2/restore`)
    expect((await read(id)).text).toBe(before)
  })

  test('a draft from before alerts existed has none', async () => {
    expect(installation.configuration.get(drafts, pipeline)?.value).not.toHaveProperty('alerts')
    expect((await send('GET', `/${pipeline}/alert`)).data).toEqual([])
    await publish()
    expect(await hasChanges()).toBe(false)
  })
})

test('no body makes the server fail, new or stored', async () => {
  const id = await addAlert('source', source)
  const members = [
    ...['alert_type', 'event_type', 'operation', 'script', 'conditional', 'group_by', 'event_timestamp'],
    ...['name', 'uri', 'headers', 'auth', 'throttling', 'service', 'strategy', 'toString', '__proto__'],
  ]
  const known = fc.constantFrom(
    'absence',
    'change',
    'log',
    'CUSTOM',
    'webhook',
    'basic',
    '(',
    '{{',
    source,
    0,
  )
  const value = fc.oneof(
    known,
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(fc.constantFrom(...members), known),
  )
  const part = fc.oneof(value, fc.dictionary(fc.constantFrom(...members), value))
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        component_kind: fc.oneof(fc.constant('source'), value),
        component_id: value,
        inputs: fc.oneof(fc.constant([source]), fc.array(value), value),
        active: value,
        alert_config: fc.oneof(
          value,
          fc.record(
            {
              general: fc.oneof(fc.constant({ name: 'n' }), part),
              evaluation: part,
              alert_payload: fc.oneof(part, fc.record({ service: part }), fc.record({ throttling: part })),
            },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: [] },
    ),
  )
  await fc.assert(
    fc.asyncProperty(body, async sent => {
      const payload = JSON.stringify(sent)
      for (const [method, path] of [
        ['POST', `/${pipeline}/source/${source}/alert`],
        ['PUT', `/${pipeline}/source/${source}/alert/${id}`],
      ] as const) {
        const { status, body: answer } = await send(method, path, payload)
        expect([200, 400]).toContain(status)
        if (status === 400) expect(answer.errors.length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 300 },
  )
})
