import { expect, test } from 'vitest'
import { OutboxLog, REFUSED } from '../../../test/support/outbox-log.ts'
import { textOf } from '../../../test/support/outgoing.ts'
import { Event } from '../../event/event.ts'
import type { AnsweredBatch } from '../fold/lane.ts'
import { deliveryLetters } from './delivery-letters.ts'
import { eventIdsOf } from './event-id.ts'

test('each event that a report gives up has a letter, whose name is a row of the report', () => {
  const log = new OutboxLog()
  log.hand(['a', 'b', 'c'])
  log.report({ failures: [REFUSED, { ...REFUSED, row: 2, message: 'Too old.' }] })
  const [answered] = log.fold.takeAnswered() as [AnsweredBatch]
  const events = ['a', 'b', 'c'].map((line, row) => ({
    event: Event.of({ line }, {}, '2026-01-01T00:00:00Z'),
    source: 'weir.ingest 0',
    position: { offset: 0n, row },
  }))
  const letters = deliveryLetters({ topic: 'weir.outbox', partition: 5 }, answered, events, eventIdsOf('log'))
  expect(letters.map(({ event, ...letter }) => ({ ...letter, line: textOf(event) }))).toMatchObject([
    { topic: 'weir.outbox', partition: 5, offset: 1, row: 0, line: 'a', message: 'The remote refused it.' },
    { offset: 1, row: 1, line: 'c', message: 'Too old.', failedAtMs: 1_000, version: 1, node: 'out' },
  ])
  const ids = events.map(eventIdsOf('log'))
  expect(letters.map(({ event }) => event.annotations)).toEqual([
    { delivery_id: ids[0] },
    { delivery_id: ids[2] },
  ])
})
