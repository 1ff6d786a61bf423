import type { Event } from '../event/event.ts'
import type { Steps, Stretch } from '../steps.ts'

/**
 * Events that cross an edge together, in order. A run never changes after its creation, so all edges of an output share
 * one.
 */
export interface Run {
  readonly events: readonly Event[]
  /**
   * Index of the input event that each event stems from, ascending; -1 for an event released by a window. Entries beyond
   * `events.length` are ignored.
   */
  readonly rows: readonly number[]
  readonly bytes: number
}

/** A run while it is built. */
export class RunBuilder implements Run {
  readonly events: Event[] = []
  readonly rows: number[] = []
  bytes = 0

  add(event: Event, row: number, bytes: number): void {
    this.events.push(event)
    this.rows.push(row)
    this.bytes += bytes
  }
}

/** Number of events that are merged at a time; each takes a unit or two. */
const MERGED_AT_A_TIME = 4_096

/** Merges two runs in the order of the input events that their events stem from; of equals, those of the first run come first. */
export function* mergeRuns(first: Run, second: Run, stretch?: Stretch): Steps<Run> {
  const merged: { events: Event[]; rows: number[]; bytes: number } = {
    events: [],
    rows: [],
    bytes: first.bytes + second.bytes,
  }
  let at = 0
  let index = 0
  const count = first.events.length + second.events.length
  for (;;) {
    const until = Math.min(count, merged.events.length + MERGED_AT_A_TIME)
    while (merged.events.length < until) {
      const isLast = index === second.events.length
      const isFirst = at < first.events.length
      if (isFirst && (isLast || (first.rows[at] as number) <= (second.rows[index] as number)))
        take(first, at++)
      else take(second, index++)
    }
    if (until === count) return merged
    if (stretch === undefined) continue
    stretch.left -= 2 * MERGED_AT_A_TIME
    if (stretch.left > 0) continue
    yield
    stretch.begin()
  }

  function take(run: Run, index: number) {
    merged.events.push(run.events[index] as Event)
    merged.rows.push(run.rows[index] as number)
  }
}

let counting: readonly number[] = []

/**
 * Returns 0, 1, 2, …, at least `count` numbers. They are shared, because every run that enters a graph has these numbers.
 */
export function ascending(count: number): readonly number[] {
  if (counting.length < count)
    counting = Array.from({ length: Math.max(count, counting.length * 2) }, (_, row) => row)
  return counting
}
