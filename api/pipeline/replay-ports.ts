import type { PartitionName } from '../../engine/fold/run-watch.ts'
import type { PartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import type { ReplayedTopics } from '../../engine/replay/moved-events.ts'

/** Topics that a replay reads to explain a line. */
export interface ReplayPorts extends ReplayedTopics {
  readonly outbox: PartitionedTopics['outbox']
  /** Keeps the log of a partition from an offset on while it is read; absent where another process trims the log. */
  readonly pin?: ((partition: PartitionName, offset: bigint) => () => void) | undefined
}
