import { expect, test } from 'vitest'
import { DAY_MS } from './duration.ts'
import { utcDay } from './utc-day.ts'

test('a day of UTC begins at midnight and lasts until the last millisecond', () => {
  const midnight = Date.UTC(2026, 1, 28)
  expect([midnight - 1, midnight, midnight + DAY_MS - 1, midnight + DAY_MS].map(utcDay)).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-02-28',
    '2026-03-01',
  ])
})
