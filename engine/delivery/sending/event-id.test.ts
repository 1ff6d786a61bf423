import { expect, test } from 'vitest'
import { Event } from '../../event/event.ts'
import { eventIdsOf, withDeliveryId } from './event-id.ts'

const TEXT = Event.of({ line: 'text' }, {}, '2026-01-01T00:00:00Z')
const event = (source: string, offset: bigint, row: number) => ({
  event: TEXT,
  source,
  position: { offset, row },
})

test('events of different places and installations have different ids, which rise with the position', () => {
  const idOf = eventIdsOf('log')
  const events = [
    event('weir.ingest 0', 1n, 0),
    event('weir.ingest 0', 1n, 1),
    event('weir.ingest 0', 2n ** 40n - 1n, 2 ** 32 - 1),
    event('weir.ingest 1', 0n, 0),
    event('weir.keyed 0', 0n, 0),
  ]
  const ids = events.map(idOf).map(BigInt)
  expect(ids.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(ids)
  expect(new Set([...ids, ...events.map(eventIdsOf('other')).map(BigInt)]).size).toBe(2 * events.length)
})

test('an event that was sent before keeps its id at another place', () => {
  const idOf = eventIdsOf('log')
  const first = event('weir.ingest 0', 1n, 0)
  const again = { ...event('weir.ingest 1', 7n, 3), event: withDeliveryId(TEXT, idOf(first)) }
  expect(idOf(again)).toBe(idOf(first))
  expect(idOf({ ...again, event: TEXT.withAnnotations({ delivery_id: 'x' }) })).not.toBe('x')
})

test('ids of a record follow each other, also where many digits change at once', () => {
  const idOf = eventIdsOf('log')
  const rows = 2n ** 32n
  const idAt = (offset: bigint, row: bigint) => BigInt(idOf(event('weir.ingest 3', offset, Number(row))))
  const low = 10n ** 15n
  // Within this record the last fifteen digits become zeros.
  const offset = (low - (idAt(0n, 0n) % low)) / rows
  const first = idAt(offset, 0n)
  const behind = low - (first % low)
  expect(behind).toBeLessThan(rows)
  for (const row of [1n, behind - 1n, behind, behind + 1n, rows - 1n])
    expect(idAt(offset, row)).toBe(first + row)
  expect(idAt(offset + 1n, 0n)).toBe(first + rows)
})
