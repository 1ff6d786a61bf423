import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utcTextMs } from './utc-text.ts'

test('a time text has the milliseconds that Date.parse gives it', () => {
  const moment = fc.date({
    min: new Date(-62_167_219_200_000),
    max: new Date(253_402_300_799_999),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moment, fc.boolean(), (date, isWhole) => {
      const text = isWhole ? `${date.toISOString().slice(0, -'.000Z'.length)}Z` : date.toISOString()
      expect(utcTextMs(text)).toBe(Date.parse(text))
    }),
    { numRuns: 2_000 },
  )
})

test('so has a text that is damaged in one place', () => {
  const texts = [
    '2031-03-09T08:15:30.250Z',
    '2031-03-09T08:15:30Z',
    '2024-02-29T23:59:59Z',
    '0000-01-01T00:00:00Z',
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.nat(23),
      fc.constantFrom(...'0139-:.TZtz +x é'),
      (text, at, other) => {
        const damaged = text.slice(0, at) + other + text.slice(at + 1)
        expect(utcTextMs(damaged)).toBe(Date.parse(damaged))
      },
    ),
    { numRuns: 5_000 },
  )
})

test.each([
  '',
  '2031',
  '2031-03-09',
  '2031-02-30T00:00:00Z',
  '2031-13-01T00:00:00Z',
  '2031-03-09T24:00:00Z',
  'Sun, 09 Mar 2031 08:15',
])('and %j', text => expect(utcTextMs(text)).toBe(Date.parse(text)))
