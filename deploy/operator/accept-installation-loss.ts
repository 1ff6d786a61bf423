import type { LostTail } from '../../engine/log/guarded-topic.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { outboxWitnesses } from '../../engine/replay/lost-outbox-tail.ts'
import { acceptLoss, LossError } from '../../engine/replay/lost-tail.ts'
import { acceptMissing } from '../../engine/replay/older-store.ts'
import type { Installation } from '../installation.ts'
import type { AcceptLossTask, LosableTopic } from './accept-loss-task.ts'

/** Accepts a loss at the end of the log, or of an older copy of the store. @returns number of records @throws LossError, LogError, StoreError */
export async function acceptInstallationLoss(
  installation: Pick<
    Installation,
    'ingest' | 'checkpoints' | 'keyed' | 'outbox' | 'opening' | 'ends' | 'received'
  >,
  { topic: name, ...task }: AcceptLossTask,
): Promise<number> {
  const { ingest, checkpoints, keyed, outbox, opening, ends, received } = installation
  const checkpointed = { ingest: { topic: ingest, checkpoints }, keyed, outbox }[name]
  assertPartition(task.partition, checkpointed.topic.partitions)
  const mark = async (partition: number) => ends.of(checkpointed.topic, partition)
  if (name === 'outbox') {
    const witnesses = outboxWitnesses({ ...outbox, topic: outbox.topic.inner }, mark)
    const lost = await acceptLoss(CATALOGUE, witnesses, numbersOf(task))
    await outbox.topic.lookAt(task.partition)
    return recordsOf(lost)
  }
  const others = { received, senders: sendersOf(name, installation) }
  const witnesses = {
    ...checkpointed,
    topic: checkpointed.topic.inner,
    store: opening.store,
    mark,
    ...others,
  }
  const missing = await acceptMissing(witnesses, numbersOf(task))
  if (missing !== undefined) return recordsOf(missing)
  const lost = await acceptLoss(CATALOGUE, witnesses, numbersOf(task))
  await checkpointed.topic.lookAt(task.partition)
  return recordsOf(lost)
}

/** Topics that send to the lost one: partitions of lines send cuts to keyed partitions. */
export function sendersOf(
  name: LosableTopic,
  { ingest, checkpoints }: Pick<Installation, 'ingest' | 'checkpoints'>,
) {
  return name === 'keyed' ? { topic: ingest, checkpoints } : undefined
}

export function numbersOf({ partition, from, to }: Omit<AcceptLossTask, 'topic'>) {
  return { partition, from: BigInt(from), to: BigInt(to) }
}

export function recordsOf({ from, to }: Pick<LostTail, 'from' | 'to'>): number {
  return Number(to - from) + 1
}

/** @throws LossError */
export function assertPartition(partition: number, partitions: number): void {
  if (partition >= partitions)
    throw new LossError(`there is no partition ${partition}: partitions are numbered 0 to ${partitions - 1}`)
}
