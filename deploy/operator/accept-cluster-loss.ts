import { pino } from 'pino'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { outboxWitnesses } from '../../engine/replay/lost-outbox-tail.ts'
import { acceptLoss } from '../../engine/replay/lost-tail.ts'
import { acceptMissing } from '../../engine/replay/older-store.ts'
import { StoreError } from '../../engine/store/store.ts'
import { marksOf, openClusterBase } from '../cluster/cluster-base.ts'
import { openStoreOfFormerLog } from '../cluster/cluster-store.ts'
import { readSettings } from '../settings/settings.ts'
import { assertPartition, numbersOf, recordsOf, sendersOf } from './accept-installation-loss.ts'
import type { AcceptLossTask } from './accept-loss-task.ts'

/**
 * Accepts a loss at the end of the log of a cluster, or of an older copy of its store. This process fills every lost
 * place before the partition accepts anything else.
 *
 * @returns number of records
 * @throws SettingsError, LogError, StoreError, LossError with a sentence when it is not possible
 */
export async function acceptClusterLoss(
  environment: Readonly<Record<string, string | undefined>>,
  { topic: name, ...task }: AcceptLossTask,
): Promise<number> {
  const logger = pino({ level: 'silent' })
  const base = await openClusterBase(readSettings(environment), logger)
  const { log, ingest, checkpoints, keyed, outbox, group } = base
  try {
    if (name === 'outbox') {
      assertPartition(task.partition, outbox.topic.partitions)
      const witnesses = outboxWitnesses({ ...outbox, topic: outbox.topic.inner })
      return recordsOf(await acceptLoss(CATALOGUE, witnesses, numbersOf(task)))
    }
    const opening = await openStoreOfFormerLog(base, logger)
    try {
      if (!opening.isOpen)
        throw new StoreError(
          'UNAVAILABLE',
          'the store of CLICKHOUSE_URL does not answer: try again once it does',
        )
      const checkpointed = { ingest: { topic: ingest, checkpoints }, keyed }[name]
      assertPartition(task.partition, checkpointed.topic.partitions)
      const mark = marksOf(group, checkpointed.topic.name)
      const others = { received: base.received, senders: sendersOf(name, base) }
      const witnesses = {
        ...checkpointed,
        topic: checkpointed.topic.inner,
        store: opening.store,
        mark,
        ...others,
      }
      const numbers = numbersOf(task)
      const missing = await acceptMissing(witnesses, numbers)
      if (missing !== undefined) return recordsOf(missing)
      // Partitions of a topic that was created again stay refused one by one. The first accepted loss assigns the store
      // to the new log.
      const begin = async () => {
        if (name === 'ingest') await opening.store.giveTo(ingest.logId)
      }
      return recordsOf(await acceptLoss(CATALOGUE, witnesses, numbers, begin))
    } finally {
      await opening.close()
    }
  } finally {
    await group.close()
    await log.close()
  }
}
