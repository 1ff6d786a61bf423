import { MAX_CLOSED_BATCHES } from '../../engine/delivery/fold/lane-cursor.ts'
import { DeliveryMemory } from '../../engine/delivery/sending/delivery-memory.ts'
import { LanePauses } from '../../engine/delivery/sending/lane-pauses.ts'
import { RequestSlots } from '../../engine/delivery/sending/request-slots.ts'
import type { Attempt } from '../../engine/delivery/sending/sending-states.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Topic } from '../../engine/log/log.ts'
import type { MemoryStorage } from '../../engine/log/memory-log.ts'
import type { Logger } from '../../engine/logger.ts'
import { OutboxWorker } from '../../engine/worker/outbox/outbox-worker.ts'
import { RecordShelf } from '../../engine/worker/outbox/recent-records.ts'
import { DEAD_LETTER_TOPIC, OUTBOX_CHECKPOINT_TOPIC, OUTBOX_TOPIC } from '../../schemas/log/topics.ts'
import { EndlessWorld } from '../simulation/endless-world.ts'
import { Machine } from '../simulation/machine.ts'
import { Actor, Scheduler } from '../simulation/scheduler.ts'
import { SimulatedBroker } from '../simulation/simulated-broker.ts'
import { SimulatedStore } from '../simulation/simulated-store.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { LANE_RULES } from '../support/outgoing.ts'
import { handOver, MOST_PARTS, type Progress } from './handing-source.ts'
import type { LanesPlan } from './plan.ts'
import { SimulatedRemotes } from './simulated-remotes.ts'

const MAX_STEPS = 60_000
const MAX_ROUNDS = 1_000
const NONE = 'no failure'

/** A process with the worker of the outbox partition. */
interface LanesProcess {
  readonly actor: Actor
  /** Its link to the topic of dead letters, which may be slower than the others. */
  readonly letterLink: Actor
  readonly worker: OutboxWorker
}

/** One outbox partition with the processes that hand over to it, those that send from it, and the remotes. */
export class LanesWorld {
  readonly plan: LanesPlan
  readonly dice: Dice
  readonly scheduler: Scheduler
  readonly broker: SimulatedBroker
  readonly remotes: SimulatedRemotes
  readonly store: SimulatedStore
  /** Messages that no fault explains. */
  readonly alarms: string[] = []
  /** Answers by which a remote showed that it takes requests, and the end of the log when they came. */
  readonly heard: { readonly node: string; readonly end: number }[] = []
  /** Sum of the steps by which the clock was set back. */
  steppedBackMs = 0
  readonly #storage: MemoryStorage = new Map()
  readonly #machine: Machine
  readonly #processes: LanesProcess[] = []
  readonly #sources: { readonly number: number; readonly actor: Actor }[] = []
  readonly #progress: readonly Progress[]
  #spaceIsShort: boolean

  constructor(plan: LanesPlan) {
    this.plan = plan
    this.dice = newDice(plan.seed ^ 0xd1ce)
    this.scheduler = new Scheduler(this.dice)
    this.store = new SimulatedStore(this.scheduler, this.dice)
    this.#machine = new Machine(this.scheduler)
    this.#progress = plan.sources.map(() => ({ durable: 0 }))
    this.broker = new SimulatedBroker({
      scheduler: this.scheduler,
      dice: this.dice,
      clock: this.#machine.clockOf(new Actor('broker')),
      entropy: seededEntropy(plan.seed),
      maxBytes: Number.MAX_SAFE_INTEGER,
      storage: this.#storage,
    })
    this.broker.faultShare = plan.appendFaults
    this.store.faultShare = plan.appendFaults
    this.#spaceIsShort = this.dice.chance(0.5)
    this.remotes = new SimulatedRemotes(this.scheduler, this.dice, plan.nodes)
  }

  /** The worker that was started last. */
  get last(): OutboxWorker {
    return (this.#processes.at(-1) as LanesProcess).worker
  }

  /** Identity of the outbox. */
  get logId(): string {
    return this.#storage.get(OUTBOX_TOPIC)?.logId ?? ''
  }

  /** Carries out the plan, then lets the world come to rest without any fault. */
  async run(): Promise<void> {
    for (const number of this.plan.sources.keys()) this.#startSource(number, 0)
    await this.#startWorker()
    for (let action = 0; action < this.plan.actions; action++) {
      await this.#act()
      for (let picks = this.dice.below(this.dice.chance(0.2) ? 120 : 25); picks > 0; picks--)
        if (!(await this.#pick())) break
    }
    await this.#bringToRest()
  }

  async #act(): Promise<void> {
    const { dice } = this
    const process = dice.pick(this.#processes)
    const roll = dice.below(13)
    if (roll === 0) this.#killProcess(process)
    else if (roll === 1) process.actor.paused = true
    else if (roll === 2) process.actor.paused = false
    else if (roll === 3) await this.#startWorker()
    else if (roll === 4) this.remotes.change()
    else if (roll === 5) this.#spaceIsShort = dice.chance(0.7)
    else if (roll === 6) this.broker.diskFull = dice.pick(['no', 'no', 'for all'])
    else if (roll === 7) this.#restartSource()
    else if (roll === 8) process.letterLink.paused = dice.chance(0.7)
    else if (roll === 9) this.#setClock(dice.pick([-5_000, -500, 3_000]))
    else if (roll === 10) this.store.isAway = dice.chance(0.5)
    else this.scheduler.advance(dice.pick([50, 300, 1_000, 5_000, 61_000]))
    if (this.#alive.length === 0) await this.#startWorker()
    this.#watchMemory()
  }

  /** Batches that wait are memory, however many events do. */
  #watchMemory(): void {
    for (const { worker } of this.#processes)
      for (const { node, batches } of worker.fold.lanes)
        if (batches.length > MAX_CLOSED_BATCHES + MOST_PARTS)
          this.alarms.push(`${node} holds ${batches.length} batches`)
  }

  get #alive(): readonly LanesProcess[] {
    return this.#processes.filter(({ actor }) => !actor.dead && !actor.paused)
  }

  #setClock(ms: number): void {
    this.#machine.offsetMs += ms
    this.steppedBackMs += Math.max(0, -ms)
  }

  #killProcess({ actor, letterLink }: LanesProcess): void {
    letterLink.dead = true
    this.#kill(actor)
  }

  #kill(actor: Actor): void {
    actor.dead = true
    this.scheduler.bury()
  }

  /** A source begins again at a checkpoint. The process that had it may go on. */
  #restartSource(): void {
    const number = this.dice.below(this.plan.sources.length)
    const known = this.#sources.findLast(source => source.number === number)
    if (known !== undefined && this.dice.chance(0.7)) this.#kill(known.actor)
    else if (known !== undefined) known.actor.paused = this.dice.chance(0.5)
    this.#startSource(number, this.dice.below((this.#progress[number] as Progress).durable + 1))
  }

  #startSource(number: number, from: number): void {
    const actor = new Actor(`source ${number}.${this.#sources.length}`)
    const parts = this.plan.sources[number] as LanesPlan['sources'][number]
    const progress = this.#progress[number] as Progress
    this.#sources.push({ number, actor })
    void this.#topic(actor, OUTBOX_TOPIC).then(topic =>
      handOver(topic, this.#machine.clockOf(actor), { dice: this.dice, number, parts, from, progress }),
    )
  }

  async #startWorker(): Promise<void> {
    const actor = new Actor(`worker ${this.#processes.length}`)
    const letterLink = new Actor(`letters of ${actor.name}`)
    const { giveUpAfterMs, keepsLetters } = this.plan
    const clock = this.#machine.clockOf(actor)
    const worker = new OutboxWorker({
      topic: await this.#topic(actor, OUTBOX_TOPIC),
      partition: 0,
      checkpoints: await this.#topic(actor, OUTBOX_CHECKPOINT_TOPIC),
      deadLetters: await this.#topic(letterLink, DEAD_LETTER_TOPIC),
      rules: LANE_RULES,
      store: this.store.clientOf(actor),
      remote: this.remotes.of(actor),
      slots: new RequestSlots(),
      shelf: new RecordShelf(this.dice.pick([100, 8_000_000])),
      memory: new DeliveryMemory(this.dice.pick([50, 500, 50_000])),
      pauses: new LanePauses(clock),
      settingsOf: () => ({ giveUpAfterMs, keepsLetters }),
      clock,
      entropy: seededEntropy(this.plan.seed + this.#processes.length),
      logger: this.#logger(),
      workerName: actor.name,
      spaceIsShort: () => this.#spaceIsShort,
      observe: attempt => this.#hear(attempt),
    })
    const process = { actor, letterLink, worker }
    this.#processes.push(process)
    void worker
      .start()
      .then(() => worker.run(new AbortController().signal))
      .catch(error => this.#ended(process, error))
  }

  #hear({ lane: { node }, answer: { kind } }: Attempt): void {
    if (kind === 'again' || kind === 'rest') return
    this.heard.push({ node, end: this.broker.archive(OUTBOX_TOPIC, 0).length })
  }

  /** A worker ended: another one had the partition, or this one must not have ended. */
  #ended(process: LanesProcess, error: Error & { code?: string }): void {
    // While it was paused, others may have delivered and trimmed its next records.
    const isTrimmed = error.code === 'LOG_OFFSET_OUT_OF_RANGE' || / but its lanes need /.test(error.message)
    if (error.name !== 'ReplacedError' && !isTrimmed)
      this.alarms.push(`${process.actor.name}: ${error.stack ?? error.message}`)
    this.#killProcess(process)
  }

  #topic(actor: Actor, name: string): Promise<Topic> {
    return this.broker.logOf(actor).topic(name, 1)
  }

  #logger(): Logger {
    return {
      debug() {},
      info() {},
      warn() {},
      error: (details, message) => this.alarms.push(`${message} ${JSON.stringify(details)}`),
    }
  }

  /** All faults end, paused processes go on, and a new worker brings everything to its end. */
  async #bringToRest(): Promise<void> {
    this.broker.faultShare = 0
    this.broker.diskFull = 'no'
    this.store.faultShare = 0
    this.store.isAway = false
    this.remotes.heal()
    const links = this.#processes.map(({ letterLink }) => letterLink)
    const actors = [...this.#processes, ...this.#sources].map(({ actor }) => actor)
    for (const actor of [...actors, ...links]) actor.paused = false
    await this.#drain()
    for (const [number, { durable }] of this.#progress.entries()) this.#startSource(number, durable)
    await this.#startWorker()
    await this.#settle()
    // Late messages arrive, and the state is kept.
    this.#spaceIsShort = true
    this.scheduler.advance(100_000)
    await this.#drain()
    await this.#settle()
  }

  async #settle(): Promise<void> {
    for (let round = 0; !this.#isAtRest(); round++) {
      if (round === MAX_ROUNDS) throw new EndlessWorld(`${this.#open()}: not everything comes to an end`)
      // A late owner record of an earlier process has ended it.
      if (this.#isReplaced) await this.#startWorker()
      this.scheduler.advance(this.dice.pick([100, 1_000, 20_000, 61_000]))
      await this.#drain()
    }
  }

  get #isReplaced(): boolean {
    return this.#processes.at(-1)?.actor.dead === true
  }

  #isAtRest(): boolean {
    const isHandedOver = this.#progress.every(
      ({ durable }, number) => durable === this.plan.sources[number]?.length,
    )
    return isHandedOver && !this.#isReplaced && this.#open() === NONE
  }

  #open(): string {
    const waiting = [...this.last.fold.lanes].filter(lane => lane.waiting > 0)
    const isRead = Number(this.last.fold.nextOffset) >= this.broker.archive(OUTBOX_TOPIC, 0).length
    if (waiting.length === 0 && isRead) return NONE
    return waiting.map(lane => `${lane.node} waits with ${lane.waiting}`).join() || 'records are unread'
  }

  async #drain(): Promise<void> {
    while (await this.#pick());
  }

  #pick(): Promise<boolean> {
    if (this.scheduler.steps > MAX_STEPS) throw new EndlessWorld(`${MAX_STEPS} steps and no end`)
    return this.scheduler.pick()
  }
}
