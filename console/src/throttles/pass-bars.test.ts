import { expect, test } from 'vitest'
import { passBars } from './pass-bars.ts'

test('passes stand in their part of the window, from its first instant to its end', () => {
  const bars = passBars({
    passes: [
      { atMs: 39_999, events: 9 },
      { atMs: 40_000, events: 1 },
      { atMs: 40_999, events: 2 },
      { atMs: 99_999, events: 3 },
      { atMs: 100_000, events: 4 },
      { atMs: 100_001, events: 9 },
    ],
    toMs: 100_000,
    windowMs: 60_000,
  })
  expect(bars).toHaveLength(60)
  expect([bars[0], bars.at(-1)]).toEqual([3, 7])
  expect(bars.reduce((sum, each) => sum + each, 0)).toBe(10)
})
