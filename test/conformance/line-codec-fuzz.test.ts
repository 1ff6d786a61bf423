import { expect, test } from 'vitest'
import { FUZZED_COLUMNS, fuzzCodec } from '../support/codec-fuzz.ts'

/** The long form is line-codec-campaign.test.ts. Even seeds try every row, odd ones leave accounts alone whose rows fall back. */

const LINES = 5_000

test.each([1, 2])('the codec in WebAssembly agrees with the complete rules (SEED=%i)', seed => {
  const { lines, fellBack } = fuzzCodec(seed, LINES)
  expect(fellBack).toBeGreaterThan(lines / 20)
  expect(fellBack).toBeLessThan(lines * 0.95)
})

test.each([5, 6])('the codec in WebAssembly splits lines as the complete rules do (SEED=%i)', seed => {
  const { lines, fellBack } = fuzzCodec(seed, LINES, FUZZED_COLUMNS.slotted_lines)
  expect(fellBack).toBeGreaterThan(lines / 20)
  expect(fellBack).toBeLessThan(lines * 0.95)
})
