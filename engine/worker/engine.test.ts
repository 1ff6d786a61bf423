import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { SampleConfiguration } from '../../test/support/world.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { wholeAssignment } from '../log/assignment.ts'
import { memoryLog } from '../log/memory-log.ts'
import { openPartitionedTopics } from '../log/partitioned-topics.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { Engine } from './engine.ts'

const PARTITIONS = 2

/** An engine with an empty log and store, whose partitions the test assigns. */
async function newWorld() {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(3) })
  const { ingest, checkpoints } = await openPartitionedTopics(log, PARTITIONS)
  const store = new MemoryStore()
  let assign: (partitions: ReadonlySet<number>) => Promise<void> = async () => {}
  const engine = new Engine({
    ...{ catalogue: CATALOGUE, log, ingest, checkpoints, store, clock, logger: silentLogger },
    configuration: new SampleConfiguration(),
    workerName: 'test',
    logRetentionMs: 3_600_000,
    assignment: {
      ...wholeAssignment(PARTITIONS),
      take: async listener => {
        assign = listener
      },
    },
  })
  engine.start()
  return { clock, ingest, store, engine, assign: (...partitions: number[]) => assign(new Set(partitions)) }
}

let world: Awaited<ReturnType<typeof newWorld>>
beforeEach(async () => {
  world = await newWorld()
})
afterEach(() => world.clock.advanceUntil(world.engine.stop()))

const workers = () => world.engine.status.workers.map(({ partition }) => partition)

test('every partition of the process has a worker, as long as it is assigned', async () => {
  expect([world.engine.assigned, workers()]).toEqual([undefined, []])
  await world.clock.advanceUntil(world.assign(0, 1))
  await world.clock.advanceUntil(world.engine.whenTaken())
  expect(workers().sort()).toEqual([0, 1])
  await world.clock.advanceUntil(world.assign(1))
  expect([[...(world.engine.assigned ?? [])], workers()]).toEqual([[1], [1]])
})

test('a stopped engine has stored everything that it had read', async () => {
  await world.assign(0, 1)
  await world.clock.advanceUntil(world.engine.whenTaken())
  const value = lineBatchValue([{ lines: [{ line: 'a' }] }])
  await world.ingest.append(1, { value, producer: null, priority: 'ingest' })
  await world.clock.advanceUntil(world.engine.stop())
  expect(world.store.rows('lines').map(({ line }) => line)).toEqual(['a'])
  expect(workers()).toEqual([])
})

test('a partition whose worker cannot start has a trouble, and judges no keys', async () => {
  world.store.claim = async () => {
    throw new Error('no such table')
  }
  await world.assign(1)
  await world.clock.advanceUntil(world.engine.whenTaken())
  expect([...world.engine.status.troubles]).toEqual([[1, 'no such table']])
  const idempotency = { key: 'k', digest: Buffer.of(1) }
  expect(world.engine.judgeKey(SAMPLE_ACCOUNT, idempotency, 1)).toBe('new')
})

test('a key is judged once the worker has read the log, and not before', async () => {
  const [first, other] = ['one', 'two'].map(text => ({ key: 'k', digest: Buffer.from(text) }))
  if (first === undefined || other === undefined) throw new Error('there are two bodies')
  const value = lineBatchValue([{ lines: [{ line: 'a' }], idempotency: first }])
  await world.ingest.append(1, { value, producer: null, priority: 'ingest' })
  const judged = () =>
    [first, other].map(idempotency => world.engine.judgeKey(SAMPLE_ACCOUNT, idempotency, 1))
  // The worker takes the partition, but does not read on yet.
  const { read } = world.ingest
  const held = Promise.withResolvers<void>()
  world.ingest.read = async (...range) => {
    await held.promise
    return read.apply(world.ingest, range)
  }
  await world.assign(1)
  while (workers().length === 0) await setImmediate()
  const early = judged()
  held.resolve()
  await world.clock.advanceUntil(world.engine.whenTaken())
  expect([early, judged()]).toEqual([
    ['unknown', 'unknown'],
    ['repeat', 'conflict'],
  ])
})
