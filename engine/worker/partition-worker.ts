import type { Control } from '../../schemas/log/control.ts'
import type { DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import type { Idempotency } from '../../schemas/log/line-batch.ts'
import type { Clock } from '../clock/clock.ts'
import { encodeControl } from '../fold/control-record.ts'
import type { Flush } from '../fold/flush.ts'
import type { NodeHolding, NodeTotals } from '../fold/node-activity.ts'
import { foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { KeyJudgement } from '../fold/repeats.ts'
import type { RunWatch } from '../fold/run-watch.ts'
import type { TargetTopic } from '../fold/spread/target.ts'
import type { Topic } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import type { FollowingFold } from '../replay/present-memory.ts'
import type { Store, StoredMark } from '../store/store.ts'
import { DAY_MS } from '../times/duration.ts'
import { inTurns, LoopTurns } from '../turns/loop-turns.ts'
import { CutSender } from './cut-sender.ts'
import { FlushQueue } from './flush-queue.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'
import { PartitionOwnership } from './partition-ownership.ts'
import { PartitionStart } from './partition-start.ts'
import { type CutStep, RecordApplying } from './record-applying.ts'
import { Retries } from './retries.ts'
import { TickSender } from './tick-sender.ts'

export type { CutStep } from './record-applying.ts'

/** The worker waits at most this long before it checks again: room on the log, a clock that was set. */
const MAX_IDLE_MS = 1_000
/** Reasons of aborts: without one each would make an exception with a stack. */
const IDLE_OVER = 'the wait is over'
const RUN_OVER = 'the run is over'

export interface PartitionWorkerOptions {
  readonly catalogue: Catalogue
  readonly partition: number
  /** Topic this worker reads: ingest or keyed. */
  readonly topic: Topic
  readonly checkpoints: Topic
  /** Topics that a fold sends to; without the keyed topic accounts cannot be spread, and without the outbox nothing is handed over. */
  readonly targets?: Readonly<Partial<Record<TargetTopic, Topic | undefined>>> | undefined
  readonly store: Store
  readonly clock: Clock
  readonly configuration: DeployedConfiguration
  readonly logger: Logger
  /** Name in owner records and logs. */
  readonly workerName: string
  /** Behaviour number that owner records put into force; absent: that of the program. */
  readonly behaviour?: number | undefined
  /** Whether checkpoints should be written so that the log can free space. */
  readonly spaceIsShort?: () => boolean
  /** Trims the log as far as the checkpoints of its partitions allow. */
  readonly freeRoom?: () => Promise<void>
  /** Receives how long the partition stood still for a change of the configuration. */
  readonly onCutPause?: (step: CutStep, pauseMs: number) => void
  /** Called when `neededRoomBytes` may have changed: records were read, a checkpoint was written. */
  readonly onRoomChanged?: () => void
  /** Shared by the workers of one process; absent: there is one. */
  readonly turns?: LoopTurns | undefined
  /** Observes records that came after this worker took the partition; not the repeats of earlier work. */
  readonly watch?: RunWatch | undefined
}

export interface WorkerStatus {
  readonly partition: number
  readonly nextOffset: bigint
  readonly storedOffset: bigint
  readonly timeMs: number
  readonly batches: number
  readonly rows: number
  readonly waitingFlushes: number
}

/**
 * Drives the fold of one partition: reads its log, appends ticks and cuts, stores the flushes of the fold, writes
 * checkpoints. It moves in steps that a test can drive; `run` takes them until the signal.
 *
 * The order of claim, settle and read makes a restart at any instant go on exactly where the store ended.
 */
export class PartitionWorker {
  readonly #options: PartitionWorkerOptions
  /** The log is kept from the second-newest on. */
  readonly #kept: KeptCheckpoints
  /** First offset behind the records that an older copy of the store lacked; undefined once they are stored again. */
  #refillsTo: bigint | undefined
  readonly #ownership: PartitionOwnership
  readonly #retries: Retries
  readonly #cuts: CutSender
  readonly #ticks: TickSender
  readonly #turns: LoopTurns
  readonly #flushes: FlushQueue
  readonly #start: PartitionStart
  #fold: PartitionFold
  #reading: RecordApplying
  #spreads: ReadonlyMap<string, number> = new Map()
  #wakeIdle = () => {}

  constructor(options: PartitionWorkerOptions) {
    const { topic, partition, store, logger, clock, catalogue } = options
    const append = (body: Control['body'], signal?: AbortSignal) => this.#appendControl(body, signal)
    this.#options = options
    this.#turns = options.turns ?? new LoopTurns(clock)
    this.#retries = new Retries(options)
    this.#kept = new KeptCheckpoints(new CheckpointLog(options.checkpoints, options))
    this.#ownership = new PartitionOwnership({
      topic: topic.name,
      partition,
      store,
      logger,
      turns: this.#turns,
    })
    const [kept, ownership, retries] = [this.#kept, this.#ownership, this.#retries]
    const markStored = (mark: StoredMark) => store.markStored({ topic: topic.name, partition }, mark)
    this.#flushes = new FlushQueue({ ...options, kept, ownership, retries, markStored })
    this.#start = new PartitionStart({ ...options, turns: this.#turns, kept, ownership, retries, append })
    this.#cuts = new CutSender({ ...options, append }, () => this.#wakeIdle())
    this.#ticks = new TickSender(clock, append)
    this.#fold = new PartitionFold(catalogue, foldIdentity(topic, partition))
    this.#reading = this.#readingInto(this.#fold)
  }

  get status(): WorkerStatus {
    const { nextOffset, timeMs, atRest } = this.#fold
    const isStored = atRest && this.#flushes.isEmpty
    return {
      partition: this.#options.partition,
      nextOffset,
      storedOffset: isStored ? nextOffset : this.#flushes.progress.storedOffset,
      timeMs,
      ...this.#flushes.counts,
    }
  }

  /** Whether everything has been read that the log had when this worker took the partition. */
  get caughtUp(): boolean {
    return this.#reading.caughtUp
  }

  /** Judges a request with that idempotency key by the part of the log that has been read. */
  judgeKey(account: string, idempotency: Idempotency): KeyJudgement {
    return this.#fold.judgeKey(account, idempotency)
  }

  /** The fold, for those who only look at it. */
  get fold(): FollowingFold {
    return this.#fold
  }

  /** Activity of the nodes of this partition since the worker began. */
  get nodeTotals(): Iterable<NodeTotals> {
    return this.#fold.nodeTotals
  }

  /** Events that the nodes of this partition with windows hold now. */
  nodeHoldings(): Iterable<NodeHolding> {
    return this.#fold.nodeHoldings()
  }

  /** Version of an entity's cut that is in effect here; 0: none is known. */
  cutVersion(kind: string, entity: string): number {
    return this.#fold.cutVersion(kind, entity)
  }

  /** Newest change of each account between one partition and many whose parts have all been sent from here. */
  get spreads(): ReadonlyMap<string, number> {
    return this.#spreads
  }

  /** Days before the one of this log time are complete: the newest checkpoint that was written lies behind them. */
  get settledMs(): number {
    return this.#flushes.progress.settledMs
  }

  /**
   * Space on the log that this partition needs in order to release any, in bytes. Two whole checkpoints must fit, and a
   * third while a kill may leave one half written.
   */
  get neededRoomBytes(): number {
    return (this.#kept.count < 2 ? 3 : 2) * this.#fold.checkpointBytes
  }

  /** First offset that a restart may need; nothing at or above it may be trimmed. */
  get neededFrom(): bigint {
    return this.#kept.neededFrom
  }

  /**
   * Removes checkpoints that belong to no record that is kept, but for the two newest.
   *
   * @param firstOffset first record of the partition that the log still has; undefined: room is short, and only the
   *                    two newest are worth it
   */
  async trimCheckpoints(firstOffset: bigint | undefined): Promise<void> {
    await this.#kept.trim(firstOffset)
  }

  /**
   * Takes the partition: owner record, epoch, newest checkpoint, settled positions.
   *
   * @param signal ends the waiting for a store that is away, by the error that it answers
   */
  async start(signal?: AbortSignal): Promise<void> {
    const { fold, settled, refillsTo } = await this.#start.take(signal)
    this.#refillsTo = refillsTo
    this.#fold = fold
    this.#reading = this.#readingInto(fold)
    this.#spreads = new Map(fold.spreads)
    this.#flushes.begin(settled, { storedOffset: fold.nextOffset, settledMs: fold.lastCheckpointMs })
    this.#ticks.noteTime(fold)
  }

  /**
   * Takes one step: stores a waiting flush, or reads and applies records, or appends a cut or tick that is due.
   *
   * @returns false when there was nothing to do
   */
  async step(): Promise<boolean> {
    return (await this.#flushes.storeNext()) || (await this.#advance())
  }

  /** Steps until the signal; reading goes on while a flush is being stored. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController()
    const end = () => {
      ended.abort(RUN_OVER)
      this.#flushes.wake()
      this.#wakeIdle()
    }
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    const guard = (loop: Promise<void>) =>
      loop.catch(error => {
        end()
        throw error
      })
    const loops = [this.#readLoop(ended.signal), this.#storeLoop(ended.signal)]
    const results = await Promise.allSettled(loops.map(guard))
    signal.removeEventListener('abort', end)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /**
   * Graceful end, after `run` has returned: a tick ends the open batch, everything is stored and a checkpoint written.
   * The next start then has nothing to repeat.
   *
   * @param signal when aborted, a store that is away is not waited for: its error ends this, and nothing is lost
   */
  async finish(signal?: AbortSignal): Promise<void> {
    await this.#readAll(signal)
    if (!this.#fold.atRest) {
      await this.#appendControl({ 'weir.Tick': { deadlineMs: this.#fold.deadlineMs } })
      await this.#readAll(signal)
    }
    if (this.#fold.atRest && this.#fold.nextOffset > this.#kept.newestOffset)
      await this.#flushes.store(await this.#checkpointAtRest(), signal)
  }

  /** Ends the subscription to the configuration; to be called after `run` or `finish`, also after an error. */
  close(): void {
    this.#cuts.close()
  }

  /** Does the first thing that is due, storing apart. @returns false when nothing is */
  async #advance(signal?: AbortSignal): Promise<boolean> {
    return (
      (await this.#sendCuts()) ||
      (await this.#readOnce(signal)) ||
      (await this.#ticks.sendDue(this.#fold)) ||
      (await this.#rest())
    )
  }

  async #readLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#flushes.isFull) await this.#flushes.whenRoom()
      else if (!(await this.#advance(signal))) await this.#idle(signal)
    }
  }

  async #storeLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isStored = await this.#flushes.storeNext(signal)
      // The checkpoint that marks a store that was filled again does not wait until the reader looks around.
      if (isStored && this.#refillsTo !== undefined) this.#wakeIdle()
      if (!isStored && !signal.aborted) await this.#flushes.whenWaiting()
    }
  }

  /** Waits for a record, a change of the configuration, or the next deadline. */
  async #idle(signal: AbortSignal): Promise<void> {
    const { topic, partition, clock } = this.#options
    const wake = new AbortController()
    this.#wakeIdle = () => wake.abort(IDLE_OVER)
    if (this.#cuts.isDue || signal.aborted) return
    const waitMs = Math.min(Math.max(1, this.#ticks.untilDueMs(this.#fold)), MAX_IDLE_MS)
    await Promise.race([
      topic.waitBeyond(partition, this.#fold.nextOffset, wake.signal),
      clock.sleep(waitMs, wake.signal),
    ])
    this.#wakeIdle() // ends whichever of the two still waits
  }

  #readingInto(fold: PartitionFold): RecordApplying {
    const [turns, ownership, retries] = [this.#turns, this.#ownership, this.#retries]
    return new RecordApplying({ ...this.#options, turns, ownership, retries }, fold)
  }

  /** @returns false at the head of the log */
  async #readOnce(signal?: AbortSignal): Promise<boolean> {
    const fold = this.#fold
    const { appliedCuts } = fold
    if (!(await this.#reading.readOnce(flush => this.#flushes.add(flush), signal))) return false
    // A copy: the fold's own map has changes whose parts are not sent yet.
    if (fold.appliedCuts > appliedCuts) this.#spreads = new Map(fold.spreads)
    this.#ticks.noteTime(fold)
    this.#options.onRoomChanged?.()
    return true
  }

  /** Reads up to the head of the log, and stores everything. */
  async #readAll(signal: AbortSignal | undefined): Promise<void> {
    while (await this.#readOnce(signal)) await this.#flushes.storeAll(signal)
    await this.#flushes.storeAll(signal)
  }

  async #sendCuts(): Promise<boolean> {
    // The cuts on the log are known only once it has been read up to where this worker took it.
    if (!this.caughtUp) return false
    const { clock, onCutPause } = this.#options
    const startedMs = clock.monotonicMs()
    const appended = await this.#cuts.send(this.#fold)
    if (appended) onCutPause?.('append', clock.monotonicMs() - startedMs)
    return appended
  }

  /** Takes a checkpoint at rest when a day has ended, the log needs room, or an older copy of the store is filled again. */
  async #rest(): Promise<boolean> {
    const fold = this.#fold
    if (!fold.atRest || !this.#flushes.isEmpty || fold.timeMs === 0) return false
    const dayEnded = dayOf(fold.timeMs) !== dayOf(fold.lastCheckpointMs)
    const roomNeeded = this.#options.spaceIsShort?.() === true && this.neededFrom < fold.nextOffset
    const isRefilled = this.#refillsTo !== undefined && fold.nextOffset >= this.#refillsTo
    if (!dayEnded && !roomNeeded && !isRefilled) return false
    if (isRefilled) this.#refillsTo = undefined
    this.#flushes.add(await this.#checkpointAtRest())
    return true
  }

  #checkpointAtRest(): Promise<Flush> {
    return inTurns(this.#fold.checkpointingAtRest(), this.#turns.begin())
  }

  #appendControl(body: Control['body'], signal?: AbortSignal) {
    const { topic, partition, catalogue, behaviour } = this.#options
    const value = encodeControl(catalogue, body, behaviour)
    const append = () => topic.append(partition, { value, producer: null, priority: 'control' })
    return this.#retries.run('append a control record', append, signal)
  }
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}
