import { expect, test } from 'vitest'
import { CheckpointLog } from '../../engine/replay/checkpoint-log.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../schemas/log/checkpoint.ts'
import { controlType } from '../../schemas/log/control.ts'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import { withSchemaId } from '../../schemas/log/wire-format.ts'
import { newestCheckpoint, newWorld, passSecond, settle, type World } from '../support/world.ts'

// In a rolling upgrade the consumer group may assign a partition of a newer program to an older one. Here the present
// program is the older one: a number or a form that does not exist yet stands for the newer program.

const lines = (...texts: string[]) => texts.map(line => ({ line, app: 'web' }))

/** A partition with a worker, and with a checkpoint that was changed. */
async function partitionWith(change: (value: Buffer) => Buffer) {
  const world = await newWorld()
  const worker = await world.worker()
  await world.append(lines('a'))
  await passSecond(world, worker)
  await worker.finish()
  const checkpoints = await world.log.topic(CHECKPOINT_TOPIC, world.ingest.partitions)
  const log = new CheckpointLog(checkpoints, { topic: world.ingest, partition: world.partition })
  const newest = await log.newest()
  if (newest === undefined) throw new Error('no checkpoint')
  await log.write(newest.epoch + 1n, newest.nextOffset, change(newest.body))
  return { world, worker }
}

const nextOffset = async ({ ingest, partition }: World) => (await ingest.bounds(partition)).next

test.each([
  [
    'of a behaviour that it does not know',
    (value: Buffer) => checkpointType.encode({ ...checkpointType.decode(value), behaviour: BEHAVIOUR + 1 }),
  ],
  ['in a form that it does not know', (value: Buffer) => withSchemaId(value, 1_000_000_099)],
])('a program leaves a partition with a checkpoint %s to the newer one', async (_title, change) => {
  const { world, worker: newer } = await partitionWith(change)
  const next = await nextOffset(world)
  await expect(world.worker()).rejects.toThrow(
    `the checkpoint of weir.ingest/${world.partition} was written by a newer program: start that one`,
  )
  expect(await nextOffset(world)).toBe(next)
  await world.append(lines('b'))
  await passSecond(world, newer)
  expect(world.storedLines()).toEqual(['a', 'b'])
})

test('a checkpoint of the highest known behaviour is continued', async () => {
  const { world } = await partitionWith(value => value)
  expect((await newestCheckpoint(world)).behaviour).toBe(BEHAVIOUR)
  const worker = await world.worker()
  await world.append(lines('b'))
  await passSecond(world, worker)
  expect(world.storedLines()).toEqual(['a', 'b'])
})

test('a program stores nothing behind the first record of a newer one', async () => {
  const world = await newWorld()
  const worker = await world.worker()
  await world.append(lines('a'))
  await passSecond(world, worker)
  const value = controlType.encode({
    behaviour: BEHAVIOUR + 1,
    body: { 'weir.Owner': { worker: 'newer' } },
  })
  await world.append(lines('b'))
  const { offset } = await world.ingest.append(world.partition, {
    value,
    producer: null,
    priority: 'control',
  })
  await world.append(lines('c'))
  world.clock.advance(1_100)
  const older = await world.worker()
  await expect(settle(older)).rejects.toThrow(
    `record ${offset} of weir.ingest/${world.partition} was written by a newer program (behaviour ${BEHAVIOUR + 1}, this one knows ${BEHAVIOUR}): start that one`,
  )
  expect(world.storedLines()).toEqual(['a'])
})
