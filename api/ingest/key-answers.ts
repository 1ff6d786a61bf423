import type { Clock } from '../../engine/clock/clock.ts'
import type { Topic } from '../../engine/log/log.ts'
import type { Logger } from '../../engine/logger.ts'
import type { KeyAnswer } from '../../schemas/log/key-answers.ts'
import { KeyAnswerReader } from './key-answer-reader.ts'
import { KeyAnswerWriter } from './key-answer-writer.ts'
import type { RecentKeys } from './recent-keys.ts'

/** A start does not wait longer for what had been told before: the rest is read while lines are taken. */
const START_PATIENCE_MS = 3_000

export interface KeyAnswersOptions {
  readonly topic: Topic
  readonly clock: Clock
  readonly logger: Logger
}

/** What ingesting processes that share a log tell each other, so that a repeat may come to any of them. */
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
  tell(answer: KeyAnswer): void {
    this.#writer.tell(answer)
  }

  /** Lets the keys learn from all processes, from now on. @returns when they know what had been told before, or some seconds have passed */
  async teach(keys: RecentKeys): Promise<void> {
    const { signal } = this.#closing
    const reader = new KeyAnswerReader({ ...this.#options, keys }, signal)
    this.#reading = reader.run()
    const started = new AbortController()
    await Promise.race([reader.caughtUp, this.#options.clock.sleep(START_PATIENCE_MS, started.signal)])
    started.abort()
  }

  /** Resolves when what was to be told is on the log, as far as the log takes it. */
  async close(): Promise<void> {
    await this.#writer.close()
    this.#closing.abort()
    await this.#reading
  }
}
