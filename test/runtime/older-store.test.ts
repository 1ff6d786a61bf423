import { afterEach, expect, test } from 'vitest'
import { acceptMissing, OlderStoreError, storedPart } from '../../engine/replay/older-store.ts'
import type { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import { expectConservation, newWorld, passSecond, type World } from '../support/world.ts'

afterEach(expectConservation)

async function witnesses({ log, ingest, store }: World) {
  return { topic: ingest, checkpoints: await log.topic(CHECKPOINT_TOPIC, ingest.partitions), store }
}

/** A worker that stores some lines, and ends gracefully: with a checkpoint. */
async function stores(world: World, ...texts: string[]): Promise<PartitionWorker> {
  const worker = await world.worker()
  for (const line of texts) {
    await world.append([{ line, app: 'web' }])
    await passSecond(world, worker)
  }
  await worker.finish()
  worker.close()
  return worker
}

test('an older copy of the store gets the missing lines again, once', async () => {
  const world = await newWorld()
  await stores(world, 'a', 'b')
  const goBack = world.store.copy()
  await stores(world, 'c', 'd')
  await stores(world, 'e')
  goBack()
  expect(world.storedLines()).toEqual(['a', 'b'])
  await stores(world, 'f')
  expect(world.storedLines()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  goBack()
  await stores(world, 'g')
  expect(world.storedLines()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
})

test('a copy of an empty store is filled from the beginning of the log', async () => {
  const world = await newWorld()
  const goBack = world.store.copy()
  await stores(world, 'a', 'b')
  await stores(world, 'c')
  goBack()
  await stores(world, 'd')
  expect(world.storedLines()).toEqual(['a', 'b', 'c', 'd'])
})

test('a store that an older program filled is accepted, and its older copy is noticed', async () => {
  const world = await newWorld()
  await stores(world, 'a')
  await stores(world, 'b')
  const goBack = world.store.copy()
  goBack(false)
  await stores(world, 'c')
  expect(world.storedLines()).toEqual(['a', 'b', 'c'])
  goBack(false)
  await stores(world, 'd')
  expect(world.storedLines()).toEqual(['a', 'b', 'c', 'd'])
})

test('rows that retention has removed from an older copy are not stored again', async () => {
  const world = await newWorld()
  await stores(world, 'a')
  const worker = await world.worker()
  await world.append([{ line: 'b', app: 'web' }])
  await passSecond(world, worker)
  // Killed between the mark and the checkpoint: a start with the copy begins below the mark.
  const { storedOffset: storedTo, timeMs: settledMs } = worker.status
  const partition = { topic: world.ingest.name, partition: world.partition }
  await world.store.markStored(partition, { storedTo, settledMs })
  world.store.parts.splice(0)
  const goBack = world.store.copy()
  await stores(world, 'c')
  goBack()
  await stores(world, 'd')
  expect(world.storedLines()).toEqual(['c', 'd'])
})

test('a log that does not reach back to the copy is refused before anything is appended, until the gap is accepted', async () => {
  const world = await newWorld()
  await stores(world, 'a')
  const goBack = world.store.copy()
  await stores(world, 'b', 'c')
  const kept = await storedPart(await witnesses(world), world.partition)
  await world.ingest.trim(world.partition, kept?.knownTo ?? 0n)
  await stores(world, 'd')
  goBack()
  const before = await world.ingest.bounds(world.partition)
  const error = await world.worker().catch(thrown => thrown as Error)
  if (!(error instanceof OlderStoreError)) throw new Error('an older copy was taken')
  const { from, to } = error.missing
  expect(to).toBe((kept?.knownTo ?? 0n) - 1n)
  expect(error.message).toContain(
    `weir log accept-loss --topic ingest --partition ${world.partition} --from ${from} --to ${to}`,
  )
  expect(await world.ingest.bounds(world.partition)).toEqual(before)

  const given = { partition: world.partition, from, to }
  await expect(acceptMissing(await witnesses(world), { ...given, to: to - 1n })).rejects.toThrow(
    `--from ${from} --to ${to}`,
  )
  expect(await acceptMissing(await witnesses(world), given)).toMatchObject(given)
  await stores(world, 'e')
  expect(world.storedLines()).toEqual(['a', 'd', 'e'])
  expect(await acceptMissing(await witnesses(world), given)).toBeUndefined()
})
