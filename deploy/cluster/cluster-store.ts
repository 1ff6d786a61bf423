import type { Logger } from 'pino'
import { acceptLossCommand } from '../../engine/log/guarded-topic.ts'
import { LogError } from '../../engine/log/log.ts'
import { findLostTail, formerLogId } from '../../engine/replay/lost-tail.ts'
import type { ClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreError } from '../../engine/store/store.ts'
import { StoreOpening } from '../store-opening.ts'
import { type ClusterBase, marksOf } from './cluster-base.ts'

/**
 * Opens the store of a cluster.
 *
 * @param wasFilled whether checkpoints show that batches were stored
 * @throws SettingsError, StoreError; LogError when the topic of lines was created again, with the commands that accept
 *   this
 */
export function openClusterStore(
  base: ClusterBase,
  wasFilled: boolean,
  logger: Logger,
): Promise<StoreOpening> {
  const onOtherLog = async (store: ClickHouseStore, error: StoreError) => {
    const former = await openForFormer(base, store, error)
    throw new LogError('LOG_TAIL_LOST', await renewedSentence(base, store, former))
  }
  return open(base, { wasFilled, onOtherLog }, logger)
}

/**
 * Opens the store even when the topic of lines was created again: the store then knows the former ends of the partitions.
 *
 * @throws SettingsError, StoreError
 */
export async function openStoreOfFormerLog(base: ClusterBase, logger: Logger): Promise<StoreOpening> {
  const onOtherLog = async (store: ClickHouseStore, error: StoreError) => {
    await openForFormer(base, store, error)
  }
  return open(base, { wasFilled: false, onOtherLog }, logger)
}

function open(
  { settings, clock, ingest, configuration }: ClusterBase,
  options: Omit<Parameters<typeof StoreOpening.begin>[0], 'logId'>,
  logger: Logger,
): Promise<StoreOpening> {
  return StoreOpening.begin(
    { ...options, logId: ingest.logId },
    { settings, directory: undefined, clock, logger, configuration },
  )
}

/** The checkpoints prove that the store belongs to the same installation. @throws the error of an unrelated store */
async function openForFormer(
  { ingest, checkpoints }: ClusterBase,
  store: ClickHouseStore,
  error: StoreError,
): Promise<string> {
  const former = await formerLogId({ topic: ingest, checkpoints })
  if (former === undefined) throw error
  await store.open(former)
  return former
}

async function renewedSentence(
  { ingest, checkpoints, group, received }: ClusterBase,
  store: ClickHouseStore,
  former: string,
): Promise<string> {
  const witnesses = { topic: ingest, checkpoints, store, received, mark: marksOf(group, ingest.name) }
  const commands: string[] = []
  for (let partition = 0; partition < ingest.partitions; partition++) {
    const lost = await findLostTail(witnesses, partition)
    if (lost !== undefined) commands.push(acceptLossCommand(lost))
  }
  return (
    `the topic ${ingest.name} was created again: its checkpoints and the store belong to log ${former}, and this is log ` +
    `${ingest.logId}. Nothing is accepted there. Accept the loss of its records and start again: ${commands.join('; ')}. Or use ` +
    'new topics (KAFKA_TOPIC_PREFIX) and a new database (CLICKHOUSE_DATABASE)'
  )
}
