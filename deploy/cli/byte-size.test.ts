import { expect, test } from 'vitest'
import { byteSize } from './byte-size.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.00 kB'],
  [9_949, '9.95 kB'],
  [12_345, '12.3 kB'],
  [999_499, '999 kB'],
  [999_500, '1.00 MB'],
  [1e18, '1.00 EB'],
])('%i bytes are written %s', (bytes, expected) => {
  expect(byteSize(bytes)).toBe(expected)
})
