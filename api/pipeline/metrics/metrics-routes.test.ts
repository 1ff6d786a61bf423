import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NODE_COUNTS } from '../../../engine/store/node-metrics.ts'
import { HOUR_MS, MINUTE_MS } from '../../../engine/times/duration.ts'
import type { PipelineMetrics } from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { type PlacedRow, rowSearches } from '../../../test/support/row-searches.ts'
import {
  EMPTY_STORE,
  type TestInstallation,
  testInstallation,
} from '../../../test/support/test-installation.ts'
import { MAX_ROWS, mostIntervals, mostPoints } from './answer-size.ts'
import { OutputsOfRevisions } from './edges.ts'

let weir: TestInstallation
let rows: PlacedRow[]
let pipeline: string
/** Ids of the nodes by name; `named` is the name of the output for errors. */
let ids: Record<string, string>

beforeEach(async () => {
  rows = []
  const store = { ...EMPTY_STORE, ...rowSearches(table => (table === 'node_metrics' ? rows : [])) }
  weir = await testInstallation({ store })
  pipeline = (await created('/v3/pipeline', { title: 'p' })).id as string
  ids = await publishRoute()
})
afterEach(() => weir.app.close())

async function created(url: string, payload: object): Promise<Record<string, unknown>> {
  const answer = await weir.call({ method: 'POST', url, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

/** ingest → route: errors to one destination, the others to two */
async function publishRoute(): Promise<Record<string, string>> {
  const url = `/v3/pipeline/${pipeline}`
  const add = (kind: string, payload: object) => created(`${url}/${kind}`, payload)
  const { id: source } = await add('source', { type: 'log-analysis-ingestion' })
  const conditional = { expressions: [{ field: '.level', str_operator: 'equal', value: 'error' }] }
  const user_config = { conditionals: [{ label: 'errors', conditional }] }
  const route = await add('transform', { type: 'route', inputs: [source], user_config })
  const { conditionals } = route.user_config as { conditionals: [{ _output_name: string }] }
  const named = conditionals[0]._output_name
  const sink = async (output: string) =>
    (await add('sink', { type: 'blackhole', inputs: [`${route.id}.${output}`] })).id
  const [errors, rest, second] = [await sink(named), await sink('_unmatched'), await sink('_unmatched')]
  await created(`${url}/publish`, {})
  return { source, route: route.id, errors, rest, second, named } as Record<string, string>
}

/** A row of a node in the given minute before now. */
function count(node: string, minutesAgo: number, counts: Record<string, number>, output?: string): void {
  const none = Object.fromEntries(NODE_COUNTS.map(name => [name, 0]))
  const { accountId } = weir.credentials
  rows.push({
    ...{ account: accountId, pipeline, node, ...(output !== undefined && { output }) },
    ...{ t: BigInt(minuteOf(weir.clock.wallMs()) - minutesAgo * MINUTE_MS), ...none, ...counts },
  } as unknown as PlacedRow)
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS
}

const get = async (query = '', of = `/${pipeline}`) => {
  const answer = await weir.call({ url: `/v3/pipeline${of}/metrics${query}` })
  return { status: answer.statusCode, ...answer.json() }
}

describe('counts of a pipeline', () => {
  test('are those of its nodes and edges, in minutes of the last hour', async () => {
    count(ids.source as string, 2, { events_in: 9, events_out: 9, bytes_out: 90 })
    count(ids.route as string, 2, { events_in: 9, dropped: 1 })
    count(ids.route as string, 2, { events_out: 4, bytes_out: 40 }, ids.named)
    count(ids.route as string, 2, { events_out: 8, bytes_out: 80, copied: 4 }, '_unmatched')
    count(ids.route as string, 1, { events_out: 2 }, '_unmatched')
    count('elsewhere', 90, { events_in: 1 })
    const { data } = await get()
    const nowMs = weir.clock.wallMs()
    expect(data).toMatchObject({
      pipeline_id: pipeline,
      interval_ms: MINUTE_MS,
      revision_id: expect.any(String),
    })
    expect([data.starts[0], data.starts.length]).toEqual([data.from, 60])
    expect(data.to - data.from).toBe(HOUR_MS)
    const at = data.starts.indexOf(minuteOf(nowMs) - 2 * MINUTE_MS)
    const both = (series: readonly number[]) => series.slice(at, at + 2)
    const [route] = data.nodes.filter(({ node }: { node: string }) => node === ids.route)
    expect(data.nodes).toHaveLength(2)
    expect([route.events_in, route.events_out, route.dropped].map(both)).toEqual([
      [9, 0],
      [12, 2],
      [1, 0],
    ])
    const { edges: given } = data as PipelineMetrics
    const edges = given.map(({ output, node, events, bytes }) => [output, node, both(events), both(bytes)])
    expect(edges.toSorted()).toEqual(
      [
        [ids.source, ids.route, [9, 0], [90, 0]],
        [`${ids.route}.${ids.named}`, ids.errors, [4, 0], [40, 0]],
        [`${ids.route}._unmatched`, ids.rest, [4, 1], [40, 0]],
        [`${ids.route}._unmatched`, ids.second, [4, 1], [40, 0]],
      ].toSorted(),
    )
    const sum = (series: readonly number[]) => series.reduce((all, each) => all + each, 0)
    expect(sum(route.events_out)).toBe(14)
  })

  test('are summed over longer intervals', async () => {
    const from = weir.clock.wallMs() - 10 * MINUTE_MS
    for (const minute of [1, 2, 3, 4]) count(ids.source as string, minute, { events_in: minute })
    const { data } = await get(`?from=${from}&interval_s=660`)
    expect([data.starts, data.nodes[0].events_in]).toEqual([[minuteOf(from)], [10]])
  })

  test('of a pipeline that never ran have no edges', async () => {
    const { id } = await created('/v3/pipeline', { title: 'q' })
    expect((await get('', `/${id}`)).data).toMatchObject({ revision_id: null, nodes: [], edges: [] })
  })

  test.each([
    ['from=x', 'from'],
    ['from=20&to=10', 'from'],
    ['interval_s=59', 'interval_s'],
    ['interval_s=90', 'interval_s'],
    ['from=1', 'interval_s'],
    ['limit=1', 'limit'],
  ])('with %s are refused, and the parameter is named', async (query, name) => {
    const { status, errors } = await get(`?${query}`)
    expect([status, errors[0].instancePath]).toEqual([400, `/${name}`])
  })

  test('of an unknown pipeline, or of another account, are not found', async () => {
    await weir.account('0123456789')
    const authorization = `Token ${await weir.token({ account: '0123456789' })}`
    const url = `/v3/pipeline/${pipeline}/metrics`
    expect((await weir.call({ url, headers: { authorization } })).statusCode).toBe(404)
    expect((await get('', '/00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })
})

describe('counts of a large pipeline stopped all other requests for seconds, with an answer of a hundred megabytes', () => {
  const nodes = Array.from({ length: 900 }, (_, index) => ({ id: `n${index}` })) as unknown as NodeDocument[]
  const readers = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const outputs = nodes.map(({ id }) => ({ node: id, name: '', id, readers }))

  test('its answer has fewer intervals', () => {
    const most = mostIntervals(nodes, outputs)
    expect(most * (900 * NODE_COUNTS.length + 18_000 * 2)).toBeLessThan(400_000)
    expect([mostIntervals(nodes.slice(0, 5), outputs.slice(0, 5)), mostPoints(100)]).toEqual([1_440, 60])
    expect(mostPoints(1_000_000)).toBe(1)
  })

  test('more counts than fit are not read', async () => {
    for (let index = 0; index <= MAX_ROWS; index++) count(`n${index}`, 2, { events_in: 1 })
    expect((await get()).status).toBe(503)
    expect((await get('', '')).status).toBe(503)
  })

  test('the outputs of a revision are looked for once', () => {
    let asked = 0
    const outputsOf = ({ id }: NodeDocument) => {
      asked++
      return [{ id, label: '' }]
    }
    const document = [
      { id: 'a', inputs: [] },
      { id: 'b', inputs: ['a', 'a'] },
    ] as unknown as NodeDocument[]
    const known = new OutputsOfRevisions({ outputsOf })
    expect(known.of(document)).toEqual([{ node: 'a', name: '', id: 'a', readers: ['b'] }])
    expect(known.of(document)).toBe(known.of(document))
    expect(asked).toBe(2)
  })
})

describe('counts of all pipelines', () => {
  test('are what came in and went out, with sixty points', async () => {
    const { id: idle } = await created('/v3/pipeline', { title: 'q' })
    count(ids.source as string, 3, { events_in: 9, bytes_in: 90, events_out: 9 })
    count(ids.route as string, 3, { events_in: 9, dropped: 1 })
    count(ids.rest as string, 2, { events_in: 5, events_out: 4, bytes_out: 40, failed: 1 })
    const { data } = await get(`?from=${weir.clock.wallMs() - 2 * HOUR_MS}`, '')
    expect(data.starts.length).toBeLessThanOrEqual(60)
    expect((await get('', '')).data).toMatchObject({ interval_ms: MINUTE_MS, starts: { length: 60 } })
    const totals = { events_in: 9, bytes_in: 90, events_out: 4, bytes_out: 40, dropped: 1, failed: 1 }
    const [busy, other] = data.pipelines
    expect(busy).toMatchObject({ pipeline_id: pipeline, ...totals })
    expect(other).toMatchObject({ pipeline_id: idle, events_in: 0, events_out: 0 })
    const sum = (series: readonly number[]) => series.reduce((all, each) => all + each, 0)
    expect([busy.in, busy.out].map(sum)).toEqual([9, 4])
    expect([busy.in, busy.out, other.in].map(({ length }) => length)).toEqual(
      Array(3).fill(data.starts.length),
    )
  })

  test.each(['interval_s=60', 'from=x'])('with %s are refused', async query => {
    expect((await get(`?${query}`, '')).status).toBe(400)
  })
})
