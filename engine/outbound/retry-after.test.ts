import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const NOW_MS = Date.parse('2031-03-09T08:15:30Z')

test.each<[string | undefined, number]>([
  ['7', 7_000],
  [' 120 ', 120_000],
  ['600', 600_000],
  ['601', 600_000],
  ['99999999999999999999', 600_000],
  ['Sun, 09 Mar 2031 08:15:40 GMT', 10_000],
  ['Sun, 09 Mar 2031 08:15:20 GMT', 0],
  ['Sun, 09 Mar 2036 08:15:20 GMT', 600_000],
  ['0', 0],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
  [undefined, 0],
])('retry-after %j waits %i ms', (header, waitMs) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(waitMs)
})
