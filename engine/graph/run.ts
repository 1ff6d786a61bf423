import type { Event } from '../event/event.ts'

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

/** Both runs in the order of the lines that their events come from; where those are the same, the first run's come first. */
export function mergeRuns(first: Run, second: Run): Run {
  const merged: { events: Event[]; rows: number[]; bytes: number } = {
    events: [],
    rows: [],
    bytes: first.bytes + second.bytes,
  }
  let at = 0
  for (let index = 0; index < second.events.length; index++) {
    const row = second.rows[index] as number
    for (; at < first.events.length && (first.rows[at] as number) <= row; at++) take(first, at)
    take(second, index)
  }
  for (; at < first.events.length; at++) take(first, at)
  return merged

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
