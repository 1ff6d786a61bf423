import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TIMESTAMP_NUMBER_MS, TIMESTAMP_OTHER, TIMESTAMP_TEXT_MS } from '../../../schemas/log/line-batch.ts'
import { DAY_MS } from '../../times/duration.ts'
import { dateTimeToMs, numberToMs, rfc3339ToMs, timeBounds, timeOfNumber, timeOfText } from './timestamp.ts'

const NOW_MS = 1_767_225_600_000 // 2026-01-01T00:00:00Z
const BOUNDS = timeBounds(NOW_MS, 30)

describe('the magnitude of a number tells its unit', () => {
  test.each([
    ['1767225600', NOW_MS],
    ['1767225600.25', NOW_MS + 250],
    ['1767225600.2509999', NOW_MS + 250],
    ['1767225600.5', NOW_MS + 500],
    ['99999999999', 99_999_999_999_000],
    ['99999999999.999', 99_999_999_999_999],
    ['100000000000', 100_000_000_000],
    ['1767225600000', NOW_MS],
    ['1767225600000.9', NOW_MS],
    ['99999999999999', 99_999_999_999_999],
    ['100000000000000', 100_000_000_000],
    ['1767225600000999', NOW_MS],
    ['99999999999999999', 99_999_999_999_999],
    ['100000000000000000', 100_000_000_000],
    ['1767225600000999999', NOW_MS],
    ['001767225600000', NOW_MS],
    ['1.7672256e12', NOW_MS],
    ['1.7672256e9', NOW_MS],
    ['0.0001', 0],
  ])('%s is %i ms', (source, ms) => {
    expect(numberToMs(source)).toBe(ms)
  })

  test.each(['0', '0.0', '-1', '-1767225600000', '', ' ', 'NaN', '1.', '.5', '0x10', '1e400', '1 2'])(
    '%j is no time',
    source => {
      expect(numberToMs(source)).toBeUndefined()
    },
  )

  test('the same instant in every unit is the same millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e11, max: 4e12 }), fc.nat(999_999), (ms, sub) => {
        const nano = String(sub).padStart(6, '0')
        expect(numberToMs(`${ms}${nano}`)).toBe(ms)
        expect(numberToMs(`${ms}${nano.slice(0, 3)}`)).toBe(ms)
        expect(numberToMs(`${ms}.${nano}`)).toBe(ms)
        expect(numberToMs(`${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}${nano}`)).toBe(ms)
      }),
    )
  })
})

describe('RFC 3339', () => {
  test.each([
    ['2026-01-01T00:00:00Z', NOW_MS],
    ['2026-01-01t00:00:00z', NOW_MS],
    ['2026-01-01 00:00:00', NOW_MS],
    ['2026-01-01T02:30:00+02:30', NOW_MS],
    ['2025-12-31T22:00:00-0200', NOW_MS],
    ['2026-01-01T00:00:00.1239999Z', NOW_MS + 123],
    ['2026-01-01T00:00:00,5Z', NOW_MS + 500],
    ['2025-12-31T23:59:60Z', NOW_MS],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('%s is read', (text, ms) => {
    expect(rfc3339ToMs(text)).toBe(ms)
  })

  test.each([
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00Zx',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    '1969-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
  ])('%s is no time', text => {
    expect(rfc3339ToMs(text)).toBeUndefined()
  })

  test('a time before 1970 is one, but not of a line', () => {
    for (const text of ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z']) {
      expect(dateTimeToMs(text)).toBe(Date.parse(text))
      expect(rfc3339ToMs(text)).toBeUndefined()
    }
  })

  test('what a date prints is read back', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(1), max: new Date('9999-12-31'), noInvalidDate: true }), date => {
        expect(rfc3339ToMs(date.toISOString())).toBe(date.getTime())
      }),
    )
  })
})

describe('a line has its own time within bounds, else the time of reception', () => {
  const own = (ms: number, kind: number) => ({ ms, kind, clamped: false })
  const received = { ms: NOW_MS, kind: TIMESTAMP_OTHER, clamped: false }
  const clamped = { ms: NOW_MS, kind: TIMESTAMP_OTHER, clamped: true }

  test.each([
    [NOW_MS + DAY_MS, own(NOW_MS + DAY_MS, TIMESTAMP_NUMBER_MS)],
    [NOW_MS + DAY_MS + 1, clamped],
    [NOW_MS - 30 * DAY_MS, own(NOW_MS - 30 * DAY_MS, TIMESTAMP_NUMBER_MS)],
    [NOW_MS - 30 * DAY_MS - 1, clamped],
    [0, received],
    [-1, received],
  ])('number %i', (ms, time) => {
    expect(timeOfNumber(String(ms), BOUNDS)).toEqual(time)
  })

  test.each([
    [String(NOW_MS), own(NOW_MS, TIMESTAMP_TEXT_MS)],
    [` ${NOW_MS} `, own(NOW_MS, TIMESTAMP_OTHER)],
    [`0${NOW_MS}`, own(NOW_MS, TIMESTAMP_OTHER)],
    ['1767225600', own(NOW_MS, TIMESTAMP_OTHER)],
    ['2026-01-01T00:00:00Z', own(NOW_MS, TIMESTAMP_OTHER)],
    ['2020-01-01T00:00:00Z', clamped],
    ['9'.repeat(400), clamped],
    ['yesterday', received],
    ['', received],
    ['1e9', received],
  ])('text %j', (text, time) => {
    expect(timeOfText(text, BOUNDS)).toEqual(time)
  })
})
