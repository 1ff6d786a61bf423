import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { acceptLoss, findLostTail, LossError } from '../../engine/replay/lost-tail.ts'
import { checkpointPartType } from '../../schemas/log/checkpoint.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import { EndlessWorld } from './endless-world.ts'
import { Actor } from './scheduler.ts'
import type { World } from './world.ts'

/** Time after which messages of ended processes have arrived. */
const LATE_MS = 31_000
const MINUTE_MS = 61_000
const MOMENT_MS = 5_000
/** Share of further losses before which every process writes its last checkpoint. */
const STOPPED_SHARE = 0.8
/** Appends of the operator fail at least that often: each must be able to fail alone. */
const LEAST_FAULT_SHARE = 0.55
const MAX_ATTEMPTS = 200
/**
 * The first of several losses often has at most so many records, and a further one often begins at most so many before it and contains
 * it then: records before both were stored with the counts of those that they lose.
 */
const NEAR_RECORDS = 4
const NEAR_SHARE = 0.7

/**
 * Every process ends; then a partition has lost records at its end, and a new process begins. Requests may be in flight in
 * that time: their records then take the first lost places.
 */
export async function loseLogTail(world: World, dice: Dice): Promise<void> {
  // Usually the lost records were stored.
  for (let minutes = dice.below(4); minutes > 0; minutes--) {
    world.scheduler.advance(MINUTE_MS)
    await world.drain()
  }
  const partition = world.losingPartition ?? dice.below(world.plan.partitions)
  if (world.plan.sendsIntoLoss) await sendInto(world, partition)
  for (const process of world.alive) world.kill(process)
  await world.drain()
  world.scheduler.advance(LATE_MS)
  await world.drain()
  const from = cutOf(world, partition, dice)
  // A start needs a complete checkpoint, and the newest may be among the lost records.
  if (from !== undefined && (!world.checkpointIsDamaged || world.losingPartition !== undefined)) {
    const kept = world.keptRecords(INGEST_TOPIC, partition)
    const { forgetsEnds: forgetsEnd } = world.plan
    const lost = world.broker.loseTail(INGEST_TOPIC, partition, { from, kept, forgetsEnd })
    world.lost.push(...lost)
    world.lostOffsets.push({ from, to: from + BigInt(lost.length) })
    world.losingPartition = partition
    world.checkpointIsDamaged = true
    world.tell(
      `partition ${partition} has lost its end${forgetsEnd ? ', and what was known of it' : ''}: ${lost.length} records from ${from} on`,
    )
    // At least one place stays empty: otherwise the loss is not noticed.
    const landed = await world.broker.releaseLines(lost.length - 1)
    if (landed > 0) world.tell(`${landed} records in flight take places of lost ones`)
  }
  await world.broker.releaseLines(0)
  world.startProcess()
}

/**
 * Every client sends to a process that knows how far the partitions have come, and none is answered for this one. A
 * process that has just started knows it only from the others.
 */
async function sendInto(world: World, partition: number): Promise<void> {
  world.startProcess()
  await world.drain()
  const awake = world.alive.filter(({ actor, listens }) => listens && !actor.paused)
  for (const process of awake) void process.noteEnds()
  await world.drain()
  world.broker.holdLines(INGEST_TOPIC, partition)
  for (const [index, client] of world.clients.entries()) {
    const process = awake[index % awake.length]
    if (process !== undefined) client.send(process)
  }
  await world.drain()
}

/** First record to lose: a checkpoint that a start can begin with is before it. */
function cutOf(world: World, partition: number, dice: Dice): bigint | undefined {
  const records = world.keptRecords(INGEST_TOPIC, partition)
  const [first, last] = [records[0]?.offset, records.at(-1)?.offset]
  if (first === undefined || last === undefined) return undefined
  const whole = world
    .keptRecords(CHECKPOINT_TOPIC, partition)
    .map(({ value }) => checkpointPartType.decode(value))
    .filter(({ part }) => 'weir.Manifest' in part)
    .map(({ nextOffset }) => BigInt(nextOffset))
    .filter(nextOffset => nextOffset >= first && !isLost(world, nextOffset))
  const least = first === 0n ? 0n : whole.sort((a, b) => Number(a - b))[0]
  if (least === undefined || least > last) return undefined
  const drawn = () => dice.below(Number(last - least) + 1)
  if (world.plan.losesTailAt.length > 1 && dice.chance(NEAR_SHARE)) {
    const near = (world.lostOffsets.at(-1)?.from ?? last) - BigInt(dice.below(NEAR_RECORDS))
    if (near >= least && near <= last) return near
  }
  return least + BigInt(Math.min(drawn(), drawn()))
}

function isLost({ lostOffsets }: World, offset: bigint): boolean {
  return lostOffsets.some(({ from, to }) => offset > from && offset <= to)
}

/** The operator accepts a loss. Then lines are stored for a while, and every process may end in peace. */
export async function acceptEarlierLoss(world: World, dice: Dice): Promise<void> {
  const { faultShare } = world.broker
  await acceptLosses(world)
  world.broker.faultShare = faultShare
  for (let rounds = 1 + dice.below(3); rounds > 0; rounds--) {
    await sendAll(world, dice)
    world.scheduler.advance(dice.chance(0.15) ? MINUTE_MS : dice.below(MOMENT_MS))
    await world.drain()
  }
  if (dice.chance(STOPPED_SHARE)) for (const process of world.alive) world.stop(process)
  await world.drain()
}

/** Every client sends a request to a process that listens, if there is one. */
export async function sendAll(world: World, dice: Dice): Promise<void> {
  const awake = world.alive.filter(({ actor, listens }) => listens && !actor.paused)
  for (const client of world.clients) if (awake.length > 0) client.send(dice.pick(awake))
  await world.drain()
}

/** The operator accepts losses until nothing is missing. */
export async function acceptLosses(world: World): Promise<void> {
  let isDone = false
  let failure: unknown
  const act = async () => {
    const actor = new Actor('operator')
    const log = world.broker.logOf(actor)
    const { partitions } = world.plan
    const witnesses = {
      topic: await log.topic(INGEST_TOPIC, partitions),
      checkpoints: await log.topic(CHECKPOINT_TOPIC, partitions),
      store: world.store.clientOf(actor),
      mark: async (partition: number) => world.broker.endOf(INGEST_TOPIC, partition),
    }
    for (let partition = 0; partition < partitions; partition++)
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
        try {
          const lost = await findLostTail(witnesses, partition)
          if (lost === undefined) break
          await acceptLoss(CATALOGUE, witnesses, lost)
          world.tell(`the operator accepts that partition ${partition} has lost ${lost.from} to ${lost.to}`)
        } catch (error) {
          if (!(error instanceof LossError) && !mayPass(error)) throw error
        }
  }
  world.store.isAway = false
  world.broker.diskFull = 'no'
  world.broker.faultShare = Math.max(world.broker.faultShare, LEAST_FAULT_SHARE)
  world.scheduler.trap = undefined
  void act()
    .catch(error => {
      failure = error
    })
    .finally(() => {
      isDone = true
    })
  while (!isDone) {
    if ((await world.pick()) || isDone || world.scheduler.advanceToNext()) continue
    throw new EndlessWorld('the operator does not come to an end')
  }
  if (failure !== undefined) throw failure
}

/** Whether the same command may succeed later: an engine may trim the checkpoints while they are read. */
function mayPass(error: unknown): boolean {
  const { retriable, code } = error as { readonly retriable?: boolean; readonly code?: string }
  return retriable === true || code === 'LOG_OFFSET_OUT_OF_RANGE'
}
