import { expect, test } from 'vitest'
import { pushedEvents, SAMPLE_ACCOUNT, SAMPLE_ROUTE } from '../../test/support/line-batches.ts'
import { sentEvent } from '../../test/support/sent-lines.ts'
import type { Event } from './event.ts'
import { eventColumns, eventsIn, sharedBytes } from './event-columns.ts'

const contentOf = ({ message, metadata, timestamp, annotations, bytes }: Event) => ({
  message,
  metadata,
  timestamp,
  annotations,
  bytes,
})

test('events of a gateway route arrive as they were sent, changed or not', () => {
  const [first, second, third] = pushedEvents([{ a: 1 }, 'text', [1, 2]], { query: { site: 'oslo' } })
  const events = [
    first,
    second?.withMessage({ a: 2n ** 70n }),
    third?.withMetadata({}).withTimestamp('2026-01-01T00:00:00.123456Z'),
    first?.withMessage('twice'),
    second?.withAnnotations({ app: 'gate', classification: { event_count: 1 } }),
  ] as Event[]
  const columns = eventColumns(events, SAMPLE_ACCOUNT, SAMPLE_ROUTE)
  const arrived = eventsIn(columns)
  expect(arrived.map(contentOf)).toEqual(events.map(contentOf))
  expect(arrived.map(({ untouched }) => untouched)).toEqual([true, false, true, false, true])
  expect(arrived.map(event => event.origin?.batch.entrance)).toEqual(Array(5).fill(SAMPLE_ROUTE))
  // Encodes the arrived events a second time.
  expect(eventsIn(eventColumns(arrived, SAMPLE_ACCOUNT, SAMPLE_ROUTE)).map(contentOf)).toEqual(
    events.map(contentOf),
  )
})

test('parts of a split event do not keep the large event in memory', () => {
  const [whole] = pushedEvents([{ text: 'x'.repeat(100_000) }], { headers: { a: 'b' } })
  const parts = Array.from({ length: 1_000 }, (_, part) => (whole as Event).withMessage({ part }))
  const { lines, changed } = eventColumns(parts, SAMPLE_ACCOUNT, SAMPLE_ROUTE)
  expect(lines.length).toBeLessThan(20_000)
  expect(changed).toHaveLength(1_000)
  expect((parts[0] as Event).metadata).toEqual({ headers: { a: 'b' } })
  expect(sharedBytes(parts[0] as Event)).toBe('{"headers":{"a":"b"}}'.length)
})

test('a line of a log keeps its sent text, even after a change', () => {
  const event = sentEvent({ line: 'text', app: 'a' }).withMessage({ line: 'other' })
  const [arrived] = eventsIn(eventColumns([event], SAMPLE_ACCOUNT, 'ingest'))
  expect(arrived?.origin?.batch.lineText(0)).toBe('text')
  expect(arrived?.message).toEqual({ line: 'other' })
  expect(sharedBytes(event)).toBe(0)
})
