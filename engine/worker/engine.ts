import type { Cut } from '../../schemas/log/control.ts'
import type { CutsInEffect, DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import type { Idempotency } from '../../schemas/log/line-batch.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import type { QuotaLedger } from '../configuration/kinds/quota-ledger.ts'
import type { SpreadReports } from '../configuration/kinds/spread.ts'
import { CatalogueBatchRules } from '../delivery/destinations/catalogue-batch-rules.ts'
import type { NodeHolding, NodeTotals } from '../fold/node-activity.ts'
import type { KeyJudgement } from '../fold/repeats.ts'
import type { PartitionName, RunWatch } from '../fold/run-watch.ts'
import type { Assignment } from '../log/assignment.ts'
import { type LostTail, TailLostError } from '../log/guarded-topic.ts'
import { isLogAway, type Log, type Topic } from '../log/log.ts'
import type { CheckpointedTopic } from '../log/partitioned-topics.ts'
import type { Logger } from '../logger.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { OlderStoreError } from '../replay/older-store.ts'
import type { FollowingFold, FollowingFolds } from '../replay/present-memory.ts'
import { type Store, StoreError } from '../store/store.ts'
import { LoopTurns } from '../turns/loop-turns.ts'
import type { KeptDeadLetters } from './dead-letter-trimming.ts'
import { Housekeeping, type WorkedTopic } from './housekeeping.ts'
import { type OutboxPorts, OutboxWorkers } from './outbox/outbox-workers.ts'
import { ReplacedError } from './partition-ownership.ts'
import { type CutStep, PartitionWorker, type WorkerStatus } from './partition-worker.ts'

/** Time limit of a wait: clients of the API give up after 15 s, and a partition that works takes a few milliseconds. */
const IN_EFFECT_PATIENCE_MS = 5_000
const IN_EFFECT_POLL_MS = 5
const RESTART_PAUSES = { firstMs: 200, longestMs: 30_000 }
/** Interval of checks while a loss waits for its acceptance. */
const LOOK_AGAIN_MS = 1_000
/** Reasons of aborts: without one, each abort would create an exception with a stack. */
const STOPPED = 'the engine is stopped'
const PARTITION_LOST = 'another process has the partition'

export interface EngineOptions {
  readonly catalogue: Catalogue
  readonly log: Log
  readonly ingest: Topic
  readonly checkpoints: Topic
  /** Topic of keyed events; absent if accounts cannot be spread over partitions. */
  readonly keyed?: KeyedTopic | undefined
  /** Kept dead letters; absent if pipelines cannot keep any. */
  readonly deadLetters?: KeptDeadLetters | undefined
  /** Outbox; absent if no pipeline can send to other systems. */
  readonly outbox?: OutboxPorts | undefined
  /** Quotas of accounts; absent if stored data cannot be limited. */
  readonly quotas?: QuotaLedger | undefined
  /** Answers to idempotency keys that ingesting processes share; absent with a single process. */
  readonly keys?: Topic | undefined
  readonly store: Store
  readonly clock: Clock
  readonly configuration: DeployedConfiguration
  readonly logger: Logger
  readonly workerName: string
  /** Retention of stored records on the ingest topic, for preview and replay. */
  readonly logRetentionMs: number
  readonly assignment: Assignment
  /** Observes the workers. */
  readonly watch?: RunWatch | undefined
}

/** Topic and services for accounts on many partitions. The topic has as many partitions as the ingest topic. */
export interface KeyedTopic extends CheckpointedTopic {
  readonly reports: SpreadReports
}

/** The partition's workers in this process, from the assignment of the partition to the end of its work. */
interface SupervisedPartition {
  readonly leave: AbortController
  ended: Promise<void>
}

export interface EngineStatus {
  readonly workers: readonly WorkerStatus[]
  /** Status of the workers of keyed partitions; empty before an account was spread. */
  readonly keyedWorkers: readonly WorkerStatus[]
  /** Sentences about partitions without progress, by partition; empty without such a partition. */
  readonly troubles: ReadonlyMap<number, string>
  /**
   * Lines past their retention that were removed since the start; the leading process removes those of all partitions.
   */
  readonly expiredLines: number
}

/** A pause of reading because of a change of the configuration. */
export interface CutPause {
  readonly topic: string
  readonly step: CutStep
  readonly pauseMs: number
}

/**
 * Runs a worker for every partition of this process, and the jobs beside them. A worker that fails starts again from its
 * checkpoint.
 */
export class Engine implements CutsInEffect, FollowingFolds {
  readonly #options: EngineOptions
  readonly #workers = new Map<number, PartitionWorker>()
  readonly #keyedWorkers = new Map<number, PartitionWorker>()
  readonly #troubles = new Map<number, string>()
  readonly #supervised = new Map<number, SupervisedPartition>()
  readonly #pauseObservers: ((pause: CutPause) => void)[] = []
  readonly #turns: LoopTurns
  readonly #stop = new AbortController()
  readonly #housekeeping: Housekeeping
  readonly #ingest: WorkedTopic
  readonly #keyed: (WorkedTopic & KeyedTopic) | undefined
  /** Workers of the outbox; undefined without one. */
  readonly outbox: OutboxWorkers | undefined
  #assigned: ReadonlySet<number> | undefined
  #running: Promise<void>[] = []

  constructor(options: EngineOptions) {
    this.#options = options
    this.#turns = new LoopTurns(options.clock)
    const { ingest, checkpoints, keyed, outbox, log } = options
    const space = () => log.space()
    const rules = new CatalogueBatchRules(options.catalogue)
    const freeRoom = () => this.#housekeeping.freeRoom()
    this.outbox = outbox && new OutboxWorkers({ ...options, ...outbox, rules, space, freeRoom })
    this.#ingest = { topic: ingest, checkpoints, workers: this.#workers }
    this.#keyed = keyed && { ...keyed, workers: this.#keyedWorkers }
    this.#housekeeping = new Housekeeping({
      ...options,
      lines: this.#ingest,
      keyed: this.#keyed,
      outbox: this.outbox,
      isSpread: () => this.#isSpread,
      assigned: () => this.#assigned ?? [],
    })
  }

  /** Keeps the log of a partition from an offset on while it is read. @returns a function that ends this */
  pin(partition: PartitionName, offset: bigint): () => void {
    return this.#housekeeping.pin(partition, offset)
  }

  start(): void {
    const { signal } = this.#stop
    const assigned = this.#options.assignment.take(partitions => this.#assign(partitions), signal)
    this.#running = [assigned, this.#housekeeping.run(signal)]
  }

  /** Partitions assigned to this process; undefined before the assignment is known. */
  get assigned(): ReadonlySet<number> | undefined {
    return this.#assigned
  }

  /** Name of this process, as owner records contain it. */
  get workerName(): string {
    return this.#options.workerName
  }

  get status(): EngineStatus {
    return {
      workers: [...this.#workers.values()].map(worker => worker.status),
      keyedWorkers: [...this.#keyedWorkers.values()].map(worker => worker.status),
      troubles: new Map([...(this.outbox?.troubles ?? []), ...this.#troubles]),
      expiredLines: this.#housekeeping.expiredLines,
    }
  }

  /**
   * Judges a request with that idempotency key in a partition; 'unknown' while the log is still being read after a start.
   * A partition in trouble, or of another process, does not delay senders: the log itself finds exact repeats later.
   */
  judgeKey(account: string, idempotency: Idempotency, partition: number): KeyJudgement | 'unknown' {
    const worker = this.#workers.get(partition)
    if (worker?.caughtUp) return worker.judgeKey(account, idempotency)
    return this.#troubles.has(partition) || this.#assigned?.has(partition) === false ? 'new' : 'unknown'
  }

  foldOf(topic: 'ingest' | 'keyed', partition: number): FollowingFold | undefined {
    const worker = (topic === 'ingest' ? this.#workers : this.#keyedWorkers).get(partition)
    return worker?.caughtUp ? worker.fold : undefined
  }

  /** Calls the observer for every later pause. */
  observeCutPauses(observer: (pause: CutPause) => void): void {
    this.#pauseObservers.push(observer)
  }

  /** Activity of every node on the partitions of this process since their workers began. */
  *nodeTotals(): Iterable<NodeTotals> {
    for (const workers of [this.#workers, this.#keyedWorkers])
      for (const worker of workers.values()) yield* worker.nodeTotals
  }

  /** Present content of every node with windows on the partitions of this process. */
  *nodeHoldings(): Iterable<NodeHolding> {
    for (const workers of [this.#workers, this.#keyedWorkers])
      for (const worker of workers.values()) yield* worker.nodeHoldings()
  }

  /** Version of an account's entity that its next line meets; undefined while its partition has no worker. */
  cutVersion(account: string, kind: Cut['kind'], entity: string): number | undefined {
    const partition = partitionOfAccount(account, this.#options.ingest.partitions)
    return this.#workers.get(partition)?.cutVersion(kind, entity)
  }

  versionOnLog(account: string, kind: Cut['kind'], entity: string): number | undefined {
    return this.cutVersion(account, kind, entity)
  }

  async whenInEffect(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean> {
    const { clock } = this.#options
    const untilMs = clock.monotonicMs() + IN_EFFECT_PATIENCE_MS
    while ((this.cutVersion(account, kind, entity) ?? -1) < version) {
      if (clock.monotonicMs() >= untilMs || this.#stop.signal.aborted) return false
      await clock.sleep(IN_EFFECT_POLL_MS, this.#stop.signal)
    }
    return true
  }

  /** Resolves once every partition of this process has been read, or has a trouble: see `status`. */
  async whenTaken(): Promise<void> {
    const { clock } = this.#options
    const isBehind = () =>
      this.#assigned === undefined ||
      [...this.#assigned].some(partition => !this.#workers.get(partition)?.caughtUp)
    while (isBehind() && this.#troubles.size === 0 && !this.#stop.signal.aborted) {
      await clock.sleep(IN_EFFECT_POLL_MS, this.#stop.signal)
    }
  }

  /** Runs every job once. */
  runJobs(): Promise<void> {
    return this.#housekeeping.runOnce()
  }

  /** Runs a task while the log is not being trimmed; see `Housekeeping`. */
  withoutTrimming<T>(task: () => Promise<T>): Promise<T> {
    return this.#housekeeping.withoutTrimming(task)
  }

  /** Ends every worker gracefully: everything that was read is stored, and a checkpoint is written. */
  async stop(): Promise<void> {
    this.#stop.abort(STOPPED)
    await this.#assign(new Set())
    await Promise.all(this.#running)
  }

  /** Starts and ends workers. @returns when those that ended have finished their work */
  async #assign(partitions: ReadonlySet<number>): Promise<void> {
    const assigned = this.#stop.signal.aborted ? new Set<number>() : partitions
    this.#assigned = assigned
    const lost = [...this.#supervised].filter(([partition]) => !assigned.has(partition))
    for (const [, supervised] of lost) supervised.leave.abort(PARTITION_LOST)
    for (const partition of assigned) this.#take(partition)
    await Promise.all(lost.map(([, supervised]) => supervised.ended))
  }

  #take(partition: number): void {
    const before = this.#supervised.get(partition)
    if (before !== undefined && !before.leave.signal.aborted) return
    const leave = new AbortController()
    const supervised: SupervisedPartition = { leave, ended: Promise.resolve() }
    this.#supervised.set(partition, supervised)
    const work = async () => {
      await before?.ended
      await Promise.all([
        this.#supervise(this.#ingest, partition, leave.signal),
        this.#superviseKeyed(partition, leave.signal),
        this.outbox?.supervise(partition, leave.signal),
      ])
      // Reports the final progress, so that other processes need not guess it.
      await this.#options.assignment.report(this.#housekeeping.progress(partition))
      this.#workers.delete(partition)
      this.#keyedWorkers.delete(partition)
      this.#troubles.delete(partition)
      if (this.#supervised.get(partition) === supervised) this.#supervised.delete(partition)
    }
    supervised.ended = work()
  }

  /** Keyed partitions have workers once an account was spread. */
  async #superviseKeyed(partition: number, signal: AbortSignal): Promise<void> {
    if (this.#keyed === undefined) return
    if (!this.#isSpread) await this.#whenSpread(signal)
    await this.#supervise(this.#keyed, partition, signal)
  }

  get #isSpread(): boolean {
    return this.#options.configuration.anySpread
  }

  #whenSpread(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const unsubscribe = this.#options.configuration.subscribe(() => {
        if (this.#isSpread) end()
      })
      const end = () => {
        unsubscribe()
        signal.removeEventListener('abort', end)
        resolve()
      }
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })
  }

  async #supervise(worked: WorkedTopic, partition: number, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options
    const { topic } = worked
    const backOff = new BackOff(clock, RESTART_PAUSES)
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs()
      const worker = this.#newWorker(worked, partition)
      try {
        await worker.start(signal)
        worked.workers.set(partition, worker)
        this.#troubles.delete(partition)
        await worker.run(signal)
        await worker.finish(signal)
      } catch (error) {
        if (signal.aborted && error === signal.reason) return
        if (signal.aborted && error instanceof StoreError && error.retriable) {
          const message = 'the store is unavailable: the remaining lines are stored after the next start'
          logger.warn({ topic: topic.name, partition, reason: error.message }, message)
          return
        }
        if (signal.aborted && isLogAway(error)) {
          const message = 'the log takes no record: the next start handles the remaining lines'
          logger.warn({ topic: topic.name, partition, reason: error.message }, message)
          return
        }
        const sentence = error instanceof Error ? error.message : String(error)
        const isLost = error instanceof TailLostError
        if (isLost) await this.#reportLost(error.lost)
        // Trouble that waits for an operator is logged once.
        const waits = isLost || error instanceof OlderStoreError
        if (!waits || this.#troubles.get(partition) !== sentence)
          logger.error({ topic: topic.name, partition, err: error }, 'partition worker stopped')
        this.#troubles.set(partition, sentence)
        // Its knowledge of the partition is out of date: nothing must be deleted because of it.
        if (error instanceof ReplacedError) worked.workers.delete(partition)
        if (signal.aborted) return
        if (clock.monotonicMs() - startedMs > RESTART_PAUSES.longestMs) backOff.reset()
        const pauseMs = backOff.nextMs()
        await clock.sleep(isLost ? LOOK_AGAIN_MS : pauseMs, signal)
      } finally {
        worker.close()
      }
    }
  }

  /**
   * Processes that only accept lines cannot ask the store: the reports of engines inform them of the required end of the
   * log.
   */
  async #reportLost({ topic, partition, to }: LostTail): Promise<void> {
    const { assignment, logger } = this.#options
    try {
      const reported = (await assignment.progress(topic)).find(each => each.partition === partition)
      const progress = reported ?? { topic, partition, neededFrom: 0n, settledMs: 0, rowsPerSecond: 0 }
      await assignment.report([{ ...progress, storedOffset: to + 1n }])
    } catch (error) {
      logger.debug({ err: error }, 'a lost end of the log is reported the next time')
    }
  }

  #newWorker({ topic, checkpoints }: WorkedTopic, partition: number): PartitionWorker {
    const { catalogue, ingest, keyed, deadLetters, store, clock, configuration, logger, workerName } =
      this.#options
    const { log, watch } = this.#options
    const spaceIsShort = () => !log.space().takesIngest
    const onRoomChanged = () => this.#reserveRoom()
    const freeRoom = () => this.#housekeeping.freeRoom()
    const onCutPause = (step: CutStep, pauseMs: number) => {
      for (const observe of this.#pauseObservers) observe({ topic: topic.name, step, pauseMs })
    }
    return new PartitionWorker({
      catalogue,
      partition,
      topic,
      checkpoints,
      targets: {
        ingest,
        keyed: keyed?.topic,
        deadLetters: deadLetters?.topic,
        outbox: this.outbox?.topic,
      },
      store,
      clock,
      configuration,
      logger,
      workerName,
      behaviour: this.#options.assignment.behaviour,
      spaceIsShort,
      freeRoom,
      onRoomChanged,
      onCutPause,
      turns: this.#turns,
      watch,
    })
  }

  /** Reserves space on the log for the checkpoints that allow it to be emptied: lines are refused before they use it. */
  #reserveRoom(): void {
    let bytes = 0
    for (const workers of [this.#workers, this.#keyedWorkers])
      for (const worker of workers.values()) bytes += worker.neededRoomBytes
    for (const worker of this.outbox?.workers.values() ?? []) bytes += worker.neededRoomBytes
    this.#options.log.reserve(bytes)
  }
}
