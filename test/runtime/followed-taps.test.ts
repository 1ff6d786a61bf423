import { beforeEach, expect, test } from 'vitest'
import type { PipelineInEffect } from '../../engine/fold/run-watch.ts'
import { LogError, type Topic } from '../../engine/log/log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { FollowedTaps } from '../../engine/replay/taps/followed-taps.ts'
import type { Tap, TapMessage } from '../../engine/replay/taps/tap.ts'
import { controlType } from '../../schemas/log/control.ts'
import { CHECKPOINT_TOPIC, KEYED_CHECKPOINT_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { boundTo } from '../support/bound-topic.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { newWorld, node, passSecond, SOURCE, type World } from '../support/world.ts'

const LIMIT = node('transform', 'limit', 'throttle', ['source'], { threshold: 3, window_ms: 3_600_000 })
const NODES = [SOURCE, LIMIT, node('sink', 'store', 'log-analysis', ['limit'])]
const NOTHING: PipelineInEffect = { version: 0, document: undefined, isPaused: false, atMs: 0 }

let world: World
let taps: FollowedTaps
/** Reads of the lines' topic by those who follow it. */
let reads: { readonly partition: number; readonly from: bigint }[]
let onRead: () => void

beforeEach(async () => {
  world = await newWorld()
  reads = []
  onRead = () => {}
  const { partitions } = world.ingest
  taps = new FollowedTaps({
    catalogue: CATALOGUE,
    ingest: counted(world.ingest),
    checkpoints: await world.log.topic(CHECKPOINT_TOPIC, partitions),
    keyed: {
      topic: await world.log.topic(KEYED_TOPIC, partitions),
      checkpoints: await world.log.topic(KEYED_CHECKPOINT_TOPIC, partitions),
    },
    clock: world.clock,
    logger: silentLogger,
    isSpread: () => false,
  })
})

function counted(topic: Topic): Topic {
  return {
    ...boundTo(topic),
    read: async (partition, from, maxBytes) => {
      reads.push({ partition, from })
      onRead()
      return topic.read(partition, from, maxBytes)
    },
  }
}

interface Opened {
  readonly tap: Tap
  seen(): Promise<string[]>
}

function open(nodeId: string): Opened {
  const received: TapMessage[] = []
  const place = { account: SAMPLE_ACCOUNT, pipeline: 'pipeline-1', node: nodeId, output: undefined }
  const bounds = { filter: () => true, limit: 1_000, lastsMs: 300_000 }
  const tap = taps.open(place, bounds, NOTHING, message => received.push(message))
  return {
    tap,
    seen: async () => {
      await turns()
      return received.splice(0).map(message => {
        if (message.type === 'event') return String(message.event.member('line'))
        if (message.type === 'revision') return `revision ${message.revision}`
        return message.type === 'end' ? `end: ${message.reason}` : message.type
      })
    },
  }
}

/** Lets everything happen that waits for a little time, or none. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    world.clock.advance(50)
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('a tap shows events that are appended after its start, with the state of the partition', async () => {
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  await world.append([{ line: 'first' }])
  await passSecond(world, worker)
  await worker.finish() // It writes a checkpoint: the first line is in that, the second behind it.
  await world.append([{ line: 'second' }])
  await passSecond(world, worker)
  const limited = open('limit')
  expect(await limited.seen()).toEqual(['revision null', 'revision 1'])
  await world.append([{ line: 'third' }, { line: 'over the limit' }])
  expect(await limited.seen()).toEqual(['third'])
})

test('publications are marked where they take effect', async () => {
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  const source = open('source')
  await source.seen()
  await world.append([{ line: 'old' }])
  await passSecond(world, worker)
  world.configuration.deploy(NODES, 2)
  await passSecond(world, worker)
  await world.append([{ line: 'new' }])
  expect(await source.seen()).toEqual(['old', 'revision 2', 'new'])
})

test('taps share one fold, which ends with the last tap, and a later tap starts a new one', async () => {
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  const [a, b] = [open('source'), open('limit')]
  await turns()
  expect(reads.length).toBeGreaterThan(0)
  expect(reads.filter(({ from }) => from === reads[0]?.from)).toHaveLength(1)
  a.tap.end('closed')
  await world.append([{ line: 'for one' }])
  expect(await b.seen()).toContain('for one')
  expect(await a.seen()).not.toContain('for one')
  b.tap.end('closed')
  await turns()
  const before = reads.length
  await world.append([{ line: 'for nobody' }])
  await turns()
  expect(reads).toHaveLength(before)
  const c = open('source')
  await c.seen()
  await world.append([{ line: 'for the third' }])
  expect(await c.seen()).toEqual(['for the third'])
})

test('a tap waits for a log that is unavailable for a while', async () => {
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  const source = open('source')
  await source.seen()
  let failures = 2
  onRead = () => {
    if (failures-- > 0) throw new LogError('LOG_UNAVAILABLE', 'away', { retriable: true })
  }
  await world.append([{ line: 'meanwhile' }])
  expect([...(await source.seen()), ...(await source.seen())]).toEqual(['meanwhile'])
})

test('records that are trimmed before they were folded are skipped by the newest checkpoint', async () => {
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  const source = open('source')
  await source.seen()
  let isAway = true
  onRead = () => {
    if (isAway) throw new LogError('LOG_UNAVAILABLE', 'away', { retriable: true })
  }
  await world.append([{ line: 'trimmed' }])
  await passSecond(world, worker)
  await worker.finish()
  const { next } = await world.ingest.bounds(world.partition)
  await world.ingest.trim(world.partition, next)
  isAway = false
  await turns()
  await world.append([{ line: 'behind it' }])
  expect(await source.seen()).toEqual(['behind it'])
})

test('a record of a newer program ends the taps on its partition with a message', async () => {
  const worker = await world.worker()
  world.configuration.deploy(NODES, 1)
  await passSecond(world, worker)
  const source = open('source')
  await source.seen()
  const value = controlType.encode({ behaviour: 99, body: { 'weir.Tick': { deadlineMs: 1 } } })
  await world.ingest.append(world.partition, { value, producer: null, priority: 'control' })
  expect(await source.seen()).toEqual(['end: failed'])
})
