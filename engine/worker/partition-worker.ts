import type { Control } from '../../schemas/log/control.ts'
import { controlType } from '../../schemas/log/control.ts'
import type { DeployedConfiguration } from '../../schemas/log/cuts.ts'
import type { Idempotency } from '../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Clock } from '../clock/clock.ts'
import type { Flush } from '../fold/flush.ts'
import type { NodeHolding, NodeTotals } from '../fold/node-activity.ts'
import { encodeControl, FoldError, foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { KeyJudgement } from '../fold/repeats.ts'
import type { RunWatch } from '../fold/run-watch.ts'
import type { OutboxTopic, OutgoingRecord } from '../fold/spread/outbox.ts'
import { TailLostError } from '../log/guarded-topic.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import { findLostTail } from '../replay/lost-tail.ts'
import type { FollowingFold } from '../replay/present-memory.ts'
import type { Steps } from '../steps.ts'
import { type Store, StoreError } from '../store/store.ts'
import { DAY_MS, HOUR_MS } from '../times/duration.ts'
import { CutSender } from './cut-sender.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'
import { type LoopTurn, LoopTurns } from './loop-turns.ts'
import { PartitionOwnership, ReplacedError } from './partition-ownership.ts'
import { SettledTables } from './settled-tables.ts'

const READ_BYTES = 8 * 1024 * 1024
/** Flushes that may wait for the store: one is being inserted while the next is built. */
const MAX_WAITING_FLUSHES = 2
/** A record that far ahead of the worker's own clock is not applied: time in the log never goes back. */
const MAX_AHEAD_MS = HOUR_MS
/** Leaves records of the same instant the chance to arrive before a tick, and ticks rare on a slow log. */
const TICK_SLACK_MS = 5
/** The longest wait without a look around: room on the log, a clock that was set. */
const MAX_IDLE_MS = 1_000
/** Reasons of aborts: without one each would make an exception with a stack. */
const IDLE_OVER = 'the wait is over'
const RUN_OVER = 'the run is over'
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 5_000

/** What nothing is read during: the append of cuts; what they change here, and all that is sent to others with it. */
export type CutStep = 'append' | 'apply'

export interface PartitionWorkerOptions {
  readonly partition: number
  /** Of which a partition is read: that of the lines, or that of keyed events. */
  readonly topic: Topic
  readonly checkpoints: Topic
  /** Where a fold sends to; without the keyed topic accounts cannot be spread. */
  readonly outbox?: Readonly<Partial<Record<OutboxTopic, Topic | undefined>>> | undefined
  readonly store: Store
  readonly clock: Clock
  readonly configuration: DeployedConfiguration
  readonly logger: Logger
  /** Name in owner records and logs. */
  readonly workerName: string
  /** Asked at rest: true when checkpoints should be written so that the log can free space. */
  readonly spaceIsShort?: () => boolean
  /** Trims the log as far as the checkpoints of its partitions allow. */
  readonly freeRoom?: () => Promise<void>
  /** Called when the partition has stood still for a change of the configuration. */
  readonly onCutPause?: (step: CutStep, pauseMs: number) => void
  /** Called when `neededRoomBytes` may be another: records were read, a checkpoint was written. */
  readonly onRoomChanged?: () => void
  /** Shared by those who work in one process; absent: there is nobody else. */
  readonly turns?: LoopTurns | undefined
  /** Sees what records do that came after this worker took the partition; a repeat shows nothing. */
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
 * Drives the fold of one partition: reads its log, appends ticks and cuts, stores what the fold completes, writes
 * checkpoints. It moves in steps that a test can drive; `run` takes them until the signal.
 *
 * Rules: one insert is in flight at a time; a checkpoint is written only after everything before it is stored; the
 * order of claim, settle and read makes a restart at any instant go on exactly where the store ended.
 */
export class PartitionWorker {
  readonly #options: PartitionWorkerOptions
  /** The log is kept from the second-newest on. */
  readonly #kept: KeptCheckpoints
  readonly #ownership: PartitionOwnership
  readonly #cuts: CutSender
  readonly #turns: LoopTurns
  readonly #waiting: Flush[] = []
  #settledMs = 0
  #spreads: ReadonlyMap<string, number> = new Map()

  #fold: PartitionFold
  #settled = new SettledTables()
  #storedOffset = 0n
  #batches = 0
  #rows = 0
  /** When, by the monotonic clock, the fold's log time was last seen to move, and to what. */
  #seenAtMs = 0
  #seenTimeMs = 0
  #tickSentForMs = 0
  #isWatched = false

  constructor(options: PartitionWorkerOptions) {
    this.#options = options
    this.#turns = options.turns ?? new LoopTurns(options.clock)
    const source = { topic: options.topic.name, partition: options.partition }
    this.#kept = new KeptCheckpoints(new CheckpointLog(options.checkpoints, options))
    this.#ownership = new PartitionOwnership({ ...source, store: options.store, logger: options.logger })
    this.#fold = new PartitionFold(foldIdentity(options.topic, options.partition))
    const append = (body: Control['body']) => this.#appendControl(body)
    this.#cuts = new CutSender({ ...options, append }, () => this.#wakeIdle())
  }

  get status(): WorkerStatus {
    return {
      partition: this.#options.partition,
      nextOffset: this.#fold.nextOffset,
      storedOffset:
        this.#fold.atRest && this.#waiting.length === 0 ? this.#fold.nextOffset : this.#storedOffset,
      timeMs: this.#fold.timeMs,
      batches: this.#batches,
      rows: this.#rows,
      waitingFlushes: this.#waiting.length,
    }
  }

  /** Whether everything has been read that the log had when this worker took the partition. */
  get caughtUp(): boolean {
    return this.#fold.nextOffset > this.#ownership.epochOffset
  }

  /** What a request with that idempotency key would be, by what has been read of the log. */
  judgeKey(account: string, idempotency: Idempotency): KeyJudgement {
    return this.#fold.judgeKey(account, idempotency)
  }

  /** What has been read of the log, for those who only look at it. */
  get fold(): FollowingFold {
    return this.#fold
  }

  /** What the nodes of this partition have done since the worker began. */
  get nodeTotals(): Iterable<NodeTotals> {
    return this.#fold.nodeTotals
  }

  /** What the nodes of this partition that have windows hold now. */
  nodeHoldings(): Iterable<NodeHolding> {
    return this.#fold.nodeHoldings()
  }

  /** Version of an entity's cut that is in effect here; 0: nothing of it is known. */
  cutVersion(kind: string, entity: string): number {
    return this.#fold.cutVersion(kind, entity)
  }

  /** By account, the newest change between one partition and many of which everything has been sent from here. */
  get spreads(): ReadonlyMap<string, number> {
    return this.#spreads
  }

  /** Days before the one of this log time are complete: the newest checkpoint that was written lies behind them. */
  get settledMs(): number {
    return this.#settledMs
  }

  /**
   * Room on the log without which this partition could not let go of anything: it needs two whole checkpoints for
   * that, and a kill may leave one half written.
   */
  get neededRoomBytes(): number {
    return (this.#kept.count < 2 ? 3 : 2) * this.#fold.checkpointBytes
  }

  /** First offset that a restart may need; nothing at or above it may be trimmed. */
  get neededFrom(): bigint {
    return this.#kept.neededFrom
  }

  /**
   * Lets go of checkpoints that belong to no record that is kept, but for the two newest.
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
    const { topic, partition, store, workerName, logger } = this.#options
    await this.#assertWhole(signal)
    if (this.#options.spaceIsShort?.() === true) await this.#freeRoom()
    // A late owner record would end the worker of whoever has the partition by now.
    signal?.throwIfAborted()
    const owner = await this.#appendControl({ 'weir.Owner': { worker: workerName } }, signal)
    signal?.throwIfAborted()
    await this.#retry('claim', () => this.#ownership.take(owner.offset), signal)
    const newest = await this.#kept.load()
    const identity = foldIdentity(topic, partition)
    const from = newest === undefined ? await this.#kept.beginning() : 0n
    this.#fold = new PartitionFold(identity, newest?.body, undefined, from)
    await this.#checkKeptLog()
    this.#spreads = this.#fold.spreads
    this.#settledMs = this.#fold.lastCheckpointMs
    this.#settled = await this.#retry('settle', () => SettledTables.read(store, identity, this.#fold), signal)
    this.#storedOffset = this.#fold.nextOffset
    this.#noteTime()
    logger.info(
      {
        topic: topic.name,
        partition,
        epoch: String(owner.offset),
        from: String(this.#fold.nextOffset),
        settled: this.#settled.toString(),
      },
      'partition taken',
    )
  }

  /**
   * Takes one step: stores a waiting flush, or reads and applies records, or appends a cut or tick that is due.
   *
   * @returns false when there was nothing to do
   */
  async step(): Promise<boolean> {
    const flush = this.#waiting[0]
    if (flush !== undefined) {
      await this.#acknowledge(flush)
      this.#waiting.shift()
      return true
    }
    return this.#advance()
  }

  /** Steps until the signal; reading goes on while a flush is being stored. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController()
    const end = () => {
      ended.abort(RUN_OVER)
      this.#wakeReader()
      this.#wakeStorer()
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
   * Graceful end, after `run` has returned: a tick ends the open batch, everything is stored and a checkpoint
   * written, so that the next start has nothing to repeat.
   *
   * @param signal when aborted, a store that is away is not waited for: its error ends this, and nothing is lost
   */
  async finish(signal?: AbortSignal): Promise<void> {
    while (await this.#readOnce()) await this.#acknowledgeAll(signal)
    await this.#acknowledgeAll(signal)
    if (!this.#fold.atRest) {
      await this.#appendControl({ 'weir.Tick': { deadlineMs: this.#fold.deadlineMs } })
      while (await this.#readOnce()) await this.#acknowledgeAll(signal)
    }
    if (this.#fold.atRest && this.#fold.nextOffset > this.#kept.newestOffset) {
      await this.#acknowledge(await this.#checkpointAtRest(), signal)
    }
  }

  /** Lets go of the configuration; to be called after `run` or `finish`, also after an error. */
  close(): void {
    this.#cuts.close()
  }

  /** Before anything is appended: a record would take the place of one that is known of already. */
  async #assertWhole(signal: AbortSignal | undefined): Promise<void> {
    const look = () => findLostTail(this.#options, this.#options.partition)
    const lost = await this.#retry('find out where the log must end', look, signal)
    if (lost !== undefined) throw new TailLostError(lost)
  }

  /** A log that takes no more control records is trimmed first: that needs none, whoever owns the partition. */
  async #freeRoom(): Promise<void> {
    const { topic, partition } = this.#options
    await this.#kept.load()
    await topic.trim(partition, this.#kept.neededFrom)
    await this.#kept.trim(undefined)
  }

  /** Does the first thing that is due, storing apart. @returns false when nothing is */
  async #advance(): Promise<boolean> {
    return (
      (await this.#sendCuts()) || (await this.#readOnce()) || (await this.#sendTick()) || (await this.#rest())
    )
  }

  async #readLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#waiting.length >= MAX_WAITING_FLUSHES) {
        await new Promise<void>(resolve => {
          this.#wakeReader = resolve
        })
        continue
      }
      if (!(await this.#advance())) await this.#idle(signal)
    }
  }

  /** Waits for a record, a change of the configuration, or the next deadline. */
  async #idle(signal: AbortSignal): Promise<void> {
    const { topic, partition, clock } = this.#options
    const wake = new AbortController()
    this.#wakeIdle = () => wake.abort(IDLE_OVER)
    if (this.#cuts.isDue || signal.aborted) return
    await Promise.race([
      topic.waitBeyond(partition, this.#fold.nextOffset, wake.signal),
      clock.sleep(Math.min(Math.max(1, this.#untilTickMs()), MAX_IDLE_MS), wake.signal),
    ])
    this.#wakeIdle() // ends whichever of the two still waits
  }

  async #storeLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const flush = this.#waiting[0]
      if (flush === undefined) {
        await new Promise<void>(resolve => {
          this.#wakeStorer = resolve
        })
        continue
      }
      await this.#acknowledge(flush, signal)
      this.#waiting.shift()
      this.#wakeReader()
    }
  }

  #wakeReader = () => {}
  #wakeStorer = () => {}
  #wakeIdle = () => {}

  /** Reads what the log has and applies it. @returns false at the head of the log */
  async #readOnce(): Promise<boolean> {
    const { topic, partition, clock } = this.#options
    const records = await topic.read(partition, this.#fold.nextOffset, READ_BYTES)
    const held: Flush[] = []
    const { appliedCuts } = this.#fold
    let cutMs = 0
    const turn = this.#turns.begin()
    for (const record of records) {
      if (turn.isOver()) await turn.rest()
      this.#checkRecord(record)
      const knownCuts = this.#fold.appliedCuts
      const startedMs = clock.monotonicMs()
      for (const flush of await this.#apply(record, turn)) {
        if (this.#fold.outbox.empty && held.length === 0) this.#enqueue(flush)
        else held.push(flush)
      }
      if (this.#fold.appliedCuts > knownCuts) cutMs += clock.monotonicMs() - startedMs
    }
    if (records.length === 0) return false
    this.#watch()
    const sendingMs = clock.monotonicMs()
    if (!this.#fold.outbox.empty) await this.#send()
    if (this.#fold.appliedCuts > appliedCuts)
      this.#options.onCutPause?.('apply', cutMs + clock.monotonicMs() - sendingMs)
    for (const flush of held) this.#enqueue(flush)
    this.#spreads = this.#fold.spreads
    this.#noteTime()
    this.#options.onRoomChanged?.()
    return true
  }

  /** Others of this process have their turns in the middle of a record, too: it may hold a million lines. */
  async #apply(record: LogRecord, turn: LoopTurn): Promise<Flush[]> {
    return inTurns(this.#fold.applying(record, this.#watch()), turn)
  }

  /** Who watches the next record: nobody before everything has been repeated that a worker before this one did. */
  #watch(): RunWatch | undefined {
    const { watch } = this.#options
    if (watch === undefined || !this.caughtUp) return undefined
    if (!this.#isWatched) this.#fold.showPipelines(watch)
    this.#isWatched = true
    return watch
  }

  /**
   * Appends what the fold has sent, before anything that a checkpoint behind it is part of is acknowledged. A repeat
   * is dropped where it arrives.
   */
  async #send(): Promise<void> {
    const topicOf = (name: OutboxTopic): Topic => {
      const topic = this.#options.outbox?.[name]
      if (topic === undefined)
        throw new FoldError(`the topic "${name}", to which events go, is not open here`)
      return topic
    }
    for (const round of this.#fold.outbox.take()) {
      const byPartition = Map.groupBy(round, ({ topic, partition }) => `${topic} ${partition}`)
      const appendAll = async (records: readonly OutgoingRecord[]) => {
        for (const { topic: name, partition, value } of records) {
          const topic = topicOf(name)
          const append = () => topic.append(partition, { value, producer: null, priority: 'control' })
          await this.#retry(`send events to ${topic.name}`, append)
        }
      }
      await Promise.all([...byPartition.values()].map(appendAll))
    }
  }

  #enqueue(flush: Flush): void {
    this.#waiting.push(flush)
    this.#wakeStorer()
  }

  #checkRecord(record: LogRecord): void {
    const aheadMs = record.appendTimeMs - this.#options.clock.wallMs()
    if (aheadMs > MAX_AHEAD_MS) {
      throw new FoldError(
        `record ${record.offset} of partition ${this.#options.partition} was appended ${Math.round(aheadMs / 60_000)} minutes in the future of this machine's clock: set the clock right, then start again`,
      )
    }
    const owner = ownerOf(record)
    if (owner !== undefined && record.offset > this.#ownership.epochOffset) {
      throw new ReplacedError(`partition ${this.#options.partition} was taken by ${owner}`)
    }
  }

  async #acknowledgeAll(signal?: AbortSignal): Promise<void> {
    for (let flush = this.#waiting[0]; flush !== undefined; flush = this.#waiting[0]) {
      await this.#acknowledge(flush, signal)
      this.#waiting.shift()
    }
  }

  /**
   * Stores a flush's tables, then writes its checkpoint. A signal ends only the waiting for a store that is away
   * (by the error that it answers): what was begun is finished, so that nobody stores it again.
   */
  async #acknowledge(flush: Flush, signal?: AbortSignal): Promise<void> {
    for (const batch of flush.tables) {
      if (this.#settled.has(batch)) continue
      await this.#retry(`insert into ${batch.table}`, () => this.#ownership.insert(batch), signal)
      this.#batches++
      this.#rows += batch.rows
    }
    if (flush.gap !== undefined) this.#settled.pass(flush.gap)
    this.#storedOffset = flush.nextOffset
    if (flush.checkpoint === null) return
    const { nextOffset, checkpoint } = flush
    await this.#retry('write a checkpoint', () =>
      this.#kept.write(this.#ownership.epochOffset, nextOffset, checkpoint),
    )
    this.#settledMs = flush.timeMs
    this.#options.onRoomChanged?.()
    // Before the next is written, so that there are never more than two and the one that is being written.
    if (this.#options.spaceIsShort?.() === true) await this.#options.freeRoom?.()
  }

  /** Repeats what may succeed later, with growing pauses and without end: nothing is given up. */
  async #retry<T>(what: string, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, RETRY_MAX_MS)) {
      try {
        return await action()
      } catch (error) {
        const retriable = (error instanceof StoreError || error instanceof LogError) && error.retriable
        if (!retriable || signal?.aborted) throw error
        this.#options.logger.warn(
          { partition: this.#options.partition, err: error, pauseMs },
          `cannot ${what} yet`,
        )
        await this.#options.clock.sleep(pauseMs, signal)
      }
    }
  }

  async #sendCuts(): Promise<boolean> {
    // What the log already says is known only once it has been read up to where this worker took it.
    if (!this.caughtUp) return false
    const { clock, onCutPause } = this.#options
    const startedMs = clock.monotonicMs()
    const appended = await this.#cuts.send(this.#fold)
    if (appended) onCutPause?.('append', clock.monotonicMs() - startedMs)
    return appended
  }

  /** Appends a tick when a deadline has passed by the monotonic clock and no record has shown it. */
  async #sendTick(): Promise<boolean> {
    const { deadlineMs } = this.#fold
    if (this.#tickSentForMs === deadlineMs || this.#untilTickMs() > 0) return false
    await this.#appendControl({ 'weir.Tick': { deadlineMs } })
    this.#tickSentForMs = deadlineMs
    return true
  }

  #untilTickMs(): number {
    const passedMs = this.#options.clock.monotonicMs() - this.#seenAtMs
    return this.#fold.deadlineMs - this.#seenTimeMs + TICK_SLACK_MS - passedMs
  }

  #noteTime(): void {
    if (this.#fold.timeMs === this.#seenTimeMs) return
    this.#seenTimeMs = this.#fold.timeMs
    this.#seenAtMs = this.#options.clock.monotonicMs()
  }

  /** At rest: a checkpoint when a day has ended or the log needs room. */
  async #rest(): Promise<boolean> {
    const fold = this.#fold
    if (!fold.atRest || this.#waiting.length > 0 || fold.timeMs === 0) return false
    const dayEnded = dayOf(fold.timeMs) !== dayOf(fold.lastCheckpointMs)
    const roomNeeded = this.#options.spaceIsShort?.() === true && this.neededFrom < fold.nextOffset
    if (!dayEnded && !roomNeeded) return false
    this.#enqueue(await this.#checkpointAtRest())
    return true
  }

  #checkpointAtRest(): Promise<Flush> {
    return inTurns(this.#fold.checkpointingAtRest(), this.#turns.begin())
  }

  #appendControl(body: Control['body'], signal?: AbortSignal) {
    const { topic, partition } = this.#options
    const value = encodeControl(body)
    const append = () => topic.append(partition, { value, producer: null, priority: 'control' })
    return this.#retry('append a control record', append, signal)
  }

  async #checkKeptLog(): Promise<void> {
    const { topic, partition } = this.#options
    const { first } = await topic.bounds(partition)
    if (first > this.#fold.nextOffset) {
      throw new FoldError(
        `partition ${partition} of ${topic.name} begins at ${first}, but its newest checkpoint needs ${this.#fold.nextOffset}: records that were never stored are gone; restore the log's files, or the checkpoints, from a backup`,
      )
    }
  }
}

async function inTurns<Result>(steps: Steps<Result>, turn: LoopTurn): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (turn.isOver()) await turn.rest()
  }
}

function ownerOf(record: LogRecord): string | undefined {
  if (schemaIdOf(record.value) !== controlType.id) return undefined
  const { body } = controlType.decode(record.value)
  return 'weir.Owner' in body ? body['weir.Owner'].worker : undefined
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}
