/** Bounds of the keyed state of one node in one partition, the same in every installation. */
export interface StateBounds {
  /** Keys with an entry. */
  readonly maxKeys: number
  /** Entries of all keys together, such as the runs of buckets. */
  readonly maxEntries: number
}

/** Bounds of processors whose specification names no others. */
export const DEFAULT_STATE_BOUNDS: StateBounds = { maxKeys: 1_000_000, maxEntries: 8_000_000 }
