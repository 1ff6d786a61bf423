import type { ThrottleRule } from './plain-throttle.ts'

/** A pipeline that the lines of a leg are shipped through. Ids are '' before the first publication. */
export interface ShippedPipeline {
  /** Id of the node that every line meets first. */
  readonly entrance: string
  /** Id of the throttle. */
  readonly throttle: string
  /** Publishes a rule: at the first call a new pipeline. It holds for every line that is sent after that. */
  publish(rule: ThrottleRule): Promise<void>
}
