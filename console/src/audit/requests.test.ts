import { expect, test } from 'vitest'
import { rangeOf } from './requests.ts'

const NOW_MS = 1_800_000_000_000

test.each([
  ['', 'now', ''],
  ['1h', 'now', `from=${NOW_MS - 3_600_000}`],
  ['7d', '1d', `from=${NOW_MS - 7 * 86_400_000}&to=${NOW_MS - 86_400_000}`],
  ['1700000000000', '1700000000001', 'from=1700000000000&to=1700000000001'],
  ['never', 'now', 'from=never'],
])('a range from %j to %j is %j for the server', (from, to, query) => {
  expect(rangeOf(from, to, NOW_MS).toString()).toBe(query)
})
