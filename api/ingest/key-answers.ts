import type { Clock } from '../../engine/clock/clock.ts'
import type { Topic } from '../../engine/log/log.ts'
import type { Logger } from '../../engine/logger.ts'
import type { KeyAnswer } from '../../schemas/log/key-answers.ts'
import { KeyAnswerReader } from './key-answer-reader.ts'
import { KeyAnswerWriter } from './key-answer-writer.ts'
import type { RecentAnswers } from './recent-answers.ts'

/** Maximum time that a start waits for earlier answers: the rest is read while lines are accepted. */
const START_PATIENCE_MS = 3_000

export interface KeyAnswersOptions {
  readonly topic: Topic
  readonly clock: Clock
  readonly logger: Logger
}

/** Answers that ingesting processes with a shared log send each other, so that a repeat may arrive at any of them. */
export class KeyAnswers {
  readonly #options: KeyAnswersOptions
  readonly #writer: KeyAnswerWriter
  readonly #closing = new AbortController()
  #reading: Promise<void> | undefined

  constructor(options: KeyAnswersOptions) {
    this.#options = options
    this.#writer = new KeyAnswerWriter(options)
  }

  /** Returns at once; the answer is on the log some tens of milliseconds later. */
  announce(answer: KeyAnswer): void {
    this.#writer.announce(answer)
  }

  /**
   * Makes the keys follow all processes from now on. @returns when they know the earlier answers, or after some seconds
   */
  async teach(keys: RecentAnswers): Promise<void> {
    const { signal } = this.#closing
    const reader = new KeyAnswerReader({ ...this.#options, keys }, signal)
    this.#reading = reader.run()
    const started = new AbortController()
    await Promise.race([reader.caughtUp, this.#options.clock.sleep(START_PATIENCE_MS, started.signal)])
    started.abort()
  }

  /** Resolves when the waiting answers are on the log, as far as the log accepts them. */
  async close(): Promise<void> {
    await this.#writer.close()
    this.#closing.abort()
    await this.#reading
  }
}
