import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringEnd } from './marked-keys.ts'

const drawnText = fc.string({ unit: fc.constantFrom('"', '\\', 'a', 'é'), maxLength: 100, size: 'max' })

test('a string ends at its own quote, however many escaped quotes it has', () => {
  fc.assert(
    fc.property(drawnText, drawnText, (text, behind) => {
      const before = '["",'
      const written = JSON.stringify(text)
      expect(stringEnd(`${before}${written}${behind}`, before.length)).toBe(before.length + written.length)
      expect(stringEnd(written.slice(0, -1), 0)).toBe(written.length - 1)
    }),
    { numRuns: 2_000 },
  )
})

test('a string that goes beyond a limit is not followed', () => {
  fc.assert(
    fc.property(drawnText, fc.nat(300), (text, limit) => {
      const written = JSON.stringify(text)
      const end = stringEnd(written, 0, limit)
      if (end <= limit) expect(end).toBe(written.length)
      else expect(limit).toBeLessThan(written.length)
    }),
    { numRuns: 2_000 },
  )
})
