/** How far the checkpoints of a partition reach. */
export interface PartitionProgress {
  readonly topic: string
  readonly partition: number
  /** First offset that a start may need: nothing at or above it may go. */
  readonly neededFrom: bigint
  /** Log time that its newest checkpoint has passed, UNIX ms. */
  readonly settledMs: number
  /** First offset that is not in the store yet. */
  readonly storedOffset: bigint
  /** Stored since it was told the last time. */
  readonly rowsPerSecond: number
}

/**
 * Who works on which partitions. That nobody else works on one is a courtesy, not a promise: two workers of one
 * partition cost time, and the owner record and the fence keep what is stored right.
 */
export interface Assignment {
  /**
   * Takes part until the signal. The listener is told which partitions are this process's each time that they change;
   * what it returns resolves when the work on those that it lost has ended, so that others can go on where it did.
   */
  take(listener: (partitions: ReadonlySet<number>) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Tells everybody how far partitions of this process are; what cannot be told now is told the next time. */
  report(progress: readonly PartitionProgress[]): Promise<void>
  /**
   * What is known of all partitions of a topic, those of other processes, too; nothing of one that has never reported.
   */
  progress(topic: string): Promise<readonly PartitionProgress[]>
}

/** All partitions belong to the one process that has the log. */
export function wholeAssignment(partitions: number): Assignment {
  const reported = new Map<string, PartitionProgress>()
  return {
    take: (listener, signal) => {
      if (signal.aborted) return Promise.resolve()
      return listener(new Set(Array.from({ length: partitions }, (_, partition) => partition)))
    },
    report: async progress => {
      for (const each of progress) reported.set(`${each.topic} ${each.partition}`, each)
    },
    progress: async name => [...reported.values()].filter(({ topic }) => topic === name),
  }
}
