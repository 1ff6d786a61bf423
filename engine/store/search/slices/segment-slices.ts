import type { LineTimes } from '../filtered-segments.ts'
import type { LinePage } from '../line-selection.ts'

/** Part of a period, UNIX ms, both inclusive. */
export interface Slice {
  readonly fromMs: number
  readonly toMs: number
  /** Absent: all times of the slice are read. */
  readonly within?: readonly LineTimes[]
  /** Approximate upper bound on its lines in one table; absent: unknown. */
  readonly mostLines?: number
}

/** Filter segments of the first slice. Each further slice has four times as many, so that a full page ends the search soon. */
const FIRST_SEGMENTS = 8
const GROWTH = 4
/** Ranges of times in one statement. Planning takes longer with each. */
const MAX_RANGES = 32

/**
 * Divides a period into slices, oldest first, that read the times of filter segments alone, few segments at the preferred end.
 * All times of the answer are in them, and a line of one slice is never behind a line of the next.
 */
export function segmentSlices(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  times: readonly LineTimes[],
  prefer: LinePage['prefer'],
): Slice[] {
  const isTail = prefer === 'tail'
  const sorted = times.toSorted((a, b) => (isTail ? b.toMs - a.toMs : a.fromMs - b.fromMs))
  const slices: Slice[] = []
  let [from, to] = [fromMs, toMs]
  for (let at = 0, count = FIRST_SEGMENTS; at < sorted.length; at += count, count *= GROWTH) {
    const next = sorted[at + count]
    const slice = isTail
      ? { fromMs: next === undefined ? fromMs : Math.max(fromMs, next.toMs + 1), toMs: to }
      : { fromMs: from, toMs: next === undefined ? toMs : Math.min(toMs, next.fromMs - 1) }
    if (isTail) to = slice.fromMs - 1
    else from = slice.toMs + 1
    const within = ranges(sorted, slice)
    if (within.length > 0) slices.push({ ...slice, within })
  }
  return isTail ? slices.reverse() : slices
}

/** Number of lines that a slice reads at most; undefined when nothing is known. */
export function linesOf({ within }: Slice): number | undefined {
  return within?.reduce((sum, { lines }) => sum + lines, 0)
}

/** Times within a slice; where they are too many, those with the shortest gaps are joined. */
function ranges(times: readonly LineTimes[], { fromMs, toMs }: Slice): LineTimes[] {
  const clipped = times
    .filter(time => time.fromMs <= toMs && time.toMs >= fromMs)
    .map(({ lines, ...time }) => ({
      fromMs: Math.max(fromMs, time.fromMs),
      toMs: Math.min(toMs, time.toMs),
      lines,
    }))
    .sort((a, b) => a.fromMs - b.fromMs)
  const joined: LineTimes[] = []
  for (const time of clipped) {
    const last = joined.at(-1)
    if (last !== undefined && time.fromMs <= last.toMs + 1) joined[joined.length - 1] = union(last, time)
    else joined.push(time)
  }
  if (joined.length <= MAX_RANGES) return joined
  const gaps = joined.slice(1).map((time, index) => time.fromMs - (joined[index] as LineTimes).toMs)
  const shortest = gaps.toSorted((a, b) => a - b)[joined.length - MAX_RANGES - 1] as number
  const few: LineTimes[] = []
  for (const [index, time] of joined.entries())
    if (index > 0 && (gaps[index - 1] as number) <= shortest) few.push(union(few.pop() as LineTimes, time))
    else few.push(time)
  return few
}

function union(one: LineTimes, other: LineTimes): LineTimes {
  return {
    fromMs: one.fromMs,
    toMs: Math.max(one.toMs, other.toMs),
    lines: one.lines + other.lines,
  }
}
