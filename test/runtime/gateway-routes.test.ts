import { expect, test } from 'vitest'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { controlType } from '../../schemas/log/control.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { pushedValue, SAMPLE_ROUTE } from '../support/line-batches.ts'
import {
  exclusion,
  expectConservation,
  newWorld,
  node,
  passSecond,
  SOURCE,
  type World,
} from '../support/world.ts'

const OTHER_ROUTE = '00000000-0000-4000-8000-000000000001'

/** A source of a route, and a destination whose lines say which pipeline it was. */
function reading(route: string, app: string, between: readonly NodeDocument[] = []): NodeDocument[] {
  return [
    { ...node('source', 'pushed', 'http'), gateway_route_id: route },
    ...between,
    node('sink', 'store', 'log-analysis', [between.at(-1)?.id ?? 'pushed'], {
      message: { scheme: 'Explicit field selection', app },
    }),
  ]
}

async function push(world: World, messages: readonly JsonValue[], route = SAMPLE_ROUTE): Promise<void> {
  const value = pushedValue([{ metadata: { headers: { a: 'b' } }, messages }], route)
  await world.ingest.append(world.partition, { value, producer: null, priority: 'ingest' })
}

const stored = (world: World) => world.store.rows('lines').map(({ line, app }) => `${app} ${line}`)

const dropped = (world: World) =>
  Object.fromEntries(
    world.store
      .rows('node_metrics')
      .filter(row => Number(row.dropped) > 0)
      .map(row => [`${row.pipeline}/${row.node}`, Number(row.dropped)]),
  )

test('events of a route enter every deployed pipeline with a source of it, and no other graph', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'one'), 1, 'p-1')
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'two'), 1, 'p-2')
  world.configuration.deploy(reading(OTHER_ROUTE, 'other'), 1, 'p-3')
  world.configuration.deploy(
    [
      SOURCE,
      node('sink', 'store', 'log-analysis', ['source'], { message: { scheme: 'Message pass-through' } }),
    ],
    1,
    'p-4',
  )
  await passSecond(world, worker)
  await push(world, [{ a: 1 }, 'text'])
  await passSecond(world, worker)
  expect(stored(world)).toEqual(['one {"a":1}', 'one text', 'two {"a":1}', 'two text'])
  const counts = [...worker.nodeTotals].filter(({ node: id }) => id === 'pushed')
  expect(counts.map(({ pipeline, activity }) => [pipeline, activity.eventsIn, activity.bytesIn])).toEqual([
    ['p-1', 2, 11],
    ['p-2', 2, 11],
  ])
  expectConservation()
})

test('events without a reading pipeline are counted, and so are those for a paused one', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await push(world, ['before'])
  await passSecond(world, worker)
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'one'), 1, 'p-1')
  world.configuration.deploy([SOURCE, node('sink', 'out', 'blackhole', ['source'])], 1, 'p-2', true)
  await passSecond(world, worker)
  await push(world, ['now'])
  await passSecond(world, worker)
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'one'), 2, 'p-1', true)
  await passSecond(world, worker)
  await push(world, ['paused', 'paused too'])
  await passSecond(world, worker)
  world.clock.advance(61_000)
  await push(world, ['still'])
  await passSecond(world, worker)
  world.clock.advance(61_000)
  await passSecond(world, worker)
  expect(stored(world)).toEqual(['one now'])
  expect(dropped(world)).toMatchObject({ [`/gateway-route-${SAMPLE_ROUTE}`]: 1 })
  const ofPaused = world.store.rows('node_metrics').filter(row => row.node === 'paused')
  expect(ofPaused.reduce((sum, row) => sum + Number(row.dropped), 0)).toBe(3)
  expect(ofPaused.every(row => row.pipeline === 'p-1')).toBe(true)
  expectConservation()
})

test('a worker that starts in between gives the same result as one that did not', async () => {
  const run = async (restarts: boolean) => {
    const world = await newWorld()
    let worker = await world.worker()
    const gather = node('transform', 'gather', 'reduce', ['pushed'], {
      duration_ms: 10_000,
      merge_strategies: [{ field: '.number', strategy: 'array' }],
    })
    world.configuration.deploy(reading(SAMPLE_ROUTE, 'one', [gather]))
    await passSecond(world, worker)
    for (let number = 0; number < 6; number++) {
      await push(world, [{ number }, { number: number * 10 }])
      await passSecond(world, worker)
      if (!restarts || number % 2 === 0) continue
      if (number === 3) await world.clock.advanceUntil(worker.finish())
      else worker.close()
      worker = await world.worker()
    }
    for (let second = 0; second < 12; second++) await passSecond(world, worker)
    return world.store.rows('lines').map(({ line }) => line)
  }
  const found = await run(true)
  expect(found).toEqual(['{"number":[0,0,1,10,2,20,3,30,4,40,5,50]}'])
  expect(found).toEqual(await run(false))
})

test('a refused request is an error of each source that would have received it, and not an event', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'one'), 1, 'p-1')
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'two'), 1, 'p-2', true)
  world.configuration.deploy(reading(OTHER_ROUTE, 'three'), 1, 'p-3')
  await passSecond(world, worker)
  const refusal = {
    code: 'E_EVENT_NOT_NDJSON',
    field: '2',
    message: 'Line 2 of the body is not one JSON text',
  }
  const value = pushedValue([{ messages: ['{"a":1}\nnope'], refusal }, { messages: ['taken'] }])
  await world.ingest.append(world.partition, { value, producer: null, priority: 'ingest' })
  await passSecond(world, worker)
  world.clock.advance(61_000)
  await passSecond(world, worker)
  await passSecond(world, worker)
  expect(stored(world)).toEqual(['one taken'])
  expect(world.store.rows('pipeline_errors')).toMatchObject([
    {
      pipeline: 'p-1',
      node: 'pushed',
      node_kind: 'source',
      ...refusal,
      captured: '{"a":1}\nnope',
    },
  ])
  const [source] = [...worker.nodeTotals].filter(each => each.node === 'pushed')
  expect([source?.activity.eventsIn, source?.errors.get('E_EVENT_NOT_NDJSON')]).toEqual([1, 1])
  expectConservation()
})

test('rules on lines act when an event becomes a line, not when it arrives', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.rule(1, {
    exclusions: [
      exclusion('1111111111', { query: 'secret', entirely: true }),
      exclusion('2222222222', { apps: ['two'] }),
    ],
  })
  world.configuration.deploy(
    [...reading(SAMPLE_ROUTE, 'one'), node('sink', 'out', 'blackhole', ['pushed'])],
    1,
    'p-1',
  )
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'two'), 1, 'p-2')
  await passSecond(world, worker)
  await push(world, ['secret', 'open'])
  await passSecond(world, worker)
  expect(stored(world)).toEqual(['one open'])
  const [out] = [...worker.nodeTotals].filter(({ node: id }) => id === 'out')
  expect(out?.activity.eventsIn).toBe(2)
  expectConservation()
})

test('the cut stops a program that does not know gateway routes', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy([SOURCE, node('sink', 'out', 'blackhole', ['source'])], 1, 'p-1')
  world.configuration.deploy(reading(SAMPLE_ROUTE, 'one'), 1, 'p-2')
  await passSecond(world, worker)
  const records = await world.ingest.read(world.partition, 0n, Number.MAX_SAFE_INTEGER)
  const behaviours = records.flatMap(({ value }) => {
    if (schemaIdOf(value) !== controlType.id) return []
    const { behaviour, body } = controlType.decode(value)
    return 'weir.Cut' in body && body['weir.Cut'].kind === 'pipeline' ? [behaviour] : []
  })
  expect(behaviours).toEqual([1, 4])
})

test('a batch of a gateway route is recognised by its route alone', () => {
  const batch = LineBatchView.decode(pushedValue([{ messages: [1] }]))
  expect([batch.isPushed, batch.entrance, batch.metadataText(0)]).toEqual([true, SAMPLE_ROUTE, ''])
})
