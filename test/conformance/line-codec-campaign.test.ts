import { expect, test } from 'vitest'
import { FUZZED_COLUMNS, fuzzCodec } from '../support/codec-fuzz.ts'

const LINES = 100_000
const FIRST_SEED = Number(process.env.SEED ?? 1_000)
const SEEDS = Number(process.env.SEEDS ?? 6)

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
  test(`the codec in WebAssembly agrees with the complete rules on ${LINES} lines (SEED=${seed})`, () => {
    expect(fuzzCodec(seed, LINES).fellBack).toBeLessThan(LINES * 0.95)
  })

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
  test(`the codec in WebAssembly splits ${LINES} lines as the complete rules do (SEED=${seed})`, () => {
    expect(fuzzCodec(seed, LINES, FUZZED_COLUMNS.slotted_lines).fellBack).toBeLessThan(LINES * 0.97)
  })
