import { expect, test } from 'vitest'
import { listFigures } from './list-figures.ts'
import type { MetricsOfPipelines } from './requests.ts'

const MINUTE_MS = 60_000

/** Metrics of one pipeline with a count of 60 in each minute, but the last two. */
function metrics(minutes: number, intervalMs = MINUTE_MS): MetricsOfPipelines {
  const counts = Array.from({ length: minutes }, (_, at) => (at < minutes - 2 ? 60 : 0))
  return {
    ...{ from: 0, to: minutes * intervalMs, interval_ms: intervalMs },
    starts: counts.map((_, at) => at * intervalMs),
    pipelines: [
      {
        ...{ pipeline_id: 'p', bytes_in: 0, bytes_out: 0, events_out: 0, failed: 0 },
        ...{ events_in: 600, dropped: 150, in: counts, out: counts.map(each => each / 2) },
      },
    ],
  }
}

test('a rate leaves out the present minute, whose events are still to come', () => {
  const cut = { ...metrics(10), to: 9.5 * MINUTE_MS }
  expect(listFigures(cut).get('p')).toMatchObject({
    ...{ inPerMinute: 60, outPerMinute: 30, eventsIn: 600, dropped: 150 },
    points: Array(8).fill(60),
  })
})

test('a rate is the mean of five minutes, and that of a minute with longer intervals, too', () => {
  expect(listFigures(metrics(10)).get('p')?.inPerMinute).toBe((4 * 60) / 5)
  expect(listFigures(metrics(12, 10 * MINUTE_MS)).get('p')?.inPerMinute).toBe(0)
  const late = { ...metrics(12, 10 * MINUTE_MS), to: 100 * MINUTE_MS }
  expect(listFigures(late).get('p')?.inPerMinute).toBe(6)
})

test('no rate is counted from nothing', () => {
  expect(listFigures(metrics(0)).get('p')).toMatchObject({ inPerMinute: 0, points: [] })
})
