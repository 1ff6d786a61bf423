import { expect, test } from 'vitest'
import { OUTBOX, OutboxLog } from '../../../test/support/outbox-log.ts'
import { OutboxWorld } from '../../../test/support/outbox-world.ts'
import { MAX_CLOSED_BATCHES } from '../../delivery/fold/lane-cursor.ts'
import { readFor } from './lane-reading.ts'

test('a lane that lags reads on until many batches wait', async () => {
  const log = new OutboxLog()
  const { topic } = await OutboxWorld.open()
  for (let batch = 0; batch < MAX_CLOSED_BATCHES; batch++) log.hand(['a', 'b', 'c'])
  log.hand(['d', 'e', 'f'])
  log.hand(['g'])
  for (const { value } of log.records) await topic.append(0, { value, producer: null, priority: 'control' })
  log.report()
  expect(log.fold.lags(log.lane)).toBe(true)
  await readFor(log.lane, log.fold, topic, OUTBOX.partition)
  expect([log.lane.batch?.number, log.lane.batches.length]).toEqual([2, MAX_CLOSED_BATCHES])
  expect(log.lane.cursor?.nextOffset).toBe(BigInt(MAX_CLOSED_BATCHES + 1))
})
