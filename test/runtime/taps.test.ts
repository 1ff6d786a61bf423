import { beforeEach, describe, expect, test } from 'vitest'
import type { PipelineInEffect } from '../../engine/fold/run-watch.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Tap, TapMessage } from '../../engine/replay/taps/tap.ts'
import { LiveTaps, type TapPlace } from '../../engine/replay/taps/taps.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { newWorld, node, passSecond, SOURCE, settle, type World } from '../support/world.ts'

const exists = (field: string) => ({ expressions: [{ field, str_operator: 'exists' }] })
const ROUTE = node('transform', 'split', 'route', ['source'], {
  conditionals: [{ label: 'apps', conditional: exists('.app'), _output_name: 'apps' }],
})
const LIMIT = node('transform', 'limit', 'throttle', ['split.apps'], { threshold: 2, window_ms: 60_000 })
const STORE = node('sink', 'store', 'log-analysis', ['limit', 'split._unmatched'], {})
const NODES = [SOURCE, ROUTE, LIMIT, STORE]
const NOTHING: PipelineInEffect = { version: 0, document: undefined, isPaused: false, atMs: 0 }

let world: World
let taps: LiveTaps

beforeEach(async () => {
  world = await newWorld()
  taps = new LiveTaps(CATALOGUE, world.clock)
})

interface Opened {
  readonly tap: Tap
  readonly received: TapMessage[]
  /** Messages received since the last call: lines by their text, marks by their numbers. */
  seen(): Promise<string[]>
}

function open(nodeId: string, place: Partial<TapPlace> = {}, inEffect = NOTHING): Opened {
  const received: TapMessage[] = []
  const whole = { account: SAMPLE_ACCOUNT, pipeline: 'pipeline-1', node: nodeId, output: undefined, ...place }
  const bounds = { filter: () => true, limit: 1_000, lastsMs: 300_000 }
  const tap = taps.open(whole, bounds, inEffect, message => received.push(message))
  return {
    tap,
    received,
    seen: async () => {
      for (let turn = 0; turn < 12; turn++) {
        world.clock.advance(50)
        await new Promise(resolve => setImmediate(resolve))
      }
      return received.splice(0).map(shown)
    },
  }
}

function shown(message: TapMessage): string {
  switch (message.type) {
    case 'event':
      return `${message.output}: ${message.event.member('line')}`
    case 'revision':
      return [
        `revision ${message.revision} by ${message.deployment}`,
        message.isPaused ? ['paused'] : [],
        message.isPresent ? [] : ['absent'],
      ]
        .flat()
        .join(', ')
    default:
      return message.type === 'end' ? `end: ${message.reason}` : message.type
  }
}

function inEffect(nodes: readonly NodeDocument[]): PipelineInEffect {
  const document = { id: 'pipeline-1', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1, nodes }
  return { version: 1, document, isPaused: false, atMs: 0 }
}

async function deployed(nodes: readonly NodeDocument[] = NODES) {
  const worker = await world.worker(taps)
  world.configuration.deploy(nodes, 1)
  await passSecond(world, worker)
  return worker
}

const LINES = [{ line: 'a', app: 'x' }, { line: 'b' }, { line: 'c', app: 'x' }, { line: 'd', app: 'x' }]

describe('the events that a tap shows', () => {
  test('are those that leave its node after its start, each output separately', async () => {
    const worker = await deployed()
    await world.append([{ line: 'before', app: 'x' }])
    await settle(worker)
    const now = inEffect(NODES)
    const all = open('split', {}, now)
    const apps = open('split', { output: 'apps' }, now)
    const limited = open('limit', { output: '' }, now)
    const source = open('source', {}, now)
    await world.append(LINES)
    await settle(worker)
    expect(await all.seen()).toEqual(['revision 1 by 1', 'apps: a', 'apps: c', 'apps: d', '_unmatched: b'])
    expect(await apps.seen()).toEqual(['revision 1 by 1', 'apps: a', 'apps: c', 'apps: d'])
    expect(await limited.seen()).toEqual(['revision 1 by 1', ': a'])
    expect(await source.seen()).toEqual(['revision 1 by 1', ': a', ': b', ': c', ': d'])
  })

  test('end with the tap', async () => {
    const worker = await deployed()
    const { tap, seen } = open('source')
    tap.end('closed')
    await world.append(LINES)
    await settle(worker)
    expect(await seen()).toEqual(['revision null by 0, absent', 'end: closed'])
    expect(taps.observerOf(SAMPLE_ACCOUNT, 'pipeline-1')).toBeUndefined()
  })

  test('do not include those of another account or pipeline', async () => {
    const worker = await deployed()
    const foreign = open('source', { account: 'ffffffffff' })
    const other = open('source', { pipeline: 'pipeline-2' })
    await world.append(LINES)
    await settle(worker)
    expect(await foreign.seen()).toEqual(['revision null by 0, absent'])
    expect(await other.seen()).toEqual(['revision null by 0, absent'])
  })

  test('do not include those that a worker repeats after a restart', async () => {
    const worker = await deployed()
    await world.append([{ line: 'before the restart' }])
    await settle(worker)
    worker.close()
    const { seen } = open('source')
    await world.append([{ line: 'without a worker' }])
    const next = await world.worker(taps)
    await world.append([{ line: 'after it' }])
    await settle(next)
    expect(await seen()).toEqual(['revision null by 0, absent', 'revision 1 by 1', ': after it'])
  })
})

describe('a publication', () => {
  test('is marked where it takes effect, and the tap continues', async () => {
    const worker = await deployed()
    const { seen } = open('split', { output: 'apps' }, inEffect(NODES))
    await world.append([{ line: 'old', app: 'x' }])
    await settle(worker)
    world.configuration.deploy(NODES, 2)
    await settle(worker)
    await world.append([{ line: 'new', app: 'x' }])
    await settle(worker)
    expect(await seen()).toEqual(['revision 1 by 1', 'apps: old', 'revision 2 by 2', 'apps: new'])
  })

  test('without the node, or its output, is marked as such, and the node may return', async () => {
    const worker = await deployed()
    const { seen } = open('split', { output: 'apps' }, inEffect(NODES))
    const renamed = node('transform', 'split', 'route', ['source'], {
      conditionals: [{ label: 'others', conditional: exists('.app'), _output_name: 'others' }],
    })
    const steps = [[SOURCE, node('sink', 'store', 'log-analysis', ['source'])], [SOURCE, renamed], NODES]
    for (const [index, nodes] of steps.entries()) {
      world.configuration.deploy(nodes, index + 2)
      await settle(worker)
      await world.append([{ line: `line ${index}`, app: 'x' }])
      await settle(worker)
    }
    expect(await seen()).toEqual([
      'revision 1 by 1',
      'revision 2 by 2, absent',
      'revision 3 by 3, absent',
      'revision 4 by 4',
      'apps: line 2',
    ])
  })

  test('that took effect while no worker was running is marked by the next worker', async () => {
    const worker = await deployed()
    const { seen } = open('source', {}, inEffect(NODES))
    worker.close()
    world.configuration.deploy(NODES, 2, 'pipeline-1', true)
    await passSecond(world, await world.worker(taps))
    expect(await seen()).toEqual(['revision 1 by 1', 'revision 2 by 2, paused'])
  })
})

test('a pause and a resumption are marked', async () => {
  const worker = await deployed()
  const { seen } = open('source', {}, inEffect(NODES))
  for (const [version, isPaused] of [
    [2, true],
    [3, false],
  ] as const) {
    world.configuration.deploy(NODES, version, 'pipeline-1', isPaused)
    await settle(worker)
    await world.append([{ line: `at ${version}` }])
    await settle(worker)
  }
  expect(await seen()).toEqual(['revision 1 by 1', 'revision 2 by 2, paused', 'revision 3 by 3', ': at 3'])
})

test('a withdrawal is marked, and ends the tap', async () => {
  const worker = await deployed()
  const { seen } = open('source', {}, inEffect(NODES))
  world.configuration.set({ kind: 'pipeline', entity: 'pipeline-1', version: 2, payload: '' })
  await settle(worker)
  expect(await seen()).toEqual(['revision 1 by 1', 'revision null by 2, absent', 'end: withdrawn'])
})

test('the stored rows are the same, one by one, with taps on every node', async () => {
  const run = async (isTapped: boolean) => {
    world = await newWorld()
    taps = new LiveTaps(CATALOGUE, world.clock)
    const worker = await deployed()
    if (isTapped) for (const { id } of NODES) open(id)
    for (let record = 0; record < 20; record++) {
      await world.append(
        Array.from({ length: 40 }, (_, index) => ({
          line: `${record}/${index}`,
          ...(index % 3 === 0 ? { app: `app-${index}` } : {}),
        })),
      )
      await passSecond(world, worker)
    }
    world.clock.advance(61_000)
    await passSecond(world, worker)
    return [world.store.rows('lines'), world.store.rows('node_metrics'), world.store.rows('pipeline_errors')]
  }
  const untapped = await run(false)
  expect(untapped[0]?.length).toBeGreaterThan(100)
  expect(await run(true)).toEqual(untapped)
})
