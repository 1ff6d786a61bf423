import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import {
  expectConservation,
  newWorld,
  node,
  passSecond,
  SOURCE,
  settle,
  type World,
} from '../support/world.ts'

type Node = ReturnType<typeof node>

const gather = (options = {}, inputs = ['source']) =>
  node('transform', 'gather', 'reduce', inputs, {
    duration_ms: 10_000,
    group_by: ['.app'],
    merge_strategies: [{ field: '.line', strategy: 'concat' }],
    ...options,
  })
const STORE = node('sink', 'store', 'log-analysis', ['gather'])
const NODES = [SOURCE, gather(), STORE]

/** Lines as they are stored, with the positions that their ids are made of. */
const stored = ({ store }: World) =>
  store.rows('lines').map(({ line, app, host }) => `${app} ${host} ${line}`)
const positions = ({ store }: World) => store.rows('lines').map(({ offset, row }) => `${offset}/${row}`)

async function append(world: World, ...lines: readonly string[]): Promise<void> {
  await world.append(
    lines.map(text => {
      const [app = '', line = ''] = text.split(' ')
      return { app, line }
    }),
  )
}

describe('the result of a window', () => {
  test('leaves when its time is over, even without further lines', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(NODES)
    await passSecond(world, worker)
    await append(world, 'a one', 'b two', 'a three')
    await passSecond(world, worker)
    expect(stored(world)).toEqual([])
    for (let second = 0; second < 12; second++) await passSecond(world, worker)
    expect(stored(world)).toEqual(['a web-1 one three', 'b web-1 two'])
    expectConservation()
  })

  test('is the same, with the same ids, after a kill in between', async () => {
    const worlds = await Promise.all([newWorld(), newWorld()])
    for (const [index, world] of worlds.entries()) {
      let worker = await world.worker()
      world.configuration.deploy(NODES)
      await passSecond(world, worker)
      for (let second = 0; second < 15; second++) {
        await append(world, `a ${second}`, `b ${second}`)
        await passSecond(world, worker)
        if (index === 1 && second % 4 === 2) worker = await world.worker()
      }
      for (let second = 0; second < 12; second++) await passSecond(world, worker)
    }
    const [plain, killed] = worlds as [World, World]
    expect(stored(plain)).toHaveLength(4)
    expect(stored(killed)).toEqual(stored(plain))
    expect(positions(killed).map(position => position.split('/')[1])).toEqual(
      positions(plain).map(position => position.split('/')[1]),
    )
    expectConservation()
  })

  test.each([
    ['the pipeline goes', undefined],
    ['its node goes', [SOURCE, node('sink', 'store', 'log-analysis', ['source'])]],
    ['another rule merges from now on', [SOURCE, gather({ group_by: [] }), STORE]],
  ])('leaves by the revision that collected it when %s', async (_when, nodes) => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(NODES)
    await passSecond(world, worker)
    await append(world, 'a one', 'a two')
    await passSecond(world, worker)
    if (nodes === undefined)
      world.configuration.set({ kind: 'pipeline', entity: 'pipeline-1', version: 2, payload: '' })
    else world.configuration.deploy(nodes, 2)
    await passSecond(world, worker)
    await passSecond(world, worker)
    expect(stored(world)).toEqual(['a web-1 one two'])
    const gathered = world.store.rows('node_metrics').filter(row => row.node === 'gather')
    expect(gathered.reduce((sum, { held }) => sum + Number(held), 0)).toBe(0)
    expectConservation()
  })

  test('continues in a revision that merges by the same rules', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(NODES)
    await passSecond(world, worker)
    await append(world, 'a one')
    await passSecond(world, worker)
    world.configuration.deploy([SOURCE, gather({ max_events: 2 }), STORE], 2)
    await passSecond(world, worker)
    await append(world, 'a two')
    await passSecond(world, worker)
    expect(stored(world)).toEqual(['a web-1 one two'])
    expectConservation()
  })

  describe('after the account was on many partitions', () => {
    const gathered = (world: World) => {
      const payload = JSON.stringify({ isSpread: false })
      world.configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload })
    }

    test.each([
      ['the pipeline goes', undefined],
      ['its node goes', [SOURCE, node('sink', 'store', 'log-analysis', ['source'])]],
    ])('leaves at the cut when %s', async (_when, nodes) => {
      const world = await newWorld()
      const worker = await world.worker()
      gathered(world)
      world.configuration.deploy(NODES)
      await passSecond(world, worker)
      await append(world, 'a one', 'a two')
      await passSecond(world, worker)
      if (nodes === undefined)
        world.configuration.set({ kind: 'pipeline', entity: 'pipeline-1', version: 2, payload: '' })
      else world.configuration.deploy(nodes, 2)
      await passSecond(world, worker)
      await passSecond(world, worker)
      expect(stored(world)).toEqual(['a web-1 one two'])
      world.clock.advance(120_000)
      await settle(worker)
      await passSecond(world, worker)
      const held = world.store.rows('node_metrics').filter(row => row.node === 'gather')
      expect(held.reduce((sum, row) => sum + Number(row.events_in), 0)).toBe(2)
      expect(held.reduce((sum, row) => sum + Number(row.held), 0)).toBe(0)
      expectConservation()
    })

    test('waits while the pipeline is paused', async () => {
      const world = await newWorld()
      const worker = await world.worker()
      gathered(world)
      world.configuration.deploy(NODES)
      await passSecond(world, worker)
      await append(world, 'a one')
      await passSecond(world, worker)
      world.configuration.deploy(NODES, 2, 'pipeline-1', true)
      for (let second = 0; second < 15; second++) await passSecond(world, worker)
      expect(stored(world)).toEqual([])
      world.configuration.deploy(NODES, 3)
      await passSecond(world, worker)
      await passSecond(world, worker)
      expect(stored(world)).toEqual(['a web-1 one'])
      expectConservation()
    })
  })

  test('waits while the pipeline is paused, and needs no ticks', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(NODES)
    await passSecond(world, worker)
    await append(world, 'a one')
    await passSecond(world, worker)
    world.configuration.deploy(NODES, 2, 'pipeline-1', true)
    await passSecond(world, worker)
    world.clock.advance(120_000)
    await settle(worker)
    world.clock.advance(120_000)
    await settle(worker)
    const { next } = await world.ingest.bounds(world.partition)
    for (let turn = 0; turn < 10; turn++) {
      world.clock.advance(20_000)
      await settle(worker)
    }
    expect((await world.ingest.bounds(world.partition)).next).toBe(next)
    expect(stored(world)).toEqual([])
    world.configuration.deploy(NODES, 3)
    await passSecond(world, worker)
    await passSecond(world, worker)
    expect(stored(world)).toEqual(['a web-1 one'])
    expectConservation()
  })

  test('equals the sent event byte for byte if no other event was merged into it', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy([
      SOURCE,
      gather({ max_events: 1, merge_strategies: [{ field: '.x', strategy: 'sum' }] }),
      STORE,
    ])
    await passSecond(world, worker)
    await world.append([{ line: '{"b":1,  "a":2}', app: 'a' }])
    await passSecond(world, worker)
    expect(world.storedLines()).toEqual(['{"b":1,  "a":2}'])
    expectConservation()
  })
})

describe('spans of traces', () => {
  const SAMPLED = [
    SOURCE,
    node('transform', 'sample', 'trace-sampling', ['source'], {
      sample_type: 'tail',
      trace_id_field: '.app',
      parent_span_id_field: '.level',
      conditionals: [
        {
          rate: 1,
          conditional: { expressions: [{ field: '.line', str_operator: 'contains', value: 'keep' }] },
        },
      ],
    }),
    node('sink', 'store', 'log-analysis', ['sample']),
  ]
  const child = (app: string, line: string) => ({ app, line, level: 'CHILD' })
  const sumsOf = (world: World) => {
    const rows = world.store.rows('node_metrics').filter(row => row.node === 'sample')
    const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0)
    return { in: sum('events_in'), out: sum('events_out'), dropped: sum('dropped'), held: sum('held') }
  }

  test('leave behind their root, or are dropped with it, also after a kill in between', async () => {
    const worlds = await Promise.all([newWorld(), newWorld()])
    for (const [index, world] of worlds.entries()) {
      let worker = await world.worker()
      world.configuration.deploy(SAMPLED)
      await passSecond(world, worker)
      await world.append([child('a', 'one'), child('b', 'two')])
      await passSecond(world, worker)
      if (index === 1) worker = await world.worker()
      await world.append([child('a', 'three'), { app: 'b', line: 'drop' }])
      await passSecond(world, worker)
      expect([...worker.nodeHoldings()].map(({ node: id, held }) => [id, held])).toEqual([['sample', 2]])
      if (index === 1) worker = await world.worker()
      await world.append([{ app: 'a', line: 'keep' }, child('b', 'late'), child('a', 'late')])
      await passSecond(world, worker)
      world.clock.advance(61_000)
      await passSecond(world, worker)
      await passSecond(world, worker)
      expect(world.storedLines()).toEqual(['keep', 'one', 'three', 'late'])
      expect(sumsOf(world)).toEqual({ in: 7, out: 4, dropped: 3, held: 0 })
    }
    const [plain, killed] = worlds as [World, World]
    expect(positions(killed)).toHaveLength(positions(plain).length)
    expectConservation()
  })

  test('are dropped when their root does not come in time, even without further lines, with one error per trace', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(SAMPLED)
    await passSecond(world, worker)
    await world.append([child('a', 'one'), child('a', 'two'), child('b', 'three')])
    await passSecond(world, worker)
    for (const { held } of worker.nodeHoldings()) expect(held).toBe(3)
    for (let minute = 0; minute < 7; minute++) {
      world.clock.advance(60_000)
      await passSecond(world, worker)
    }
    for (const { held } of worker.nodeHoldings()) expect(held).toBe(0)
    expect(world.storedLines()).toEqual([])
    expect(sumsOf(world)).toEqual({ in: 3, out: 0, dropped: 3, held: 0 })
    const errors = world.store.rows('pipeline_errors').map(({ code, count }) => [code, Number(count)])
    expect(errors).toEqual([['E_TRACE_NO_ROOT', 2]])
    expectConservation()
  })

  test('that wait end at the cut when their node goes', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(SAMPLED)
    await passSecond(world, worker)
    await world.append([child('a', 'one')])
    await passSecond(world, worker)
    world.configuration.deploy([SOURCE, node('sink', 'store', 'log-analysis', ['source'])], 2)
    await passSecond(world, worker)
    world.clock.advance(61_000)
    await passSecond(world, worker)
    await passSecond(world, worker)
    expect(world.storedLines()).toEqual([])
    expect(sumsOf(world)).toEqual({ in: 1, out: 0, dropped: 1, held: 0 })
    expectConservation()
  })
})

describe('aggregates of lines', () => {
  const AGGREGATED = (window: JsonObject) => [
    SOURCE,
    node('transform', 'sum', 'aggregate', ['source'], {
      window,
      evaluate: {
        operation: 'CUSTOM',
        script: "function f(total, event) { total.line = total.line + ' ' + event.line\n return total }",
      },
      group_by: ['.app'],
      // No line has this member, so the time of each is that of the log.
      event_timestamp: '.at',
    }),
    node('sink', 'store', 'log-analysis', ['sum']),
  ]
  const sumsOf = (world: World) => {
    const rows = world.store.rows('node_metrics').filter(row => row.node === 'sum')
    const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0)
    return ['events_in', 'copied', 'events_out', 'merged', 'held'].map(sum)
  }

  test('leave when the time of their window is over, the same after a kill in between', async () => {
    const worlds = await Promise.all([newWorld(), newWorld()])
    for (const [index, world] of worlds.entries()) {
      let worker = await world.worker()
      world.configuration.deploy(AGGREGATED({ type: 'tumbling', interval: 10 }))
      await passSecond(world, worker)
      for (let second = 0; second < 25; second++) {
        await append(world, `a ${second}`, `b ${second}`)
        await passSecond(world, worker)
        if (index === 1 && second % 4 === 2) worker = await world.worker()
      }
      for (let second = 0; second < 12; second++) await passSecond(world, worker)
    }
    const [plain, killed] = worlds as [World, World]
    const words = stored(plain)
      .join(' ')
      .split(' ')
      .filter(word => /^\d+$/.test(word))
    expect(words.map(Number).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 50 }, (_, n) => Math.floor(n / 2)),
    )
    expect(stored(plain).length).toBeGreaterThanOrEqual(6)
    expect(stored(killed)).toEqual(stored(plain))
    expectConservation()
  })

  test('of a window that was over before leave right after the lines of their record, also from a node behind it', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    const [source, sum, sink] = AGGREGATED({ type: 'tumbling', interval: 10 }) as [Node, Node, Node]
    const late = (id: string, input: string, event_timestamp: string) => ({
      ...sum,
      id,
      inputs: [input],
      user_config: { ...sum.user_config, event_timestamp },
    })
    world.configuration.deploy([
      source,
      late('sum', 'source', 'timestamp'),
      late('all', 'sum', 'metadata.aggregate.start_timestamp'),
      { ...sink, inputs: ['all'] },
    ])
    // The lines are of the time at which the clock began.
    world.clock.advance(20_000)
    await passSecond(world, worker)
    for (const text of ['one', 'two']) {
      await world.append([
        { app: 'a', line: text },
        { app: 'a', line: 'more' },
      ])
      await settle(worker)
      expect([...worker.nodeHoldings()].map(({ held }) => held)).toEqual([0, 0])
    }
    await passSecond(world, worker)
    expect(world.storedLines()).toEqual(['one more', 'two more'])
    expectConservation()
  })

  test('of windows that overlap count a line as a copy for each further window', async () => {
    const world = await newWorld()
    const worker = await world.worker()
    world.configuration.deploy(AGGREGATED({ type: 'sliding', interval: 10, window_min: 2 }))
    await passSecond(world, worker)
    for (let second = 0; second < 5; second++) {
      await append(world, `a ${second}`)
      await passSecond(world, worker)
    }
    const [{ held = 0 } = {}] = worker.nodeHoldings()
    expect(held).toBeGreaterThan(1)
    for (let second = 0; second < 80; second++) await passSecond(world, worker)
    expect(stored(world)).toHaveLength(held)
    const [eventsIn, copied, eventsOut, merged, left] = sumsOf(world)
    expect([eventsIn, eventsOut, left]).toEqual([5, held, 0])
    expect(5 + Number(copied)).toBe(held + Number(merged))
    expectConservation()
  })
})
