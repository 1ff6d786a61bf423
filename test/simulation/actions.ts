import {
  type Change,
  type ConfigurationLog,
  create,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import { accounts, type Deployment, deployments, revisions } from '../../engine/configuration/entities.ts'
import type { Entity, Kind } from '../../engine/configuration/kind.ts'
import { lineRules } from '../../engine/configuration/kinds/line-rules.ts'
import { quotaStates } from '../../engine/configuration/kinds/quotas.ts'
import { pauseMembers, pauseModeOf } from '../../engine/configuration/pause-mode.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { PAUSE_MODES, type PauseMode } from '../../schemas/pipeline.ts'
import type { Dice } from '../support/dice.ts'
import { damageLastCheckpoint } from './checkpoint-damage.ts'
import { pipelineIdOf } from './founding.ts'
import { drawLineRules, drawQuotaState } from './line-rules.ts'
import { loseConfigurationEnd } from './lost-configuration.ts'
import type { ActionKind, Pace } from './plan.ts'
import { documentOf, drawMemory, drawRecipe, drawSources, type Recipe, WINDOWS_MS } from './recipe.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { World } from './world.ts'

const HOUR_MS = 3_600_000
const MAX_PROCESSES = 3
const PIPELINES_PER_ACCOUNT = 2
/** Share of publications that pause or resume. */
const PAUSED_SHARE = 0.4
/** Share of publications that pause or resume in worlds whose subject are pauses. */
const OFTEN_PAUSED_SHARE = 0.7
/** Share of changes of a pause that change its mode instead of ending it. */
const CHANGED_MODE_SHARE = 0.3
/** Effect of each action on a world; its details are drawn from the action's own dice. */
const ACTS: Readonly<Record<ActionKind, (world: World, dice: Dice) => void>> = {
  send(world, dice) {
    const client = dice.pick(world.clients)
    withProcess(world, dice, process => process.listens && client.send(process))
  },
  'lose patience': (world, dice) => dice.pick(world.clients).loseConnection(),
  'give up': (world, dice) => dice.pick(world.clients).giveUp(),
  publish: (world, dice) =>
    withProcess(world, dice, process => {
      publish(world, process, dice, drawRecipe(dice))
      if (dice.chance(0.4)) changeRules(world, process, dice)
    }),
  withdraw: (world, dice) => withProcess(world, dice, process => publish(world, process, dice, undefined)),
  'change retention': (world, dice) =>
    withProcess(world, dice, process =>
      dice.chance(0.4) ? changeRetention(world, process, dice) : changeRules(world, process, dice),
    ),
  'start a process'(world) {
    if (world.alive.length < MAX_PROCESSES) world.startProcess()
  },
  'kill a process'(world, dice) {
    // A paused process is usually spared, because it does more harm later.
    const awake = world.alive.filter(({ actor }) => !actor.paused)
    if (awake.length > 0 && dice.chance(0.8)) world.kill(dice.pick(awake))
    else withProcess(world, dice, process => world.kill(process))
  },
  'stop a process': (world, dice) => withProcess(world, dice, process => world.stop(process)),
  'pause a process': (world, dice) => withProcess(world, dice, process => world.setPaused(process, true)),
  'resume a process'(world, dice) {
    const paused = world.alive.filter(({ actor }) => actor.paused)
    if (paused.length > 0) world.setPaused(dice.pick(paused), false)
  },
  'stall at a step'(world, dice) {
    const label = dice.pick(world.plan.stallsAt)
    world.scheduler.trap = label
    world.tell(`whoever is about to ${label} is paused before`)
  },
  'let time pass': (world, dice) => world.pass(drawDurationMs(dice, world.plan.pace)),
  'set a clock'(world, dice) {
    const index = dice.below(world.machines.length)
    const ms = dice.below(dice.chance(0.3) ? 3 * HOUR_MS : 4_000) * (dice.chance(0.5) ? 1 : -1)
    ;(world.machines[index] as { offsetMs: number }).offsetMs += ms
    world.tell(`the clock of machine ${index} is set by ${ms} ms`)
  },
  'sleep for a day'(world) {
    for (const machine of world.machines) machine.offsetMs += DAY_MS
    world.tell('all machines sleep for a day')
  },
  'store goes away'(world) {
    world.store.isAway = true
    world.tell('the store goes away')
  },
  'store comes back'(world) {
    world.store.isAway = false
    world.store.isSlow = false
    world.tell('the store is well')
  },
  'store is slow'(world) {
    world.store.isSlow = true
    world.tell('the store is slow')
  },
  'disk fills'(world, dice) {
    world.broker.diskFull = dice.pick(['for ingestion', 'for all'])
    world.tell(`the disk is full ${world.broker.diskFull}`)
  },
  'disk has room'(world) {
    world.broker.diskFull = 'no'
    world.tell('the disk has room')
  },
  'run jobs'(world) {
    for (const process of world.alive) world.runJobs(process)
  },
  'damage the last checkpoint': (world, dice) => damageLastCheckpoint(world, dice),
  'lose the end of the configuration': (world, dice) => loseConfigurationEnd(world, dice),
}

export function act(world: World, kind: ActionKind, dice: Dice): void {
  ACTS[kind](world, dice)
}

function withProcess(world: World, dice: Dice, action: (process: SimulatedProcess) => void): void {
  const { alive } = world
  const awake = alive.filter(({ actor }) => !actor.paused)
  // Sometimes the request goes to a paused process.
  const asked = awake.length > 0 && dice.chance(0.8) ? awake : alive
  if (asked.length > 0) action(dice.pick(asked))
}

/**
 * A new deployment of one of an account's pipelines; undefined withdraws it. If the account has a gateway route, the
 * pipeline may read it. Sometimes the present deployment is paused or resumed instead.
 */
function publish(
  world: World,
  { configuration, actor }: SimulatedProcess,
  dice: Dice,
  drawn: Recipe | undefined,
): void {
  if (configuration === undefined) return
  const { pauses } = world.plan
  const isOne = world.plan.pipelines === 'one' || pauses
  const { shortId: account, route } = dice.pick(world.founding.accounts.slice(0, isOne ? 1 : undefined))
  const pipeline = pipelineIdOf(account, dice.below(isOne ? 1 : PIPELINES_PER_ACCOUNT))
  const deployed = configuration.get(deployments, pipeline)
  const number = (deployed?.value.number ?? 0) + 1
  const hasRoute = world.hasRoute(account)
  const share = pauses ? OFTEN_PAUSED_SHARE : hasRoute ? PAUSED_SHARE : 0
  if (share > 0 && deployed?.value.revisionId && dice.chance(share)) {
    const isPaused = pauseModeOf(deployed.value) !== undefined
    const mode = !isPaused || dice.chance(CHANGED_MODE_SHARE) ? dice.pick(PAUSE_MODES) : undefined
    world.tell(`${actor.name} ${mode === undefined ? 'resumes' : `pauses (${mode})`} ${pipeline} ${number}`)
    changePause(world, configuration, deployed, mode)
    return
  }
  const sourced = drawn && hasRoute ? { ...drawn, ...drawSources(dice) } : drawn
  const { looks, encrypts, remembers } = world.plan
  const isOfLines = sourced?.reads === 'lines'
  const memory = remembers && isOfLines ? drawMemory(dice) : {}
  const recipe = sourced && { ...sourced, looks, encrypts: encrypts && isOfLines, ...memory }
  const revisionId = recipe === undefined ? null : world.entropy.uuid()
  const deployment = { account, number, revisionId }
  const changes = [
    deployed === undefined
      ? create(deployments, pipeline, deployment)
      : replace(deployments, deployed, deployment),
  ]
  if (recipe !== undefined && revisionId !== null) {
    // If two writers use the same number at the same time, one loses: the title identifies the revision.
    const about = { id: pipeline, accountId: account, title: revisionId, revision: number }
    const document = documentOf(recipe, about, route)
    changes.unshift(create(revisions, revisionId, { account, pipeline, document, createdAtMs: 0 }))
    world.recipes.set(revisionId, recipe)
  }
  world.tell(`${actor.name} publishes ${pipeline} ${number}: ${JSON.stringify(recipe ?? 'nothing')}`)
  configuration.append(changes, { subjectId: 'operator', account }).catch(() => undefined)
}

/** @param mode undefined: the deployment is resumed */
export function changePause(
  world: World,
  configuration: ConfigurationLog,
  deployed: Entity<Deployment>,
  mode: PauseMode | undefined,
): void {
  const { account, number: before, revisionId } = deployed.value
  const number = before + 1
  const change = replace(deployments, deployed, { account, number, revisionId, ...pauseMembers(mode) })
  const name = `${deployed.id} ${number}`
  // Another writer may have used the number for a hold that was lost.
  world.heldDeployments.delete(name)
  configuration.append([change], { subjectId: 'operator', account }).then(
    () => {
      if (mode === 'hold') world.heldDeployments.add(name)
    },
    () => undefined,
  )
}

function changeRetention(world: World, { configuration }: SimulatedProcess, dice: Dice): void {
  const { shortId } = dice.pick(world.founding.accounts)
  const account = configuration?.get(accounts, shortId)
  if (configuration === undefined || account === undefined) return
  const retentionDays = 1 + dice.below(3)
  world.tell(`lines of ${shortId} are kept for ${retentionDays} days`)
  const change = replace(accounts, account, { ...account.value, retentionDays })
  configuration.append([change], { subjectId: 'operator', account: shortId }).catch(() => undefined)
}

/** Changes all rules on an account's lines at once, or its quota. */
function changeRules(world: World, { configuration }: SimulatedProcess, dice: Dice): void {
  const { shortId: account } = dice.pick(world.founding.accounts)
  if (configuration === undefined) return
  const change = dice.chance(0.7)
    ? written(configuration, lineRules, account, drawLineRules(dice, account))
    : written(
        configuration,
        quotaStates,
        account,
        drawQuotaState(dice, account, (world.machines[0] as { wallMs: number }).wallMs),
      )
  world.tell(`rules on lines of ${account}: ${JSON.stringify(change.value)}`)
  configuration.append([change], { subjectId: 'operator', account }).catch(() => undefined)
}

function written<Value>(
  configuration: ConfigurationLog,
  kind: Kind<Value>,
  id: string,
  value: Value,
): Change {
  const before = configuration.get(kind, id)
  return before === undefined ? create(kind, id, value) : replace(kind, before, value)
}

function drawDurationMs(dice: Dice, pace: Pace): number {
  const roll = dice.below(100)
  // Exactly a throttle's window, and a millisecond less.
  if (roll < 9) return (WINDOWS_MS[roll % 3] as number) - (roll < 3 ? 1 : 0)
  if (pace === 'long hours' && roll < 50) return HOUR_MS + dice.below(HOUR_MS)
  if (roll < 40) return dice.below(400)
  if (roll < 65) return dice.below(3_000)
  if (roll < 75) return dice.below(90_000)
  if (pace === 'moments') return dice.below(600_000)
  if (pace === 'days' && roll < 93) return dice.below(2 * DAY_MS)
  return dice.below(2 * HOUR_MS)
}
