import { type Checkpoint, checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { cutKey } from '../../schemas/log/cuts.ts'
import { type Loss, lossCut, lossIn, type Witnessed } from '../../schemas/log/loss.ts'
import type { Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { decodedCheckpoint } from '../fold/checkpoint/read-checkpoint.ts'
import { encodeControl } from '../fold/control-record.ts'
import { kindOf } from '../fold/cuts/registry.ts'
import type { LostTail } from '../log/guarded-topic.ts'
import { LogError, type Topic } from '../log/log.ts'
import type { CheckpointedTopic } from '../log/partitioned-topics.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { type Store, StoreError, type StoreReach } from '../store/store.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import type { ReceivedPositions } from './received-positions.ts'

/** Approximate size of the cuts in one record. */
const CUT_CHARACTERS = 400_000
/** Maximum number of lost places that are filled; a larger number is an error of a source. */
const MOST_FILLED = 1_000_000_000
/** Number of records that are appended at once. */
const APPENDS_AT_ONCE = 1_000
const NOTHING: StoreReach = { owner: null, positions: new Map(), timeMs: 0 }

/** Sources that may know of records of a partition. */
export interface Witnesses {
  readonly topic: Topic
  readonly checkpoints: Topic
  /** The store; absent if it cannot be asked (now). */
  readonly store?: Store | undefined
  /** Other knowledge about the partition: the lowest offset above it; 0: none. */
  readonly mark?: ((partition: number) => Promise<bigint>) | undefined
  /** Positions that other partitions have received from this one. */
  readonly received?: ReceivedPositions | undefined
  /** Partitions that send cuts to this one; absent: only the configuration does, at each start. */
  readonly senders?: CheckpointedTopic | undefined
  /** Reads the contents of a checkpoint; absent: it is one of a partition of lines. */
  readonly knownIn?: ((body: Buffer) => CheckpointFacts) | undefined
}

/** Knowledge of a checkpoint about the records that it includes. */
export type CheckpointFacts = Pick<
  Checkpoint,
  'logId' | 'nextOffset' | 'timeMs' | 'stored' | 'producers' | 'cuts'
>

/** A loss cannot be accepted, at least not with these numbers. */
export class LossError extends Error {
  override readonly name = 'LossError'
}

/** A position, and a lower bound of the log times from there on, UNIX ms. */
interface TimedPosition extends Position {
  readonly timeMs: number
}

interface Known {
  /** Lowest offset above everything that is known. */
  readonly next: bigint
  /** The newest whole checkpoint. */
  readonly checkpoint: CheckpointFacts | undefined
  readonly store: StoreReach
}

/**
 * Looks for records that are known to have existed and that the log does not have. Possible causes are a disk that lost
 * confirmed data, an incomplete copy, or the election of a broker without the newest records.
 *
 * @param floor lowest offset above everything that the calling process knows
 * @throws LogError, StoreError, retriable ones, too; LOG_TAIL_LOST when the partition is as long as that of another log to which
 *   its checkpoints belong
 */
export async function findLostTail(
  witnesses: Witnesses,
  partition: number,
  floor = 0n,
): Promise<LostTail | undefined> {
  const known = await knownOf(witnesses, partition)
  const end = known.next > floor ? known.next : floor
  // The end of the log is read last: everything that the sources know was on the log before.
  const { next } = await witnesses.topic.bounds(partition)
  if (next >= end) {
    const { checkpoint } = known
    const { name, logId } = witnesses.topic
    if (checkpoint === undefined || checkpoint.logId === logId) return undefined
    throw new LogError('LOG_TAIL_LOST', foreignSentence({ topic: name, partition }, logId, checkpoint.logId))
  }
  return { topic: witnesses.topic.name, partition, from: next, to: end - 1n }
}

/**
 * Like `findLostTail`, for processes that accept lines even while the store is unavailable: the other sources must
 * suffice then.
 */
export async function findLostTailNow(
  witnesses: Witnesses,
  partition: number,
  floor = 0n,
): Promise<LostTail | undefined> {
  try {
    return await findLostTail(witnesses, partition, floor)
  } catch (error) {
    if (!(error instanceof StoreError && error.retriable)) throw error
    return findLostTail({ ...witnesses, store: undefined }, partition, floor)
  }
}

/** Sentence about a partition with records of two logs at the same offsets, for which no acceptance is possible. */
function foreignSentence(
  { topic, partition }: Pick<LostTail, 'topic' | 'partition'>,
  logId: string,
  other: string,
): string {
  return (
    `Partition ${partition} of ${topic} belongs to log ${logId}, but its checkpoints belong to log ${other}: the topic was ` +
    'created again. Nothing is accepted there. Start this process again. If the message remains, use new topics (KAFKA_TOPIC_PREFIX) ' +
    'and a new store'
  )
}

/**
 * The log to which the checkpoints of a topic belong, if it is not the topic's own: the topic was created again since.
 *
 * @throws LogError, retriable ones, too
 */
export async function formerLogId({
  topic,
  checkpoints,
}: Pick<Witnesses, 'topic' | 'checkpoints'>): Promise<string | undefined> {
  for (let partition = 0; partition < topic.partitions; partition++) {
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
    const logId = kept && checkpointType.decode(kept.body).logId
    if (logId !== undefined && logId !== topic.logId) return logId
  }
  return undefined
}

/** @param lost place of the first lost record; absent: the store is asked from the newest checkpoint on */
async function knownOf(witnesses: Witnesses, partition: number, lost?: TimedPosition): Promise<Known> {
  const { topic, checkpoints, store, mark, received, knownIn } = witnesses
  const log = new CheckpointLog(checkpoints, { topic, partition })
  const kept = await log.newest()
  const read = knownIn ?? ((body: Buffer) => decodedCheckpoint(body, { topic: topic.name, partition }))
  const checkpoint = kept && read(kept.body)
  // A checkpoint of another log also counts: the topic was created again, and its records are lost.
  const newest = { offset: BigInt(checkpoint?.nextOffset ?? 0), row: 0, timeMs: checkpoint?.timeMs ?? 0 }
  const from = lost === undefined ? newest : earlier(newest, lost)
  const stored = (await store?.reached({ topic: topic.name, partition }, from)) ?? NOTHING
  const positions = [...stored.positions.values()].map(({ offset }) => offset + 1n)
  const ends = [
    await log.reach(),
    (await mark?.(partition)) ?? 0n,
    (await received?.beyond({ topic: topic.name, partition }, from.timeMs)) ?? 0n,
    stored.owner === null ? 0n : stored.owner + 1n,
    ...positions,
  ]
  const next = ends.reduce((most, end) => (end > most ? end : most), 0n)
  return { next, checkpoint, store: stored }
}

/**
 * Accepts that records at the end of a partition are lost. Cuts that record the loss replace them, so that offsets are
 * never given twice. After an interruption, a repetition continues at the same place, with the numbers reported then.
 *
 * @param given first and last lost record, as reported
 * @param begin called after these numbers were checked, and before anything is appended
 * @throws LossError when nothing is missing, or other records are; LogError, StoreError
 */
export async function acceptLoss(
  catalogue: Catalogue,
  witnesses: Witnesses,
  given: Pick<LostTail, 'partition' | 'from' | 'to'>,
  begin: () => Promise<void> = async () => undefined,
): Promise<LostTail> {
  const { topic } = witnesses
  const { partition } = given
  const lost = await findLostTail(witnesses, partition)
  if (lost === undefined)
    throw new LossError(`nothing is missing at the end of partition ${partition} of ${topic.name}`)
  if (lost.from !== given.from || lost.to !== given.to)
    throw new LossError(
      `other records are missing of partition ${partition} of ${topic.name}: --from ${lost.from} --to ${lost.to}`,
    )
  const began = await beganAt(topic, lost)
  const from = began.offset
  // The newest checkpoint may not know all rows before it: after an earlier loss, a fold does not compute them again.
  const known = await knownOf(witnesses, partition, began)
  const loss = { from: Number(from), to: Number(lost.to + 1n) }
  const parts = witnessedParts(known, from, await cutsOfSenders(witnesses))
  const places = Number(lost.to - lost.from) + 1
  if (places > MOST_FILLED)
    throw new LossError(
      `partition ${partition} of ${topic.name} cannot have lost ${places} records: find out who knows of record ${lost.to}`,
    )
  await begin()
  const lossAt = (index: number): Loss => {
    const witnessed = parts[index]
    return witnessed === undefined ? loss : { ...loss, witnessed }
  }
  const append = (index: number) => {
    const cut = lossCut({ topic: topic.name, partition }, lossAt(index))
    const value = encodeControl(catalogue, { 'weir.Cut': cut })
    return topic.append(partition, { value, producer: null, priority: 'control' })
  }
  // If it fails, the others must not take its place: nothing would be missing any more, and nobody would repeat it.
  await append(0)
  const count = Math.max(places, parts.length)
  for (let first = 1; first < count; first += APPENDS_AT_ONCE) {
    const length = Math.min(APPENDS_AT_ONCE, count - first)
    await Promise.all(Array.from({ length }, (_, index) => append(first + index)))
  }
  // The first record behind the gap ends everything that was open before it.
  const value = encodeControl(catalogue, { 'weir.Tick': { deadlineMs: 0 } })
  await topic.append(partition, { value, producer: null, priority: 'control' })
  return lost
}

/**
 * Finds the first lost record: refused records, or an interrupted acceptance, have already filled some places.
 *
 * @returns its place, and a lower bound of the log times from there on
 */
async function beganAt(topic: Topic, { partition, from }: LostTail): Promise<TimedPosition> {
  const { first } = await topic.bounds(partition)
  let offset = from
  while (offset > first) {
    const [last] = await topic.read(partition, offset - 1n, 1)
    const before = last && lossIn(last)
    if (before === undefined) return { offset, row: 0, timeMs: last?.appendTimeMs ?? 0 }
    offset = BigInt(before.from)
  }
  return { offset, row: 0, timeMs: 0 }
}

/** The lower offset and the lower time. */
function earlier(a: TimedPosition, b: TimedPosition): TimedPosition {
  const { offset } = a.offset < b.offset ? a : b
  return { offset, row: 0, timeMs: Math.min(a.timeMs, b.timeMs) }
}

/** Known facts about the lost records, in parts that fit into one record each. */
function witnessedParts({ checkpoint, store }: Known, from: bigint, sent: readonly Cut[]): Witnessed[] {
  const isBeyond = checkpoint !== undefined && BigInt(checkpoint.nextOffset) > from
  const reached = new Set<StoreTable>()
  for (const [table, { offset }] of store.positions) if (offset >= from) reached.add(table)
  for (const { table, offset } of isBeyond ? checkpoint.stored : [])
    if (BigInt(offset) >= from) reached.add(table as StoreTable)
  const first: Witnessed = {
    timeMs: Math.max(store.timeMs, checkpoint?.timeMs ?? 0),
    reached: [...reached],
    ...(isBeyond && { producers: checkpoint.producers }),
  }
  const [cuts, ...others] = cutParts([...(isBeyond ? (checkpoint.cuts as readonly Cut[]) : []), ...sent])
  return [{ ...first, ...cuts }, ...others]
}

/**
 * Cuts that sending partitions have sent to the lost one, as far as their checkpoints include them. They are not sent
 * again, and events of an unknown pipeline would be dropped.
 */
async function cutsOfSenders({ senders }: Witnesses): Promise<Cut[]> {
  const newest = new Map<string, Cut>()
  for (let partition = 0; partition < (senders?.topic.partitions ?? 0); partition++) {
    const { topic, checkpoints } = senders as NonNullable<typeof senders>
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
    const checkpoint = kept && checkpointType.decode(kept.body)
    if (checkpoint === undefined) continue
    const cuts = checkpoint.cuts as readonly Cut[]
    const moved = new Set(cuts.map(cut => kindOf(cut).movedAccountOf(cut)))
    for (const cut of cuts) {
      const key = cutKey(cut)
      const account = kindOf(cut).sharedAccountOf(cut)
      if (account === undefined || !moved.has(account)) continue
      if (cut.version <= (newest.get(key)?.version ?? 0)) continue
      newest.set(key, cut)
    }
  }
  return [...newest.values()]
}

function cutParts(cuts: readonly Cut[]): Witnessed[] {
  const parts: Cut[][] = []
  let characters = CUT_CHARACTERS
  for (const cut of cuts) {
    characters += cut.payload.length
    if (characters > CUT_CHARACTERS) {
      parts.push([])
      characters = cut.payload.length
    }
    parts.at(-1)?.push(cut)
  }
  return parts.map(part => ({ cuts: part }))
}
