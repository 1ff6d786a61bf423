import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_TIME_MS } from '../../engine/store/search/stored-times.ts'
import { isTimeZone, timeBuckets } from './time-buckets.ts'

function buckets(from: string, to: string, zone = 'UTC', most = 60) {
  const { starts, intervalMs } = timeBuckets(Date.parse(from), Date.parse(to), zone, most)
  return { intervalMs, starts: starts.map(start => new Date(start).toISOString().replace(':00.000Z', 'Z')) }
}

test('buckets begin at round times, and the first contains the start of the period', () => {
  const { intervalMs, starts } = buckets('2026-11-24T10:07:31Z', '2026-11-24T11:07:30.999Z', 'UTC', 15)
  expect(intervalMs).toBe(300_000)
  expect(starts).toHaveLength(13)
  expect([starts[0], starts.at(-1)]).toEqual(['2026-11-24T10:05Z', '2026-11-24T11:05Z'])
})

test('a day begins at midnight of the zone, and lasts 25 hours when clocks are set back', () => {
  expect(buckets('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', 'Europe/Berlin', 10).starts).toEqual([
    '2026-10-24T10:00Z',
    '2026-10-24T16:00Z',
    '2026-10-24T22:00Z',
    '2026-10-25T05:00Z',
    '2026-10-25T11:00Z',
    '2026-10-25T17:00Z',
    '2026-10-25T23:00Z',
    '2026-10-26T05:00Z',
    '2026-10-26T11:00Z',
  ])
  const days = buckets('2026-10-20T12:00:00Z', '2026-10-28T12:00:00Z', 'Europe/Berlin', 10).starts
  expect(days).toContain('2026-10-24T22:00Z')
  expect(days).toContain('2026-10-25T23:00Z')
})

test('an hour begins where the clock of the zone says so', () => {
  const { starts } = buckets('2026-11-24T10:07:31Z', '2026-11-24T18:07:31Z', 'Asia/Kolkata', 10)
  expect(starts[0]).toBe('2026-11-24T09:30Z')
})

test('a period without length has one bucket', () => {
  expect(timeBuckets(5, 5, 'UTC', 10)).toEqual({ starts: [5], intervalMs: 1 })
})

test('the first bucket contains the first lines there can be, where it was still the year 1969', () => {
  const { starts } = timeBuckets(0, 800_000_000, 'America/St_Johns', 10)
  expect(starts[0]).toBeLessThanOrEqual(0)
})

test('any period is divided into at most as many buckets, without a gap, in every zone', () => {
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    '+05:45',
  )
  const time = fc.integer({ min: 0, max: MAX_TIME_MS })
  const length = fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 10 }))
  fc.assert(
    fc.property(
      time,
      length,
      zone,
      fc.integer({ min: 10, max: 2000 }),
      (fromMs, [digits, zeros], name, most) => {
        const toMs = Math.min(MAX_TIME_MS, fromMs + digits * 10 ** zeros)
        const { starts } = timeBuckets(fromMs, toMs, name, most)
        expect(starts.length).toBeLessThanOrEqual(most)
        expect(starts[0]).toBeLessThanOrEqual(fromMs)
        expect(starts[1] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(fromMs)
        expect(starts.at(-1)).toBeLessThanOrEqual(toMs)
        for (const [index, start] of starts.slice(1).entries())
          expect(start).toBeGreaterThan(starts[index] as number)
      },
    ),
  )
})

test('a time zone has a name of the database, or is an offset', () => {
  expect(['UTC', 'Europe/Berlin', '+05:45', 'Europe/Atlantis', '', 'CEST?'].map(isTimeZone)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})
