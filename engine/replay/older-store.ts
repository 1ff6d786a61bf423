import { checkpointType } from '../../schemas/log/checkpoint.ts'
import { knownCheckpoint } from '../fold/checkpoint/read-checkpoint.ts'
import type { Topic } from '../log/log.ts'
import type { Store, StoredMark } from '../store/store.ts'
import { CheckpointLog, type KeptCheckpoint } from './checkpoint-log.ts'
import { findLostTail, LossError, type Witnesses } from './lost-tail.ts'

/** Sources about a partition. */
export interface StoreWitnesses {
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly store: Pick<Store, 'standing' | 'markStored'>
}

/** The stored part of a partition, and the part that the store has: an older copy has less. */
export interface StoredPart extends StoredMark {
  readonly topic: string
  readonly partition: number
  /** Everything below this offset was stored, according to the newest checkpoint. */
  readonly knownTo: bigint
  /** Whether a mark in the store says so; otherwise it follows from the owners that the store knows. */
  readonly isMarked: boolean
}

/** Records that an older copy of the store lacks, and that cannot be stored again. */
export interface MissingRecords extends StoredPart {
  /** First and last missing record. */
  readonly from: bigint
  readonly to: bigint
  /** Mark to set: as soon as it is set, the records after it can be stored again. */
  readonly accepted: StoredMark
}

/** The store is an older copy, and the log does not reach back to it. */
export class OlderStoreError extends Error {
  override readonly name = 'OlderStoreError'
  readonly missing: MissingRecords

  constructor(missing: MissingRecords) {
    super(olderStoreSentence(missing))
    this.missing = missing
  }
}

/** Sentence about missing records, with their partition. */
export function olderStoreSentence({
  topic,
  partition,
  knownTo,
  storedTo,
  from,
  to,
}: MissingRecords): string {
  const name = topic.replace(/^weir\./, '')
  return (
    `the store is an older copy: of partition ${partition} of ${topic} it has the records before ${storedTo}, its newest ` +
    `checkpoint was written when those before ${knownTo} were stored, and records ${from} to ${to} cannot be stored again, ` +
    'because the log or its checkpoints do not reach back that far. Restore a newer copy of the store, or all of the ' +
    'installation from one backup, or continue without the missing records: ' +
    `weir log accept-loss --topic ${name} --partition ${partition} --from ${from} --to ${to}`
  )
}

/**
 * Compares the stored position in a partition's checkpoints with that of the store. A worker marks its position in the
 * store before it writes a checkpoint, so a store that was not exchanged never has less.
 *
 * @returns undefined for a topic that was created again: the fold reports that
 * @throws LogError, StoreError, also retriable ones; FoldError when a newer program wrote the newest checkpoint
 */
export async function storedPart(
  { topic, checkpoints, store }: StoreWitnesses,
  partition: number,
): Promise<StoredPart | undefined> {
  const log = new CheckpointLog(checkpoints, { topic, partition })
  const newest = await log.newest()
  const checkpoint = newest && knownCheckpoint(newest.body, { topic: topic.name, partition })
  if (checkpoint !== undefined && checkpoint.logId !== topic.logId) return undefined
  const knownTo = newest?.nextOffset ?? (await log.gapBeforeNewest())?.from ?? 0n
  // Asked last: each mark is set before the checkpoint that mentions it.
  const { mark, owner } = await store.standing({ topic: topic.name, partition })
  const place = { topic: topic.name, partition, knownTo }
  if (mark !== null) return { ...mark, ...place, isMarked: true }
  // Nothing was stored, or the start is behind an accepted gap, without a checkpoint before it.
  if (newest === undefined) return { ...place, storedTo: knownTo, settledMs: 0, isMarked: false }
  return { ...place, ...(await markOf(log, newest, owner)), isMarked: false }
}

/**
 * Mark of a store that an older program filled, and that lacks marks. The store was exchanged if it lacks the owner that
 * wrote the newest checkpoint. It then has at least the records that were stored before its own newest owner.
 */
async function markOf(log: CheckpointLog, newest: KeptCheckpoint, owner: bigint | null): Promise<StoredMark> {
  if (owner === null) return { storedTo: 0n, settledMs: 0 }
  const kept = owner >= newest.epoch ? newest : await log.newestBefore(owner)
  return kept === undefined ? { storedTo: 0n, settledMs: 0 } : markAt(kept)
}

function markAt({ nextOffset, body }: KeptCheckpoint): StoredMark {
  return { storedTo: nextOffset, settledMs: checkpointType.decode(body).timeMs }
}

export function isOlder({ knownTo, storedTo }: StoredPart): boolean {
  return storedTo < knownTo
}

/**
 * Finds the records that an older copy of the store lacks permanently.
 *
 * @returns undefined when the log and its checkpoints reach back far enough to store everything again
 * @throws LogError
 */
export async function missingRecords(
  { topic, checkpoints }: Pick<StoreWitnesses, 'topic' | 'checkpoints'>,
  part: StoredPart,
): Promise<MissingRecords | undefined> {
  const { partition, storedTo, knownTo } = part
  if (!isOlder(part)) return undefined
  const log = new CheckpointLog(checkpoints, { topic, partition })
  const { first } = await topic.bounds(partition)
  if (first === 0n || (await log.nearest(first, storedTo)) !== undefined) return undefined
  const resumed = await log.oldest(first)
  const accepted = resumed === undefined ? { storedTo: knownTo, settledMs: 0 } : markAt(resumed)
  return { ...part, from: storedTo, to: accepted.storedTo - 1n, accepted }
}

/**
 * Accepts that an older copy of the store lacks records. The next start of the partition's worker stores later records
 * again.
 *
 * @param given the partition, and first and last missing record, as reported
 * @returns undefined when nothing is missing, or when the end of the log is missing, which must be accepted first
 * @throws LossError when other records are missing; LogError, StoreError
 */
export async function acceptMissing(
  witnesses: StoreWitnesses & Witnesses,
  { partition, from, to }: Pick<MissingRecords, 'partition' | 'from' | 'to'>,
): Promise<MissingRecords | undefined> {
  const part = await storedPart(witnesses, partition)
  const missing = part && (await missingRecords(witnesses, part))
  if (missing === undefined || (await findLostTail(witnesses, partition)) !== undefined) return undefined
  const { topic } = missing
  if (missing.from !== from || missing.to !== to)
    throw new LossError(
      `other records of partition ${partition} of ${topic} are missing in the store: --from ${missing.from} --to ${missing.to}`,
    )
  await witnesses.store.markStored({ topic, partition }, missing.accepted)
  return missing
}
