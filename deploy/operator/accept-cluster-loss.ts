import { pino } from 'pino'
import { acceptLoss } from '../../engine/replay/lost-tail.ts'
import { StoreError } from '../../engine/store/store.ts'
import { openClusterBase } from '../cluster/cluster-base.ts'
import { readSettings } from '../settings.ts'
import { StoreOpening } from '../store-opening.ts'
import { assertPartition, numbersOf, recordsOf, sendersOf } from './accept-installation-loss.ts'
import type { AcceptLossTask } from './accept-loss-task.ts'

/**
 * Accepts a loss at the end of the log of a cluster, from a process of its own: the partition takes nothing of others
 * until every lost place is filled.
 *
 * @returns number of records
 * @throws SettingsError, LogError, StoreError, LossError with a sentence when it cannot be done
 */
export async function acceptClusterLoss(
  environment: Readonly<Record<string, string | undefined>>,
  { topic: name, ...task }: AcceptLossTask,
): Promise<number> {
  const logger = pino({ level: 'silent' })
  const base = await openClusterBase(readSettings(environment), logger)
  const { settings, log, ingest, checkpoints, keyed, clock, group } = base
  try {
    const opening = await StoreOpening.begin(
      { logId: ingest.logId, wasFilled: false },
      { settings, directory: undefined, clock, logger },
    )
    try {
      if (!opening.isOpen)
        throw new StoreError(
          'UNAVAILABLE',
          'the store of CLICKHOUSE_URL does not answer: try again once it does',
        )
      const lane = { ingest: { topic: ingest, checkpoints }, keyed }[name]
      assertPartition(task.partition, lane.topic.partitions)
      const mark = async (partition: number) => {
        const told = await group.progress(lane.topic.name)
        return told.find(each => each.partition === partition)?.storedOffset ?? 0n
      }
      const others = { received: base.received, senders: sendersOf(name, base), othersKnowMore: true }
      const witnesses = { ...lane, topic: lane.topic.inner, store: opening.store, mark, ...others }
      return recordsOf(await acceptLoss(witnesses, numbersOf(task)))
    } finally {
      await opening.close()
    }
  } finally {
    await group.close()
    await log.close()
  }
}
