/** The profile that a state builds, for people. */
export interface ProfileView<State> {
  /** Shows the profile, and changes nothing. @param atMs log time, UNIX ms */
  show(state: State, atMs: number): NodeProfile
  /** Empties the profile; the next event begins a run. */
  reset(state: State): void
}

/** Profile of the events of one node. Sizes are in bytes. */
export interface NodeProfile {
  readonly run: ProfileRun
  /** All events that were profiled, over all runs. */
  readonly events: number
  readonly bytes: number
  /** Events of which only the counts by name were taken, because more would have cost too much. */
  readonly cutEvents: number
  readonly templates: readonly ProfiledTemplate[]
  readonly fields: readonly ProfiledField[]
  /** Fields beyond the bound, together. */
  readonly otherFields: { readonly events: number; readonly bytes: number }
  readonly counts: Readonly<Record<CountedRole, readonly ProfiledName[]>>
}

/** A run takes events up to a number, and for a time. */
export interface ProfileRun {
  readonly state: 'waiting' | 'running' | 'ended'
  /** Log time of its first event, UNIX ms; undefined while it waits for one. */
  readonly startedMs: number | undefined
  readonly events: number
}

export type CountedRole = 'apps' | 'hosts' | 'levels' | 'event_types'

/** Lines with one name. */
export interface ProfiledName {
  /** undefined: all names beyond the bound, together. */
  readonly name: string | undefined
  readonly lines: number
  readonly bytes: number
}

export interface ProfiledTemplate {
  readonly template: string
  readonly lines: number
  readonly bytes: number
  readonly apps: readonly string[]
  readonly samples: readonly string[]
}

/** Summary of a leaf field. */
export interface ProfiledField {
  /** Path such as `.level`. */
  readonly field: string
  readonly events: number
  /** Size of the events that have the field. */
  readonly eventBytes: number
  /** Size of the field itself: its name and its value. */
  readonly bytes: number
  /** Distinct values, those met first first. */
  readonly values: readonly ProfiledValue[]
  /** Events whose value is not among them. */
  readonly otherValues: number
  readonly numbers:
    | { readonly count: number; readonly min: number; readonly max: number; readonly mean: number }
    | undefined
  /** Canonical times. */
  readonly times: { readonly count: number; readonly min: string; readonly max: string } | undefined
}

export interface ProfiledValue {
  readonly kind: ValueKind
  /** The value itself; the length of an array; the keys of an object, sorted and joined by commas. */
  readonly value: string
  readonly events: number
}

export type ValueKind = 'text' | 'boolean' | 'integer' | 'null' | 'array' | 'object'
