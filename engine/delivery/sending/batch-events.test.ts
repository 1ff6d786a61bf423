import { expect, test } from 'vitest'
import { OutboxLog } from '../../../test/support/outbox-log.ts'
import { textOf } from '../../../test/support/outgoing.ts'
import { manualClock } from '../../clock/manual-clock.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import { memoryLog } from '../../log/memory-log.ts'
import type { Lane } from '../fold/lane.ts'
import { batchEvents } from './batch-events.ts'

async function eventsOf(log: OutboxLog, lane: Lane) {
  const topic = await memoryLog({ clock: manualClock(), entropy: seededEntropy(1) }).topic('weir.outbox', 1)
  for (const { value } of log.records) await topic.append(0, { value, producer: null, priority: 'control' })
  return batchEvents(topic, 0, lane.batch as NonNullable<Lane['batch']>)
}

test('the events of a batch come from several records, in order and with their places in the source', async () => {
  const log = new OutboxLog()
  log.hand(['x'], { node: 'other' })
  log.handParts(log.part(['y'], { node: 'other' }), log.part(['a']), log.part(['b']))
  log.hand(['c', 'd'])
  const events = await eventsOf(log, log.lane)
  expect(events.map(({ event, source, position }) => [textOf(event), source, position.row])).toEqual([
    ['a', 'weir.ingest 0', 2],
    ['b', 'weir.ingest 0', 3],
    ['c', 'weir.ingest 0', 4],
  ])
})

test('a record that lacks the events of a batch is an error', async () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c'])
  const shorter = new OutboxLog()
  shorter.hand(['a'])
  await expect(eventsOf(shorter, log.lane)).rejects.toThrow('record 0 lacks events of a batch')
})
