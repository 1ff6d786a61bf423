import { RE2JS } from 're2js'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { replace } from '../../../engine/configuration/configuration-log.ts'
import { drafts } from '../../../engine/configuration/entities.ts'
import { canonicalTimeOf } from '../../../engine/times/instant.ts'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'
import { declaredTypes } from '../../../test/support/toy-nodes.ts'

const catalogue = catalogueWith(declaredTypes)

let installation: TestInstallation
let url: string
let source: string
let limit: string
let sink: string

beforeEach(async () => {
  installation = await testInstallation({ catalogue })
  url = `/v3/pipeline/${(await send('POST', '/v3/pipeline', { title: 'P' })).data.id}`
  source = await add('source', { type: 'log-analysis-ingestion', title: 'lines' })
  limit = await add('transform', throttle(1, [source]))
  sink = await add('sink', { type: 'log-analysis', inputs: [limit] })
})
afterEach(() => installation.app.close())

async function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
  const headers = { 'content-type': 'application/json' }
  const response = await installation.call({ method, url: path, ...(payload && { headers, payload }) })
  return {
    status: response.statusCode,
    text: response.body,
    body: response.json(),
    data: response.json().data,
  }
}
const add = async (kind: string, node: object) =>
  (await send('POST', `${url}/${kind}`, node)).data.id as string
const throttle = (threshold: number, inputs: string[]) => ({
  type: 'throttle',
  inputs,
  user_config: { threshold, window_ms: 1000 },
})
const simulate = (body: object, query = '') => send('POST', `${url}/simulate${query}`, body)

const leaf = (value: string) => ({ field: '.a', str_operator: 'regex_match', value })
const filter = (count: number, inputs: string[]) => ({
  type: 'filter',
  inputs,
  user_config: {
    action: 'drop',
    conditional: {
      logical_operation: 'OR',
      expressions: Array.from({ length: count }, (_, index) =>
        leaf(`[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]${index}`),
      ),
    },
  },
})
const MANY_STATES = 'may have at most 200,000 states together'

describe('a simulation', () => {
  test('of a file with a thousand expensive expressions is refused at once', async () => {
    const building = vi.spyOn(RE2JS, 'compile')
    const { user_config: config } = filter(1_000, [])
    const pipeline = {
      weir: 'pipeline/1',
      title: 'Dear',
      sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
      processors: [{ name: 'dear', type: 'filter', inputs: ['lines'], config }],
    }
    const { status, body } = await send('POST', '/v3/pipeline/simulate', { pipeline, samples: [{ a: 'x' }] })
    expect([status, body.errors]).toEqual([
      400,
      [{ instancePath: '/pipeline', message: expect.stringContaining(MANY_STATES) }],
    ])
    expect(building).toHaveBeenCalledTimes(0)
    building.mockRestore()
  })

  test.each(['simulate', 'preview'])(
    '%s names what only running finds by its place in the sent file',
    async of => {
      const pipeline = {
        weir: 'pipeline/1',
        title: 'Endless',
        sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
        processors: [
          {
            name: 's',
            type: 'js-script',
            inputs: ['lines'],
            config: { script: 'function f(m) { while (1) {} }' },
          },
        ],
        destinations: [{ name: 'nowhere', type: 'blackhole', inputs: ['s'] }],
      }
      const payload = of === 'simulate' ? { pipeline, samples: [{ a: 'x' }] } : { pipeline }
      const { status, body } = await send('POST', `${url}/${of}`, payload)
      expect([status, body.errors?.[0]?.instancePath]).toEqual([400, '/pipeline/processors/0/config/script'])
    },
  )

  test('a node that increases the expressions of its pipeline beyond the limit is refused', async () => {
    const first = await send('POST', `${url}/transform`, filter(25, [source]))
    expect(first.status).toBe(200)
    const second = await send('POST', `${url}/transform`, filter(25, [source]))
    expect([second.status, second.body.errors]).toEqual([
      400,
      [{ instancePath: '/user_config', message: expect.stringContaining(MANY_STATES) }],
    ])
    expect((await send('POST', `${url}/transform`, filter(24, [source]))).status).toBe(200)
    const replaced = await send('PUT', `${url}/transform/${first.data.id}`, filter(26, [source]))
    expect(replaced.status).toBe(400)
    expect((await simulate({ samples: [{ a: 'x' }], source })).status).toBe(200)
  })

  test('a draft that was saved above the limit is not simulated, previewed or published', async () => {
    const id = url.split('/').at(-1) as string
    const draft = installation.configuration.get(drafts, id)
    if (draft === undefined) throw new Error('there is no draft')
    const { inputs, user_config } = filter(60, [source])
    const dear = { id: 'dear', kind: 'transform' as const, type: 'filter', title: null, description: null }
    const nodes = [...draft.value.nodes, { ...dear, generation: 0, inputs, user_config }]
    await installation.configuration.append([replace(drafts, draft, { ...draft.value, nodes })], {
      subjectId: 'somebody',
      account: draft.value.account,
    })
    for (const [path, body] of [
      ['simulate', { samples: [{ a: 'x' }], source }],
      ['preview', {}],
      ['publish', undefined],
    ] as const) {
      const { status, text } = await send('POST', `${url}/${path}`, body)
      expect([path, status, text]).toEqual([path, 400, expect.stringContaining(MANY_STATES)])
    }
    const smaller = await send('PUT', `${url}/transform/dear`, filter(59, [source]))
    expect(smaller.status).toBe(200)
  })

  test.each([
    ['a list', (message: string) => `[${message}]`],
    ['a text', (message: string) => JSON.stringify(message)],
  ])('of %s shows keys in the sent order, and numbers unchanged', async (_what, samples) => {
    const message = '{"b":1,"7":1e400,"a":{"10":1,"9":12345678901234567890}}'.replace(
      '"a"',
      `"n":[${'9'.repeat(308)},${'9'.repeat(309)}],"a"`,
    )
    const { statusCode, body } = await installation.call({
      method: 'POST',
      url: `${url}/simulate`,
      headers: { 'content-type': 'application/json' },
      payload: `{"samples":${samples(message)}}`,
    })
    expect(statusCode).toBe(200)
    expect(body).toContain(`"message":${message}`)
  })

  test('shows for each node the events that left it, and the rules that dropped others', async () => {
    const { status, body, data } = await simulate({ samples: [{ n: 1 }, { n: 2 }] })
    expect(status).toBe(200)
    expect(body.meta).toMatchObject({ type: 'simulation', page: null })
    const timestamp = canonicalTimeOf({ epochMs: installation.clock.wallMs(), nanos: 0 })
    const event = (n: number) => ({ sample: n - 1, event: { message: { n }, metadata: {}, timestamp } })
    expect(data).toEqual({
      samples: 2,
      tried: 2,
      cut: false,
      nodes: [
        {
          id: source,
          kind: 'source',
          type: 'log-analysis-ingestion',
          title: 'lines',
          events_in: 2,
          events_out: 2,
          merged: 0,
          held: 0,
          dropped: [],
          failed: [],
          errors: [],
          outputs: [{ id: source, label: 'Default', connected: true, events: [event(1), event(2)] }],
        },
        {
          id: limit,
          kind: 'transform',
          type: 'throttle',
          title: null,
          events_in: 2,
          events_out: 1,
          merged: 0,
          held: 0,
          dropped: [
            {
              ...event(2),
              reason: {
                rule: 'the bucket is full',
                bucket: null,
                threshold: 1,
                window_ms: 1000,
                passed: [{ at: new Date(installation.clock.wallMs()).toISOString(), count: 1 }],
                free_from: new Date(installation.clock.wallMs() + 1000).toISOString(),
              },
            },
          ],
          failed: [],
          errors: [],
          outputs: [{ id: limit, label: 'Default', connected: true, events: [event(1)] }],
        },
        expect.objectContaining({
          id: sink,
          events_out: 1,
          merged: 0,
          held: 0,
          outputs: [{ id: sink, label: 'Sent', connected: true, events: [event(1)] }],
        }),
      ],
    })
  })

  test.each<[string, object, unknown[]]>([
    ['a list', { samples: [{ a: 1 }, 'x', null, [2]] }, [{ a: 1 }, 'x', null, [2]]],
    ['one JSON object', { samples: '{"a":1}' }, [{ a: 1 }]],
    ['a JSON list as text', { samples: ' [{"a":1},2]\n' }, [{ a: 1 }, 2]],
    ['NDJSON', { samples: '{"a":1}\n{"a":2}\n' }, [{ a: 1 }, { a: 2 }]],
    ['lines', { samples: 'door=7 open\r\n\ndoor=8\n' }, ['door=7 open', 'door=8']],
    ['a number and a word', { samples: '12 loaves' }, ['12 loaves']],
    ['JSON taken as lines', { samples: '{"a":1}', format: 'text' }, ['{"a":1}']],
    ['a list on a line of NDJSON', { samples: '[1]\n[2]', format: 'ndjson' }, [[1], [2]]],
    ['nothing', { samples: [] }, []],
    ['members beside a message', { samples: [{ message: 'm', other: 1 }] }, [{ message: 'm', other: 1 }]],
    ['a message alone', { samples: [{ message: 'm' }] }, [{ message: 'm' }]],
    ['a whole event', { samples: [{ message: 'm', metadata: { a: 1 } }] }, ['m']],
    ['large numbers', { samples: '{"n":12345678901234567890}' }, [12345678901234567000]],
  ])('accepts %s', async (_name, body, messages) => {
    const { status, data, text } = await simulate(body)
    expect(status).toBe(200)
    const entered = data.nodes[0].outputs[0].events.map(
      ({ event }: { event: { message: unknown } }) => event.message,
    )
    if (_name === 'large numbers') expect(text).toContain('{"n":12345678901234567890}')
    else expect(entered).toEqual(messages)
  })

  test.each<['json' | 'ndjson', (value: string) => string]>([
    ['json', value => value],
    ['ndjson', value => `{"a":1}\n${value}`],
  ])('of a text of %s names the bound that a value exceeds', async (format, text) => {
    const sentence = async (value: string) => {
      const { status, body } = await simulate({ samples: text(value), format })
      return status === 200 ? 'accepted' : body.errors[0]
    }
    const refused = (message: string) => ({
      instancePath: '/samples',
      message: `is not accepted: ${message}`,
    })
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(await sentence(nested(200))).toBe('accepted')
    for (const levels of [203, 5_000])
      expect(await sentence(nested(levels))).toEqual(refused('it is nested more than 202 levels deep'))
    const members = Array.from({ length: 100_001 }, (_, index) => `"${index}":0`).join(',')
    expect(await sentence(`{${members}}`)).toEqual(
      refused('it contains an object with more than 100000 members'),
    )
    const asText = await simulate({ samples: text(nested(203)), format: 'auto' })
    expect(asText.data.nodes[0].outputs[0].events.at(-1).event.message).toBe(nested(203))
  })

  test('accepts samples with 200 levels and 100,000 members, and no more', async () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    const wide = (members: number) =>
      Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, index]))
    for (const samples of [
      [nested(200)],
      [{ message: nested(200), metadata: { deep: nested(199) } }],
      JSON.stringify([{ message: nested(200), metadata: {} }]),
      [wide(100_000)],
      JSON.stringify({ message: wide(100_000), metadata: {} }),
    ]) {
      const { status, data } = await simulate({ samples })
      expect([status, data?.tried]).toEqual([200, 1])
    }
    const refused = async (samples: unknown) => {
      const { status, text } = await simulate({ samples })
      expect(status).toBe(400)
      return text
    }
    const sentence = 'must NOT be nested more than 200 levels deep'
    expect(await refused([nested(201)])).toContain(sentence)
    expect(await refused(JSON.stringify([nested(201)]))).toContain(sentence)
    expect(await refused([nested(210)])).toContain('it is nested more than 203 levels deep')
    expect(await refused([wide(100_001)])).toContain(
      'The body is not accepted: it contains an object with more than 100000 members',
    )
  })

  test('shows the time from a field, in the year of the sample, as after a publication', async () => {
    const parsers = [{ field: '.at', options: { format: 'Custom', custom_format: '%b %d %T%.f' } }]
    const time = await add('transform', { type: 'set-timestamp', inputs: [limit], user_config: { parsers } })
    await send('PUT', `${url}/sink/${sink}`, { type: 'log-analysis', inputs: [time] })
    const { data } = await simulate({
      samples: [
        { message: { at: 'Dec 31 23:59:59.000000001' }, at: Date.UTC(2031, 0, 1) },
        { message: { at: 'noon' }, at: Date.UTC(2031, 0, 2) },
      ],
    })
    const timed = data.nodes.find(({ id }: { id: string }) => id === time)
    const left = timed.outputs[0].events.map(({ event }: { event: { timestamp: string } }) => event.timestamp)
    expect(left).toEqual([
      '2030-12-31T23:59:59.000000001Z',
      canonicalTimeOf({ epochMs: installation.clock.wallMs(), nanos: 0 }),
    ])
    expect(timed.errors).toMatchObject([{ sample: 1, code: 'E_PARSE_FAILED', field: '.at' }])
    expect((await send('POST', `${url}/publish`)).status).toBe(200)
  })

  test('uses time and source of the sample', async () => {
    const second = await add('source', { type: 'log-analysis-ingestion' })
    await send('PUT', `${url}/transform/${limit}`, throttle(1, [source, second]))
    const at = Date.UTC(2031, 0, 1)
    const { data } = await simulate({
      source,
      samples: [
        { message: 1, at },
        { message: 2, at: at + 999, source: second },
        { message: 3, timestamp: new Date(at + 1000).toISOString() },
        { message: 4, timestamp: '1999-01-01T01:00:00.0000000019+01:00', at: at + 2000 },
        { message: 5, annotations: { app: 'gate' }, at: at + 3000 },
      ],
    })
    const [, { outputs }] = data.nodes
    expect(outputs[0].events.map(({ event }: { event: object }) => event)).toEqual([
      { message: 1, metadata: {}, timestamp: expect.any(String) },
      { message: 3, metadata: {}, timestamp: '2031-01-01T00:00:01Z' },
      { message: 4, metadata: {}, timestamp: '1999-01-01T00:00:00.000000001Z' },
      { message: 5, metadata: {}, timestamp: expect.any(String), annotations: { app: 'gate' } },
    ])
    expect(data.nodes[3].outputs[0].events).toHaveLength(1)
  })

  test('runs on the edited nodes, or on a revision', async () => {
    await send('POST', `${url}/publish`)
    await send('PUT', `${url}/transform/${limit}`, throttle(2, [source]))
    const passed = async (query: string) =>
      (await simulate({ samples: [1, 2, 3] }, query)).data.nodes[2].events_out
    expect(await passed('')).toBe(2)
    expect(await passed('?revision=1')).toBe(1)
    expect((await simulate({ samples: [] }, '?revision=2')).status).toBe(404)
    expect((await send('GET', url)).data.has_changes).toBe(true)
  })

  test('changes nothing', async () => {
    const lines = await installation.log.topic('weir.ingest', 2)
    const state = async () => [
      (await send('GET', url)).data,
      await lines.bounds(0),
      await lines.bounds(1),
      await (await installation.log.topic('weir.config', 1)).bounds(0),
    ]
    const before = await state()
    await simulate({ samples: [1, 2, 3] })
    expect(await state()).toEqual(before)
  })

  test('runs on a pipeline that comes with the samples, and stores nothing of it', async () => {
    const pipeline = {
      weir: 'pipeline/1',
      title: 'P',
      sources: [
        { name: 'lines', type: 'log-analysis-ingestion' },
        { name: 'more', type: 'log-analysis-ingestion' },
      ],
      processors: [
        { name: 'limit', type: 'throttle', inputs: ['lines'], config: { threshold: 1, window_ms: 1000 } },
      ],
      destinations: [{ name: 'out', type: 'blackhole', inputs: ['limit', 'more'] }],
    }
    const before = (await send('GET', '/v3/pipeline')).data
    const { status, data } = await send('POST', '/v3/pipeline/simulate', {
      pipeline,
      source: 'lines',
      samples: [1, 2, { message: 3, source: 'more' }],
    })
    expect(status).toBe(200)
    expect(
      data.nodes.map(({ name, events_in: events }: { name: string; events_in: number }) => [name, events]),
    ).toEqual([
      ['lines', 2],
      ['more', 1],
      ['limit', 2],
      ['out', 2],
    ])
    expect((await send('GET', '/v3/pipeline')).data).toEqual(before)
    const wrong = structuredClone(pipeline)
    Object.assign(wrong.processors[0] as object, { config: { threshold: 0 }, inputs: ['nowhere'] })
    const refused = await send('POST', '/v3/pipeline/simulate', { pipeline: wrong, samples: [] })
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map(({ instancePath }: { instancePath: string }) => instancePath)).toEqual(
      expect.arrayContaining(['/pipeline/processors/0/config/threshold', '/pipeline/processors/0/inputs/0']),
    )
    const unnamed = await send('POST', '/v3/pipeline/simulate', { pipeline, samples: [1] })
    expect(unnamed.body.errors).toEqual([
      { instancePath: '/samples/0/source', message: 'must name a source: the pipeline has lines, more' },
    ])
  })

  test.each<[string, object, string]>([
    ['no samples', {}, ''],
    ['samples that are a number', { samples: 5 }, '/samples'],
    ['more than 1,000', { samples: Array(1001).fill(1) }, '/samples'],
    ['text that is no JSON', { samples: 'x', format: 'json' }, '/samples'],
    ['lines that are no JSON', { samples: '{"a":1}\nnope', format: 'ndjson' }, '/samples'],
    ['a source that is none', { samples: [1], source: 'nowhere' }, '/source'],
    ['a sample of a source that is none', { samples: [{ message: 1, source: 'no' }] }, '/samples/0/source'],
    ['a time that is none', { samples: [{ message: 1, at: 'noon' }] }, '/samples/0/at'],
    ['a timestamp that is none', { samples: [{ message: 1, timestamp: 5 }] }, '/samples/0/timestamp'],
    ['a time beyond all times', { samples: [{ message: 1, at: 1e300 }] }, '/samples/0/at'],
    ['metadata that are a list', { samples: [{ message: 1, metadata: [] }] }, '/samples/0/metadata'],
    ['annotations that are a list', { samples: [{ message: 1, annotations: [] }] }, '/samples/0/annotations'],
    ['a member nobody knows', { samples: [], more: 1 }, ''],
  ])('with %s is refused', async (_name, body, pointer) => {
    const { status, body: answer } = await simulate(body)
    expect([status, answer.errors[0].instancePath]).toEqual([400, pointer])
  })

  test('with an unknown source is refused once, together with samples that name another one', async () => {
    const samples = [1, 2, { message: 3, source: 'elsewhere' }, { message: 4, source }]
    const { status, body } = await simulate({ samples, source: 'nowhere' })
    const message = `must be a source: the pipeline has ${source}`
    expect([status, body.errors]).toEqual([
      400,
      [
        { instancePath: '/source', message },
        { instancePath: '/samples/2/source', message },
      ],
    ])
  })

  test('needs a source if there are several, and nodes that this version runs', async () => {
    const second = await add('source', { type: 'log-analysis-ingestion' })
    const { body } = await simulate({ samples: [1] })
    expect(body.errors).toEqual([
      {
        instancePath: '/samples/0/source',
        message: `must name a source: the pipeline has ${source}, ${second}`,
      },
    ])
    const id = await add('transform', { type: 'declared-processor', inputs: [source] })
    const { status, body: refused } = await simulate({ samples: [1], source })
    expect([status, refused.errors[0].instancePath]).toEqual([400, `/node/${id}/type`])
  })
})

test('a sample whose expressions cost too much ends a simulation with a message', async () => {
  const value = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'
  const conditional = { expressions: [{ field: '.line', str_operator: 'regex_match', value }] }
  const filter = { type: 'filter', inputs: [source], user_config: { action: 'drop', conditional } }
  await add('transform', filter)
  const { status, data } = await simulate({
    samples: [{ line: 'abcd0123'.repeat(2_000) }, { line: 'short' }],
  })
  expect([status, data.tried]).toEqual([200, 1])
  expect(data.ended).toMatch(/^The expressions took more work on one event than is free/)
})
