import type { Event } from '../event/event.ts'

/** A window that was emitted. */
export interface Emission {
  /** Text of the common values of its group. */
  readonly group: string
  readonly startMs: number
  /** Number of its events. */
  readonly merged: number
  readonly event: Event
  /** `end`: its time was over. `condition`: its condition held. `bound`: it made room. */
  readonly cause: 'end' | 'condition' | 'bound'
}

/** Effect of an event on windows. It is the first event of one, or was merged into at least one. */
export interface Aggregated {
  readonly isFirst: boolean
  /** Number of windows into which it was merged. */
  readonly merged: number
  /** Windows that the event ended early, in order. */
  readonly emitted: readonly Emission[]
  /** The first emitted event that it is part of. */
  readonly own: Event | undefined
}

/** Effect of nearly all events. */
export const MERGED_ONCE: Aggregated = { isFirst: false, merged: 1, emitted: [], own: undefined }
