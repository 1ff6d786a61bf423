import type { Event } from '../../event/event.ts'

/** Bounds of a batch; the first that is reached closes it. */
export interface BatchLimits {
  /** Size of the events in a body, before compression. A single larger event is a batch of its own. */
  readonly maxBytes: number
  readonly maxEvents: number
  /** Log time after the first event. */
  readonly maxAgeMs: number
}

/** Rules by which the events of a destination node become batches. They depend on nothing but the options. */
export interface BatchRules {
  readonly limits: BatchLimits
  /** Text that the events of a batch have in common, for example a rendered prefix; empty: batches are not split. */
  splitOf(event: Event): string
  /** Size of an event in a body, with its separator, in bytes. */
  bytesOf(event: Event): number
}

/** Gives the rules of a destination. */
export interface BatchRulesSource {
  /**
   * @param type    canonical type of the destination
   * @param options JSON of the options that the fold reads
   */
  rulesOf(type: string, options: string): BatchRules
}
