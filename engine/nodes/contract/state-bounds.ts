/** Bounds of the keyed state of one node in one partition. They are the same in every installation. */
export interface StateBounds {
  /** Buckets with a key. */
  readonly maxKeys: number
  /** Runs of all buckets together. */
  readonly maxRuns: number
}

export const DEFAULT_STATE_BOUNDS: StateBounds = { maxKeys: 1_000_000, maxRuns: 8_000_000 }
