import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { drafts } from '../../../engine/configuration/entities.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import {
  changeAccount,
  type TestInstallation,
  testInstallation,
} from '../../../test/support/test-installation.ts'
import type { Caller } from '../../auth/caller.ts'
import { Pipelines } from '../pipelines.ts'
import { PipelineFiles } from './pipeline-files.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const YAML = 'application/yaml'

let installation: TestInstallation
beforeEach(async () => {
  installation = await testInstallation()
})
afterEach(() => installation.app.close())

async function send(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown, type?: string) {
  const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const response = await installation.call({
    method,
    url: `/v3/pipeline${path}`,
    headers: body === undefined ? {} : { 'content-type': type ?? 'application/json' },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: response.statusCode, type: response.headers['content-type'], text: response.body }
}

async function json(...call: Parameters<typeof send>) {
  const { status, text } = await send(...call)
  const { data, meta, errors, code } = JSON.parse(text)
  return { status, data, changed: meta?.changed, errors, code }
}

const apply = (file: object) => json('PUT', '/import', file)
const dryRun = (file: object) => json('PUT', '/import?dry_run=true', file)
const exported = async (id: string): Promise<PipelineFile> =>
  JSON.parse((await send('GET', `/${id}/export?format=json`)).text)

const CONDITION = {
  expressions: [{ field: '.t', str_operator: 'greater', value: 200, negate: false }],
  logical_operation: 'AND',
}
const silence = (name: string) => ({
  general: { name },
  evaluation: { alert_type: 'absence', event_type: 'log' },
  alert_payload: {
    service: { name: 'slack', uri: 'https://hooks.example/secret', message_text: 'nothing came' },
  },
})
interface Config {
  conditionals?: object[]
  threshold?: number
  window_ms?: number
}

const shop = (changes: object = {}) => ({
  weir: 'pipeline/1',
  title: 'Shop',
  sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
  processors: [
    {
      name: 'split',
      type: 'route',
      inputs: ['lines'],
      config: { conditionals: [{ label: 'hot', conditional: CONDITION }] } as Config,
    },
    {
      name: 'calm',
      type: 'throttle',
      inputs: ['split.hot'],
      config: { threshold: 2, window_ms: 1000 } as Config,
    },
  ],
  destinations: [{ name: 'store', type: 'blackhole', inputs: ['calm', 'split._unmatched'] }],
  alerts: [{ on: 'calm', config: silence('quiet') }],
  ...changes,
})
/** File with another limit. */
const calmer = (threshold: number, changes: object = {}) => {
  const file = shop(changes)
  Object.assign(file.processors[1]?.config ?? {}, { threshold })
  return file
}
const draftOf = (id: string) => {
  const draft = installation.configuration.get(drafts, id)
  if (draft === undefined) throw new Error('there is no draft')
  return draft
}

/** Names are not shown on nodes. */
function nodeIdOf(pipeline: string, name: string): string | undefined {
  return draftOf(pipeline).value.nodes.find(node => node.name === name)?.id
}

describe('PUT /v3/pipeline/import', () => {
  test('a file with a thousand expensive expressions is refused at once, and existing ones may stay', async () => {
    const dear = (count: number) => ({
      weir: 'pipeline/1',
      title: 'Dear',
      sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
      processors: [
        {
          name: 'dear',
          type: 'filter',
          inputs: ['lines'],
          config: {
            action: 'drop',
            conditional: {
              expressions: Array.from({ length: count }, (_, index) => ({
                field: '.a',
                str_operator: 'regex_match',
                value: `[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]${index}`,
              })),
            },
          },
        },
      ],
    })
    const building = vi.spyOn(RE2JS, 'compile')
    const message = expect.stringContaining('may have at most 200,000 states together')
    const refused = await apply(dear(1_000))
    expect([refused.status, refused.errors]).toEqual([400, [{ instancePath: '', message }]])
    expect((await dryRun(dear(50))).status).toBe(400)
    expect((await apply(dear(49))).status).toBe(200)
    expect(building).toHaveBeenCalledTimes(0)
    building.mockRestore()
  })

  test('a name that was removed in between is another node, without state and perhaps with another type', async () => {
    const file = (...processors: object[]) => ({
      weir: 'pipeline/1',
      title: 'Again',
      sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
      processors,
    })
    const calm = {
      name: 'calm',
      type: 'throttle',
      config: { threshold: 1, window_ms: 1000 },
      inputs: ['lines'],
    }
    const { data } = await apply(file(calm))
    const before = nodeIdOf(data.id, 'calm')
    await apply(file())
    expect(nodeIdOf(data.id, 'calm')).toBeUndefined()
    await apply(file({ ...calm, type: 'drop-fields', config: { fields: ['.x'] } }))
    expect(nodeIdOf(data.id, 'calm')).not.toBe(before)
    expect(draftOf(data.id).value.nodes.find(({ name }) => name === 'calm')?.generation).toBe(0)
  })

  test('a number that is too large for a double is refused', async () => {
    const text = JSON.stringify(shop()).replace(/"threshold":\d+/, '"threshold":1e400')
    expect(text).toContain('1e400')
    const { status, text: answer } = await send('PUT', '/import', text)
    expect([status, JSON.parse(answer).errors[0].message]).toEqual([
      400,
      expect.stringContaining('too large'),
    ])
  })

  test('creates the pipeline with its nodes and alerts in one step if none has that title', async () => {
    const { status, data, changed } = await apply(shop())
    expect([status, changed, data.title, data.has_changes]).toEqual([200, true, 'Shop', true])
    const { nodes, alerts } = draftOf(data.id).value
    expect(nodes.map(({ name, id, generation }) => [name, id, generation])).toEqual(
      ['lines', 'split', 'calm', 'store'].map(name => [name, nodeIdOf(data.id, name), 0]),
    )
    const [split, calm, store] = nodes.slice(1)
    expect(calm?.inputs).toEqual([expect.stringMatching(`^${split?.id}\\.[0-9a-f]{8}$`)])
    expect(store?.inputs).toEqual([calm?.id, `${split?.id}._unmatched`])
    expect(alerts).toMatchObject([{ component_id: calm?.id, inputs: [calm?.id], active: true }])
  })

  test('changes and writes nothing when it is repeated', async () => {
    const { data } = await apply(shop())
    const before = draftOf(data.id)
    installation.clock.advance(1000)
    const again = await apply(shop())
    expect([again.status, again.changed]).toEqual([200, false])
    expect(again.data).toEqual(data)
    expect(draftOf(data.id)).toBe(before)
  })

  test('raises the generation of the changed nodes and of no other, and ids stay', async () => {
    const { data } = await apply(shop())
    const before = draftOf(data.id).value.nodes
    const { changed } = await apply(calmer(3))
    const { nodes } = draftOf(data.id).value
    expect(changed).toBe(true)
    expect(nodes.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(nodes.map(({ generation }) => generation)).toEqual([0, 0, 1, 0])
    expect(nodes[2]?.user_config.threshold).toBe(3)
  })

  test('removes nodes that the file lacks, and renames the pipeline with the given id', async () => {
    const { data } = await apply(shop())
    const file = { weir: 'pipeline/1', id: data.id, title: 'Yard', sources: shop().sources }
    const { data: renamed, changed } = await apply(file)
    expect([renamed.id, renamed.title, changed]).toEqual([data.id, 'Yard', true])
    const { nodes, alerts } = draftOf(data.id).value
    expect([nodes.map(({ name }) => name), alerts]).toEqual([['lines'], []])
  })

  test('keeps an alert of the same name on the same node, and its id', async () => {
    const { data } = await apply(shop())
    const [before] = draftOf(data.id).value.alerts ?? []
    await apply(
      shop({
        alerts: [
          { on: 'split', config: silence('quiet') },
          { on: 'calm', active: false, config: silence('quiet') },
        ],
      }),
    )
    const [other, same] = draftOf(data.id).value.alerts ?? []
    expect(same).toEqual({ ...before, active: false })
    expect(other?.id).not.toBe(before?.id)
    expect(other?.inputs).toHaveLength(2)
  })

  test('with an id needs an existing pipeline, and never changes one of another account', async () => {
    expect((await apply(shop({ id: NOWHERE }))).status).toBe(404)
    const { data } = await apply(shop())
    await installation.account('0123456789')
    const token = await installation.token({ account: '0123456789' })
    const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' }
    const payload = JSON.stringify(shop({ id: data.id }))
    const url = '/v3/pipeline/import'
    const foreign = await installation.app.inject({ method: 'PUT', url, headers, payload })
    expect(foreign.statusCode).toBe(404)
    const own = await installation.app.inject({
      method: 'PUT',
      url,
      headers,
      payload: JSON.stringify(shop()),
    })
    expect(own.json().data.id).not.toBe(data.id)
  })

  test('with a title of several pipelines is 409 and names them', async () => {
    const ids = [await json('POST', '', { title: 'Shop' }), await json('POST', '', { title: 'Shop' })]
    const { status, code } = await apply(shop())
    expect([status, code]).toEqual([409, 'ECONFLICT'])
    expect((await apply(shop({ id: ids[1]?.data.id }))).data.id).toBe(ids[1]?.data.id)
  })

  test('twice at once creates one pipeline', async () => {
    const { configuration, clock, entropy, credentials } = installation
    const ports = { catalogue: CATALOGUE, configuration, clock, entropy }
    const files = new PipelineFiles(new Pipelines(ports), ports, {})
    const account = {
      shortId: credentials.accountId,
      id: NOWHERE,
      retentionDays: 1,
      ingestionSuspended: false,
    }
    const caller: Caller = {
      subjectId: NOWHERE,
      credential: { id: NOWHERE, scope: null, expiresAtMs: null },
      accessType: 'service',
      role: 'admin',
      delegated: false,
      account,
    }
    const file = shop() as unknown as JsonObject
    const [first, second] = await Promise.all([files.import(caller, file), files.import(caller, file)])
    expect(second?.state.pipeline.id).toBe(first?.state.pipeline.id)
    expect([first?.changed, second?.changed]).toEqual([true, false])
  })

  describe('of a long file', () => {
    const limit = (name: string, threshold: number) => ({
      name,
      type: 'throttle',
      config: { threshold, window_ms: 1000 },
    })
    const others = Array.from({ length: 50 }, (_, index) => limit(`n${index}`, 1))
    const file = (threshold: number) => ({
      weir: 'pipeline/1',
      title: 'P',
      processors: [limit('limit', threshold), ...others],
    })

    let steps = 0

    /** Every step of a reading ends its turn. */
    beforeEach(async () => {
      await installation.app.close()
      installation = await testInstallation({ clock: { ...manualClock(), monotonicMs: () => ++steps * 5 } })
    })

    test('waits for the one of the account before it, and the twenty-second at once is refused', async () => {
      const answers = await Promise.all(Array.from({ length: 22 }, () => send('PUT', '/import', file(1))))
      expect(answers.map(({ status }) => status)).toEqual([...Array(21).fill(200), 429])
      expect(JSON.parse(answers[21]?.text ?? '').message).toBe(
        '20 imports and exports of the account wait already',
      )
      expect((await json('GET', '')).data).toHaveLength(1)
    })

    // Each node is collected with its outputs, once or twice, and then printed.
    test.each([
      ['export', 150],
      ['export?format=json', 150],
      ['graph', 290],
    ] as const)('has its %s printed in turns with other requests', async (path, steps) => {
      const long = others.map(node => ({ ...node, description: 'x'.repeat(20_000) }))
      const { data } = await apply({ ...file(1), processors: long })
      let turns = 0
      const answered = send('GET', `/${data.id}/${path}`)
      const isOver = answered.then(() => true)
      while (!(await Promise.race([isOver, setImmediate(false)]))) turns++
      expect((await answered).status).toBe(200)
      expect(turns).toBeGreaterThan(steps)
    })

    // The comparison itself takes seven turns for each of 51 nodes.
    test.each([
      ['import?dry_run=true', 450],
      ['graph?dry_run=true', 900],
    ] as const)(
      'has the changes that %s finds compared in turns with other requests',
      async (path, steps) => {
        const { data } = await apply(file(1))
        const { document } = (await json('GET', `/${data.id}/graph`)).data
        const sent = {
          ...document,
          processors: document.processors.map((node: object) => ({ ...node, title: 't' })),
        }
        let turns = 0
        const answered = send('PUT', path.startsWith('import') ? `/${path}` : `/${data.id}/${path}`, sent)
        const isOver = answered.then(() => true)
        while (!(await Promise.race([isOver, setImmediate(false)]))) turns++
        expect(JSON.parse((await answered).text).data.nodes).toHaveLength(51)
        expect(turns).toBeGreaterThan(steps)
      },
    )

    test('lets other requests work meanwhile, and counts what they changed', async () => {
      const { data } = await apply(file(1))
      const limitNode = () =>
        installation.configuration.list(drafts)[0]?.value.nodes.find(({ name }) => name === 'limit')
      const order: string[] = []
      const change = { type: 'throttle', user_config: { threshold: 2, window_ms: 1000 } }
      const imported = apply(file(3)).then(() => order.push('import'))
      // By then its nodes are being read.
      for (const began = steps; steps < began + 80; ) await setImmediate()
      await json('PUT', `/${data.id}/transform/${limitNode()?.id}`, change)
      order.push('change')
      await imported
      expect(order).toEqual(['change', 'import'])
      expect(limitNode()).toMatchObject({ generation: 2, user_config: { threshold: 3 } })
    })
  })

  test('is limited to the number of nodes of the plan', async () => {
    const { plan } = {
      plan: {
        type: 'x',
        maxPipelines: null,
        maxNodesPerPipeline: 3,
        maxIngestionKeys: null,
        maxServiceKeys: null,
      },
    }
    await changeAccount(installation, { plan })
    const { status } = await apply(shop())
    expect(status).toBe(403)
    expect((await json('GET', '')).data).toEqual([])
  })

  test('creates a gateway route with a push source, and removes it with the source', async () => {
    const web = { name: 'web', type: 'http' }
    const { data } = await apply(shop({ sources: [...shop().sources, web] }))
    const routes = async () => (await json('GET', '/gateway-route')).data.map(({ id }: { id: string }) => id)
    expect(await routes()).toEqual([nodeIdOf(data.id, 'web')])
    const second = { name: 'second', type: 'http', gateway_route_id: nodeIdOf(data.id, 'web') }
    await apply(shop({ sources: [...shop().sources, web, second] }))
    expect((await exported(data.id)).sources?.slice(1)).toEqual([
      { ...web, config: { decoding: 'auto' } },
      { ...second, config: { decoding: 'auto' } },
    ])
    await apply(shop({ sources: [...shop().sources, second] }))
    expect(await routes()).toHaveLength(1)
    // The source is a new one, although it has the name of the previous one: ids are never reused.
    const former = await routes()
    const other = await apply(shop({ sources: [...shop().sources, { name: 'web', type: 'fluent' }, second] }))
    expect(other.errors).toBeUndefined()
    expect(await routes()).toEqual(expect.arrayContaining([...former, nodeIdOf(data.id, 'web')]))
    expect(former).not.toContain(nodeIdOf(data.id, 'web'))
    await apply(shop())
    expect(await routes()).toEqual([])
  })

  test('names nodes that requests created by their ids', async () => {
    const { data: pipeline } = await json('POST', '', { title: 'Shop' })
    const { data: source } = await json('POST', `/${pipeline.id}/source`, { type: 'log-analysis-ingestion' })
    const { data: sink } = await json('POST', `/${pipeline.id}/sink`, {
      type: 'blackhole',
      inputs: [source.id],
    })
    await json('POST', `/${pipeline.id}/source`, { type: 'log-analysis-ingestion' })
    const file = await exported(pipeline.id)
    expect(file.destinations).toEqual([
      { name: sink.id, type: 'blackhole', inputs: [source.id], config: { ack_enabled: true } },
    ])
    expect((await apply(file)).changed).toBe(false)
    expect(draftOf(pipeline.id).value.nodes.every(node => !('name' in node))).toBe(true)
  })

  test('of an export of another pipeline creates nodes of its own', async () => {
    const { data: pipeline } = await json('POST', '', { title: 'Shop' })
    const { data: source } = await json('POST', `/${pipeline.id}/source`, { type: 'log-analysis-ingestion' })
    const { id: _, ...file } = await exported(pipeline.id)
    const { data: copy } = await apply({ ...file, title: 'Copy' })
    const [node] = draftOf(copy.id).value.nodes
    expect(node?.id).not.toBe(source.id)
    expect(node?.name).toBe(source.id)
    expect((await apply(await exported(copy.id))).changed).toBe(false)
  })

  test('keeps names through edits by request, a publication and a restored revision', async () => {
    const { data } = await apply(shop({ alerts: [] }))
    const calm = nodeIdOf(data.id, 'calm')
    expect((await json('POST', `/${data.id}/publish`, {})).status).toBe(200)
    const throttle = { type: 'throttle', inputs: [], user_config: { threshold: 9, window_ms: 1000 } }
    const { data: node } = await json('PUT', `/${data.id}/transform/${calm}`, throttle)
    expect(node).not.toHaveProperty('name')
    expect((await exported(data.id)).processors?.[1]).toMatchObject({
      name: 'calm',
      config: { threshold: 9 },
    })
    await send('DELETE', `/${data.id}/transform/${calm}`)
    expect((await json('POST', `/${data.id}/revision/1/restore`, {})).status).toBe(200)
    expect((await exported(data.id)).processors?.[1]).toMatchObject({
      name: 'calm',
      config: { threshold: 2 },
    })
    expect((await apply(shop({ alerts: [] }))).changed).toBe(false)
    const { data: revision } = await json('GET', `/${data.id}/revision/1`)
    expect(revision.nodes[0]).not.toHaveProperty('name')
  })

  test('keeps the names of outputs, even if a rule is inserted before them', async () => {
    const { data } = await apply(shop())
    const hot = draftOf(data.id).value.nodes[2]?.inputs
    const file = shop()
    file.processors[0]?.config.conditionals?.unshift({ label: 'a.b (2)', conditional: CONDITION })
    file.processors[1]?.inputs.push('split.a.b (2)')
    await apply(file)
    expect(draftOf(data.id).value.nodes[2]?.inputs[0]).toBe(hot?.[0])
    expect((await exported(data.id)).processors?.[1]?.inputs).toEqual(['split.hot', 'split.a.b (2)'])
  })

  test('distinguishes two outputs with one label', async () => {
    const rules = ['hot', 'hot', '_unmatched'].map(label => ({ label, conditional: CONDITION }))
    const inputs = ['split.hot (2)', 'split._unmatched', 'split._unmatched (2)']
    const file = shop({
      processors: [{ name: 'split', type: 'route', inputs: ['lines'], config: { conditionals: rules } }],
      destinations: [{ name: 'store', type: 'blackhole', inputs, config: { ack_enabled: true } }],
      alerts: [],
    })
    const { data } = await apply(file)
    expect((await exported(data.id)).destinations).toEqual(file.destinations)
    const { id: _, ...copied } = { ...(await exported(data.id)), title: 'Copy' }
    const { data: copy } = await apply(copied)
    expect((await exported(copy.id)).destinations).toEqual(file.destinations)
  })

  test('accepts YAML and JSON by the type of the body, or by its text', async () => {
    const yaml = 'weir: pipeline/1\ntitle: Y\nsources: [{ name: a, type: http }]\n'
    const flow = '{ weir: pipeline/1, title: Y, sources: [{ name: a, type: http }] }'
    for (const [text, type, status] of [
      [yaml, YAML, 200],
      [flow, 'text/yaml; charset=utf-8', 200],
      [yaml, 'application/x-www-form-urlencoded', 200],
      [JSON.stringify(shop()), 'application/x-www-form-urlencoded', 200],
      [JSON.stringify(shop()), 'application/json', 200],
      [yaml, 'application/json', 400],
      [flow, 'text/plain', 400],
      ['', YAML, 400],
      ['\n', YAML, 400],
      ['[]', YAML, 400],
      ['a: [', YAML, 400],
      ['"\\ud800', 'application/json', 400],
    ] as const)
      expect([text, type, (await send('PUT', '/import', text, type)).status]).toEqual([text, type, status])
    expect((await send('PUT', '/import')).status).toBe(400)
    const latin = await installation.call({
      method: 'PUT',
      url: '/v3/pipeline/import',
      headers: { 'content-type': YAML },
      payload: Buffer.from([0x61, 0xff]),
    })
    expect(latin.json().errors).toEqual([{ instancePath: '', message: 'must be UTF-8' }])
  })
})

describe('an invalid file', () => {
  const at = (instancePath: string, message: string) => ({ instancePath, message })

  test('is refused with all findings at once, with pointers into it, and changes nothing', async () => {
    const { data } = await apply(shop())
    const before = draftOf(data.id)
    const { status, errors } = await apply({
      weir: 'pipeline/2',
      id: data.id,
      title: '',
      more: true,
      sources: [{ name: 'a b', type: 'http', inputs: [] }, { name: 'lines', type: 'no-such' }, 7],
      processors: [
        { name: 'split', type: 'filter', inputs: 'lines', config: {} },
        {
          name: 'calm',
          type: 'throttle',
          inputs: ['lines', 'calm', 'nowhere'],
          config: { threshold: 0, window: '1x' },
        },
        { name: 'calm', type: 'throttle', config: { threshold: 1, window_ms: 1 } },
        { name: 'two', type: 'route', config: { conditionals: [{ label: 'x', conditional: CONDITION }] } },
        { type: 'throttle', title: null },
      ],
      destinations: [
        {
          name: 'store',
          type: 'blackhole',
          inputs: ['two', 'two.y', 'two.x', 'two.x', 'store', 'nowhere', 'calm.x'],
          config: { ack: 1 },
        },
      ],
      alerts: [
        { on: 'store', config: silence('a') },
        { on: 'two', inputs: ['two', 'two.x'], config: { general: {} } },
        { on: 'two' },
      ],
    })
    expect(status).toBe(400)
    expect(draftOf(data.id)).toBe(before)
    expect(errors).toEqual(
      expect.arrayContaining([
        at('/weir', 'must be equal to one of the allowed values: pipeline/1'),
        at('/title', 'must NOT have fewer than 1 characters'),
        at('', "must NOT have additional properties: 'more'"),
        at('/sources/0/name', 'must match pattern "^[A-Za-z0-9_-]{1,64}$"'),
        at('/sources/0', "must NOT have additional properties: 'inputs'"),
        at('/sources/1/type', 'must be equal to one of the allowed values'),
        at('/sources/2', 'must be object'),
        at('/processors/0/inputs', 'must be array'),
        at('/processors/0/type', 'must stay "route": the type of a node does not change'),
        at('/processors/1/config/threshold', 'must be >= 1'),
        at('/processors/1/config/window', 'must be an integer and a unit: ms, s, min or h'),
        at('/processors/1/inputs/2', 'must be the name of a source or a processor of the file'),
        at('/processors/2/name', 'must NOT be that of /processors/1, too'),
        at('/processors/4', "must have required property 'name'"),
        at('/processors/4/title', 'must be string'),
        at('/destinations/0/inputs/0', 'must be one of two._unmatched, two.x'),
        at('/destinations/0/inputs/1', 'must be one of two._unmatched, two.x'),
        at('/destinations/0/inputs/3', 'must NOT have duplicate items'),
        at('/destinations/0/inputs/5', 'must be the name of a source or a processor of the file'),
        at('/destinations/0/config', "must NOT have additional properties: 'ack'"),
        at('/alerts/0/on', 'must be the name of a source or a processor of the file'),
        at('/alerts/1/inputs/0', 'must be an output of the node that it is on'),
        at('/alerts/1/config/general', "must have required property 'name'"),
        at('/alerts/2', "must have required property 'config'"),
      ]),
    )
    expect(
      errors.filter(
        ({ instancePath }: { instancePath: string }) => instancePath === '/destinations/0/inputs/6',
      ),
    ).toEqual([])
  })

  test('cannot change the kind of a node', async () => {
    await apply(shop())
    const { errors } = await apply(
      shop({ sources: [{ name: 'calm', type: 'http' }], processors: [], destinations: [], alerts: [] }),
    )
    expect(errors).toEqual([at('/sources/0/name', 'must NOT be that of the transform "throttle"')])
  })

  test('cannot send events in circles', async () => {
    const throttle = { type: 'throttle', config: { threshold: 1, window_ms: 1 } }
    const { errors } = await apply(
      shop({
        processors: [
          { name: 'a', ...throttle, inputs: ['lines', 'b'] },
          { name: 'b', ...throttle, inputs: ['a'] },
        ],
        destinations: [],
        alerts: [],
      }),
    )
    expect(errors).toEqual([
      at('/processors/0/inputs/1', 'must NOT lead back to the node itself'),
      at('/processors/1/inputs/0', 'must NOT lead back to the node itself'),
    ])
  })

  test('has tests that can run', async () => {
    const expectation = (expect: object) => ({ name: 't', events: [{ message: {} }], expect })
    const { errors } = await apply(
      shop({
        tests: [
          {
            name: 't',
            events: [
              { source: 'calm', at: '2026-02-30T00:00:00Z', message: 1 },
              { at: 1.5, message: 1, timestamp: true },
            ],
            expect: { calm: [] },
          },
          expectation({}),
          expectation({ nowhere: [], split: { dropped: 1 }, 'split.hot': { dropped: 1 }, 'split.cold': [] }),
          expectation({ calm: 1, store: {}, lines: { count: -1, messages: 1, more: 1 } }),
          expectation({ 'split.hot': { failed: 1, errors: [] }, calm: { metadata: [1], errors: ['E', 1] } }),
          { name: 't', events: [{}], expect: { calm: [] } },
        ],
      }),
    )
    expect(errors).toEqual([
      at('/tests/1/expect', 'must NOT have fewer than 1 properties'),
      at('/tests/5/events/0', "must have required property 'message'"),
      at('/tests/0/events/0/source', 'must be the name of a source of the file'),
      at('/tests/0/events/0/at', 'must be an RFC 3339 time or UNIX milliseconds'),
      at('/tests/0/events/1/at', 'must be an RFC 3339 time or UNIX milliseconds'),
      at('/tests/0/events/1/timestamp', 'must be an RFC 3339 time or UNIX milliseconds'),
      at('/tests/2/expect/nowhere', 'must be the name of a source or a processor of the file'),
      at('/tests/2/expect/split.hot/dropped', 'must be expected of the node, which drops events'),
      at('/tests/2/expect/split.cold', 'must be one of split._unmatched, split.hot'),
      at('/tests/3/expect/calm', 'must be array or object'),
      at('/tests/3/expect/store', 'must NOT have fewer than 1 properties'),
      at('/tests/3/expect/lines/count', 'must be integer >= 0'),
      at('/tests/3/expect/lines/messages', 'must be array'),
      at('/tests/3/expect/lines', "must NOT have additional properties: 'more'"),
      at('/tests/4/expect/split.hot/failed', 'must be expected of the node, at which events fail'),
      at('/tests/4/expect/split.hot/errors', 'must be expected of the node, which reports errors'),
      at('/tests/4/expect/calm/metadata/0', 'must be object'),
      at('/tests/4/expect/calm/errors/0', 'must be an error code'),
      at('/tests/4/expect/calm/errors/1', 'must be an error code'),
    ])
    const two = [...shop().sources, { name: 'web', type: 'http' }]
    const { errors: unclear } = await apply(shop({ sources: two, tests: [expectation({ calm: [] })] }))
    expect(unclear).toEqual([at('/tests/0/events/0', "must have required property 'source'")])
  })

  test('may be too large or too deep', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `n${index}`, type: 'http' }))
    expect(
      (await dryRun(shop({ sources: many(1001), processors: [], destinations: [], alerts: [] }))).errors,
    ).toEqual([at('/sources', 'must NOT have more than 1000 items')])
    const wrong = (length: number) => shop({ sources: Array.from({ length }, () => ({})) })
    expect((await dryRun(wrong(2000))).errors).toEqual([at('/sources', 'must NOT have more than 1000 items')])
    expect((await dryRun(wrong(1000))).errors).toHaveLength(1000)
    const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`)
    expect((await dryRun(shop({ tests: deep }))).errors).toEqual([
      at('', 'must NOT be nested more than 64 levels deep'),
    ])
  })

  test('of any form is never an error of the server', async () => {
    const anything = fc.oneof(
      { maxDepth: 1 },
      fc.jsonValue(),
      fc.constantFrom('lines', 'split.hot', 'http', 'route'),
    )
    const part = fc.dictionary(
      fc.constantFrom(
        'name',
        'type',
        'title',
        'inputs',
        'config',
        'on',
        'active',
        'events',
        'expect',
        'message',
        'gateway_route_id',
      ),
      anything,
    )
    const list = fc.oneof(fc.array(fc.oneof(part, anything)), anything)
    const lists = ['sources', 'processors', 'destinations', 'alerts', 'tests']
    const file = fc.record(Object.fromEntries(lists.map(name => [name, list])), { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(file, fc.boolean(), async (parts, isWhole) => {
        const { status } = await dryRun(isWhole ? { ...shop(), ...parts } : parts)
        expect([200, 400]).toContain(status)
      }),
      { numRuns: 200 },
    )
  })
})

describe('PUT /v3/pipeline/import?dry_run=true', () => {
  test('reports the changes in the terms of the file, and changes nothing', async () => {
    const { data } = await apply(shop())
    const before = draftOf(data.id)
    const file = calmer(5, {
      title: 'Shop',
      alerts: [{ on: 'split', inputs: ['split.hot'], config: silence('loud') }],
    })
    file.processors[1]?.inputs.push('lines')
    const { status, data: difference } = await dryRun(file)
    expect(status).toBe(200)
    expect(difference).toMatchObject({ pipeline_id: data.id, changed: true })
    expect(difference.nodes).toMatchObject([
      { change: 'changed', id: nodeIdOf(data.id, 'calm'), kind: 'transform' },
    ])
    expect(difference.text).toEqual([
      '~ transform throttle calm',
      '    ~ /user_config/threshold 2 → 5',
      '    ~ /inputs ["split.hot"] → ["split.hot","lines"]',
      '- alert "quiet" (on calm)',
      '+ alert "loud" (on split)',
    ])
    expect(draftOf(data.id)).toBe(before)
    expect((await dryRun(shop())).data).toEqual({
      pipeline_id: data.id,
      changed: false,
      nodes: [],
      alerts: [],
      text: [],
    })
  })

  test('of a pipeline that does not exist yet reports everything', async () => {
    const { data } = await dryRun(shop({ alerts: [] }))
    expect([data.pipeline_id, data.changed]).toEqual([null, true])
    expect(data.text).toEqual([
      '+ pipeline "Shop"',
      '+ source log-analysis-ingestion lines',
      '+ transform route split',
      '+ transform throttle calm',
      '+ sink blackhole store',
    ])
    expect((await json('GET', '')).data).toEqual([])
  })

  test('is not mistaken for the import itself', async () => {
    for (const query of [
      'dry_run=yes',
      'dry_run=',
      'dry_run=TRUE',
      'dry_run=true&dry_run=true',
      'dryrun=true',
    ])
      expect([query, (await json('PUT', `/import?${query}`, shop())).status]).toEqual([query, 400])
    expect((await json('GET', '')).data).toEqual([])
  })

  test('reports the title, texts for people, and the order', async () => {
    const { data } = await apply(shop())
    const file = shop({ id: data.id, title: 'Yard' })
    Object.assign(file.sources[0] as object, { title: 'Lines', description: 'All of them' })
    expect((await dryRun(file)).data.text).toEqual([
      '~ title of the pipeline "Shop" → "Yard"',
      '~ source log-analysis-ingestion "Lines" (lines)',
      '    ~ /title null → "Lines"',
      '    ~ /description null → "All of them"',
    ])
    const turned = shop()
    turned.processors.reverse()
    const { data: difference } = await dryRun(turned)
    expect([difference.changed, difference.text]).toEqual([
      true,
      ['~ the order of nodes or alerts, or the names of nodes'],
    ])
  })
})

describe('GET /v3/pipeline/{id}/export', () => {
  test('is YAML, or JSON on request', async () => {
    const { data } = await apply({
      weir: 'pipeline/1',
      title: 'T',
      sources: [{ name: 'a', type: 'webhook' }],
    })
    const yaml = await send('GET', `/${data.id}/export`)
    expect([yaml.status, yaml.type]).toEqual([200, 'application/yaml; charset=utf-8'])
    expect(yaml.text).toBe(
      `weir: pipeline/1\nid: ${data.id}\ntitle: T\nsources:\n  - name: a\n    type: webhook\nprocessors: []\ndestinations: []\n`,
    )
    const url = `/v3/pipeline/${data.id}/export`
    const accepted = await installation.call({ url, headers: { accept: 'application/json' } })
    expect(accepted.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(accepted.json().title).toBe('T')
    const chosen = await installation.call({
      url: `${url}?format=yaml`,
      headers: { accept: 'application/json' },
    })
    expect(chosen.body).toBe(yaml.text)
    expect((await send('GET', `/${data.id}/export?format=xml`)).status).toBe(400)
    expect((await send('GET', `/${NOWHERE}/export`)).status).toBe(404)
  })
})

/** A file as an export writes it. Its nodes lead to nodes before them. */
function randomFile(gen: fc.GeneratorValue): PipelineFile {
  const pick = <T>(values: readonly T[]) => gen(fc.constantFrom, ...values)
  const names = new Set<string>()
  /** Some names are used again in the next file, for nodes of the same kind. */
  const newName = (usual: string) => {
    for (;;) {
      const name = pick([
        `${usual}-1`,
        `${usual}-2`,
        `${usual}_${gen(() => fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/))}`,
      ])
      if (!names.has(name) && names.add(name)) return name
    }
  }
  const texts = () => {
    const text = gen(fc.string, { minLength: 1, maxLength: 9, unit: 'grapheme' })
    return pick([{}, { title: text, description: `${text}\n` }])
  }
  const outputs: string[] = []
  const inputs = () => {
    const chosen = gen(fc.subarray, outputs)
    return chosen.length > 0 ? { inputs: [...chosen] } : {}
  }
  const some = <T>(make: () => T) => Array.from({ length: gen(fc.nat, { max: 4 }) }, make)

  const sources = some(() => {
    const { type, config } = pick([
      { type: 'http', config: { decoding: 'auto' } },
      { type: 'webhook', config: undefined },
      { type: 'log-analysis-ingestion', config: undefined },
    ])
    const name = newName(type)
    outputs.push(name)
    return { name, type, ...(config && { config }), ...texts() }
  })
  const alerts: object[] = []
  const throttle = () => {
    const name = newName('throttle')
    const config = { threshold: gen(fc.integer, { min: 1, max: 9 }), window: '1s' }
    const node = { name, type: 'throttle', ...inputs(), ...texts(), config }
    outputs.push(name)
    return node
  }
  const route = () => {
    const name = newName('route')
    const labels = gen(fc.array, fc.constantFrom('a', 'b', 'a (2)', '_unmatched', 'é.x'), {
      minLength: 1,
      maxLength: 4,
    }) as string[]
    const words = ['_unmatched']
    for (const label of labels) {
      let word = label
      for (let count = 2; words.includes(word); count++) word = `${label} (${count})`
      words.push(word)
    }
    const config = { conditionals: labels.map(label => ({ label, conditional: CONDITION })) }
    const node = { name, type: 'route', ...inputs(), ...texts(), config }
    const references = words.map(word => `${name}.${word}`)
    outputs.push(...references)
    const watched = references.slice(0, gen(fc.integer, { min: 1, max: words.length }))
    alerts.push({
      on: name,
      ...(watched.length < words.length && { inputs: watched }),
      active: pick([true, false]),
      config: storedSilence(pick(['one', 'two'])),
    })
    return node
  }
  const processors = some(() => pick([throttle, route])())
  const destinations = some(() => ({
    name: newName('blackhole'),
    type: 'blackhole',
    ...inputs(),
    ...texts(),
    config: { ack_enabled: pick([true, false]) },
  }))
  return {
    weir: 'pipeline/1',
    title: gen(fc.string, { minLength: 1, unit: 'grapheme' }),
    sources,
    processors,
    destinations,
    ...(alerts.length > 0 && { alerts }),
  } as PipelineFile
}

function storedSilence(name: string) {
  const { general, evaluation, alert_payload: payload } = silence(name)
  return {
    general,
    evaluation: { ...evaluation, window_duration_minutes: 5, window_type: 'tumbling' },
    alert_payload: { ...payload, throttling: { window_secs: 60, threshold: 1 } },
  }
}

test('an export equals the import, whatever was there before, and importing it again changes nothing', async () => {
  let kept = 0
  await fc.assert(
    fc.asyncProperty(fc.gen(), async gen => {
      const { data: pipeline } = await json('POST', '', { title: 'P' })
      const { id } = pipeline
      // Nodes of alternating kinds, as requests create them.
      for (const kind of ['sink', 'source', 'sink', 'source'])
        await json('POST', `/${id}/${kind}`, { type: kind === 'sink' ? 'blackhole' : 'webhook' })
      const [first, second] = [randomFile(gen), randomFile(gen)]
      for (const file of [await exported(id), first, second, first]) {
        const before = new Set(draftOf(id).value.nodes.map(({ id }) => id))
        expect((await apply({ ...file, id })).errors).toBeUndefined()
        kept += draftOf(id).value.nodes.filter(node => before.has(node.id)).length
        const now = await exported(id)
        expect(now).toEqual({ ...file, id })
        const drafted = draftOf(id)
        const yaml = await send('GET', `/${id}/export`)
        const again = await json('PUT', '/import', yaml.text, YAML)
        expect([again.status, again.changed]).toEqual([200, false])
        expect(draftOf(id)).toBe(drafted)
      }
    }),
    { numRuns: 30, endOnFailure: true }, // names must differ, and shrunk values do not stay different
  )
  expect(kept).toBeGreaterThan(30)
})
