import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import { LogError } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import { StoreError } from '../store/store.ts'

const PAUSES = { firstMs: 50, longestMs: 5_000 }

/** Repeats actions that may succeed later, with growing pauses and without end: a partition never gives up. */
export class Retries {
  readonly #partition: number
  readonly #clock: Clock
  readonly #logger: Logger

  constructor({
    partition,
    clock,
    logger,
  }: {
    readonly partition: number
    readonly clock: Clock
    readonly logger: Logger
  }) {
    this.#partition = partition
    this.#clock = clock
    this.#logger = logger
  }

  /**
   * @param what   the action, for the log: "cannot … yet"
   * @param signal ends the repetition by the error of the action
   * @throws the error of the action unless it is retriable
   */
  run<T>(what: string, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const mayRepeat = (error: unknown, pauseMs: number) => {
      const retriable = (error instanceof StoreError || error instanceof LogError) && error.retriable
      if (retriable)
        this.#logger.warn({ partition: this.#partition, err: error, pauseMs }, `cannot ${what} yet`)
      return retriable
    }
    return new BackOff(this.#clock, PAUSES).repeat(action, mayRepeat, signal)
  }
}
