import { expect, test } from 'vitest'
import { meanRates } from './rates.ts'

test('rates are means of the intervals that are known', () => {
  const rates = {
    ...{ from: 0, to: 180_000, interval_ms: 60_000, starts: [0, 60_000, 120_000], covered_from: 60_000 },
    series: [
      { name: 'lines' as const, values: [null, 4, 2] },
      { name: 'events' as const, values: [null, null, null] },
    ],
  }
  expect(meanRates(rates)).toEqual([
    { name: 'lines', lastMinute: 4, lastHour: 3 },
    { name: 'events', lastMinute: undefined, lastHour: undefined },
  ])
})
