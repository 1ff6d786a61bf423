import type { SliceOfCounts } from '../../engine/store/search/line-counts.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import type { HistogramRequest } from './count-request.ts'
import { type Counting, type CountingTimes, type Coverage, countUntil, timesWithin } from './counting.ts'
import { facetsOf } from './facets.ts'

/** Values of a histogram that are shown by themselves. */
const SERIES = 10
/** Levels that are counted by themselves even if the newest part of the period has none of them. */
const USUAL_LEVELS = [
  'ERROR',
  'WARN',
  'INFO',
  'DEBUG',
  'FATAL',
  'CRITICAL',
  'TRACE',
  'SEVERE',
  'ALERT',
  'EMERGENCY',
]

export interface Histogram extends Coverage {
  readonly series: readonly { readonly name: string; readonly lines: readonly number[] }[]
  /** Lines of each bucket with none of the values of the series. */
  readonly other: readonly number[]
}

/** Counts the lines of a selection per bucket, and for the ten most frequent values of a field. */
export async function histogramOf(
  counting: Counting,
  { selection, buckets, by, budgetMs }: HistogramRequest,
): Promise<Histogram> {
  const times = timesWithin(counting.clock, budgetMs)
  const frequent = by === undefined ? [] : await mostFrequent(counting, selection, by, times)
  const usual = by === 'level' ? USUAL_LEVELS : []
  const values = [...new Set([...frequent, ...usual])].slice(0, SERIES)
  const indexes = new Map(buckets.starts.map((start, index) => [start, index]))
  const series = values.map(name => ({ name, lines: new Array<number>(indexes.size).fill(0) }))
  const other = new Array<number>(indexes.size).fill(0)
  const asked = { starts: buckets.starts, ...(by === undefined ? {} : { by: { field: by, values } }) }
  let lines = 0
  const counted = await countWithin(counting, times, {
    selection,
    slices: signal => counting.store.countByTime(selection, asked, signal),
    count(counts) {
      lines += counts.lines
      for (const { startMs, value, lines: ofBucket } of counts.buckets) {
        const bucket = indexes.get(startMs) as number
        const target = series[value]?.lines ?? other
        target[bucket] = (target[bucket] ?? 0) + ofBucket
      }
    },
  })
  const present = series.filter(({ name, lines }) => frequent.includes(name) || lines.some(each => each > 0))
  return { series: present, other, lines, ...counted }
}

/** The most frequent values in the newest part of the period, for half of the time that is left. */
async function mostFrequent(
  counting: Counting,
  selection: LineSelection,
  by: string,
  { untilMs, endMs }: CountingTimes,
): Promise<string[]> {
  const nowMs = counting.clock.monotonicMs()
  const bounds = { limit: SERIES, untilMs: (nowMs + untilMs) / 2, endMs: (nowMs + endMs) / 2 }
  const facets = await facetsOf(counting, selection, [by], bounds)
  return facets.flatMap(({ values }) => values.map(({ value }) => value))
}

interface Counted<Counts> {
  readonly selection: LineSelection
  /** Slices, newest first, until the signal is aborted. */
  slices(signal: AbortSignal): AsyncIterable<SliceOfCounts<Counts>>
  count(counts: Counts): void
}

/** Counts slice after slice until the time is over. Slices that take little time are also counted in the extra time. */
async function countWithin<Counts>(
  counting: Counting,
  times: CountingTimes,
  { selection, slices, count }: Counted<Counts>,
): Promise<Omit<Coverage, 'lines'>> {
  let coveredFromMs = selection.toMs + 1
  await countUntil(counting, times, async ({ signal, isOver }) => {
    for await (const slice of slices(signal)) {
      count(slice.counts)
      coveredFromMs = slice.fromMs
      if (isOver() || (counting.clock.monotonicMs() >= times.untilMs && !slice.isNextBrief)) break
    }
  })
  return { complete: coveredFromMs <= selection.fromMs, coveredFromMs }
}
