import { expect, test } from 'vitest'
import { OUTBOX, OutboxLog } from '../../../test/support/outbox-log.ts'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { LANE_RULES } from '../../../test/support/outgoing.ts'
import { CheckpointLog } from '../../replay/checkpoint-log.ts'
import { LaneCheckpoints, type LanesState } from './lane-checkpoints.ts'

function stateOf({ fold }: OutboxLog): LanesState {
  return { nextOffset: fold.nextOffset, body: fold.checkpoint() }
}

test('the newest checkpoint is continued, and the one before it says what is needed', async () => {
  const { topic, checkpoints } = await OutboxWorld.open()
  const kept = new LaneCheckpoints(
    new CheckpointLog(checkpoints, { topic, partition: 0 }),
    LANE_RULES,
    OUTBOX,
  )
  expect((await kept.newest(0n)).nextOffset).toBe(0n)
  const log = new OutboxLog()
  log.hand(['x', 'y', 'z'], { node: 'other' })
  log.report({}, log.fold.lane('a', 'p', 'other'))
  log.hand(['a', 'b', 'c'])
  await kept.write(1n, stateOf(log))
  expect(kept.neededFrom).toBe(0n)
  log.report()
  await kept.write(1n, stateOf(log))
  expect(kept.neededFrom).toBe(2n)
  log.hand(['d'])
  await kept.write(1n, stateOf(log))
  expect((await kept.newest(0n)).checkpoint()).toEqual(log.fold.checkpoint())
  expect(kept.neededFrom).toBe(4n)
  await kept.trim(0n)
  expect((await checkpoints.bounds(0)).first).toBe(0n)
  await kept.trim(undefined)
  expect((await checkpoints.bounds(0)).first).toBe(2n)
})

test('a late checkpoint of an earlier owner does not count', async () => {
  const { topic, checkpoints } = await OutboxWorld.open()
  const kept = new LaneCheckpoints(
    new CheckpointLog(checkpoints, { topic, partition: 0 }),
    LANE_RULES,
    OUTBOX,
  )
  const log = new OutboxLog()
  log.hand(['a'])
  await kept.write(9n, stateOf(log))
  log.hand(['b'])
  await kept.write(4n, stateOf(log))
  expect((await kept.newest(0n)).nextOffset).toBe(1n)
})
