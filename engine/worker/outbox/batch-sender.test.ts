import { expect, test } from 'vitest'
import { OutboxLog, REFUSED } from '../../../test/support/outbox-log.ts'
import { deletedPart } from '../../../test/support/outgoing.ts'
import { manualClock } from '../../clock/manual-clock.ts'
import { MAX_CLOSED_BATCHES } from '../../delivery/fold/lane-cursor.ts'
import { DeliveryMemory } from '../../delivery/sending/delivery-memory.ts'
import { LanePauses } from '../../delivery/sending/lane-pauses.ts'
import type { RemoteAnswer, Shipment } from '../../delivery/sending/remote.ts'
import { ReportQueue } from '../../delivery/sending/report-queue.ts'
import { RequestSlots } from '../../delivery/sending/request-slots.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import { memoryLog } from '../../log/memory-log.ts'
import { silentLogger } from '../../logger.ts'
import { Retries } from '../retries.ts'
import { BatchSender } from './batch-sender.ts'

const REFUSAL = { kind: 'refused', status: 400, bytes: 9, divides: false } as const

/** A sender of the batches of a log, whose remote waits for its answers. */
async function sending(log: OutboxLog) {
  const clock = manualClock()
  const topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic('weir.outbox', 1)
  for (const { value } of log.records) await topic.append(0, { value, producer: null, priority: 'control' })
  const reports = new ReportQueue(clock)
  const shipments: Shipment[] = []
  const answers: ((answer: RemoteAnswer) => void)[] = []
  const aborted: unknown[] = []
  const send = (shipment: Shipment, signal: AbortSignal) => {
    shipments.push(shipment)
    return new Promise<RemoteAnswer>((resolve, reject) => {
      answers.push(resolve)
      signal.addEventListener('abort', () => {
        aborted.push(signal.reason)
        reject(signal.reason)
      })
    })
  }
  const entropy = seededEntropy(1)
  const retries = new Retries({ partition: 0, clock, logger: silentLogger })
  const settingsOf = () => ({ giveUpAfterMs: null, keepsLetters: false })
  let changes = 0
  const slots = new RequestSlots()
  const options = {
    topic,
    records: topic,
    partition: 0,
    remote: { send },
    slots,
    memory: new DeliveryMemory(),
    pauses: new LanePauses(clock),
    logger: silentLogger,
    clock,
    entropy,
    retries,
    reports,
    settingsOf,
  }
  const sender = new BatchSender(options, () => changes++)
  const settled = () => new Promise(resolve => setImmediate(resolve))
  return { sender, reports, shipments, answers, aborted, settled, clock, changes: () => changes }
}

test('a lane has one batch on its way, and the next follows the answer without the report', async () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  const { sender, reports, shipments, answers, settled, changes, clock } = await sending(log)
  expect([sender.sendNext(log.fold), sender.sendNext(log.fold)]).toEqual([true, false])
  await settled()
  expect([shipments.length, reports.untilDueMs(), changes()]).toEqual([1, Number.POSITIVE_INFINITY, 0])
  answers[0]?.({ kind: 'delivered', status: 200, bytes: 9 })
  await settled()
  expect([reports.untilDueMs(), changes(), sender.sendNext(log.fold)]).toEqual([200, 1, false])
  expect(shipments.map(({ events }) => events.length)).toEqual([3, 3])
  // The last request is never answered.
  await clock.advanceUntil(sender.end())
})

test('after a batch of which events were given up, the next waits for the report of that one', async () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  const { sender, reports, shipments, answers, settled, clock } = await sending(log)
  sender.sendNext(log.fold)
  await settled()
  answers[0]?.({ ...REFUSAL, failure: REFUSED })
  await settled()
  expect([reports.untilDueMs(), shipments.length, sender.sendNext(log.fold)]).toEqual([0, 1, false])
  log.report({ failures: [{ ...REFUSED, count: 3 }] })
  expect(sender.sendNext(log.fold)).toBe(true)
  await settled()
  expect(shipments.length).toBe(2)
  await clock.advanceUntil(sender.end())
})

test('reports are due at once when a lane can send nothing before they count', async () => {
  const log = new OutboxLog()
  for (let batch = 0; batch <= MAX_CLOSED_BATCHES; batch++) log.hand(['a', 'b', 'c'])
  const { sender, reports, shipments, answers, settled } = await sending(log)
  sender.sendNext(log.fold)
  for (let batch = 0; batch < MAX_CLOSED_BATCHES; batch++) {
    await settled()
    expect(reports.untilDueMs()).toBeGreaterThan(0)
    answers[batch]?.({ kind: 'delivered', status: 200, bytes: 9 })
  }
  await settled()
  expect([shipments.length, reports.untilDueMs()]).toEqual([MAX_CLOSED_BATCHES, 0])
})

test('the batch of a lane that has ended is not sent any longer', async () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c'])
  const { sender, aborted, settled, reports } = await sending(log)
  sender.sendNext(log.fold)
  await settled()
  log.handParts(deletedPart('p', { offset: 9n, row: 0 }))
  sender.sendNext(log.fold)
  await settled()
  expect([aborted, reports.untilDueMs()]).toEqual([['the lane has ended'], Number.POSITIVE_INFINITY])
})

test('an error of a batch ends the worker at its next look', async () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c'])
  const { sender, settled, answers } = await sending(log)
  sender.sendNext(log.fold)
  await settled()
  answers[0]?.(undefined as never)
  await settled()
  expect(() => sender.sendNext(log.fold)).toThrow()
})
