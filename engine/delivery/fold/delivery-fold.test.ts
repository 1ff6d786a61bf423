import { describe, expect, test } from 'vitest'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { lanesCheckpointType } from '../../../schemas/log/lanes-checkpoint.ts'
import { OUTBOX, OutboxLog, REFUSED } from '../../../test/support/outbox-log.ts'
import { ACCOUNT, deletedPart, LANE_RULES } from '../../../test/support/outgoing.ts'
import { DAY_MS } from '../../times/duration.ts'
import { DeliveryFold } from './delivery-fold.ts'
import { NO_BATCH, RETRYING } from './lane.ts'
import { MAX_CLOSED_BATCHES } from './lane-cursor.ts'

const OWNER = { 'weir.Owner': { worker: 'w' } }

/** Hands over as many batches as a lane closes without a report. */
function handMost(log: OutboxLog): void {
  for (let batch = 0; batch < MAX_CLOSED_BATCHES; batch++) log.hand(['a', 'b', 'c'])
}

test('events wait until a report delivers their batch', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd'])
  expect(log.lane.batch).toMatchObject({ number: 1, events: 3, closedMs: 1_000 })
  expect(log.lane.counts).toEqual({ handedOver: 4, delivered: 0, givenUp: 0, dropped: 0 })
  log.report()
  expect([log.lane.counts.delivered, log.lane.waiting, log.lane.batch]).toEqual([3, 1, undefined])
  log.catchUp()
  log.nowMs = 2_000
  log.control({ 'weir.Tick': { deadlineMs: 2_000 } })
  expect(log.lane.batch).toMatchObject({ number: 2, events: 1, closedMs: 2_000 })
})

test('a report gives events up, each with a place of its own', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c'])
  log.hand(['d', 'e', 'f'])
  log.report({ failures: [{ ...REFUSED, row: 1, count: 2 }] })
  log.catchUp()
  log.report()
  expect(log.lane.counts).toEqual({ handedOver: 6, delivered: 4, givenUp: 2, dropped: 0 })
  const answered = log.fold.takeAnswered()
  expect(answered.map(({ batch, place, timeMs }) => [batch.number, place, timeMs])).toEqual([
    [1, { offset: 2n, row: 0 }, 1_000],
    [2, { offset: 3n, row: 0 }, 1_000],
  ])
  expect(log.fold.takeAnswered()).toEqual([])
})

describe('a report is ignored', () => {
  test('of a worker whose partition has a newer owner', () => {
    const log = new OutboxLog()
    log.control(OWNER)
    log.hand(['a', 'b', 'c'])
    log.control(OWNER)
    log.report({ epoch: 0 })
    expect(log.lane.waiting).toBe(3)
    log.report({ epoch: 2 })
    expect(log.lane.waiting).toBe(0)
  })

  test('that repeats another, is about a later batch, or about a lane that has ended', () => {
    const log = new OutboxLog()
    log.hand(['a', 'b', 'c', 'd', 'e', 'f'])
    log.report({ batch: 2 })
    log.report({ birth: 7 })
    expect(log.lane.waiting).toBe(6)
    log.report({ batch: 1 })
    log.report({ batch: 1 })
    expect(log.lane.waiting).toBe(3)
  })
})

test('a report with another number of events stops the worker', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c'])
  expect(() => log.report({ events: 2 })).toThrow(
    'a report is about batch number 1 with 2 events, here it has number 1 with 3',
  )
})

test('a lane stands still while many batches wait, other lanes go on, and it reads the rest afterwards', () => {
  const log = new OutboxLog()
  handMost(log)
  log.hand(['d', 'e', 'f'])
  log.hand(['x', 'y', 'z'], { node: 'other' })
  const other = log.fold.lane(ACCOUNT, 'p', 'other')
  expect([log.lane.isBlocked, log.lane.batches.length]).toEqual([true, MAX_CLOSED_BATCHES])
  expect(other?.batch?.number).toBe(1)
  log.report({}, other)
  log.report()
  expect(log.fold.lags(log.lane)).toBe(true)
  log.catchUp()
  const last = {
    number: MAX_CLOSED_BATCHES + 1,
    stretches: [{ offset: MAX_CLOSED_BATCHES, row: 0, count: 3 }],
  }
  expect(log.lane.batches.at(-1)).toMatchObject(last)
})

test('in a replay, a lane is brought to its reports before the next record', () => {
  const log = new OutboxLog()
  handMost(log)
  log.hand(['d', 'e', 'f'])
  const checkpoint = log.fold.checkpoint()
  for (let batch = 0; batch <= MAX_CLOSED_BATCHES; batch++) {
    log.report()
    log.catchUp()
  }
  const [behind, first, ...others] = log.records.slice(MAX_CLOSED_BATCHES) as [
    OutboxLog['records'][0],
    OutboxLog['records'][0],
    ...OutboxLog['records'],
  ]
  const fold = DeliveryFold.restored(LANE_RULES, OUTBOX, checkpoint)
  fold.apply(first)
  for (const record of others) fold.apply(record)
  const lane = fold.behindReports
  expect(lane?.node).toBe('out')
  expect(() => fold.apply(first)).toThrow('was read again')
  expect(() => fold.checkpoint()).toThrow('a checkpoint while a lane is behind its reports')
  if (lane !== undefined) fold.advance(lane, behind)
  expect([fold.behindReports, fold.takeAnswered().length]).toEqual([undefined, MAX_CLOSED_BATCHES + 1])
  expect(fold.checkpoint()).toEqual(log.fold.checkpoint())
})

test('a tick is due at the first deadline of the lanes that are level with the log', () => {
  const log = new OutboxLog()
  expect(log.fold.deadlineMs).toBe(Number.POSITIVE_INFINITY)
  log.hand(['a'])
  log.nowMs = 1_400
  log.hand(['x'], { node: 'other', options: { maxAgeMs: 300 } })
  expect(log.fold.deadlineMs).toBe(1_700)
  log.control({ 'weir.Tick': { deadlineMs: 1_700 } })
  expect(log.fold.deadlineMs).toBe(2_000)
  log.control({ 'weir.Tick': { deadlineMs: 2_000 } })
  expect(log.fold.deadlineMs).toBe(Number.POSITIVE_INFINITY)
})

test('a deletion drops what waits, and what its pipeline hands over later', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd'])
  log.hand(['x'], { pipeline: 'q' })
  log.handParts(deletedPart('p', { offset: 1n, row: 0 }))
  log.report({ batch: 1 })
  expect(log.lane.counts).toEqual({ handedOver: 4, delivered: 0, givenUp: 0, dropped: 4 })
  log.handParts(log.part(['e'], { positions: [{ offset: 2n, row: 0 }] }))
  expect(log.lane.counts).toEqual({ handedOver: 5, delivered: 0, givenUp: 0, dropped: 5 })
  expect(log.fold.lane(ACCOUNT, 'q', 'out')?.waiting).toBe(1)
  expect(log.fold.neededFrom).toBe(1n)
})

test('a lane without events for a week is forgotten, and repeats of its events stay repeats', () => {
  const log = new OutboxLog()
  const first = log.part(['a', 'b', 'c'])
  log.handParts(first)
  log.report()
  log.nowMs += 7 * DAY_MS - 1
  log.control(OWNER)
  expect(log.lane).toBeDefined()
  log.nowMs += DAY_MS
  log.handParts(first)
  expect(log.lane).toBeUndefined()
  log.hand(['d'])
  expect([log.lane.birth, log.lane.waiting]).toEqual([4, 1])
})

test('records from the oldest waiting event on are needed', () => {
  const log = new OutboxLog()
  log.hand(['x', 'y', 'z'], { node: 'other' })
  log.hand(['a', 'b', 'c'])
  expect(log.fold.neededFrom).toBe(0n)
  log.report({}, log.fold.lane(ACCOUNT, 'p', 'other'))
  expect(log.fold.neededFrom).toBe(1n)
  log.report()
  expect(log.fold.neededFrom).toBe(4n)
})

test('gaps between records, as on Kafka, do not hold a lane up', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd'])
  log.report()
  const tick = { body: { 'weir.Tick': { deadlineMs: 2_000 } }, behaviour: 1 }
  log.fold.apply({ offset: 9n, appendTimeMs: 0, value: controlType.encode(tick), producer: null })
  expect([log.lane.cursor?.nextOffset, log.lane.batch?.number]).toEqual([10n, 2])
})

test('a checkpoint of another log, or of a newer program, is refused with a sentence', () => {
  const log = new OutboxLog()
  log.hand(['a'])
  const checkpoint = log.fold.checkpoint()
  expect(() => DeliveryFold.restored(LANE_RULES, { ...OUTBOX, logId: 'x' }, checkpoint)).toThrow(
    'the checkpoint of weir.outbox/0 belongs to log log, this is x',
  )
  const newer = lanesCheckpointType.encode({
    ...lanesCheckpointType.decode(checkpoint),
    behaviour: BEHAVIOUR + 1,
  })
  expect(() => DeliveryFold.restored(LANE_RULES, OUTBOX, newer)).toThrow('by a newer program: start that one')
})

test('a lane is in trouble from a report that says so until events are delivered', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c', 'd', 'e', 'f'])
  const trouble = { batch: NO_BATCH, events: 0 }
  const failures = [{ ...REFUSED, count: 0, code: RETRYING }]
  const after = (report: Parameters<OutboxLog['report']>[0]) => {
    log.report(report)
    return log.lane.isTroubled
  }
  const found = [
    ...[
      after({ ...trouble, failures: [REFUSED] }),
      after({ ...trouble, birth: 7 }),
      after({ ...trouble, failures }),
    ],
    ...[after({ failures: [{ ...REFUSED, count: 3 }] }), after({}), after(trouble)],
  ]
  expect(found).toEqual([false, false, true, true, false, true])
  expect(log.fold.takeTroubles().map(({ failure }) => failure.code)).toEqual([REFUSED.code, RETRYING])
})
