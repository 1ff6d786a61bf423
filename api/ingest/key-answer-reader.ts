import { BackOff } from '../../engine/clock/back-off.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import { KEY_EXPIRY_MS } from '../../engine/fold/repeats.ts'
import { LogError, type LogRecord, type Topic } from '../../engine/log/log.ts'
import { newestRecords, type ReadBudget } from '../../engine/log/newest-records.ts'
import { READ_BYTES } from '../../engine/log/records-between.ts'
import type { Logger } from '../../engine/logger.ts'
import { keyAnswersType } from '../../schemas/log/key-answers.ts'
import type { RecentAnswers } from './recent-answers.ts'

/** Bytes of all partitions that are read at a start: some 200,000 answers. */
const NEWEST_BYTES = 32 * 1024 * 1024
/** Pauses after failures of the brokers. */
const PAUSES = { firstMs: 250, longestMs: 1_000 }

export interface KeyAnswerReaderOptions {
  readonly topic: Topic
  readonly clock: Clock
  readonly logger: Logger
  readonly keys: Pick<RecentAnswers, 'learn'>
  /** Maximum number of bytes read at the start. */
  readonly newestBytes?: number
}

/** Reads the answers of ingesting processes to requests with a key, until the signal or the end of the log. */
export class KeyAnswerReader {
  readonly #options: KeyAnswerReaderOptions
  readonly #signal: AbortSignal
  readonly #budget: ReadBudget
  readonly #behind = new Set<number>()
  readonly #caughtUp = Promise.withResolvers<void>()

  constructor(options: KeyAnswerReaderOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#budget = { leftBytes: options.newestBytes ?? NEWEST_BYTES }
  }

  /** Resolves when the newest part of the answers from before the start is known. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise
  }

  /** Reads every partition until all of them end. */
  async run(): Promise<void> {
    const partitions = Array.from({ length: this.#options.topic.partitions }, (_, partition) => partition)
    for (const partition of partitions) this.#behind.add(partition)
    await Promise.all(partitions.map(partition => this.#read(partition)))
  }

  async #read(partition: number): Promise<void> {
    const { clock, logger } = this.#options
    const backOff = new BackOff(clock, PAUSES)
    let from: bigint | undefined
    while (!this.#signal.aborted) {
      try {
        from = from === undefined ? await this.#readNewest(partition) : await this.#readOn(partition, from)
        this.#isRead(partition)
        backOff.reset()
      } catch (error) {
        if (error instanceof LogError && error.code === 'LOG_CLOSED') return
        if (error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE') {
          from = undefined // trimmed, perhaps while this process was paused
        } else if (!(error instanceof LogError && error.retriable)) {
          const message =
            'answers of other processes to requests with an idempotency key are no longer received: restart this process'
          logger.error({ partition, err: error }, message)
          return this.#isRead(partition)
        }
        await backOff.pause(this.#signal)
      }
    }
  }

  /** @returns the offset to continue at */
  async #readNewest(partition: number): Promise<bigint> {
    const { topic, clock } = this.#options
    const { next } = await topic.bounds(partition)
    const first = (await topic.offsetAtTime(partition, clock.wallMs() - KEY_EXPIRY_MS)) ?? next
    this.#learn(await newestRecords(topic, partition, { first, next }, this.#budget))
    return next
  }

  /** @returns the offset to continue at */
  async #readOn(partition: number, from: bigint): Promise<bigint> {
    const { topic } = this.#options
    await topic.waitBeyond(partition, from, this.#signal)
    if (this.#signal.aborted) return from
    const records = await topic.read(partition, from, READ_BYTES)
    this.#learn(records)
    return (records.at(-1)?.offset ?? from - 1n) + 1n
  }

  #learn(records: readonly LogRecord[]): void {
    const { clock, keys } = this.#options
    for (const { value, appendTimeMs } of records) {
      const ageMs = Math.max(0, clock.wallMs() - appendTimeMs)
      for (const answer of keyAnswersType.decode(value).answers) keys.learn(answer, ageMs)
    }
  }

  #isRead(partition: number): void {
    this.#behind.delete(partition)
    if (this.#behind.size === 0) this.#caughtUp.resolve()
  }
}
