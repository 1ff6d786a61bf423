import { expect, test } from 'vitest'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'

const BODY = Buffer.from('state')

/** Checkpoints as known to two workers of one partition; the second took over from the first. */
async function twoWorkers() {
  const log = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
  const topic = await log.topic(CHECKPOINT_TOPIC, 1)
  const checkpoints = new CheckpointLog(topic, { topic: await log.topic(INGEST_TOPIC, 1), partition: 0 })
  return {
    topic,
    checkpoints,
    replaced: new KeptCheckpoints(checkpoints),
    owner: new KeptCheckpoints(checkpoints),
  }
}

test('the log is needed from the checkpoint before the newest on', async () => {
  const { owner, topic } = await twoWorkers()
  await owner.load()
  expect(owner.neededFrom).toBe(0n)
  for (const offset of [10n, 20n, 30n]) await owner.write(1n, offset, BODY)
  expect(owner).toMatchObject({ count: 3, neededFrom: 20n, newestOffset: 30n })
  await owner.trim(15n)
  expect(await topic.bounds(0)).toEqual({ first: 2n, next: 6n })
  await owner.trim(undefined)
  expect(await topic.bounds(0)).toEqual({ first: 2n, next: 6n })
})

test('a start with little space removes all but the two newest', async () => {
  const { owner, replaced, topic } = await twoWorkers()
  for (const offset of [10n, 20n, 30n]) await replaced.write(1n, offset, BODY)
  await owner.load()
  await owner.trim(undefined)
  expect(await topic.bounds(0)).toEqual({ first: 2n, next: 6n })
})

test('a worker that was replaced while it was paused removes nothing that its successor needs', async () => {
  const { owner, replaced, checkpoints } = await twoWorkers()
  await replaced.load()
  await replaced.write(1n, 10n, BODY)
  await owner.load()
  await owner.write(5n, 20n, BODY)
  await owner.write(5n, 30n, BODY)
  await replaced.write(1n, 12n, BODY)
  await replaced.write(1n, 14n, BODY)
  expect(replaced.neededFrom).toBe(20n)
  await replaced.trim(undefined)
  expect((await checkpoints.newestTwo()).map(({ nextOffset }) => nextOffset)).toEqual([20n, 30n])
})

test('a late checkpoint of a replaced worker is behind the newest, which stays', async () => {
  const { owner, replaced, checkpoints } = await twoWorkers()
  await owner.load()
  await owner.write(5n, 20n, BODY)
  await replaced.write(1n, 10n, BODY)
  await owner.load()
  await owner.trim(undefined)
  expect((await checkpoints.newestTwo()).map(({ nextOffset }) => nextOffset)).toEqual([10n, 20n])
})

test('a start does not remove older checkpoints that belong to kept records', async () => {
  const { owner, replaced, topic } = await twoWorkers()
  for (const offset of [10n, 20n, 30n, 40n, 50n]) await replaced.write(1n, offset, BODY)
  await owner.load()
  await owner.trim(0n)
  expect(await topic.bounds(0)).toEqual({ first: 0n, next: 10n })
  await owner.trim(15n)
  expect(await topic.bounds(0)).toEqual({ first: 2n, next: 10n })
  await owner.write(7n, 60n, BODY)
  await owner.trim(31n)
  expect(await topic.bounds(0)).toEqual({ first: 6n, next: 12n })
})

test('a worker that returns to an older checkpoint removes nothing before two more are written', async () => {
  const { owner, replaced, checkpoints } = await twoWorkers()
  for (const offset of [10n, 20n, 30n]) await replaced.write(1n, offset, BODY)
  expect(await owner.goBack(0n, 25n)).toMatchObject({ nextOffset: 20n })
  expect(owner).toMatchObject({ count: 1, neededFrom: 0n, newestOffset: 20n })
  await owner.write(5n, 22n, BODY)
  expect(owner.neededFrom).toBe(20n)
  expect((await checkpoints.newest())?.nextOffset).toBe(22n)
})
