import { describe, expect, test } from 'vitest'
import {
  bucketLabel,
  clockTime,
  dayAndTime,
  instantOf,
  rangeName,
  rfc3339,
  roundTimes,
  timeNear,
  typedTime,
} from './time.ts'

const NOON = Date.parse('2026-11-27T12:00:00.007Z')
const BERLIN = 'Europe/Berlin'

describe('a time', () => {
  test.each([
    ['UTC', '12:00:00.007', '2026-11-27T12:00:00.007Z'],
    ['Asia/Kolkata', '17:30:00.007', '2026-11-27T17:30:00.007+05:30'],
    ['America/St_Johns', '08:30:00.007', '2026-11-27T08:30:00.007-03:30'],
  ])('in %s', (zone, clock, copied) => {
    expect(clockTime(NOON, zone)).toBe(clock)
    expect(rfc3339(NOON, zone)).toBe(copied)
    expect(Date.parse(rfc3339(NOON, zone))).toBe(NOON)
  })

  test('in both hours of the night when clocks go back has the offset that tells them apart', () => {
    const first = Date.parse('2026-10-25T00:30:00Z')
    const second = Date.parse('2026-10-25T01:30:00Z')
    expect(dayAndTime(first, BERLIN)).toBe(dayAndTime(second, BERLIN))
    expect(rfc3339(first, BERLIN)).toBe('2026-10-25T02:30:00.000+02:00')
    expect(rfc3339(second, BERLIN)).toBe('2026-10-25T02:30:00.000+01:00')
  })

  test('before 1970 keeps its milliseconds', () => {
    expect(clockTime(-1, 'UTC')).toBe('23:59:59.999')
  })
})

describe('a typed time', () => {
  test.each([
    ['2026-11-27 13:00', BERLIN, '2026-11-27T12:00:00Z'],
    ['2026-07-27 14:00:01.5', BERLIN, '2026-07-27T12:00:01.500Z'],
    ['2026-11-27', BERLIN, '2026-11-26T23:00:00Z'],
    ['2026-11-27T12:00:00Z', BERLIN, '2026-11-27T12:00:00Z'],
    ['2026-10-25 02:30', BERLIN, '2026-10-25T00:30:00Z'],
    ['2026-10-25 02:30+01:00', BERLIN, '2026-10-25T01:30:00Z'],
    ['2026-11-27 17:30', 'Asia/Kolkata', '2026-11-27T12:00:00Z'],
  ])('%s in %s', (text, zone, instant) => {
    expect(typedTime(text, zone)).toBe(Date.parse(instant))
  })

  test.each(['', 'yesterday', '2026-02-30', '2026-11-27 25:00', '2026-03-29 02:30'])('%j is none', text => {
    expect(typedTime(text, BERLIN)).toBeUndefined()
  })
})

describe('an end of a range', () => {
  test.each([
    ['now', NOON],
    ['15min', NOON - 900_000],
    ['2h', NOON - 7_200_000],
    ['7d', NOON - 604_800_000],
    ['1700000000000', 1_700_000_000_000],
  ])('%s', (text, ms) => {
    expect(instantOf(text, NOON)).toBe(ms)
  })

  test.each(['', '-5min', '5 min', 'h', '5w', '1e5'])('%j is none', text => {
    expect(instantOf(text, NOON)).toBeUndefined()
  })

  test('has a name in words', () => {
    expect(['1h', '15min', '7d', '1700000000000'].map(rangeName)).toEqual([
      'Last hour',
      'Last 15 minutes',
      'Last 7 days',
      undefined,
    ])
  })
})

test('labels of a chart show as much as a bucket needs', () => {
  expect([1_000, 60_000, 3_600_000, 86_400_000].map(ms => bucketLabel(NOON, ms, 'UTC'))).toEqual([
    '12:00:00',
    '12:00',
    '11-27 12:00',
    '11-27',
  ])
})

test('an axis has round times of its zone', () => {
  const hour = Date.parse('2026-11-27T12:03:20Z')
  const labels = (hours: number, zone: string) =>
    roundTimes(hour, hour + hours * 3_600_000, { zone, most: 6 }).map(({ label }) => label)
  expect(labels(1, 'UTC')).toEqual(['12:15', '12:30', '12:45', '13:00'])
  expect(labels(24, 'Asia/Kolkata')).toEqual(['11-27 18:00', '11-28 00:00', '11-28 06:00', '11-28 12:00'])
  expect(labels(1 / 3600, 'UTC')).toEqual(['12:03:20', '12:03:21'])
})

test('a time of the day is the last one that is not after an instant, in the zone', () => {
  const last = Date.UTC(2026, 10, 27, 14, 3)
  const near = (text: string, zone = 'UTC') => timeNear(text, last, zone)
  expect(near('14:03')).toBe(last)
  expect(near('9:30:05.25')).toBe(Date.UTC(2026, 10, 27, 9, 30, 5, 250))
  expect(near('14:04')).toBe(Date.UTC(2026, 10, 26, 14, 4))
  expect(near('19:33', 'Asia/Kolkata')).toBe(last)
  expect(near('19:34', 'Asia/Kolkata')).toBe(Date.UTC(2026, 10, 26, 14, 4))
  expect(near(' 2026-11-20 06:00 ')).toBe(Date.UTC(2026, 10, 20, 6))
  expect(near('1700000000000')).toBe(1_700_000_000_000)
  for (const text of ['', 'noon', '25:00', '14:61', '2026-13-01']) expect(near(text)).toBeUndefined()
})
