import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dateTimeToMs, numberToMs } from './sent-time.ts'

const NOW_MS = 1_767_225_600_000 // 2026-01-01T00:00:00Z

describe('the magnitude of a number determines its unit', () => {
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
    '%j is not a time',
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
    expect(dateTimeToMs(text)).toBe(ms)
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
  ])('%s is not a time', text => {
    expect(dateTimeToMs(text)).toBeUndefined()
  })

  test.each(['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    '%s is read, although it is not after 1970',
    text => {
      expect(dateTimeToMs(text)).toBe(Date.parse(text))
    },
  )

  test('what a date prints is read back', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31'), noInvalidDate: true }),
        date => {
          expect(dateTimeToMs(date.toISOString())).toBe(date.getTime())
        },
      ),
    )
  })
})
