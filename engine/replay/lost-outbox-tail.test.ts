import { beforeEach, expect, test } from 'vitest'
import { OutboxWorld } from '../../test/support/outbox-world.ts'
import { ACCOUNT, LANE_RULES } from '../../test/support/outgoing.ts'
import { GuardedTopic, type LostTail } from '../log/guarded-topic.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { LaneCheckpoints } from '../worker/outbox/lane-checkpoints.ts'
import type { OutboxWorker } from '../worker/outbox/outbox-worker.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import { outboxWitnesses } from './lost-outbox-tail.ts'
import { acceptLoss, findLostTail } from './lost-tail.ts'

let world: OutboxWorld

beforeEach(async () => {
  world = await OutboxWorld.open()
})

const laneOf = (worker: OutboxWorker) => worker.fold.lane(ACCOUNT, 'p', 'out')

/** Delivers everything, and writes a checkpoint behind it. @returns its place */
async function deliverAll(): Promise<bigint> {
  const worker = await world.start()
  await world.until(() => worker.caughtUp && (laneOf(worker)?.waiting ?? 1) === 0)
  await world.end()
  const { topic, checkpoints } = world
  const log = new CheckpointLog(checkpoints, { topic, partition: 0 })
  const identity = { topic: topic.name, partition: 0, logId: topic.logId }
  await new LaneCheckpoints(log, LANE_RULES, identity).write(BigInt(worker.fold.epoch), {
    nextOffset: worker.fold.nextOffset,
    body: worker.fold.checkpoint(),
  })
  return worker.fold.nextOffset
}

const lookFor = (mark?: bigint) =>
  findLostTail(outboxWitnesses(world, mark === undefined ? undefined : async () => mark), 0)

test('a partition that lost its end takes and sends nothing until the loss is accepted', async () => {
  await world.hand(['a', 'b', 'c'])
  const from = await deliverAll()
  await world.hand(['d', 'e', 'f'])
  const end = await deliverAll()
  world.loseFrom(from)
  const lost: LostTail = { topic: 'weir.outbox', partition: 0, from, to: end - 1n }
  expect(await lookFor()).toEqual(lost)

  const witnesses = outboxWitnesses(world)
  const guarded = new GuardedTopic(world.topic, {
    look: (partition, floor) => findLostTail(witnesses, partition, floor),
    monotonicMs: () => world.clock.monotonicMs(),
  })
  const refusal = {
    code: 'LOG_TAIL_LOST',
    message: expect.stringContaining(
      `--topic outbox --partition 0 --from ${from} --to ${end - 1n}`,
    ) as string,
  }
  await expect(world.worker({ topic: guarded }).start()).rejects.toMatchObject(refusal)
  expect(await world.topic.bounds(0)).toMatchObject({ next: from })

  expect(await acceptLoss(CATALOGUE, witnesses, lost)).toEqual(lost)
  await guarded.lookAt(0)
  world.sent.length = 0
  await world.hand(['g', 'h', 'i'])
  const worker = await world.start({ topic: guarded })
  await world.until(() => laneOf(worker)?.counts.delivered === 6)
  await world.end()
  expect(world.sent).toEqual(['g h i'])
})

test('if all checkpoints are in the gap, everything that the log keeps is sent again', async () => {
  await world.hand(['a', 'b', 'c'])
  await world.hand(['d', 'e', 'f'])
  await deliverAll()
  await world.topic.trim(0, 1n)
  world.loseFrom(2n)
  const lost = await lookFor()
  expect(lost).toMatchObject({ from: 2n })
  await acceptLoss(CATALOGUE, outboxWitnesses(world), lost as LostTail)
  world.sent.length = 0
  const worker = await world.start()
  await world.until(() => laneOf(worker)?.counts.delivered === 3)
  await world.end()
  expect(world.sent).toEqual(['d e f'])
})

test('a mark beside the log knows of records that no checkpoint includes', async () => {
  await world.hand(['a'])
  expect(await lookFor()).toBeUndefined()
  expect(await lookFor(3n)).toMatchObject({ from: 1n, to: 2n })
})
