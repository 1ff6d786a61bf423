import type { DeliveryFold } from '../../delivery/fold/delivery-fold.ts'
import type { Lane } from '../../delivery/fold/lane.ts'
import { FoldError } from '../../fold/fold-error.ts'
import type { Topic } from '../../log/log.ts'
import { READ_BYTES } from '../../log/records-between.ts'

/**
 * Lets a lane read on, as far as it may, or to the last record that its fold has applied.
 *
 * @throws LogError before it has read anything; FoldError when it lacks batches of its reports
 */
export async function readFor(
  lane: Lane,
  fold: DeliveryFold,
  topic: Pick<Topic, 'read'>,
  partition: number,
): Promise<void> {
  const records = await topic.read(partition, lane.cursor?.nextOffset ?? 0n, READ_BYTES)
  let isAdvanced = false
  for (const record of records) {
    if (lane.isBlocked || record.offset >= fold.nextOffset) break
    fold.advance(lane, record)
    isAdvanced = true
  }
  // The caller would ask for more without end.
  if (!isAdvanced && lane.isBehindReports)
    throw new FoldError(`lane ${lane.pipeline}/${lane.node} has reports about batches that it does not have`)
}
