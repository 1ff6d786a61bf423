import type { PartitionName } from '../../engine/fold/run-watch.ts'
import type { ReplayedTopics } from '../../engine/replay/moved-events.ts'

/** What has to be read once more to tell what became of a line. */
export interface ReplayPorts extends ReplayedTopics {
  /** Keeps the log of a partition from an offset on while it is read; absent where the process that lets go of it is another. */
  readonly pin?: ((partition: PartitionName, offset: bigint) => () => void) | undefined
}
