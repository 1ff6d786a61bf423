import { expect, test } from 'vitest'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { ACCOUNT, LANE_RULES } from '../../../test/support/outgoing.ts'
import { PresentDeliveries } from './present-deliveries.ts'

const NODE = { account: ACCOUNT, pipeline: 'p', node: 'out' }

test('the lanes of a node are read from the newest checkpoint and the records behind it', async () => {
  const world = await OutboxWorld.open()
  await world.hand(['a', 'b', 'c'])
  const worker = await world.start()
  await world.until(() => worker.fold.lane(ACCOUNT, 'p', 'out')?.counts.delivered === 3)
  await world.end()
  await worker.finish()
  await world.hand(['d', 'e'])
  const deliveries = new PresentDeliveries({ ...world, rules: LANE_RULES })
  const [lane, ...others] = await deliveries.lanesOf(NODE, false)
  expect(others).toEqual([])
  expect(lane).toMatchObject({ handedOver: 5, delivered: 3, givenUp: 0, dropped: 0, waiting: 2 })
  expect(await deliveries.lanesOf(NODE, true)).toEqual([lane])
  expect(lane).toMatchObject({ pipeline: 'p', node: 'out' })
  expect(await deliveries.lanesOfAccount(ACCOUNT, true)).toEqual([lane])
  expect(await deliveries.lanesOfAccount('of another', true)).toEqual([])
})
