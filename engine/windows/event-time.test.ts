import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { Event } from '../event/event.ts'
import { eventTime } from './event-time.ts'

const NOW_MS = 1_930_000_000_000
const AHEAD_MS = 60_000
const TIME = '2031-02-27T23:06:39.9999Z'

/** Time of an event with that value in a field. */
const timeOf = (value: JsonValue | undefined) =>
  eventTime('.at', AHEAD_MS)(Event.of(value === undefined ? {} : { at: value }, {}, TIME), NOW_MS)

test.each<[JsonValue, number]>([
  [0, 0],
  [-1, -1],
  [70_000, 70_000],
  ['1970-01-01T00:01:10Z', 70_000],
  ['1970-01-01T01:01:10.0059+01:00', 70_005],
  ['1970-01-01 00:01:10Z', 70_000],
])('%j is a time', (value, timeMs) => {
  expect(timeOf(value)).toBe(timeMs)
})

test.each<[JsonValue | undefined]>([
  [undefined],
  [null],
  [true],
  [{}],
  [[70_000]],
  [''],
  [70_000.5],
  ['70000'],
  ['1970-01-01'],
  ['1970-01-01T00:01:10'],
  ['1970-02-30T00:01:10Z'],
  ['noon'],
])('%j is not a time, and the log time counts', value => {
  expect(timeOf(value)).toBe(NOW_MS)
})

test('an integer beyond the safe ones is not a time', () => {
  expect(timeOf(12345678901234567890n as never)).toBe(NOW_MS)
})

test('a time that is further ahead than the bound counts as the log time', () => {
  expect(timeOf(NOW_MS + AHEAD_MS)).toBe(NOW_MS + AHEAD_MS)
  expect(timeOf(NOW_MS + AHEAD_MS + 1)).toBe(NOW_MS)
})

test('the timestamp of an event is its time to the millisecond, but a member of that name is not', () => {
  const event = Event.of({ timestamp: 5 }, {}, TIME)
  expect(eventTime('timestamp', AHEAD_MS)(event, NOW_MS)).toBe(Date.parse('2031-02-27T23:06:39.999Z'))
  expect(eventTime('.timestamp', AHEAD_MS)(event, NOW_MS)).toBe(5)
})
