import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../schemas/json.ts'
import { DAY_MS } from '../../../times/duration.ts'
import { isKeptTime, readLineTimeMs } from './line-time.ts'

describe('the time of a line', () => {
  test.each<[JsonValue, number | undefined]>([
    [1_772_600_767, 1_772_600_767_000],
    [1_772_600_767.089, 1_772_600_767_089],
    ['1772600767.089', 1_772_600_767_089],
    [' 1772600767 ', 1_772_600_767_000],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [99_999_999_999_999, 99_999_999_999_999],
    [100_000_000_000_000, 100_000_000_000],
    [99_999_999_999_999_999n, 100_000_000_000], // Its double is 1e17 already: nanoseconds.
    [99_999_999_999_999_980n, 99_999_999_999_999],
    [1_772_600_767_089_000_000n, 1_772_600_767_089],
    ['1772600767089000000', 1_772_600_767_089],
    ['2026-03-04T05:06:07.089Z', 1_772_600_767_089],
    ['2026-03-04T05:06:07.0899Z', 1_772_600_767_089],
    ['2026-03-04 05:06:07', 1_772_600_767_000],
    ['2026-03-04T07:06:07+02:00', 1_772_600_767_000],
    [0, undefined],
    ['0', undefined],
    [-1, undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['1969-12-31T23:59:59Z', undefined],
    ['', undefined],
    [true, undefined],
    [null, undefined],
    [[1_772_600_767], undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])('%s is %s', (value, timeMs) => {
    expect(readLineTimeMs(value)).toBe(timeMs)
  })

  test('a missing value is not a time', () => {
    expect(readLineTimeMs(undefined)).toBeUndefined()
  })

  test('is kept up to a day ahead and back to the retention', () => {
    const now = 100 * DAY_MS
    expect([now + DAY_MS, now + DAY_MS + 1].map(timeMs => isKeptTime(timeMs, now, 7))).toEqual([true, false])
    expect([now - 7 * DAY_MS, now - 7 * DAY_MS - 1].map(timeMs => isKeptTime(timeMs, now, 7))).toEqual([
      true,
      false,
    ])
    expect(isKeptTime(Number.NaN, now, 7)).toBe(false)
  })
})
