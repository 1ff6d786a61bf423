import { expect, test } from 'vitest'
import { fuzzScan } from '../support/scan-fuzz.ts'

/** The long form is body-scan-campaign.test.ts. */

const BODIES = 1_500

test.each([1, 2])('the scanner in WebAssembly agrees with the complete rules (SEED=%i)', seed => {
  const { bodies, scanned, left } = fuzzScan(seed, BODIES)
  expect(scanned).toBeGreaterThan(bodies / 3)
  expect(scanned).toBeLessThan(bodies * 0.95)
  expect(left).toBeLessThan(bodies / 20)
})
