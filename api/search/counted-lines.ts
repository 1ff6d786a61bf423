import type { Clock } from '../../engine/clock/clock.ts'
import type { SliceOfCounts } from '../../engine/store/search/line-counts.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import type { StoreSearches } from '../../engine/store/store-searches.ts'
import type { HistogramRequest } from './count-request.ts'

/** Values of a histogram that are shown by themselves. */
const SERIES = 10
/** Values of a facet that are kept until all slices were counted. */
const MAX_VALUES = 100_000
/** Their characters together, so that neither they nor the answer fill the memory. */
const MAX_CHARACTERS = 4 * 1024 * 1024

export interface Counting {
  readonly store: Pick<StoreSearches, 'countByTime' | 'countByValue'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Part of a period that was counted. */
interface Coverage {
  /** Lines that were counted. */
  readonly lines: number
  readonly complete: boolean
  /** Start of the part of the period that was counted, which reaches to its end, UNIX ms. */
  readonly coveredFromMs: number
}

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
  const { store, clock, signal } = counting
  const untilMs = clock.monotonicMs() + budgetMs
  const values = by === undefined ? [] : await mostFrequent(counting, selection, by, untilMs)
  const indexes = new Map(buckets.starts.map((start, index) => [start, index]))
  const series = values.map(name => ({ name, lines: new Array<number>(indexes.size).fill(0) }))
  const other = new Array<number>(indexes.size).fill(0)
  const asked = { starts: buckets.starts, ...(by === undefined ? {} : { by: { field: by, values } }) }
  let lines = 0
  const counted = await countWithin(store.countByTime(selection, asked, signal), {
    selection,
    clock,
    untilMs,
    count(counts) {
      lines += counts.lines
      for (const { startMs, value, lines: ofBucket } of counts.buckets) {
        const bucket = indexes.get(startMs) as number
        const target = series[value]?.lines ?? other
        target[bucket] = (target[bucket] ?? 0) + ofBucket
      }
    },
  })
  return { series, other, lines, ...counted }
}

/** The most frequent values in the newest part of the period, for half of the time that is left. */
async function mostFrequent(
  counting: Counting,
  selection: LineSelection,
  by: string,
  untilMs: number,
): Promise<string[]> {
  const nowMs = counting.clock.monotonicMs()
  const { values } = await valuesOf(counting, selection, by, {
    limit: SERIES,
    untilMs: nowMs + (untilMs - nowMs) / 2,
  })
  return values.map(({ value }) => value)
}

export interface Facet extends Coverage {
  readonly field: string
  /** Most lines first. */
  readonly values: readonly { readonly value: string; readonly lines: number }[]
  /** Lines with values that are not listed. A line with several values counts for each. */
  readonly other: number
  /** Lines without a value. */
  readonly absent: number
  readonly distinct: number
  /** False if not all lines were counted, or if there are so many values that counts may be too low. */
  readonly exact: boolean
}

/**
 * Counts the lines of a selection by the values of a field.
 */
export async function facetOf(
  counting: Counting,
  selection: LineSelection,
  field: string,
  bounds: ValueBounds,
): Promise<Facet> {
  const { values, valueLines, ...counts } = await valuesOf(counting, selection, field, bounds)
  return {
    field,
    ...counts,
    values,
    other: values.reduce((rest, { lines }) => rest - lines, valueLines),
  }
}

interface ValueBounds {
  /** Number of values that are shown. */
  readonly limit: number
  /** Monotonic time after which no further part of the period is counted. */
  readonly untilMs: number
}

interface CountedValues extends Omit<Facet, 'field' | 'other'> {
  /** Sum of the lines of all values. */
  readonly valueLines: number
}

async function valuesOf(
  { store, clock, signal }: Counting,
  selection: LineSelection,
  field: string,
  { limit, untilMs }: ValueBounds,
): Promise<CountedValues> {
  const merged = new Map<string, number>()
  const sums = { lines: 0, absent: 0, valueLines: 0 }
  let [slices, distinct, characters, isCut] = [0, 0, 0, false]
  const counted = await countWithin(store.countByValue(selection, field, signal), {
    selection,
    clock,
    untilMs,
    count(counts) {
      slices++
      sums.lines += counts.lines
      sums.absent += counts.absent
      sums.valueLines += counts.valueLines
      distinct = Math.max(distinct, counts.distinct)
      isCut ||= counts.distinct > counts.values.length
      for (const [value, lines] of counts.values) {
        const before = merged.get(value)
        if (before === undefined && (merged.size >= MAX_VALUES || characters >= MAX_CHARACTERS)) {
          isCut = true
          continue
        }
        if (before === undefined) characters += value.length
        merged.set(value, (before ?? 0) + lines)
      }
    },
  })
  const values = mostLines(merged, limit)
  // The values that one slice leaves out are those with the fewest lines.
  const exact = counted.complete && (!isCut || slices === 1)
  return { ...sums, values, distinct: Math.max(distinct, merged.size), exact, ...counted }
}

/** The values with most lines, those first. Only some times as many are sorted at once: all of them may be 100,000. */
function mostLines(merged: ReadonlyMap<string, number>, limit: number): Facet['values'] {
  let most: Facet['values'][number][] = []
  const cut = () => {
    most.sort((a, b) => b.lines - a.lines || (a.value < b.value ? -1 : 1))
    most = most.slice(0, limit)
  }
  for (const [value, lines] of merged) {
    most.push({ value, lines })
    if (most.length >= 4 * limit) cut()
  }
  cut()
  return most
}

interface Within<Counts> {
  readonly selection: LineSelection
  readonly clock: Clock
  /** Monotonic time after which no further slice is counted. */
  readonly untilMs: number
  count(counts: Counts): void
}

/** Counts slice after slice, at least one, until the time is over. */
async function countWithin<Counts>(
  slices: AsyncIterable<SliceOfCounts<Counts>>,
  { selection, clock, untilMs, count }: Within<Counts>,
): Promise<Omit<Coverage, 'lines'>> {
  let coveredFromMs = selection.fromMs
  for await (const slice of slices) {
    count(slice.counts)
    coveredFromMs = slice.fromMs
    if (clock.monotonicMs() >= untilMs) break
  }
  return { complete: coveredFromMs <= selection.fromMs, coveredFromMs }
}
