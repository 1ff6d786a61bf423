import { beforeEach, expect, test, vi } from 'vitest'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import { newWorld, passSecond, type World } from '../../test/support/world.ts'
import { type Assignment, wholeAssignment } from '../log/assignment.ts'
import { silentLogger } from '../logger.ts'
import type { Store } from '../store/store.ts'
import { HOUR_MS } from '../times/duration.ts'
import { Housekeeping } from './housekeeping.ts'
import type { PartitionWorker } from './partition-worker.ts'

const RETENTION_MS = HOUR_MS

let world: World
let worker: PartitionWorker
let assignment: Assignment
let housekeeping: Housekeeping
beforeEach(async () => {
  world = await newWorld()
  worker = await world.worker()
  assignment = wholeAssignment(world.ingest.partitions)
  const { log, store, clock, ingest: topic, partition } = world
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, topic.partitions)
  housekeeping = new Housekeeping({
    ...{ log, store, clock, assignment, logger: silentLogger },
    logRetentionMs: RETENTION_MS,
    lines: { topic, checkpoints, workers: new Map([[partition, worker]]) },
    keyed: undefined,
    assigned: () => [partition],
    isSpread: () => false,
  })
})

const firstKept = async () => (await world.ingest.bounds(world.partition)).first

/** The worker stores lines, and writes a checkpoint behind each of them. */
async function work(...lines: string[]): Promise<void> {
  for (const line of lines) {
    await world.append([{ line }])
    await passSecond(world, worker)
    await worker.finish()
  }
}

test('the log keeps records for its retention, and longer while a start needs them', async () => {
  await work('x', 'y', 'z')
  await housekeeping.trimLog()
  expect(await firstKept()).toBe(0n)
  world.clock.advance(RETENTION_MS)
  await housekeeping.trimLog()
  expect(await firstKept()).toBe(worker.neededFrom)
  expect(worker.neededFrom).toBeGreaterThan(0n)
})

test('a part of the log that is read stays until the reader has finished', async () => {
  await work('x', 'y', 'z')
  world.clock.advance(RETENTION_MS)
  const end = housekeeping.pin({ topic: world.ingest.name, partition: world.partition }, 1n)
  await housekeeping.trimLog()
  expect(await firstKept()).toBe(1n)
  end()
  await housekeeping.trimLog()
  expect(await firstKept()).toBe(worker.neededFrom)
})

test('a task without trimming delays the trim', async () => {
  await work('x', 'y', 'z')
  world.clock.advance(RETENTION_MS)
  let trimming: Promise<void> | undefined
  await housekeeping.withoutTrimming(async () => {
    trimming = housekeeping.trimLog()
    await new Promise(setImmediate)
    expect(await firstKept()).toBe(0n)
  })
  await trimming
  expect(await firstKept()).toBe(worker.neededFrom)
})

test('the progress of a partition says what is stored, and how fast', async () => {
  housekeeping.progress()
  await world.append(Array.from({ length: 22 }, () => ({ line: 'x' })))
  await passSecond(world, worker)
  expect(housekeeping.progress()).toEqual([
    {
      ...{ topic: 'weir.ingest', partition: world.partition, neededFrom: worker.neededFrom },
      ...{ storedOffset: worker.status.nextOffset, settledMs: worker.settledMs, rowsPerSecond: 20 },
    },
  ])
  expect(housekeeping.progress(world.partition + 1)).toEqual([])
})

test('days are closed once all partitions have passed them, by their reports', async () => {
  const closed: string[] = []
  vi.spyOn(world.store, 'openDays').mockResolvedValue(['2023-11-13', '2023-11-14'])
  const store: Store = world.store
  vi.spyOn(store, 'closeDay').mockImplementation(async day => void closed.push(day))
  const settledMs = Date.UTC(2023, 10, 14)
  const mark = { storedTo: 1n, settledMs }
  const report = async (partition: number, settled: number) => {
    const progress = { neededFrom: 0n, storedOffset: 0n, rowsPerSecond: 0 }
    await world.store.markStored({ topic: 'weir.ingest', partition }, mark)
    await assignment.report([{ topic: 'weir.ingest', partition, settledMs: settled, ...progress }])
  }
  await report(0, settledMs)
  await housekeeping.closeDays()
  expect(closed).toEqual([])
  await report(1, settledMs - 1)
  await housekeeping.closeDays()
  expect(closed).toEqual([])
  await report(1, settledMs)
  await housekeeping.closeDays()
  expect(closed).toEqual(['2023-11-13'])
})
