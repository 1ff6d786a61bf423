/** Rule of a bucket: events that may pass within one window. */
export interface BucketRule {
  readonly limit: number
  readonly windowMs: number
}

/** Events that passed at one time. */
export interface Passes {
  readonly timeMs: number
  readonly count: number
}

/** Text of a key, or the SHA-256 of a long one in hexadecimal digits. */
export interface KeptKey {
  readonly text: string
  readonly isDigest: boolean
}

/** Bucket with the events that it passed within the window before a time. */
export interface BusyBucket {
  /** The key of the bucket, if it has one. */
  readonly key?: KeptKey
  readonly kind: 'key' | 'default' | 'shared'
  readonly count: number
  /** Passes, oldest first, at least one. */
  readonly passes: readonly Passes[]
}

/** Figures of all buckets of a node. */
export interface BucketFigures {
  readonly buckets: number
  readonly runs: number
  readonly joinedPasses: number
  readonly bytes: number
  readonly keyBytes: number
}

/** Shows people the buckets of a state that limits events by key. It changes nothing. */
export interface BucketView<State, Config> {
  /** @param config checked options */
  rule(config: Config): BucketRule
  figures(state: State): BucketFigures
  /** Buckets that passed most events within the window before a time, busiest first. */
  busiest(state: State, limit: number, atMs: number, windowMs: number): readonly BusyBucket[]
  /** Events that a key's bucket passed, oldest first; undefined: the bucket of events without a key. */
  passesOf(state: State, key: string | undefined): readonly Passes[]
  /** Whether a key has a bucket of its own. */
  has(state: State, key: string): boolean
  /** End of the exemption of a key, UNIX ms; -Infinity without one. */
  exemptUntilMs(state: State, key: string | undefined): number
}

/** Time at which a bucket can pass an event again, if no other passes until then. */
export function freeFrom(passes: readonly Passes[], { limit, windowMs }: BucketRule): string {
  let count = passes.reduce((sum, pass) => sum + pass.count, 0)
  let timeMs = 0
  for (const pass of passes) {
    if (count < limit) break
    count -= pass.count
    timeMs = pass.timeMs
  }
  return new Date(timeMs + windowMs).toISOString()
}
