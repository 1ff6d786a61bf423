import { lanesCheckpointType } from '../../schemas/log/lanes-checkpoint.ts'
import type { CheckpointedTopic } from '../log/partitioned-topics.ts'
import type { CheckpointFacts, Witnesses } from './lost-tail.ts'

/**
 * Sources that may know of records of an outbox partition: its checkpoints, and perhaps a mark. Nothing of it is in the store, and it has no
 * producers and cuts.
 *
 * @param mark other knowledge about a partition: see `Witnesses`
 */
export function outboxWitnesses(
  { topic, checkpoints }: CheckpointedTopic,
  mark?: Witnesses['mark'],
): Witnesses {
  return { topic, checkpoints, mark, knownIn }
}

function knownIn(body: Buffer): CheckpointFacts {
  const { logId, nextOffset, timeMs } = lanesCheckpointType.decode(body)
  return { logId, nextOffset, timeMs, stored: [], producers: [], cuts: [] }
}
