import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'

/** Progress of the checkpoints of a partition. */
export interface PartitionProgress {
  readonly topic: string
  readonly partition: number
  /** First offset that a start may need: records at or above it must not be removed. */
  readonly neededFrom: bigint
  /** Log time that its newest checkpoint has passed, UNIX ms. */
  readonly settledMs: number
  /** First offset that is not in the store yet. */
  readonly storedOffset: bigint
  /** Rows stored since the previous report. */
  readonly rowsPerSecond: number
}

/**
 * Assignment of partitions to processes. Usually, but not always, only one process works on a partition. Two workers of
 * one partition cost time, while the owner record and the fence keep the stored data right.
 */
export interface Assignment {
  /** Highest behaviour number that the programs of all processes know. It holds for work that begins from then on. */
  readonly behaviour: number
  /**
   * Takes part until the signal. The listener is called with this process's partitions whenever they change. Its promise
   * resolves when the work on lost partitions has ended, so that other processes can continue there.
   */
  take(listener: (partitions: ReadonlySet<number>) => Promise<void>, signal: AbortSignal): Promise<void>
  /**
   * Publishes the progress of this process's partitions to all processes; after a failure it is published the next time.
   */
  report(progress: readonly PartitionProgress[]): Promise<void>
  /** Progress of all partitions of a topic, also of other processes; partitions that have never reported are missing. */
  progress(topic: string): Promise<readonly PartitionProgress[]>
}

/** All partitions belong to the one process that has the log. */
export function wholeAssignment(partitions: number): Assignment {
  const reported = new Map<string, PartitionProgress>()
  return {
    behaviour: BEHAVIOUR,
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
