import { describe, expect, test } from 'vitest'
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
