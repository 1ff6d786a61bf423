import type { Cut } from '../../schemas/control.ts'
import type { Idempotency } from '../../schemas/line-batch.ts'
import type { Clock } from '../clock/clock.ts'
import type { CutsInEffect, DeployedConfiguration } from '../configuration/deployed.ts'
import { InTurn } from '../configuration/in-turn.ts'
import type { Log, Topic } from '../log/log.ts'
import { partitionOfAccount } from '../log/topics.ts'
import type { Logger } from '../logger.ts'
import { type Store, StoreError } from '../store/store.ts'
import type { NodeTotals } from './node-activity.ts'
import { ReplacedError } from './partition-ownership.ts'
import { PartitionWorker, type WorkerStatus } from './partition-worker.ts'
import type { KeyJudgement } from './repeats.ts'

const DAY_MS = 86_400_000
const JOBS_EVERY_MS = 30_000
/** Clients of the API give up after 15 s; a partition that moves takes a few milliseconds. */
const IN_EFFECT_PATIENCE_MS = 5_000
const IN_EFFECT_POLL_MS = 5
const RESTART_FIRST_MS = 200
const RESTART_MAX_MS = 30_000

export interface EngineOptions {
  readonly log: Log
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly store: Store
  readonly clock: Clock
  readonly configuration: DeployedConfiguration
  readonly logger: Logger
  readonly workerName: string
  /** How long records stay on the ingest topic for preview and replay, once they are stored. */
  readonly logRetentionMs: number
}

export interface EngineStatus {
  readonly workers: readonly WorkerStatus[]
  /** Sentences about partitions that do not move, by partition; empty when all is well. */
  readonly troubles: ReadonlyMap<number, string>
}

/**
 * Runs a worker for every partition, and the jobs that need all of them: trimming the log, closing days of usage,
 * removing what is past its retention. A worker that fails begins again from its checkpoint.
 */
export class Engine implements CutsInEffect {
  readonly #options: EngineOptions
  readonly #workers = new Map<number, PartitionWorker>()
  readonly #troubles = new Map<number, string>()
  readonly #stop = new AbortController()
  readonly #inTurn = new InTurn()
  #running: Promise<void>[] = []

  constructor(options: EngineOptions) {
    this.#options = options
  }

  start(): void {
    const partitions = Array.from({ length: this.#options.ingest.partitions }, (_, partition) => partition)
    this.#running = [...partitions.map(partition => this.#supervise(partition)), this.#jobsLoop()]
  }

  get status(): EngineStatus {
    return {
      workers: [...this.#workers.values()].map(worker => worker.status),
      troubles: new Map(this.#troubles),
    }
  }

  /**
   * What a request with that idempotency key would be; 'unknown' while the log is still being read after a start.
   * A partition in trouble does not keep senders waiting: the log itself tells exact repeats later.
   */
  judgeKey(account: string, idempotency: Idempotency): KeyJudgement | 'unknown' {
    const partition = partitionOfAccount(account, this.#options.ingest.partitions)
    const worker = this.#workers.get(partition)
    if (worker?.caughtUp) return worker.judgeKey(account, idempotency)
    return this.#troubles.has(partition) ? 'new' : 'unknown'
  }

  /** What every node has done on the partitions of this process since their workers began. */
  *nodeTotals(): Iterable<NodeTotals> {
    for (const worker of this.#workers.values()) yield* worker.nodeTotals
  }

  /** Version of an account's entity that its lines meet now; undefined while its partition has no worker. */
  cutVersion(account: string, kind: Cut['kind'], entity: string): number | undefined {
    const partition = partitionOfAccount(account, this.#options.ingest.partitions)
    return this.#workers.get(partition)?.cutVersion(kind, entity)
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

  /** Resolves once every partition has a worker that has read the log, or one is in trouble: `status` tells. */
  async whenTaken(): Promise<void> {
    const { clock, ingest } = this.#options
    const taken = () => [...this.#workers.values()].filter(worker => worker.caughtUp).length
    while (taken() < ingest.partitions && this.#troubles.size === 0 && !this.#stop.signal.aborted) {
      await clock.sleep(IN_EFFECT_POLL_MS, this.#stop.signal)
    }
  }

  /** Ends every worker gracefully: what was read is stored, a checkpoint is written. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  async #supervise(partition: number): Promise<void> {
    const { clock, logger } = this.#options
    const signal = this.#stop.signal
    for (let pauseMs = RESTART_FIRST_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, RESTART_MAX_MS)) {
      const startedMs = clock.monotonicMs()
      const worker = this.#newWorker(partition)
      try {
        await worker.start(signal)
        this.#workers.set(partition, worker)
        this.#troubles.delete(partition)
        await worker.run(signal)
        await worker.finish(signal)
      } catch (error) {
        if (signal.aborted && error instanceof StoreError && error.retriable) {
          const message = 'the store is away: what it does not have yet is stored after the next start'
          logger.warn({ partition, reason: error.message }, message)
          return
        }
        const sentence = error instanceof Error ? error.message : String(error)
        this.#troubles.set(partition, sentence)
        logger.error({ partition, err: error }, 'partition worker stopped')
        // What it still knows is no longer the partition's: nothing may be let go because of it.
        if (error instanceof ReplacedError) this.#workers.delete(partition)
        if (error instanceof ReplacedError || signal.aborted) return
        if (clock.monotonicMs() - startedMs > RESTART_MAX_MS) pauseMs = RESTART_FIRST_MS
        await clock.sleep(pauseMs, signal)
      } finally {
        worker.close()
      }
    }
  }

  #newWorker(partition: number): PartitionWorker {
    const { ingest, checkpoints, store, clock, configuration, logger, workerName, log } = this.#options
    const spaceIsShort = () => !log.space().takesIngest
    const onRoomChanged = () => this.#reserveRoom()
    const freeRoom = () => this.#job('trim the log', () => this.trimLog())
    return new PartitionWorker({
      partition,
      ingest,
      checkpoints,
      store,
      clock,
      configuration,
      logger,
      workerName,
      spaceIsShort,
      freeRoom,
      onRoomChanged,
    })
  }

  async #jobsLoop(): Promise<void> {
    const { clock, log } = this.#options
    const signal = this.#stop.signal
    let nextMs = clock.monotonicMs() + JOBS_EVERY_MS
    while (!signal.aborted) {
      await clock.sleep(1_000, signal)
      if (signal.aborted) return
      if (!log.space().takesIngest) await this.#job('trim the log', () => this.trimLog())
      if (clock.monotonicMs() < nextMs) continue
      nextMs = clock.monotonicMs() + JOBS_EVERY_MS
      await this.runJobs()
    }
  }

  /** Keeps room on the log for the checkpoints by which it empties itself: lines stop before they would take it. */
  #reserveRoom(): void {
    let bytes = 0
    for (const worker of this.#workers.values()) bytes += worker.neededRoomBytes
    this.#options.log.reserve(bytes)
  }

  /** Runs every job once; what fails is logged and tried again at the next round. */
  async runJobs(): Promise<void> {
    await this.#job('trim the log', () => this.trimLog())
    await this.#job('close days of usage', () => this.closeDays())
    await this.#job('remove expired lines', () => this.removeExpired())
  }

  async #job(what: string, action: () => Promise<unknown>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#options.logger.error({ err: error }, `cannot ${what}; it is tried again`)
    }
  }

  /**
   * Lets go of ingest records that are older than the retention, or of all that no restart needs while the log
   * is short of room, and of checkpoints that belong to none of the rest. Never of anything above the
   * second-newest checkpoint of its partition.
   */
  trimLog(): Promise<void> {
    return this.withoutTrimming(() => this.#trimLog())
  }

  /**
   * Runs a task while the log is not being trimmed: a copy of the checkpoints needs the records behind them. Trimming
   * waits meanwhile, so the task must be short.
   */
  withoutTrimming<T>(task: () => Promise<T>): Promise<T> {
    return this.#inTurn.run('trim', task)
  }

  async #trimLog(): Promise<void> {
    const { ingest, clock, logRetentionMs, log } = this.#options
    for (const [partition, worker] of this.#workers) {
      let before = worker.neededFrom
      const isShort = !log.space().takesIngest
      if (!isShort) {
        const expired = await ingest.offsetAtTime(partition, clock.wallMs() - logRetentionMs)
        if (expired !== null && expired < before) before = expired
      }
      if (before > 0n) await ingest.trim(partition, before)
      await worker.trimCheckpoints(isShort ? undefined : (await ingest.bounds(partition)).first)
    }
  }

  /** Copies usage of days that every partition has passed. */
  async closeDays(): Promise<void> {
    const settledMs = this.#settledMs()
    for (const day of await this.#options.store.openDays()) {
      if (Date.parse(day) + DAY_MS <= settledMs) await this.#options.store.closeDay(day)
    }
  }

  async removeExpired(): Promise<void> {
    const { store, clock, ingest } = this.#options
    if (this.#workers.size < ingest.partitions) return
    const settled = [...this.#workers].map(([partition, worker]) => ({
      topic: ingest.name,
      partition,
      checkpointOffset: worker.neededFrom,
    }))
    const removed = await store.removeExpired(clock.wallMs(), settled)
    if (removed > 0) this.#options.logger.info({ removed }, 'lines past their retention were removed')
  }

  /** Log time that every partition's newest checkpoint has passed; 0 while one has not begun. */
  #settledMs(): number {
    if (this.#workers.size < this.#options.ingest.partitions) return 0
    return Math.min(...[...this.#workers.values()].map(worker => worker.settledMs))
  }
}
