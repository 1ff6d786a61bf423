import { expect, test } from 'vitest'
import { Standing } from './standing.ts'

const LIMITS = { lookEveryMs: 1, reportAfterMs: 3, endAfterMs: 6 }

/** Findings of looks at these stretches, one each millisecond; null: no fold works. */
function findings(...stretches: readonly (number | null)[]): string[] {
  const standing = new Standing(LIMITS, 0)
  return stretches.map((stretch, index) => standing.look(stretch ?? 0, stretch !== null, index + 1))
}

test('a stretch that stands is reported once, and has then stood too long', () => {
  expect(findings(5, 5, 5, 5, 5, 5, 5)).toEqual([
    ...['works', 'works', 'works', 'stands', 'works', 'works'],
    'has stood too long',
  ])
})

test('stretches that follow each other do not stand, and no fold does without work', () => {
  expect(new Set(findings(1, 1, 1, 2, 2, 2, 3, 3, 3))).toEqual(new Set(['works']))
  expect(new Set(findings(1, 1, null, 1, 1, null, 1, 1))).toEqual(new Set(['works']))
  expect(new Set(findings(...Array.from({ length: 20 }, () => null)))).toEqual(new Set(['works']))
})

test('every stretch that stands is reported', () => {
  const found = findings(1, 1, 1, 1, 2, 2, 2, 2)
  expect(found.filter(finding => finding === 'stands')).toHaveLength(2)
})

test('a pause of the whole process does not count as standing', () => {
  const standing = new Standing(LIMITS, 0)
  standing.look(1, true, 1)
  expect(standing.look(1, true, 3_600_000)).toBe('works')
  expect(standing.stoodMs).toBe(2)
})
