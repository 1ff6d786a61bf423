import { expect, test } from 'vitest'
import { fuzzScan } from '../support/scan-fuzz.ts'

const BODIES = 1_500

test.each([1, 2, 3, 4])('the scanner in WebAssembly agrees with the complete rules (SEED=%i)', seed => {
  const { bodies, scanned, left } = fuzzScan(seed, BODIES)
  expect(scanned).toBeGreaterThan(bodies / 3)
  expect(scanned).toBeLessThan(bodies * 0.95)
  expect(left).toBeLessThan(bodies / 20)
})
