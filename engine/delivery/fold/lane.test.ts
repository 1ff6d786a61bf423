import { expect, test } from 'vitest'
import { OutboxLog, REFUSED } from '../../../test/support/outbox-log.ts'
import { LANE_RULES } from '../../../test/support/outgoing.ts'
import { failedEvents, Lane } from './lane.ts'

test('a restored lane has its counts, and takes the report that is next', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  log.report({ failures: [REFUSED] })
  const restored = Lane.restored('a', LANE_RULES, log.lane.snapshot())
  expect(restored.counts).toEqual({ handedOver: 6, delivered: 2, givenUp: 1, dropped: 0 })
  expect([restored.waiting, restored.isBlocked, restored.batch?.number]).toEqual([3, false, 2])
  expect(restored.snapshot()).toEqual(log.lane.snapshot())
})

test('a lane of a deleted pipeline drops all events', () => {
  const lane = new Lane({ account: 'a', pipeline: 'p', node: 'out' }, 3, undefined)
  lane.handOver(5, 1_000)
  expect([lane.counts.dropped, lane.waiting, lane.isBlocked, lane.usedMs]).toEqual([5, 0, false, 1_000])
  expect(Lane.restored('a', LANE_RULES, lane.snapshot()).snapshot()).toEqual(lane.snapshot())
})

test('the failures of a report count their events', () => {
  const report = { account: 'a', pipeline: 'p', node: 'out', birth: 0, batch: 1, events: 9, attempts: 1 }
  const failures = [REFUSED, { ...REFUSED, row: 4, count: 3 }]
  expect(failedEvents({ ...report, bytes: 0, keepsLetters: true, failures })).toBe(4)
})
