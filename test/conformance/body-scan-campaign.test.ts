import { expect, test } from 'vitest'
import { fuzzScan } from '../support/scan-fuzz.ts'

const BODIES = 20_000
const FIRST_SEED = Number(process.env.SEED ?? 1_000)
const SEEDS = Number(process.env.SEEDS ?? 10)

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
  test(`the scanner in WebAssembly agrees with the complete rules on ${BODIES} bodies (SEED=${seed})`, () => {
    expect(fuzzScan(seed, BODIES).scanned).toBeGreaterThan(BODIES / 3)
  }, 600_000)
