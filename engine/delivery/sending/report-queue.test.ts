import { expect, test } from 'vitest'
import { deliveryReportsType } from '../../../schemas/log/delivery-reports.ts'
import { REFUSED } from '../../../test/support/outbox-log.ts'
import { manualClock } from '../../clock/manual-clock.ts'
import { ReportQueue } from './report-queue.ts'

const REPORT = {
  ...{ account: 'a', pipeline: 'p', node: 'out', birth: 0, batch: 1, events: 3, attempts: 1, bytes: 9 },
  ...{ keepsLetters: false, failures: [] },
}
const batchesIn = (value: Buffer) => deliveryReportsType.decode(value).reports.map(({ batch }) => batch)

test('reports of 200 ms share a record', () => {
  const clock = manualClock()
  const queue = new ReportQueue(clock)
  expect(queue.untilDueMs()).toBe(Number.POSITIVE_INFINITY)
  queue.add(REPORT)
  clock.advance(150)
  queue.add({ ...REPORT, batch: 2 })
  expect(queue.untilDueMs()).toBe(50)
  expect(batchesIn(queue.take(7))).toEqual([1, 2])
  expect(queue.untilDueMs()).toBe(Number.POSITIVE_INFINITY)
})

test('a report that gives events up is due at once, with those before it', () => {
  const queue = new ReportQueue(manualClock())
  queue.add(REPORT)
  queue.add({ ...REPORT, batch: 2, failures: [REFUSED] })
  expect(queue.untilDueMs()).toBe(0)
  expect(deliveryReportsType.decode(queue.take(7))).toMatchObject({
    epoch: 7,
    reports: [{ batch: 1 }, { batch: 2 }],
  })
})

test('a record does not become too large', () => {
  const queue = new ReportQueue(manualClock())
  const failures = [{ ...REFUSED, answer: 'x'.repeat(500_000) }]
  for (const batch of [1, 2, 3]) queue.add({ ...REPORT, batch, failures })
  expect(batchesIn(queue.take(7))).toEqual([1, 2])
  expect(queue.untilDueMs()).toBe(0)
  expect(batchesIn(queue.take(7))).toEqual([3])
})
