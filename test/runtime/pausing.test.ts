import { expect, test } from 'vitest'
import { controlType } from '../../schemas/log/control.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { expectConservation, newWorld, node, passSecond, SOURCE } from '../support/world.ts'

const NODES = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 2, window_ms: 60_000 }),
  node('sink', 'store', 'log-analysis', ['limit'], {
    message: { scheme: 'Explicit field selection', app: 'piped' },
  }),
]

test('a paused pipeline handles no lines, counts them, and continues with its state', async () => {
  const world = await newWorld()
  const { configuration } = world
  const stored = () => world.store.rows('lines').map(({ line, app }) => `${line} ${app}`)
  let worker = await world.worker()
  configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  await world.append([{ line: 'before' }])
  await passSecond(world, worker)

  configuration.deploy(NODES, 2, 'pipeline-1', true)
  await passSecond(world, worker)
  await world.append([{ line: 'meanwhile' }, { line: 'also' }])
  await passSecond(world, worker)
  // A worker that begins while the pipeline is paused must do the same.
  worker.close()
  worker = await world.worker()
  await world.append([{ line: 'third' }])
  await passSecond(world, worker)

  configuration.deploy(NODES, 3)
  await passSecond(world, worker)
  await world.append([{ line: 'after' }, { line: 'over the limit' }])
  await passSecond(world, worker)
  world.clock.advance(61_000)
  await world.append([{ line: 'in the next minute' }])
  await passSecond(world, worker)

  // No other pipeline reads the stream, so the default graph has run.
  expect(stored()).toEqual([
    'before piped',
    'meanwhile unknown',
    'also unknown',
    'third unknown',
    'after piped',
    'in the next minute piped',
  ])
  const notHandled = world.store.rows('node_metrics').filter(row => row.node === 'paused')
  expect(notHandled.reduce((sum, { dropped }) => sum + Number(dropped), 0)).toBe(3)
  expectConservation()
})

test('another pipeline that reads the stream keeps the default graph from running', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1, 'pipeline-1', true)
  world.configuration.deploy([SOURCE, node('sink', 'nowhere', 'blackhole', ['source'])], 1, 'pipeline-2')
  await passSecond(world, worker)
  await world.append([{ line: 'a' }])
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual([])
  expectConservation()
})

test('a paused pipeline that drops keeps lines out of the default graph, also after a restart, and resumes with its state', async () => {
  const world = await newWorld()
  const { configuration } = world
  const stored = () => world.store.rows('lines').map(({ line, app }) => `${line} ${app}`)
  let worker = await world.worker()
  configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  await world.append([{ line: 'before' }])
  await passSecond(world, worker)
  configuration.deploy(NODES, 2, 'pipeline-1', 'drop')
  // Beside it, one that is paused by itself would leave its lines to the default graph.
  configuration.deploy(NODES, 1, 'pipeline-2', true)
  await passSecond(world, worker)
  await world.append([{ line: 'meanwhile' }, { line: 'also' }])
  await passSecond(world, worker)
  worker.close()
  worker = await world.worker()
  await world.append([{ line: 'third' }])
  await passSecond(world, worker)
  // Its lines are nobody's from the record on that meets the other kind of pause.
  configuration.deploy(NODES, 3, 'pipeline-1', true)
  await passSecond(world, worker)
  await world.append([{ line: 'fourth' }])
  await passSecond(world, worker)
  configuration.deploy(NODES, 4)
  await passSecond(world, worker)
  await world.append([{ line: 'after' }, { line: 'over the limit' }])
  await passSecond(world, worker)
  world.clock.advance(61_000)
  await passSecond(world, worker)

  expect(stored()).toEqual(['before piped', 'fourth unknown', 'after piped'])
  const notHandled = world.store
    .rows('node_metrics')
    .filter(row => row.node === 'paused' && row.pipeline === 'pipeline-1')
  expect(notHandled.reduce((sum, { dropped }) => sum + Number(dropped), 0)).toBe(4)
  expectConservation()
})

test('the cut stops a program that does not know pauses, or their kind', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  const behaviours = async () => {
    const records = await world.ingest.read(world.partition, 0n, Number.MAX_SAFE_INTEGER)
    return records.flatMap(({ value }) => {
      if (schemaIdOf(value) !== controlType.id) return []
      const { behaviour, body } = controlType.decode(value)
      return 'weir.Cut' in body && body['weir.Cut'].kind === 'pipeline' ? [behaviour] : []
    })
  }
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  world.configuration.deploy(NODES, 2, 'pipeline-1', true)
  await passSecond(world, worker)
  world.configuration.deploy(NODES, 3, 'pipeline-1', 'drop')
  await passSecond(world, worker)
  expect(await behaviours()).toEqual([1, 2, 13])
})
