import { describe, expect, test } from 'vitest'
import { byteSize } from './byte-size.ts'
import { pointInTime } from './point-in-time.ts'

const NOW = Date.UTC(2026, 2, 1, 12, 30)
const iso = (text: string, edge: 'start' | 'end' = 'start') =>
  new Date(pointInTime('--from', text, NOW, edge)).toISOString()

describe('times in the usual forms', () => {
  test.each([
    ['now', '2026-03-01T12:30:00.000Z'],
    ['90s', '2026-03-01T12:28:30.000Z'],
    ['1h', '2026-03-01T11:30:00.000Z'],
    ['1.5h', '2026-03-01T11:00:00.000Z'],
    ['2d', '2026-02-27T12:30:00.000Z'],
    ['today', '2026-03-01T00:00:00.000Z'],
    ['yesterday', '2026-02-28T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T10:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31 10:00:01.5Z', '2026-01-31T10:00:01.500Z'],
    ['2026-01-31T10:00:00+02:00', '2026-01-31T08:00:00.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
  ])('%s is %s', (text, expected) => {
    expect(iso(text)).toBe(expected)
  })

  test('a plain date that ends a range means its last millisecond', () => {
    expect(iso('2026-01-31', 'end')).toBe('2026-01-31T23:59:59.999Z')
    expect(iso('2026-01-31T00:00Z', 'end')).toBe('2026-01-31T00:00:00.000Z')
  })

  test.each(['', 'soon', '2026-02-29', '2026-13-01', '2026-01-31T25:00Z', '1y', '-1h'])(
    '%j is not a time',
    text => {
      expect(() => iso(text)).toThrow(/is not a time/)
    },
  )
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.00 kB'],
  [9_949, '9.95 kB'],
  [12_345, '12.3 kB'],
  [999_499, '999 kB'],
  [999_500, '1.00 MB'],
  [1e18, '1.00 EB'],
])('%i bytes are written %s', (bytes, expected) => {
  expect(byteSize(bytes)).toBe(expected)
})
