import { deployments } from '../../engine/configuration/entities.ts'
import { pauseModeOf } from '../../engine/configuration/pause-mode.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { changePause } from './actions.ts'
import { damageLastCheckpoint } from './checkpoint-damage.ts'
import { EndlessWorld } from './endless-world.ts'
import { expectLossAccepted } from './lost-configuration.ts'
import type { Machine } from './machine.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { World } from './world.ts'

const HOUR_MS = 3_600_000
/** A little more than a minute: the counts of nodes are stored, a jump of a clock is believed. */
const MINUTE_MS = 61_000
/** Time for which a span waits for the root of its trace. */
const TRACE_WAIT_MS = 5 * 60_000
const STALLS = [`append to ${CHECKPOINT_TOPIC}`, 'close a day', 'insert'] as const
/** Pauses between attempts grow, so a world needs some minutes to come to rest. */
const MAX_ROUNDS = 20

/** All faults end. One remaining process takes over and completes all work. */
export async function bringToRest(world: World): Promise<void> {
  world.tell('all is well from here on')
  world.broker.faultShare = 0
  world.broker.diskFull = 'no'
  world.store.faultShare = 0
  world.store.isAway = false
  world.store.isSlow = false
  world.scheduler.trap = undefined
  setClocksRight(world)
  if (!world.plan.growsOld) wakeAll(world)
  await world.drain()
  // Late messages arrive while the processes that they could harm still exist.
  world.scheduler.advance(5_000)
  await world.drain()
  let last = await settle(world, replaceAll(world))
  // New lines show whether the state is correct.
  last = await sendMore(world, last)
  if (world.plan.growsOld) last = await settle(world, await growOld(world, last))
  // Lines that wait for the root of their trace are left out, and these counts are stored, too.
  if (mayHold(world)) world.pass(TRACE_WAIT_MS)
  await passMinutes(world, 2)
  expectLossAccepted(world, last)
  await stopped(world, last)
}

/** No clock is behind a time that the log has seen. */
function setClocksRight(world: World): void {
  let latestMs = Math.max(...world.machines.map(({ wallMs }) => wallMs))
  for (let partition = 0; partition < world.plan.partitions; partition++)
    for (const { appendTimeMs } of world.broker.archive(INGEST_TOPIC, partition))
      latestMs = Math.max(latestMs, appendTimeMs)
  for (const machine of world.machines) machine.offsetMs += latestMs - machine.wallMs
}

/** Lets a process complete all work. @returns it, or the process that replaced it */
async function settle(world: World, process: SimulatedProcess): Promise<SimulatedProcess> {
  let last = process
  await world.drain()
  for (let round = 0; last.actor.paused || !isSettled(world, last); round++) {
    if (round === MAX_ROUNDS)
      throw new EndlessWorld(`the last process does not bring everything to an end: ${openEnds(world, last)}`)
    if (last.actor.paused) last = replaceAll(world)
    await passMinutes(world, 1)
    resumeHeld(world, last)
    for (const client of world.clients) {
      client.loseConnection()
      if (!client.isDone) client.send(last)
    }
    await world.drain()
  }
  return last
}

/** Resumes the pipelines that hold lines: their senders repeat them until then. */
function resumeHeld(world: World, { configuration }: SimulatedProcess): void {
  for (const deployed of configuration?.list(deployments) ?? []) {
    if (configuration === undefined || pauseModeOf(deployed.value) !== 'hold') continue
    world.tell(`${deployed.id} is resumed`)
    changePause(world, configuration, deployed, undefined)
  }
}

async function sendMore(world: World, process: SimulatedProcess): Promise<SimulatedProcess> {
  for (const client of world.clients) client.send(process)
  return settle(world, process)
}

/** Hours and days pass, and old data is removed. Paused processes continue, and a start uses an earlier checkpoint. */
async function growOld(world: World, process: SimulatedProcess): Promise<SimulatedProcess> {
  let last = process
  // A process that is paused there continues after others have stored and closed everything.
  world.scheduler.trap = world.dice.pick([undefined, ...STALLS])
  // Two checkpoints, and lines above both that no checkpoint has before the day ends.
  for (const hours of [2, 2, 0.1]) {
    world.pass(hours * HOUR_MS)
    last = await sendMore(world, last)
  }
  const [machine] = world.machines as [Machine]
  world.pass(DAY_MS - (machine.wallMs % DAY_MS) + 1_000)
  await world.drain()
  world.runJobs(last)
  last = await settle(world, last)
  world.runJobs(last)
  await world.drain()
  for (const each of world.machines) each.offsetMs += 3 * DAY_MS
  world.tell('all machines sleep for three days')
  await passMinutes(world, 2)
  world.runJobs(last)
  await world.drain()
  world.scheduler.trap = undefined
  wakeAll(world)
  await world.drain()
  damageLastCheckpoint(world, world.dice)
  return replaceAll(world)
}

/** Whether a pipeline may hold lines. */
function mayHold({ recipes }: World): boolean {
  const steps = [...recipes.values()].flatMap(recipe => recipe.steps ?? [])
  return steps.some(step => step.type === 'trace-sampling' && step.samples === 'tail')
}

function wakeAll(world: World): void {
  for (const process of world.alive) if (process.actor.paused) world.setPaused(process, false)
}

/** Replaces all processes that are not paused by a new one. */
function replaceAll(world: World): SimulatedProcess {
  for (const process of world.alive) if (!process.actor.paused) world.kill(process)
  return world.startProcess()
}

async function passMinutes(world: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    world.scheduler.advance(MINUTE_MS)
    await world.drain()
  }
}

async function stopped(world: World, process: SimulatedProcess): Promise<void> {
  let isStopped = false
  void process.stop().then(() => {
    isStopped = true
  })
  while (!isStopped) {
    if ((await world.pick()) || isStopped || world.scheduler.advanceToNext()) continue
    throw new EndlessWorld('the last process does not stop')
  }
}

/** Whether all lines are sent, read and stored. */
function isSettled(world: World, { engine }: SimulatedProcess): boolean {
  if (engine === undefined || !world.clients.every(client => client.isDone)) return false
  const { workers, troubles } = engine.status
  if (troubles.size > 0 || workers.length < world.plan.partitions) return false
  return workers.every(
    ({ partition, storedOffset }) =>
      storedOffset === BigInt(world.broker.archive(INGEST_TOPIC, partition).length),
  )
}

function openEnds(world: World, { engine }: SimulatedProcess): string {
  const waiting = world.clients.filter(client => !client.isDone).length
  const { workers = [], troubles = new Map<number, string>() } = engine?.status ?? {}
  return [
    `${waiting} senders wait`,
    ...workers.map(({ partition, nextOffset, storedOffset }) => {
      const { length } = world.broker.archive(INGEST_TOPIC, partition)
      return `partition ${partition} has read ${nextOffset} and stored ${storedOffset} of ${length}`
    }),
    ...[...troubles].map(([partition, what]) => `partition ${partition}: ${what}`),
  ].join('; ')
}
