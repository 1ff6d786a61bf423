import { DeliveryFold } from '../../engine/delivery/fold/delivery-fold.ts'
import type { Lane } from '../../engine/delivery/fold/lane.ts'
import { batchId } from '../../engine/delivery/sending/batch-id.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { OUTBOX_TOPIC } from '../../schemas/log/topics.ts'
import { LANE_RULES } from '../support/outgoing.ts'

/** A fold over a whole log, and the batches that it made. */
export interface ReplayedLanes {
  readonly fold: DeliveryFold
  /** Ids of the answered batches of each node, in order. */
  readonly batches: ReadonlyMap<string, readonly string[]>
}

/** Applies all records of an outbox partition, from the first. */
export function replayedLanes(
  logId: string,
  records: readonly LogRecord[],
  isEager: () => boolean = () => true,
): ReplayedLanes {
  const fold = new DeliveryFold(LANE_RULES, { topic: OUTBOX_TOPIC, partition: 0, logId })
  const batches = new Map<string, string[]>()
  const advance = (lane: Lane) => fold.advance(lane, records[Number(lane.cursor?.nextOffset)] as LogRecord)
  const note = () => {
    for (const { lane, batch } of fold.takeAnswered()) {
      const ids = batches.get(lane.node) ?? []
      batches.set(lane.node, ids)
      ids.push(batchId({ logId, partition: 0 }, lane, batch))
    }
  }
  for (const record of records) {
    fold.apply(record)
    for (let lane = fold.behindReports; lane !== undefined; lane = fold.behindReports) advance(lane)
    for (const lane of fold.lanes) while (fold.lags(lane) && isEager()) advance(lane)
    note()
  }
  for (const lane of fold.lanes) while (fold.lags(lane)) advance(lane)
  note()
  return { fold, batches }
}
