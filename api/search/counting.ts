import type { Clock } from '../../engine/clock/clock.ts'
import type { StoreSearches } from '../../engine/store/store-searches.ts'

/** Time beyond the budget for slices that were begun within it, and for those that take little time. (Our choice.) */
const EXTRA_MS = 5_000

/** Means to count the lines of a selection. */
export interface Counting {
  readonly store: Pick<StoreSearches, 'countByTime' | 'countByValue'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Monotonic times at which the counting of a request ends. */
export interface CountingTimes {
  /** From then on only slices are begun that take little time. */
  readonly untilMs: number
  /** The slice that is being counted is given up then. */
  readonly endMs: number
}

export function timesWithin(clock: Clock, budgetMs: number): CountingTimes {
  const untilMs = clock.monotonicMs() + budgetMs
  return { untilMs, endMs: untilMs + EXTRA_MS }
}

/** Work that ends before all slices are counted, if their time is over. */
export interface LimitedWork {
  /** Ends the work in the store, at the end of the time or when the client leaves. */
  readonly signal: AbortSignal
  /** Whether the time is over. */
  readonly isOver: () => boolean
}

/**
 * Counts until the end of the time at the latest. The counts up to then remain.
 *
 * @throws what `count` throws, unless its time was over
 */
export async function countUntil(
  { clock, signal }: Counting,
  { endMs }: CountingTimes,
  count: (work: LimitedWork) => Promise<void>,
): Promise<void> {
  const over = new AbortController()
  const done = new AbortController()
  void clock.sleep(endMs - clock.monotonicMs(), done.signal).then(() => {
    if (!done.signal.aborted) over.abort()
  })
  const isOver = () => clock.monotonicMs() >= endMs
  try {
    await count({ signal: AbortSignal.any([signal, over.signal]), isOver })
  } catch (error) {
    if (signal.aborted || !over.signal.aborted) throw error
  } finally {
    done.abort()
  }
}

/** Part of a period that was counted. */
export interface Coverage {
  /** Lines that were counted. */
  readonly lines: number
  readonly complete: boolean
  /** Start of the part of the period that was counted, which reaches to its end, UNIX ms; behind the end: none was. */
  readonly coveredFromMs: number
}
