import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeIn } from './text-search.ts'

/** Texts of few letters, in which much of a sought text is found again and again. */
const repeated = (least: number, most: number) =>
  fc
    .tuple(
      fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b') }),
      fc.integer({ min: least, max: most }),
    )
    .map(([unit, times]) => unit.repeat(times))

test('the place is that which the search of the runtime finds, also where that is slow', () => {
  fc.assert(
    fc.property(
      fc.array(repeated(1, 60), { minLength: 1, maxLength: 4 }),
      fc.array(repeated(1, 20), { minLength: 1, maxLength: 2 }),
      fc.nat(300),
      (texts, soughts, from) => {
        const [text, sought] = [texts.join(''), soughts.join('')]
        const spend = () => {}
        expect(placeIn(text, sought, { from, isLast: false }, spend)).toBe(text.indexOf(sought, from))
        expect(placeIn(text, sought, { from, isLast: true }, spend)).toBe(text.lastIndexOf(sought, from))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('the steps of a search grow with the sum of the lengths, not with their product', () => {
  const stepsOf = (length: number) => {
    let steps = 0
    const spend = (taken: number) => {
      steps += taken
    }
    placeIn('a'.repeat(2 * length), `b${'a'.repeat(length)}`, { from: 0, isLast: false }, spend)
    return steps
  }
  expect(stepsOf(10_000)).toBeLessThanOrEqual(11 * stepsOf(1_000))
})
