import type { Store } from '../store.ts'
import {
  type LineSearch,
  linesInTime,
  type SelectedLine,
  searchLines,
  type TimeOfLines,
} from './line-selection.ts'

/** Lines that are looked at before what was found among them is given. */
const LINES_OF_SLICE = 1_000_000
/** Each has a statement of its own. */
const MAX_SLICES = 32

/**
 * The rows of a search. One that has to look at every line and starts with the oldest is made slice after slice of its
 * time, since the engine itself gives nothing before it is at the end.
 */
export function rowsOf(store: Store, search: LineSearch, signal: AbortSignal): AsyncIterable<SelectedLine[]> {
  const isSliced = search.access === 'scan' && search.page.prefer === 'head'
  if (!isSliced) return store.queryStream<SelectedLine>(search.statement, signal)
  return rowsOfSlices(store, search, signal)
}

async function* rowsOfSlices(
  store: Store,
  { selection, page }: LineSearch,
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  const [time] = await store.query<TimeOfLines>(linesInTime(selection, page), signal)
  let wanted = page.limit
  for (const { fromMs, toMs } of slicesOf(selection, time)) {
    const { statement } = searchLines({ ...selection, fromMs, toMs }, { ...page, limit: wanted })
    for await (const rows of store.queryStream<SelectedLine>(statement, signal)) {
      wanted -= rows.length
      yield rows
    }
    if (wanted <= 0) return
  }
}

interface Slice {
  readonly fromMs: number
  readonly toMs: number
}

/** Both ends of a slice are part of it; all of them together are the time of the selection. */
function slicesOf({ fromMs, toMs }: Slice, time: TimeOfLines | undefined): Slice[] {
  const { lines, firstMs, lastMs } = time ?? { lines: 0, firstMs: 0, lastMs: 0 }
  const count = Math.min(MAX_SLICES, Math.max(1, Math.ceil(lines / LINES_OF_SLICE)))
  const lengthMs = Math.ceil((lastMs + 1 - firstMs) / count)
  const starts = Array.from({ length: count - 1 }, (_, index) => firstMs + (index + 1) * lengthMs)
  const within = starts.filter(startMs => startMs > fromMs && startMs <= toMs)
  return [fromMs, ...within].map((startMs, index) => ({
    fromMs: startMs,
    toMs: (within[index] ?? toMs + 1) - 1,
  }))
}
