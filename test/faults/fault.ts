import type { LostRecords } from './lost-records.ts'
import type { SentRequest } from './sent-request.ts'
import type { Site } from './site.ts'

export const FAULT_FAMILIES = [
  'kill',
  'pause',
  'disk',
  'rename',
  'tail',
  'config',
  'budget',
  'processors',
] as const
export type FaultFamily = (typeof FAULT_FAMILIES)[number]

/** One trouble that is made for the program while lines are shipped to it. Everything random in it was drawn before. */
export interface Fault {
  readonly family: FaultFamily
  /** Row of the table. */
  readonly label: string
  /** Time for which lines are shipped before the fault. */
  readonly waitMs: number
  /** Place in a second to which the wait is extended, so that batches are being stored. Absent: the wait is not extended. */
  readonly intoSecondMs?: number | undefined
  /** Makes the trouble, and ends it: the program runs again or is about to. */
  inject(site: Site): Promise<Injected>
}

export interface Injected {
  /** Description of the fault, for a line of progress. */
  readonly what: string
  /** Monotonic time at which the trouble was over: recovery counts from here. */
  readonly sinceMs: number
  /** The last acknowledged request of every connection at that time. */
  readonly newest: readonly SentRequest[]
  readonly lost?: LostRecords | undefined
  /** Sentences about promises that the program did not keep meanwhile. */
  readonly odd?: readonly string[]
}
