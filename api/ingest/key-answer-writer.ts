import type { Clock } from '../../engine/clock/clock.ts'
import type { Topic } from '../../engine/log/log.ts'
import { untilAvailable } from '../../engine/log/until-available.ts'
import type { Logger } from '../../engine/logger.ts'
import { type KeyAnswer, keyAnswersType } from '../../schemas/log/key-answers.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'

/** Answers within this time share a record; another process learns of them that much later. */
const GATHER_MS = 20
/** Some 800 KB with the longest keys. */
const ANSWERS_PER_RECORD = 4_000
/** Maximum number of answers that wait for one partition; some 6 MB. */
const MAX_WAITING = 20_000
const PATIENCE_MS = 30_000

export interface KeyAnswerWriterOptions {
  readonly topic: Topic
  readonly clock: Clock
  readonly logger: Logger
}

interface Queue {
  readonly waiting: KeyAnswer[]
  dropped: number
  working: Promise<void> | undefined
}

/**
 * Sends the answers to requests with a key to other processes. The lines of these requests are durable already, so a
 * request does not wait for it. If the log refuses answers for long, they are dropped: exact repeats are still found in
 * the lines' log.
 */
export class KeyAnswerWriter {
  readonly #options: KeyAnswerWriterOptions
  readonly #queues = new Map<number, Queue>()
  readonly #closing = new AbortController()

  constructor(options: KeyAnswerWriterOptions) {
    this.#options = options
  }

  announce(answer: KeyAnswer): void {
    const partition = partitionOfAccount(answer.account, this.#options.topic.partitions)
    const queue = this.#queueOf(partition)
    if (queue.waiting.length < MAX_WAITING) queue.waiting.push(answer)
    else queue.dropped++
    queue.working ??= this.#work(partition, queue)
  }

  /** Resolves when the waiting answers are on the log; from then on it does not wait for failures to end. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#queues.values()].map(({ working }) => working))
  }

  #queueOf(partition: number): Queue {
    let queue = this.#queues.get(partition)
    if (queue === undefined) {
      queue = { waiting: [], dropped: 0, working: undefined }
      this.#queues.set(partition, queue)
    }
    return queue
  }

  async #work(partition: number, queue: Queue): Promise<void> {
    const { clock, logger } = this.#options
    while (queue.waiting.length > 0) {
      await clock.sleep(GATHER_MS, this.#closing.signal)
      const answers = queue.waiting.splice(0, ANSWERS_PER_RECORD)
      const error = await this.#append(partition, answers)
      if (error !== undefined) queue.dropped += answers.length
      if (queue.dropped === 0) continue
      const message =
        'other processes do not receive the answers to requests with an idempotency key: exact repeats are still stored once'
      logger.warn({ partition, answers: queue.dropped, err: error }, message)
      queue.dropped = 0
    }
    queue.working = undefined
  }

  /** Appends a record; a duplicate of it has no effect. @returns the reason for giving up, if any */
  async #append(partition: number, answers: readonly KeyAnswer[]): Promise<unknown> {
    const { topic, clock } = this.#options
    const { signal } = this.#closing
    const record = { value: keyAnswersType.encode({ answers }), producer: null, priority: 'ingest' } as const
    const untilMs = clock.monotonicMs() + PATIENCE_MS
    try {
      await untilAvailable(() => topic.append(partition, record), clock, { signal, untilMs })
      return undefined
    } catch (error) {
      return error
    }
  }
}
