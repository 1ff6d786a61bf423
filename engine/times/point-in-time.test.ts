import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts'
import { type PointInTimeReading, readPointInTime, type TimeZone } from './point-in-time.ts'
import { timeSpanMs } from './time-span.ts'

const NOW = Date.UTC(2026, 2, 1, 12, 30)
/** Two hours ahead of UTC. */
const AHEAD: TimeZone = { toClockMs: ms => ms + 2 * HOUR_MS, toUtcMs: ms => ms - 2 * HOUR_MS }

function read(text: string, reading: Partial<PointInTimeReading> = {}): string | undefined {
  const ms = readPointInTime(text, { nowMs: NOW, edge: 'start', ...reading })
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('the forms of a time', () => {
  test.each([
    ['now', '2026-03-01T12:30:00.000Z'],
    ['-1h', '2026-03-01T11:30:00.000Z'],
    ['now-1h', '2026-03-01T11:30:00.000Z'],
    ['now - 1h', '2026-03-01T11:30:00.000Z'],
    ['1h', '2026-03-01T11:30:00.000Z'],
    ['+90m', '2026-03-01T14:00:00.000Z'],
    ['now+1.5h', '2026-03-01T14:00:00.000Z'],
    ['1d12h', '2026-02-28T00:30:00.000Z'],
    ['1d 12h', '2026-02-28T00:30:00.000Z'],
    ['-1w', '2026-02-22T12:30:00.000Z'],
    ['-90s', '2026-03-01T12:28:30.000Z'],
    ['500ms', '2026-03-01T12:29:59.500Z'],
    ['today', '2026-03-01T00:00:00.000Z'],
    ['today+8h', '2026-03-01T08:00:00.000Z'],
    ['yesterday', '2026-02-28T00:00:00.000Z'],
    ['yesterday+23h59m', '2026-02-28T23:59:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T10:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31 10:00:01.5Z', '2026-01-31T10:00:01.500Z'],
    ['2026-01-31T10:00:01,25 Z', '2026-01-31T10:00:01.250Z'],
    ['2026-01-31T10:00+02', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T10:00:00-0230', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T10:00:00 02:00', '2026-01-31T08:00:00.000Z'],
    ['20260131T100000Z', '2026-01-31T10:00:00.000Z'],
    ['20260131T1000+0100', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T10:00:01.123456789Z', '2026-01-31T10:00:01.123Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000.25', '2023-11-14T22:13:20.250Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['1700000000123456', '2023-11-14T22:13:20.123Z'],
    ['1700000000123456789', '2023-11-14T22:13:20.123Z'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  test.each([
    ...['', ' ', 'soon', 'tomorrow', 'now1h', 'now 1h', 'nowhere', '-', '+', '--1h', 'now-', ' 1h'],
    ...['1y', '1h1d', '1h2h', '1h-', '1.h', '.5h', '1e3s', '-1', '1700000000s1', 'today-', '1d12'],
    ...['2026-02-29', '2026-13-01', '2026-1-1', '2026-01-32', '2026-0131', '2026-01-31T', '2026-01-31T10'],
    ...[
      '20260131T10:00Z',
      '2026-01-31T1000',
      '2026-01-31T10:0000',
      '2026-01-31T25:00Z',
      '2026-01-31T10:60',
      '2026-01-31T10:00:61Z',
      '2026-01-31T10:00+25:00',
    ],
    ...['2026-01-31T10:00Europe/Berlin', `${'9'.repeat(60)}h`, `2026-01-31T10:00:00.${'1'.repeat(60)}Z`],
  ])('%j is not a time', text => {
    expect(read(text)).toBe(undefined)
  })

  test('a bare date and the name of a day mean the whole day: its end is the last millisecond', () => {
    expect(read('2026-01-31', { edge: 'end' })).toBe('2026-01-31T23:59:59.999Z')
    expect(read('today', { edge: 'end' })).toBe('2026-03-01T23:59:59.999Z')
    expect(read('yesterday', { edge: 'end' })).toBe('2026-02-28T23:59:59.999Z')
    expect(read('2026-01-31T00:00Z', { edge: 'end' })).toBe('2026-01-31T00:00:00.000Z')
    expect(read('today+1h', { edge: 'end' })).toBe('2026-03-01T01:00:00.000Z')
  })

  test('a zone decides about days and about times without an offset, and nothing else', () => {
    const zone = AHEAD
    expect(read('today', { zone })).toBe('2026-02-28T22:00:00.000Z')
    expect(read('today', { zone, edge: 'end' })).toBe('2026-03-01T21:59:59.999Z')
    expect(read('today', { zone, nowMs: Date.UTC(2026, 2, 1, 23) })).toBe('2026-03-01T22:00:00.000Z')
    expect(read('2026-01-31', { zone })).toBe('2026-01-30T22:00:00.000Z')
    expect(read('2026-01-31T10:00', { zone })).toBe('2026-01-31T08:00:00.000Z')
    expect(read('2026-01-31T10:00Z', { zone })).toBe('2026-01-31T10:00:00.000Z')
    expect(read('-1h', { zone })).toBe('2026-03-01T11:30:00.000Z')
  })

  test('a span without a sign is in the past unless the caller asks for the future', () => {
    expect(read('2h', { unsigned: 'future' })).toBe('2026-03-01T14:30:00.000Z')
    expect(read('-2h', { unsigned: 'future' })).toBe('2026-03-01T10:30:00.000Z')
  })
})

const UNITS = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS, ms: 1 } as const

/** A span as text, with its length. */
const span = fc
  .tuple(
    ...Object.entries(UNITS).map(([unit, ms]) =>
      fc.option(fc.nat(500), { nil: undefined }).map(count => ({ unit, ms, count })),
    ),
  )
  .map(parts => parts.filter(({ count }) => count !== undefined))
  .filter(parts => parts.length > 0)
  .map(parts => ({
    text: parts.map(({ unit, count }) => `${count}${unit}`).join(''),
    ms: parts.reduce((sum, { ms, count }) => sum + ms * (count as number), 0),
  }))
const time = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(9900, 0, 1) })
const recent = fc.integer({ min: 1e11, max: Date.UTC(2100, 0, 1) })

describe('for all times', () => {
  const at = (text: string, nowMs = NOW, reading: Partial<PointInTimeReading> = {}) =>
    readPointInTime(text, { nowMs, edge: 'start', ...reading })

  test('all forms of a moment give the same milliseconds', () => {
    fc.assert(
      fc.property(recent, fc.integer({ min: -14 * 60, max: 14 * 60 }), (ms, offsetMinutes) => {
        const local = new Date(ms + offsetMinutes * MINUTE_MS).toISOString().slice(0, -1)
        const [hours, minutes] = [Math.trunc(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60]
        const digits = [hours, minutes].map(part => String(part).padStart(2, '0'))
        const sign = offsetMinutes < 0 ? '-' : '+'
        const forms = [
          new Date(ms).toISOString(),
          new Date(ms).toISOString().replace('T', ' ').slice(0, -1),
          `${local}${sign}${digits.join(':')}`,
          `${local.replaceAll(/[-:]/g, '')}${sign}${digits.join('')}`,
          String(ms),
          `${ms}000`,
          `${ms}000000`,
          `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}`,
        ]
        for (const form of forms) expect(at(form), form).toBe(ms)
      }),
    )
  })

  test('a span before now and the same after it are as far away as it is long', () => {
    fc.assert(
      fc.property(time, span, (nowMs, { text, ms }) => {
        expect(timeSpanMs(text)).toBe(ms)
        for (const past of [text, `-${text}`, `now-${text}`]) expect(at(past, nowMs), past).toBe(nowMs - ms)
        for (const future of [`+${text}`, `now+${text}`]) expect(at(future, nowMs)).toBe(nowMs + ms)
      }),
    )
  })

  test('a day ends one millisecond before the next one begins', () => {
    fc.assert(
      fc.property(time, fc.constantFrom(undefined, AHEAD), (ms, zone) => {
        const reading = zone === undefined ? {} : { zone }
        const [day, next] = [ms, ms + DAY_MS].map(each => new Date(each).toISOString().slice(0, 10)) as [
          string,
          string,
        ]
        expect(at(day, ms, { ...reading, edge: 'end' })).toBe((at(next, ms, reading) as number) - 1)
        expect(at('today', ms, { ...reading, edge: 'end' })).toBe(
          (at('today', ms + DAY_MS, reading) as number) - 1,
        )
        expect(at('yesterday', ms + DAY_MS, reading)).toBe(at('today', ms, reading))
      }),
    )
  })

  test('every text is a time of four-digit years in whole milliseconds, or none', () => {
    const part = fc.constantFrom(
      ...['now', 'today', 'yesterday', '-', '+', '1', '12', '2026', '01', '31', 'T', ' ', ':', '.', ','],
      ...['h', 'd', 'ms', 'min', 'Z', '00', '99', 'e', '1700000000'],
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 12 }).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, fc.constantFrom<'start' | 'end'>('start', 'end'), (each, edge) => {
        const ms = at(each, NOW, { edge })
        if (ms === undefined) return
        expect(Number.isInteger(ms)).toBe(true)
        expect(new Date(ms).toISOString()).toMatch(/^\d{4}-/)
      }),
      { numRuns: 5_000 },
    )
  })
})
