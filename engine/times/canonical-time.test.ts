import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalTime } from './canonical-time.ts'
import { canonicalTimeOf, type Instant } from './instant.ts'

/** Moments of few seconds and of all of them: a second that is met again is not computed again. */
const instant: fc.Arbitrary<Instant> = fc.record({
  epochMs: fc.oneof(
    fc.integer({ min: -2_000, max: 2_000 }),
    fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  ),
  nanos: fc.oneof(fc.constantFrom(0, 1, 1_000, 250_000), fc.integer({ min: 0, max: 999_999 })),
})

/** Text of a moment with all nine digits of the fraction. */
function longText({ epochMs, nanos }: Instant): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}${String(nanos).padStart(6, '0')}Z`
}

test('the canonical form of a moment has the digits that its fraction needs, and stays as it is when it is read', () => {
  fc.assert(
    fc.property(instant, moment => {
      const text = canonicalTimeOf(moment)
      expect(text).toBe(longText(moment).replace(/(?:\.000|(?<=\d))(?:000)*Z$/, 'Z'))
      expect(canonicalTime(text)).toBe(text)
      expect(canonicalTime(longText(moment))).toBe(text)
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  '2031-02-29T08:15:30Z',
  '2031-04-31T08:15:30.250Z',
  '2031-13-01T08:15:30Z',
  '2031-00-01T08:15:30Z',
  '2031-03-00T08:15:30Z',
  '2031-03-09T24:00:00Z',
  '2031-03-09T08:60:00Z',
  '2031-03-09T08:15:60Z',
  '2031-03-09T08:15:30.25 Z',
  '2031-03-09T08:15:30.2.0Z',
  '2031-03-09 08:15:30',
])('%s is not a time', text => {
  expect(canonicalTime(text)).toBe(undefined)
})

test.each([
  ['2031-03-09T08:15:30.000Z', '2031-03-09T08:15:30Z'],
  ['2031-03-09t08:15:30.25z', '2031-03-09T08:15:30.250Z'],
  ['2031-03-31 23:30:00-00:45', '2031-04-01T00:15:00Z'],
])('%s becomes %s', (text, canonical) => {
  expect(canonicalTime(text)).toBe(canonical)
})
