import { expect, test } from 'vitest'
import { secondsOf } from './processor-time.ts'

test('the processor time of a tenth of a millisecond is measured, and not that of a tick of 4 ms', () => {
  const times = Array.from({ length: 200 }, () => secondsOf(() => workFor(0.1)))
  times.sort((a, b) => a - b)
  expect(times[100]).toBeGreaterThan(0)
  expect(times[100]).toBeLessThan(0.002)
})

function workFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
