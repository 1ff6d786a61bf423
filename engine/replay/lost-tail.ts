import { type Checkpoint, checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { type Loss, lossCut, lossIn, type Witnessed } from '../../schemas/log/loss.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { encodeControl } from '../fold/partition-fold.ts'
import type { LostTail } from '../log/guarded-topic.ts'
import type { Topic } from '../log/log.ts'
import { type Store, StoreError, type StoreReach } from '../store/store.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import type { ReceivedPositions } from './received-positions.ts'

/** Cuts in one record, about. */
const CUT_CHARACTERS = 400_000
/** So many records at most are lost by the word of another process alone: more would be a slip of the pen. */
const MOST_TOLD = 1_000_000n
/** Records that are appended at once. */
const APPENDS_AT_ONCE = 1_000
const NOTHING: StoreReach = { owner: null, positions: new Map(), timeMs: 0 }

/** Who may know of records of a partition. */
export interface Witnesses {
  readonly topic: Topic
  readonly checkpoints: Topic
  /** Absent where it cannot be asked (now). */
  readonly store?: Store | undefined
  /** What else knows of the partition: the lowest offset beyond it; 0: nothing. */
  readonly mark?: ((partition: number) => Promise<bigint>) | undefined
  /** What others have of what was sent from the partition. */
  readonly received?: ReceivedPositions | undefined
  /** Those who tell the partition of cuts; absent: nobody does but the configuration, at each start. */
  readonly senders?: { readonly topic: Topic; readonly checkpoints: Topic } | undefined
  /** Processes of a cluster were given offsets that nobody else knows of yet: what they tell counts. */
  readonly othersKnowMore?: boolean
}

/** A loss cannot be accepted, at least not with these numbers. */
export class LossError extends Error {
  override readonly name = 'LossError'
}

interface Known {
  /** Lowest offset beyond all that is known. */
  readonly next: bigint
  /** The newest whole one. */
  readonly checkpoint: Checkpoint | undefined
  readonly store: StoreReach
}

/**
 * Looks for records that are known of and that the log does not have: a disk may have lied about what is durable, a
 * copy may be a part, a broker without the newest records may have been elected.
 *
 * @param floor lowest offset beyond all that the asking process knows of itself
 * @throws LogError, StoreError, retriable ones, too
 */
export async function findLostTail(
  witnesses: Witnesses,
  partition: number,
  floor = 0n,
): Promise<LostTail | undefined> {
  const known = await knownOf(witnesses, partition)
  const end = known.next > floor ? known.next : floor
  // Asked last: whatever was known before, the log had before.
  const { next } = await witnesses.topic.bounds(partition)
  if (next >= end) return undefined
  return { topic: witnesses.topic.name, partition, from: next, to: end - 1n }
}

/** The same for who takes lines also while the store is away: what else is known has to do then. */
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

async function knownOf(witnesses: Witnesses, partition: number): Promise<Known> {
  const { topic, checkpoints, store, mark, received } = witnesses
  const log = new CheckpointLog(checkpoints, { topic, partition })
  const kept = await log.newest()
  const checkpoint = kept && checkpointType.decode(kept.body)
  // Of a topic that was made anew: the fold says so.
  const isForeign = checkpoint !== undefined && checkpoint.logId !== topic.logId
  const own = isForeign ? undefined : checkpoint
  const from = { offset: BigInt(own?.nextOffset ?? 0), row: 0, timeMs: own?.timeMs ?? 0 }
  const stored = (await store?.reached({ topic: topic.name, partition }, from)) ?? NOTHING
  const positions = [...stored.positions.values()].map(({ offset }) => offset + 1n)
  const ends = [
    isForeign ? 0n : await log.reach(),
    (await mark?.(partition)) ?? 0n,
    (await received?.beyond({ topic: topic.name, partition })) ?? 0n,
    stored.owner === null ? 0n : stored.owner + 1n,
    ...positions,
  ]
  const next = ends.reduce((most, end) => (end > most ? end : most), 0n)
  return { next, checkpoint: own, store: stored }
}

/**
 * Accepts that records at the end of a partition are lost: cuts that say so take their places, so that no offset is
 * given twice. Repeated after it was interrupted it goes on where it ended, with the numbers that are told then.
 *
 * @param given first and last lost record, as they were told
 * @throws LossError when nothing is missing, or other records are; LogError, StoreError
 */
export async function acceptLoss(
  witnesses: Witnesses,
  given: Pick<LostTail, 'partition' | 'from' | 'to'>,
): Promise<LostTail> {
  const { topic } = witnesses
  const { partition } = given
  const { next } = await topic.bounds(partition)
  const isToldMore = witnesses.othersKnowMore === true && given.from === next && given.to - next < MOST_TOLD
  const lost = await findLostTail(witnesses, partition, isToldMore ? given.to + 1n : 0n)
  if (lost === undefined)
    throw new LossError(`nothing is missing at the end of partition ${partition} of ${topic.name}`)
  if (lost.from !== given.from || lost.to !== given.to)
    throw new LossError(
      `other records are missing of partition ${partition} of ${topic.name}: --from ${lost.from} --to ${lost.to}`,
    )
  const known = await knownOf(witnesses, partition)
  const from = await beganAt(topic, lost)
  const loss = { from: Number(from), to: Number(lost.to + 1n) }
  const parts = witnessedParts(known, from, await cutsOfSenders(witnesses))
  const places = Number(lost.to - lost.from) + 1
  const losses = Array.from({ length: Math.max(places, parts.length) }, (_, index): Loss => {
    const witnessed = parts[index]
    return witnessed === undefined ? loss : { ...loss, witnessed }
  })
  for (let first = 0; first < losses.length; first += APPENDS_AT_ONCE)
    await Promise.all(
      losses.slice(first, first + APPENDS_AT_ONCE).map(each => {
        const value = encodeControl({ 'weir.Cut': lossCut({ topic: topic.name, partition }, each) })
        return topic.append(partition, { value, producer: null, priority: 'control' })
      }),
    )
  // What was open before the gap ends with the first record behind it.
  const value = encodeControl({ 'weir.Tick': { deadlineMs: 0 } })
  await topic.append(partition, { value, producer: null, priority: 'control' })
  return lost
}

/** An act that was interrupted has filled some places already. */
async function beganAt(topic: Topic, { partition, from }: LostTail): Promise<bigint> {
  const { first } = await topic.bounds(partition)
  if (from <= first) return from
  const [last] = await topic.read(partition, from - 1n, 1)
  const before = last && lossIn(last)
  return before === undefined ? from : BigInt(before.from)
}

/** What is known of the lost records, in parts that fit into a record each. */
function witnessedParts({ checkpoint, store }: Known, from: bigint, told: readonly Cut[]): Witnessed[] {
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
  return [first, ...cutParts([...(isBeyond ? (checkpoint.cuts as readonly Cut[]) : []), ...told])]
}

/**
 * What the partitions that send events to the lost one have told it, as far as their checkpoints include it: they do
 * not tell it again, and events of a pipeline that nobody knows would be dropped.
 */
async function cutsOfSenders({ senders }: Witnesses): Promise<Cut[]> {
  const newest = new Map<string, Cut>()
  for (let partition = 0; partition < (senders?.topic.partitions ?? 0); partition++) {
    const { topic, checkpoints } = senders as NonNullable<typeof senders>
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
    const checkpoint = kept && checkpointType.decode(kept.body)
    if (checkpoint === undefined || checkpoint.logId !== topic.logId) continue
    const cuts = checkpoint.cuts as readonly Cut[]
    const spread = new Set(cuts.filter(({ kind }) => kind === 'spread').map(({ entity }) => entity))
    for (const cut of cuts) {
      const key = `${cut.kind} ${cut.entity}`
      if (!spread.has(accountOf(cut)) || cut.version <= (newest.get(key)?.version ?? 0)) continue
      newest.set(key, cut)
    }
  }
  return [...newest.values()]
}

/** @returns '' of a cut that is told to no other partition */
function accountOf({ kind, payload }: Cut): string {
  if (kind === 'spread' || kind === 'slice' || kind === 'loss' || payload === '') return ''
  return (JSON.parse(payload) as { readonly accountId: string }).accountId
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
