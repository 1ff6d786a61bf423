import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { newWorld, node, passSecond, SOURCE } from '../../test/support/world.ts'
import { nodeMetrics } from './node-metrics.ts'

const GATHER = node('transform', 'gather', 'reduce', ['source'], { duration_ms: 10_000, group_by: ['.app'] })
const NODES = [SOURCE, GATHER, node('sink', 'store', 'log-analysis', ['gather'])]

test('the present number of held events of a node is reported, also by a process that began later', async () => {
  const world = await newWorld()
  let worker = await world.worker()
  const engine = {
    nodeTotals: () => worker.nodeTotals,
    nodeHoldings: () => worker.nodeHoldings(),
  }
  const registry = new Registry()
  nodeMetrics(CATALOGUE, registry, engine, {
    get: () => undefined,
    find: () => undefined,
    list: () => [],
    count: () => 0,
  })
  const held = async () => {
    const text = await registry.metrics()
    return text.match(/^weir_node_held_events\{.*$/gm)
  }
  world.configuration.deploy(NODES)
  await passSecond(world, worker)
  expect(await held()).toEqual(['weir_node_held_events{pipeline="pipeline-1",node="gather"} 0'])
  await world.append([
    { app: 'a', line: 'one' },
    { app: 'b', line: 'two' },
    { app: 'a', line: 'three' },
  ])
  await passSecond(world, worker)
  expect(await held()).toEqual(['weir_node_held_events{pipeline="pipeline-1",node="gather"} 2'])
  worker = await world.worker()
  await passSecond(world, worker)
  expect(await held()).toEqual(['weir_node_held_events{pipeline="pipeline-1",node="gather"} 2'])
  for (let second = 0; second < 12; second++) await passSecond(world, worker)
  expect(await held()).toEqual(['weir_node_held_events{pipeline="pipeline-1",node="gather"} 0'])
})
