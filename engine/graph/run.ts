import type { Event } from '../event/event.ts'
import type { Steps, Stretch } from '../steps.ts'

/**
 * Events that cross an edge together, in order. A run never changes once it is made, so all edges of an output
 * share one.
 */
export interface Run {
  readonly events: readonly Event[]
  /** For each event the number of the event that entered the graph and that it comes from, -1 where time ended a window; never falls. Further ones mean nothing. */
  readonly rows: readonly number[]
  readonly bytes: number
}

/** A run that is being put together. */
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

/** So many events are merged at a time; each takes a unit or two. */
const MERGED_AT_A_TIME = 4_096

/** Both runs in the order of the lines that their events come from; where those are the same, the first run's come first. */
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

/** 0, 1, 2, …; at least so many. Shared, since every run that enters a graph is numbered in this way. */
export function ascending(count: number): readonly number[] {
  if (counting.length < count)
    counting = Array.from({ length: Math.max(count, counting.length * 2) }, (_, row) => row)
  return counting
}
