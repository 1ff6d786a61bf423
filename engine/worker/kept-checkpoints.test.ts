import { expect, test } from 'vitest'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'

const BODY = Buffer.from('state')

/** What two workers of one partition know of its checkpoints; the second took over from the first. */
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

test('a start that is short of room lets go of all but the two newest', async () => {
  const { owner, replaced, topic } = await twoWorkers()
  for (const offset of [10n, 20n, 30n]) await replaced.write(1n, offset, BODY)
  await owner.load()
  await owner.trim(undefined)
  expect(await topic.bounds(0)).toEqual({ first: 2n, next: 6n })
})

test('who was replaced while it stood still lets go of nothing that its successor needs', async () => {
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

test('a late checkpoint of who was replaced lies behind the newest, which stays', async () => {
  const { owner, replaced, checkpoints } = await twoWorkers()
  await owner.load()
  await owner.write(5n, 20n, BODY)
  await replaced.write(1n, 10n, BODY)
  await owner.load()
  await owner.trim(undefined)
  expect((await checkpoints.newestTwo()).map(({ nextOffset }) => nextOffset)).toEqual([10n, 20n])
})
