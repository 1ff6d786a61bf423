import { deployments } from '../../engine/configuration/entities.ts'
import { pauseModeOf } from '../../engine/configuration/pause-mode.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { CONFIG_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { act } from './actions.ts'
import type { Client, SendingWorld } from './client.ts'
import { bringToRest } from './ending.ts'
import { EndlessWorld } from './endless-world.ts'
import type { Founding, SimulatedAccount } from './founding.ts'
import type { FrontDoor } from './front-door.ts'
import { acceptEarlierLoss, acceptLosses, loseLogTail, sendAll } from './lost-log-tail.ts'
import { Machine, START_MS } from './machine.ts'
import { exchangeStore } from './older-store.ts'
import type { Plan } from './plan.ts'
import { Pusher } from './pusher.ts'
import type { Recipe } from './recipe.ts'
import { RememberingSeal } from './remembering-seal.ts'
import { Actor, Scheduler } from './scheduler.ts'
import { Sender } from './sender.ts'
import { SimulatedBroker } from './simulated-broker.ts'
import { SimulatedCoordinator } from './simulated-coordinator.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { SimulatedStore, type StoreCopy, type StoreDefect } from './simulated-store.ts'

const MACHINES = 2
/** A world that takes more steps than this repeats itself for ever. */
const MAX_STEPS = 20_000

export interface WorldSurroundings {
  readonly founding: Founding
  readonly door: FrontDoor
  readonly storeDefect?: StoreDefect | undefined
  /** Receives each event as a sentence of the story. */
  readonly tell?: ((atMs: number, what: string) => void) | undefined
}

/** A whole installation with its machines and senders, and the outside actions on it. */
export class World {
  readonly plan: Plan
  readonly founding: Founding
  readonly entropy: Entropy
  readonly dice: Dice
  readonly scheduler: Scheduler
  readonly machines: readonly Machine[]
  readonly broker: SimulatedBroker
  readonly store: SimulatedStore
  readonly clients: readonly Client[]
  readonly processes: SimulatedProcess[] = []
  /** Recipes by the id of the revision. */
  readonly recipes: Map<string, Recipe>
  /** Deployments that hold the events of their sources, by `<pipeline> <number>`, as far as the world knows. */
  readonly heldDeployments = new Set<string>()
  checkpointIsDamaged = false
  configurationIsCut = false
  /** Whether the store's mark knows of the records that the configuration lost. */
  lossIsMarked = true
  /** Number of configuration records before the first action. */
  readonly foundedRecords: number
  /** Lost records that the log once had, and how they were lost. */
  readonly lost: LogRecord[] = []
  /** Partition that loses its ends, once it has lost one. */
  losingPartition: number | undefined
  /** Offsets of lost records, the last exclusive. A checkpoint at one of them is passed over. */
  readonly lostOffsets: { readonly from: bigint; readonly to: bigint }[] = []
  readonly #surroundings: WorldSurroundings
  readonly #seal: RememberingSeal
  /** Node types, with the seal of the installation. */
  readonly catalogue: Catalogue
  readonly #storage
  readonly #coordinator: SimulatedCoordinator

  constructor(plan: Plan, surroundings: WorldSurroundings) {
    const { founding, storeDefect } = surroundings
    this.plan = plan
    this.founding = founding
    this.#surroundings = surroundings
    this.entropy = seededEntropy(plan.seed ^ 0x5eed)
    this.dice = newDice(plan.seed ^ 0xd1ce)
    this.scheduler = new Scheduler(this.dice)
    this.machines = Array.from({ length: MACHINES }, () => new Machine(this.scheduler))
    if (plan.nearMidnight) for (const machine of this.machines) machine.offsetMs = DAY_MS / 2 - 20_000
    this.#seal = new RememberingSeal(this.entropy, founding.opened)
    this.catalogue = CATALOGUE.withSeal(this.#seal)
    this.recipes = new Map(founding.recipes)
    this.#storage = founding.storage(this.#routed.length)
    this.foundedRecords = this.keptRecords(CONFIG_TOPIC, 0).length
    this.#coordinator = new SimulatedCoordinator(this.scheduler, plan.partitions, plan.seed % 3)
    const logClock = (this.machines[0] as Machine).clockOf(new Actor('broker'))
    this.broker = new SimulatedBroker({
      scheduler: this.scheduler,
      dice: this.dice,
      clock: logClock,
      entropy: this.entropy,
      maxBytes: plan.logBytes,
      storage: this.#storage,
    })
    this.broker.faultShare = plan.appendFaults
    this.store = new SimulatedStore(this.scheduler, this.dice)
    this.store.faultShare = plan.storeFaults
    this.store.defect = storeDefect
    this.clients = this.#newClients(() => logClock.wallMs())
  }

  /** Carries out the plan, then lets the world come to rest without any fault. */
  async run(): Promise<void> {
    let storeCopy: StoreCopy | undefined
    this.startProcess()
    for (const [index, action] of this.plan.actions.entries()) {
      const dice = newDice(action.seed)
      if (this.plan.losesTailAt.includes(index)) await this.#loseTail(dice)
      if (index === this.plan.exchangesStore?.copiedAt) storeCopy = this.store.copy()
      if (index === this.plan.exchangesStore?.at && storeCopy !== undefined)
        await exchangeStore(this, storeCopy)
      act(this, action.kind, dice)
      for (let picks = dice.below(dice.chance(0.2) ? 120 : 25); picks > 0; picks--)
        if (!(await this.pick())) break
    }
    if (this.plan.losesTailAt.includes(this.plan.actions.length)) await this.#loseTail(this.dice)
    if (this.lost.length > 0) await acceptLosses(this)
    await bringToRest(this)
  }

  /** Before the first of several losses there are lines whose minute may end, and before a further one the last is accepted. */
  async #loseTail(dice: Dice): Promise<void> {
    if (this.lost.length > 0) await acceptEarlierLoss(this, dice)
    else if (this.plan.losesTailAt.length > 1) await sendAll(this, dice)
    await loseLogTail(this, dice)
  }

  /** Identity of the log. */
  get logId(): string {
    return this.#storage.get(INGEST_TOPIC)?.logId ?? ''
  }

  /** Whether an account has a gateway route. */
  hasRoute(account: string): boolean {
    return this.#routed.some(({ shortId }) => shortId === account)
  }

  get #routed(): readonly SimulatedAccount[] {
    return this.founding.accounts.slice(0, this.plan.pushers)
  }

  #heldBy(
    { configuration }: SimulatedProcess,
    account: string,
    what: 'lines' | 'route',
  ): ReadonlySet<string> {
    const held = (configuration?.list(deployments, account) ?? []).filter(({ value }) => {
      const { reads } = this.recipes.get(value.revisionId ?? '') ?? {}
      return pauseModeOf(value) === 'hold' && (reads === what || reads === 'both')
    })
    return new Set(held.map(({ id, value }) => `${id} ${value.number}`))
  }

  get senders(): readonly Sender[] {
    return this.clients.filter(client => client instanceof Sender)
  }

  get pushers(): readonly Pusher[] {
    return this.clients.filter(client => client instanceof Pusher)
  }

  get alive(): readonly SimulatedProcess[] {
    return this.processes.filter(process => process.isAlive)
  }

  /** Records that a partition keeps, as they are on the disk. */
  keptRecords(topic: string, partition: number): LogRecord[] {
    return this.#storage.get(topic)?.partitions[partition]?.records ?? []
  }

  startProcess(): SimulatedProcess {
    const number = this.processes.length
    const actor = new Actor(`process ${number}`)
    const machine = this.machines[number % MACHINES] as Machine
    const process = new SimulatedProcess(actor, {
      log: this.broker.logOf(actor),
      store: this.store.clientOf(actor),
      clock: machine.clockOf(actor),
      entropy: this.entropy,
      seal: this.#seal,
      catalogue: this.catalogue,
      partitions: this.plan.partitions,
      asksLog: this.plan.asksLog,
      assignment: this.#coordinator.memberOf(actor),
      endMark: this.plan.keepsEnd ? this.store.endMarkOf(actor) : undefined,
      mayRefuse: () => this.configurationIsCut,
      onLost: () => this.kill(process),
      logEnd: partition => this.broker.endOf(INGEST_TOPIC, partition),
      hasLostTail: () => this.lost.length > 0,
    })
    this.processes.push(process)
    this.tell(`${actor.name} starts`)
    process.start().catch(error => process.alarms.push(`${error.stack}`))
    return process
  }

  kill(process: SimulatedProcess): void {
    process.kill()
    this.scheduler.bury()
    this.#coordinator.look()
    for (const client of this.clients) client.loseConnection(process)
    this.tell(`${process.actor.name} is killed`)
  }

  stop(process: SimulatedProcess): void {
    if (process.isStopping) return
    this.tell(`${process.actor.name} is asked to stop`)
    void process.stop().then(() => this.kill(process))
  }

  setPaused(process: SimulatedProcess, paused: boolean): void {
    process.actor.paused = paused
    this.#coordinator.look()
    this.tell(`${process.actor.name} ${paused ? 'is paused' : 'goes on'}`)
  }

  runJobs({ engine, actor }: SimulatedProcess): void {
    if (engine === undefined) return
    this.tell(`${actor.name} runs its jobs`)
    void engine.runJobs()
  }

  pass(ms: number): void {
    this.scheduler.advance(ms)
    this.tell(`${ms} ms pass`)
  }

  /** Lets all actors continue until all wait for time. */
  async drain(): Promise<void> {
    while (await this.pick());
  }

  /** Takes one step. @returns false when all wait for time */
  pick(): Promise<boolean> {
    if (this.scheduler.steps > MAX_STEPS) throw new EndlessWorld(`${MAX_STEPS} steps and no end`)
    return this.scheduler.pick()
  }

  tell(what: string): void {
    this.#surroundings.tell?.(START_MS + this.scheduler.nowMs, what)
  }

  #newClients(logClockMs: () => number): Client[] {
    const sending: SendingWorld = {
      door: this.#surroundings.door,
      dice: this.dice,
      lineBytes: this.plan.lineBytes,
      sendsFloods: this.plan.looks,
      heldBy: (process, account, what) => this.#heldBy(process, account, what),
      logClockMs,
      tell: (what: string) => this.tell(what),
    }
    return Array.from({ length: this.plan.senders }, (_, number) => {
      const account = this.founding.accounts[number % this.founding.accounts.length] as SimulatedAccount
      return new (number < this.plan.pushers ? Pusher : Sender)(sending, number, account)
    })
  }
}
