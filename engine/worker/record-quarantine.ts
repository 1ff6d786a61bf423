import { checkpointType } from '../../schemas/log/checkpoint.ts'
import { controlType } from '../../schemas/log/control.ts'
import { deadLettersType } from '../../schemas/log/dead-letters.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { isRefused } from '../../schemas/log/loss.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { STORE_TABLES } from '../../schemas/log/tables.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Clock } from '../clock/clock.ts'
import type { ConfigurationLog } from '../configuration/configuration-log.ts'
import { revisions } from '../configuration/entities.ts'
import { type Quarantine, quarantineKey, quarantines } from '../configuration/kinds/quarantine.ts'
import { encodeControl } from '../fold/control-record.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import type { Store } from '../store/store.ts'
import { LoopTurns } from '../turns/loop-turns.ts'
import { PartitionOwnership } from './partition-ownership.ts'

/** Author of a quarantine in the audit: an operator, who has no account. */
const AUTHOR = { subjectId: 'operator', account: '' }
/** Name in the owner record. */
const WORKER_NAME = 'weir quarantine'

/** A record cannot be put into quarantine, or no longer. */
export class QuarantineError extends Error {
  override readonly name = 'QuarantineError'
}

/** A record and a node at which its events fail. */
export type QuarantinedRecord = Pick<Quarantine, 'partition' | 'offset' | 'node'>

/** Parts of the installation that the record belongs to. */
export interface QuarantinePorts {
  readonly catalogue: Catalogue
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly store: Store
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Makes the events of a record fail at one node, in every fold from now on. In between, the partition is taken as a worker takes it:
 *
 * 1. The quarantine is begun. A worker that takes the partition from now on waits, see `PartitionStart`.
 * 2. The partition is taken. A worker that took it earlier, and does not know the quarantine, stores nothing any more.
 * 3. The quarantine is complete if nothing of the record is stored, else it is taken back.
 *
 * @param by name of the operator
 * @returns whether a revision of a pipeline of the account has the node
 * @throws QuarantineError with a sentence when a worker has passed the record, or there is none; LogError, StoreError
 */
export async function quarantineRecord(
  ports: QuarantinePorts,
  place: QuarantinedRecord,
  by: string,
): Promise<boolean> {
  const { topic, configuration } = ports
  const id = quarantineKey({ topic: topic.name, ...place })
  await configuration.catchUp()
  const known = configuration.get(quarantines, id)?.value
  const quarantine = known?.isComplete ? known : await complete(ports, place, { id, by })
  return configuration
    .list(revisions, quarantine.account)
    .some(({ value }) => value.document.nodes.some(node => node.id === place.node))
}

async function complete(
  ports: QuarantinePorts,
  place: QuarantinedRecord,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<Quarantine> {
  const { topic, configuration, clock } = ports
  const put = (value: Quarantine | undefined) =>
    configuration.append([{ kind: quarantines, id, expectedVersion: -1, value }], AUTHOR)
  try {
    const account = accountOf(await recordAt(topic, place))
    await assertNoCheckpoint(ports, place)
    const sinceMs = clock.wallMs()
    const quarantine: Quarantine = { account, topic: topic.name, ...place, sinceMs, by, isComplete: false }
    await put(quarantine)
    await takePartition(ports, place)
    await assertNotStored(ports, place, await assertNoCheckpoint(ports, place))
    await put({ ...quarantine, isComplete: true })
    return quarantine
  } catch (error) {
    // Workers of the partition would wait, also if an interrupted command has begun it.
    if (configuration.get(quarantines, id)?.value.isComplete === false) await put(undefined)
    throw error
  }
}

async function recordAt(topic: Topic, place: QuarantinedRecord): Promise<LogRecord> {
  const { partition } = place
  const offset = BigInt(place.offset)
  const name = nameOf(topic, place)
  if (partition >= topic.partitions)
    throw new QuarantineError(
      `there is no partition ${partition}: partitions are numbered 0 to ${topic.partitions - 1}`,
    )
  const { first, next } = await topic.bounds(partition)
  if (offset >= next) throw new QuarantineError(`record ${name} does not exist: the partition ends before it`)
  if (offset < first) throw passed(name, 'the log no longer has it')
  const [record] = await topic.read(partition, offset, 1)
  if (record?.offset !== offset) throw new QuarantineError(`record ${name} does not exist`)
  return record
}

/** Account of the events of a record. @throws QuarantineError for a record without events */
function accountOf(record: LogRecord): string {
  const { value, offset } = record
  const id = schemaIdOf(value)
  if (isRefused(record) || id === controlType.id)
    throw new QuarantineError(`record ${offset} has no events: it is a record of the program itself`)
  if (rekeyedType.has(id)) return rekeyedType.decode(value).account
  return (deadLettersType.has(id) ? deadLettersType : lineBatchType).decode(value).account
}

/** Takes the partition: no earlier worker stores anything of it from then on. */
async function takePartition(
  { catalogue, topic, store, clock, logger }: QuarantinePorts,
  { partition }: QuarantinedRecord,
): Promise<void> {
  const value = encodeControl(catalogue, { 'weir.Owner': { worker: WORKER_NAME } })
  const owner = await topic.append(partition, { value, producer: null, priority: 'control' })
  const turns = new LoopTurns(clock)
  const ownership = new PartitionOwnership({ store, topic: topic.name, partition, logger, turns })
  await ownership.take(owner.offset)
}

interface CheckpointEnd {
  /** First offset that it does not include. */
  readonly nextOffset: bigint
  /** Log time there, UNIX ms. */
  readonly timeMs: number
}

/** @returns the end of the newest checkpoint @throws QuarantineError when it includes the record */
async function assertNoCheckpoint(
  { topic, checkpoints }: QuarantinePorts,
  place: QuarantinedRecord,
): Promise<CheckpointEnd> {
  const { partition, offset } = place
  const newest = await new CheckpointLog(checkpoints, { topic, partition }).newest()
  if (newest === undefined) return { nextOffset: 0n, timeMs: 0 }
  const { nextOffset, body } = newest
  if (nextOffset > BigInt(offset))
    throw passed(nameOf(topic, place), `the newest checkpoint continues with record ${nextOffset}`)
  return { nextOffset, timeMs: checkpointType.decode(body).timeMs }
}

/** @throws QuarantineError when a batch that was stored since the checkpoint reaches the record */
async function assertNotStored(
  { topic, store }: QuarantinePorts,
  place: QuarantinedRecord,
  { nextOffset, timeMs }: CheckpointEnd,
): Promise<void> {
  const { partition, offset } = place
  for (const table of STORE_TABLES) {
    const from = { offset: nextOffset, row: 0, timeMs }
    const stored = await store.settle({ topic: topic.name, partition, table }, from)
    if (stored !== null && stored.offset >= BigInt(offset))
      throw passed(nameOf(topic, place), `the store has rows up to record ${stored.offset}`)
  }
}

function nameOf(topic: Topic, { partition, offset }: QuarantinedRecord): string {
  return `${topic.name}/${partition}/${offset}`
}

function passed(name: string, evidence: string): QuarantineError {
  return new QuarantineError(
    `record ${name} was processed already (${evidence}), and nothing was changed: what a record gave cannot change afterwards`,
  )
}
