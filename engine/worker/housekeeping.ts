import type { Clock } from '../clock/clock.ts'
import { InTurn } from '../configuration/in-turn.ts'
import type { QuotaLedger } from '../configuration/kinds/quota-ledger.ts'
import type { SpreadReports } from '../configuration/kinds/spread.ts'
import type { PartitionName } from '../fold/run-watch.ts'
import type { Assignment, PartitionProgress } from '../log/assignment.ts'
import type { Log, Topic } from '../log/log.ts'
import type { CheckpointedTopic } from '../log/partitioned-topics.ts'
import type { Logger } from '../logger.ts'
import type { Store } from '../store/store.ts'
import { DAY_MS, MINUTE_MS } from '../times/duration.ts'
import { type KeptDeadLetters, trimDeadLetters } from './dead-letter-trimming.ts'
import { trimKeyAnswers } from './key-answer-trimming.ts'
import type { OutboxWorkers } from './outbox/outbox-workers.ts'
import type { PartitionWorker } from './partition-worker.ts'
import { QuotaWatch, usedBytesIn } from './quota-watch.ts'

const EVERY_MS = 30_000
const REPORT_EVERY_MS = 5_000
/** Minimum quiet time before words are indexed. */
const REST_MS = MINUTE_MS
/** Partition whose process does the jobs for all partitions. */
const LEADING_PARTITION = 0

export interface HousekeepingOptions {
  readonly log: Log
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly assignment: Assignment
  /** Retention of stored records on the ingest topic, for preview and replay. */
  readonly logRetentionMs: number
  readonly lines: WorkedTopic
  readonly deadLetters?: KeptDeadLetters | undefined
  /** Partitions of this process, including those without a worker. */
  assigned(): Iterable<number>
  /** Quotas of accounts; absent if stored data cannot be limited. */
  readonly quotas?: QuotaLedger | undefined
  /** Answers to idempotency keys that ingesting processes share; absent with a single process. */
  readonly keys?: Topic | undefined
  readonly keyed: (WorkedTopic & { readonly reports: SpreadReports }) | undefined
  /** Absent if no pipeline can send to other systems. */
  readonly outbox?: Pick<OutboxWorkers, 'topic' | 'workers'> | undefined
  /** Whether an account is, or was, on many partitions: the keyed topic counts then. */
  isSpread(): boolean
}

/** A topic whose partitions have workers. */
export interface WorkedTopic extends CheckpointedTopic {
  /** Workers of this process. */
  readonly workers: Map<number, PartitionWorker>
}

/**
 * The jobs beside the workers: trimming the log, closing days of usage, removing data past its retention, indexing words.
 * The second and third cover all partitions, including those of other processes, by the reports of their workers.
 */
export class Housekeeping {
  readonly #options: HousekeepingOptions
  readonly #inTurn = new InTurn()
  /** Parts of the lines' topic that are still being read. */
  readonly #pins = new Set<PartitionName & { readonly offset: bigint }>()
  /** Number of rows that workers had stored at the last check. */
  readonly #reported = new WeakMap<PartitionWorker, { readonly rows: number; readonly atMs: number }>()

  readonly #quotas: QuotaWatch | undefined
  #expiredLines = 0

  /** Lines past their retention that were removed since the start. */
  get expiredLines(): number {
    return this.#expiredLines
  }

  constructor(options: HousekeepingOptions) {
    this.#options = options
    const { quotas, store } = options
    this.#quotas = quotas && new QuotaWatch(quotas, usedBytesIn(store))
  }

  /** Does every job from time to time, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    let nextMs = clock.monotonicMs() + EVERY_MS
    let nextReportMs = clock.monotonicMs() + REPORT_EVERY_MS
    while (!signal.aborted) {
      await clock.sleep(1_000, signal)
      if (signal.aborted) return
      if (!log.space().takesIngest) await this.freeRoom()
      await this.#job('report spread accounts', () => this.#reportSpreads())
      if (this.#quotas?.isDue(clock.monotonicMs())) await this.#checkQuotas()
      if (clock.monotonicMs() >= nextReportMs) {
        nextReportMs = clock.monotonicMs() + REPORT_EVERY_MS
        await this.#reportProgress()
      }
      if (clock.monotonicMs() < nextMs) continue
      nextMs = clock.monotonicMs() + EVERY_MS
      await this.runOnce()
    }
  }

  /** Runs every job once; a failure is logged, and the job is tried again in the next round. */
  async runOnce(): Promise<void> {
    await this.freeRoom()
    await this.#reportProgress()
    await this.#checkQuotas()
    if (!this.#leads) return
    await this.#job('close days of usage', () => this.closeDays())
    await this.#job('remove expired lines', () => this.removeExpired())
    await this.#job('index words', () => this.#options.store.indexWords(REST_MS))
    const { keys, clock } = this.#options
    if (keys !== undefined)
      await this.#job('remove old answers to idempotency keys', () => trimKeyAnswers(keys, clock.wallMs()))
  }

  freeRoom(): Promise<void> {
    return this.#job('trim the log', () => this.trimLog())
  }

  /**
   * Deletes ingest records that are older than the retention. While the log is short of space, it deletes all records
   * that a restart does not need. Checkpoints without any kept record are deleted, too. Nothing above the second-newest
   * checkpoint of a partition is deleted.
   */
  trimLog(): Promise<void> {
    return this.withoutTrimming(() => this.#trimLog())
  }

  /**
   * Runs a task while the log is not being trimmed: a copy of the checkpoints needs the records behind them. Trimming
   * waits, so the task must be short.
   */
  withoutTrimming<T>(task: () => Promise<T>): Promise<T> {
    return this.#inTurn.run('trim', task)
  }

  /**
   * Keeps the log of a partition, and everything needed to read it, from an offset on. @returns a function that ends this
   */
  pin({ topic, partition }: PartitionName, offset: bigint): () => void {
    const pin = { topic, partition, offset }
    this.#pins.add(pin)
    return () => this.#pins.delete(pin)
  }

  /** Copies usage of days that every partition has passed. */
  async closeDays(): Promise<void> {
    const { store } = this.#options
    const progress = await this.#progressOfAll()
    const reportedMs = Math.min(...progress.map(({ settledMs }) => settledMs))
    if (reportedMs === Number.POSITIVE_INFINITY) return
    const ended = (await store.openDays()).filter(day => Date.parse(day) + DAY_MS <= reportedMs)
    if (ended.length === 0) return
    // The reports may refer to a newer copy of the store than the present one.
    const standings = await Promise.all(progress.map(partition => store.standing(partition)))
    const settledMs = Math.min(...standings.map(({ mark }) => mark?.settledMs ?? 0))
    for (const day of ended) if (Date.parse(day) + DAY_MS <= settledMs) await store.closeDay(day)
  }

  async removeExpired(): Promise<void> {
    const { store, clock, logger } = this.#options
    const settled = (await this.#progressOfAll()).map(({ topic, partition, neededFrom }) => ({
      topic,
      partition,
      checkpointOffset: neededFrom,
    }))
    if (settled.length === 0) return
    const removed = await store.removeExpired(clock.wallMs(), settled)
    this.#expiredLines += removed
    if (removed > 0) logger.info({ removed }, 'lines past their retention were removed')
  }

  async #checkQuotas(): Promise<void> {
    const { clock } = this.#options
    if (this.#quotas === undefined || !this.#leads) return
    const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
    await this.#job('compare what is stored with the quotas', () => this.#quotas?.check(now) as Promise<void>)
  }

  get #leads(): boolean {
    return this.#options.lines.workers.has(LEADING_PARTITION)
  }

  /** Topics whose partitions count. */
  get #topics(): readonly WorkedTopic[] {
    const { lines, keyed, isSpread } = this.#options
    return keyed !== undefined && isSpread() ? [lines, keyed] : [lines]
  }

  async #trimLog(): Promise<void> {
    for (const worked of this.#topics)
      for (const [partition, worker] of worked.workers) await this.#trimPartition(worked, partition, worker)
    await this.#trimOutbox()
    const { deadLetters, assigned, clock, log } = this.#options
    if (deadLetters === undefined) return
    await trimDeadLetters(deadLetters, assigned(), clock.wallMs(), () => !log.space().takesIngest)
  }

  async #trimPartition({ topic }: WorkedTopic, partition: number, worker: PartitionWorker): Promise<void> {
    const { log } = this.#options
    const isShort = !log.space().takesIngest
    let before = await this.#trimmedBefore(topic, partition, worker.neededFrom)
    for (const pin of this.#pins)
      if (pin.topic === topic.name && pin.partition === partition && pin.offset < before) before = pin.offset
    if (before > 0n) await topic.trim(partition, before)
    await worker.trimCheckpoints(isShort ? undefined : (await topic.bounds(partition)).first)
  }

  /** Delivered events are kept as long as lines, while there is room: dead letters and repeated checks need them. */
  async #trimOutbox(): Promise<void> {
    const { outbox, log } = this.#options
    if (outbox === undefined) return
    const isShort = !log.space().takesIngest
    const { topic, workers } = outbox
    for (const [partition, worker] of workers) {
      const before = await this.#trimmedBefore(topic, partition, worker.neededFrom)
      if (before > 0n) await topic.trim(partition, before)
      await worker.trimCheckpoints(isShort ? undefined : (await topic.bounds(partition)).first)
    }
  }

  /** @param neededFrom first record that a restart needs @returns first record that is kept */
  async #trimmedBefore(topic: Topic, partition: number, neededFrom: bigint): Promise<bigint> {
    const { clock, logRetentionMs, log } = this.#options
    if (!log.space().takesIngest) return neededFrom
    const expired = await topic.offsetAtTime(partition, clock.wallMs() - logRetentionMs)
    return expired !== null && expired < neededFrom ? expired : neededFrom
  }

  /** Progress of partitions of this process: all of them, unless one is named. */
  progress(only?: number): PartitionProgress[] {
    return this.#topics.flatMap(({ topic: { name }, workers }) =>
      [...workers]
        .filter(([partition]) => only === undefined || partition === only)
        .map(([partition, worker]) => this.#progressOf(name, partition, worker)),
    )
  }

  #progressOf(topic: string, partition: number, worker: PartitionWorker): PartitionProgress {
    const { neededFrom, settledMs, status } = worker
    const { storedOffset, rows } = status
    const atMs = this.#options.clock.monotonicMs()
    const before = this.#reported.get(worker)
    this.#reported.set(worker, { rows, atMs })
    const seconds = before === undefined ? 0 : (atMs - before.atMs) / 1000
    const rowsPerSecond =
      before === undefined || seconds === 0 ? 0 : Math.round((rows - before.rows) / seconds)
    return { topic, partition, neededFrom, settledMs, storedOffset, rowsPerSecond }
  }

  #reportProgress(): Promise<void> {
    const { assignment } = this.#options
    return this.#job('report how far the partitions are', () => assignment.report(this.progress()))
  }

  /** Reports that this process's partitions have completed their part of a change. */
  async #reportSpreads(): Promise<void> {
    const { lines, keyed, clock } = this.#options
    if (keyed === undefined) return
    for (const [partition, worker] of lines.workers) {
      for (const [account, change] of worker.spreads) {
        if (keyed.reports.reported(account, partition) < change)
          await keyed.reports.report(account, partition, change, clock.wallMs())
      }
    }
  }

  /** Progress of all partitions; empty while one of them has not reported. */
  async #progressOfAll(): Promise<readonly PartitionProgress[]> {
    const all: PartitionProgress[] = []
    for (const { topic } of this.#topics) {
      const progress = await this.#options.assignment.progress(topic.name)
      if (progress.length < topic.partitions) return []
      all.push(...progress)
    }
    return all
  }

  async #job(what: string, action: () => Promise<unknown>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#options.logger.error({ err: error }, `cannot ${what}; it is tried again`)
    }
  }
}
