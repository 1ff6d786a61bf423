import { beforeEach, expect, test } from 'vitest'
import { controlType } from '../../schemas/log/control.ts'
import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import { newWorld, passSecond, type World } from '../../test/support/world.ts'
import { encodeControl } from '../fold/control-record.ts'
import { TailLostError } from '../log/guarded-topic.ts'
import type { Topic } from '../log/log.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import { LoopTurns } from '../turns/loop-turns.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'
import { PartitionOwnership } from './partition-ownership.ts'
import { PartitionStart } from './partition-start.ts'
import { Retries } from './retries.ts'

let world: World
let checkpoints: Topic
beforeEach(async () => {
  world = await newWorld()
  checkpoints = await world.log.topic(CHECKPOINT_TOPIC, world.ingest.partitions)
})

function start(): PartitionStart {
  const { ingest: topic, partition, store, configuration, clock } = world
  const turns = new LoopTurns(clock)
  const shared = { topic, partition, checkpoints, store, logger: silentLogger, catalogue: CATALOGUE }
  return new PartitionStart({
    ...shared,
    configuration,
    workerName: 'this one',
    kept: new KeptCheckpoints(new CheckpointLog(checkpoints, shared)),
    ownership: new PartitionOwnership({ ...shared, topic: topic.name, turns }),
    turns,
    retries: new Retries({ partition, clock, logger: silentLogger }),
    append: body =>
      topic.append(partition, { value: encodeControl(CATALOGUE, body), producer: null, priority: 'control' }),
  })
}

const lines = (line: string) => world.append([{ line }])
const take = () => start().take(undefined)
const owner = async () => (await world.store.standing({ ...world, topic: world.ingest.name })).owner

/** A worker stores a line and leaves a checkpoint. @returns the first offset that it does not include */
async function workedOn(): Promise<bigint> {
  const worker = await world.worker()
  await lines('x')
  await passSecond(world, worker)
  await worker.finish()
  return worker.status.nextOffset
}

test('the owner record is appended first, and the store refuses the epochs below it from then on', async () => {
  await lines('x')
  const { fold, settled } = await take()
  const [record] = await world.ingest.read(world.partition, 1n, 1_000)
  expect(controlType.decode(record?.value as Buffer).body).toEqual({ 'weir.Owner': { worker: 'this one' } })
  expect(await owner()).toBe(1n)
  expect([fold.nextOffset, fold.processedTo, String(settled)]).toEqual([0n, 0n, 'nothing'])
})

test('the fold begins behind the newest checkpoint', async () => {
  const nextOffset = await workedOn()
  const { fold, refillsTo } = await take()
  expect([fold.nextOffset, refillsTo]).toEqual([nextOffset, undefined])
})

test('lines that are stored beyond the checkpoint are settled: they are not stored again', async () => {
  const worker = await world.worker()
  await lines('x')
  await passSecond(world, worker)
  const offset = await lines('y')
  await passSecond(world, worker)
  const { fold, settled } = await take()
  expect(fold.nextOffset).toBeLessThanOrEqual(offset)
  expect(String(settled)).toBe(`slotted_lines ${offset}/0`)
  // No quarantine of these records is possible.
  expect(fold.processedTo).toBe(offset + 1n)
})

test('a log that ends below the checkpoint is left as it is', async () => {
  const nextOffset = await workedOn()
  const kept = new CheckpointLog(checkpoints, { topic: world.ingest, partition: world.partition })
  const body = (await kept.newest())?.body as Buffer
  await kept.write(100n, nextOffset + 5n, body)
  await expect(take()).rejects.toThrow(TailLostError)
  expect((await world.ingest.bounds(world.partition)).next).toBe(nextOffset)
})

test('a log without records that the checkpoint needs is refused', async () => {
  const nextOffset = await workedOn()
  await lines('y')
  await world.ingest.trim(world.partition, nextOffset + 1n)
  await expect(take()).rejects.toThrow(`but its newest checkpoint needs ${nextOffset}`)
})

test('a start that is cancelled appends no owner record', async () => {
  await lines('x')
  const cancelled = AbortSignal.abort(new Error('the partition belongs to another process'))
  await expect(start().take(cancelled)).rejects.toThrow('the partition belongs to another process')
  expect([(await world.ingest.bounds(world.partition)).next, await owner()]).toEqual([1n, null])
})
