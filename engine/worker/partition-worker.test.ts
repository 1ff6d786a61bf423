import { expect, test } from 'vitest'
import { newestCheckpoint, newWorld, settle } from '../../test/support/world.ts'

test('a line is read, a tick ends its slice, and its batch is stored: a step for each', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await settle(worker)
  const offset = await world.append([{ line: 'a' }])
  await worker.step() // reads the record
  expect(worker.status).toMatchObject({ nextOffset: offset + 1n, waitingFlushes: 0 })
  expect(await worker.step()).toBe(false)
  world.clock.advance(1_100)
  await worker.step() // appends the tick
  await worker.step() // reads the tick, which ends the batch
  expect(worker.status).toMatchObject({ nextOffset: offset + 2n, waitingFlushes: 1, rows: 0 })
  expect(world.storedLines()).toEqual([])
  await worker.step() // stores the batch
  expect(worker.status).toMatchObject({ waitingFlushes: 0, rows: 1, storedOffset: offset + 2n })
  expect(world.storedLines()).toEqual(['a'])
})

test('a change of the configuration is a record before it takes effect', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await settle(worker)
  world.configuration.rule(4, {})
  const { next } = await world.ingest.bounds(world.partition)
  await worker.step() // appends the cut
  const version = () => worker.cutVersion('line-rules', '507f1f77bc')
  expect([(await world.ingest.bounds(world.partition)).next, version()]).toEqual([next + 1n, 0])
  await worker.step() // reads it
  expect(version()).toBe(4)
})

test('a worker that finishes stores the open batch and writes a checkpoint, from which the next goes on', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await world.append([{ line: 'a' }])
  await worker.finish()
  expect(world.storedLines()).toEqual(['a'])
  const { nextOffset } = await newestCheckpoint(world)
  expect([BigInt(nextOffset), worker.neededFrom <= BigInt(nextOffset)]).toEqual([
    worker.status.nextOffset,
    true,
  ])
  const next = await world.worker()
  await settle(next)
  expect(world.storedLines()).toEqual(['a'])
})
