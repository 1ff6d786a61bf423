import { expect, test } from 'vitest'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { newWorld, node, passSecond, SOURCE, settle, type World } from '../../test/support/world.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../log/partitioned-topics.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { ThrottleState } from '../nodes/processors/throttle/throttle-state.ts'
import { DAY_MS } from '../times/duration.ts'
import { CheckpointLog, CheckpointTooLargeError } from './checkpoint-log.ts'
import {
  type FollowingFold,
  type FollowingFolds,
  MemoryUnavailableError,
  PresentMemory,
} from './present-memory.ts'

const PLACE = { account: SAMPLE_ACCOUNT, pipeline: 'pipeline-1', node: 'limit' }
const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], {
    threshold: 1_000,
    window_ms: DAY_MS,
    key_field: '.app',
  }),
  node('sink', 'store', 'mezmo', ['limit']),
]

/** A world in which this number of lines of one key have passed before a checkpoint, and after it. */
async function passedWorld(before: number, after: number) {
  const world = await newWorld()
  world.configuration.deploy(LIMITING)
  let worker = await world.worker()
  await settle(worker)
  const send = async (count: number) => {
    await world.append(Array.from({ length: count }, () => ({ line: 'line', app: 'web' })))
    await passSecond(world, worker)
  }
  await send(before)
  await worker.finish()
  worker = await world.worker()
  await send(after)
  const topics = await openPartitionedTopics(world.log, world.ingest.partitions)
  return { world, worker, topics, memory: (engine?: FollowingFolds) => presentMemory(world, topics, engine) }
}

function presentMemory({ clock }: World, topics: PartitionedTopics, engine?: FollowingFolds): PresentMemory {
  return new PresentMemory({ catalogue: CATALOGUE, topics, clock, engine })
}

/** Number of events of the key that have passed, for each partition. */
async function passed(memory: PresentMemory, isSpread = false): Promise<number[]> {
  const counts: number[] = []
  await memory.look(PLACE, isSpread, ({ memory: { value } }) => {
    const passes = value instanceof ThrottleState ? value.passesOf('web') : []
    counts.push(passes.reduce((sum, { count }) => sum + count, 0))
  })
  return counts
}

test('the state follows from the newest checkpoint and the later records', async () => {
  const { memory } = await passedWorld(3, 4)
  expect(await passed(memory())).toEqual([7])
  expect(await passed(memory(), true)).toEqual([7])
})

test('records on the log that are not stored yet count', async () => {
  const { world, memory } = await passedWorld(3, 4)
  await world.append([{ line: 'not read by any worker', app: 'web' }])
  expect(await passed(memory())).toEqual([8])
})

test('the log is enough without a checkpoint, and an unknown account has no state', async () => {
  const world = await newWorld()
  world.configuration.deploy(LIMITING)
  await settle(await world.worker())
  const value = lineBatchValue([{ lines: [{ line: 'line', app: 'web' }] }])
  await world.ingest.append(world.partition, { value, producer: null, priority: 'ingest' })
  const memory = presentMemory(world, await openPartitionedTopics(world.log, world.ingest.partitions))
  expect(await passed(memory)).toEqual([1])
  const seen: unknown[] = []
  await memory.look({ ...PLACE, account: 'another' }, false, state => seen.push(state))
  await memory.look({ ...PLACE, node: 'source' }, false, state => seen.push(state))
  expect(seen).toEqual([])
})

test('an engine of the process is asked once it has read everything, and only then', async () => {
  const { world, worker, memory } = await passedWorld(3, 4)
  let asked = 0
  const answering = (fold: () => FollowingFold | undefined): FollowingFolds => ({
    foldOf: (topic, partition) => {
      asked++
      return topic === 'ingest' && partition === world.partition ? fold() : undefined
    },
  })
  const own = memory(answering(() => worker.fold))
  const { read } = world.ingest
  world.ingest.read = () => Promise.reject(new Error('nothing is to be read'))
  expect(await passed(own)).toEqual([7])
  world.ingest.read = read
  await world.append([{ line: 'not read by the engine', app: 'web' }])
  asked = 0
  const answer = passed(own)
  while (asked < 1) await new Promise(resolve => setImmediate(resolve))
  world.clock.advance(600)
  expect(await answer).toEqual([8])
  expect(asked).toBe(2)
  await settle(worker)
  expect(await passed(own)).toEqual([8])
  expect(await passed(memory(answering(() => undefined)))).toEqual([8])
})

test('a look that takes too long is given up, also by callers that wait behind it', async () => {
  const { world, memory } = await passedWorld(1, 1)
  const { read } = world.ingest
  const held = Promise.withResolvers<never[]>()
  world.ingest.read = () => held.promise
  const shared = memory()
  const look = () => shared.look(PLACE, false, () => undefined)
  const answers = Promise.allSettled([look(), look()])
  for (const answer of await world.clock.advanceUntil(answers))
    expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(MemoryUnavailableError) })
  world.ingest.read = read
  held.resolve([])
  expect(await passed(shared)).toEqual([2])
})

test('a checkpoint that is larger than its limit is not read', async () => {
  const { world } = await passedWorld(1, 0)
  const topic = await world.log.topic(CHECKPOINT_TOPIC, world.ingest.partitions)
  const checkpoints = new CheckpointLog(topic, { topic: world.ingest, partition: world.partition })
  const kept = await checkpoints.newest()
  const bytes = kept?.body.length ?? 0
  expect((await checkpoints.newest(bytes))?.nextOffset).toBe(kept?.nextOffset)
  await expect(checkpoints.newest(bytes - 1)).rejects.toThrow(CheckpointTooLargeError)
})
