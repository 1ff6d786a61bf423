import type { Answer } from './exchange.ts'

export const NO_CONNECTION = 'no connection'

export type Failure = number | typeof NO_CONNECTION

export interface Lost<Line> {
  readonly status: number
  readonly lines: readonly Line[]
}

export interface OutboxOptions<Line> {
  readonly send: (lines: readonly Line[]) => Promise<Answer>
  readonly isDelivered: (status: number) => boolean
  /** Other statuses that are retried. All remaining ones drop the batch. */
  readonly isRetried: (status: number) => boolean
  /** A batch is sent when it has this many lines, or reaches its maximum age. */
  readonly batchLines?: number
  readonly intervalMs?: number
}

/** Existing clients wait for seconds and minutes; only that pauses grow matters here. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 320

/**
 * Common part of the clients that ship lines: lines are gathered, and a batch is sent after the previous one, and again
 * after growing pauses. Each client decides on success and on giving up.
 */
export class Outbox<Line> {
  readonly lost: Lost<Line>[] = []
  /** Failed requests so far, in order. The outcome of their lines does not matter. */
  readonly failures: Failure[] = []
  readonly delivered: Answer[] = []
  readonly #options: OutboxOptions<Line>
  #waiting: Line[] = []
  #timer: NodeJS.Timeout | undefined
  #sending = Promise.resolve()
  #isAbandoned = false

  constructor(options: OutboxOptions<Line>) {
    this.#options = options
  }

  add(line: Line): void {
    this.#waiting.push(line)
    const { batchLines = 10, intervalMs = 20 } = this.#options
    if (this.#waiting.length >= batchLines) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), intervalMs)
  }

  /** Waits until every line is delivered or dropped. */
  async settled(): Promise<void> {
    this.#flush()
    await this.#sending
  }

  /** Ends trying, as the end of the client's process does. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true
    await this.settled()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#waiting
    if (lines.length === 0) return
    this.#waiting = []
    this.#sending = this.#sending.then(() => this.#deliver(lines))
  }

  async #deliver(lines: readonly Line[]): Promise<void> {
    const { isDelivered, isRetried } = this.#options
    for (
      let pauseMs = FIRST_PAUSE_MS;
      !this.#isAbandoned;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      const answer = await this.#tried(lines)
      if (answer !== undefined) {
        if (isDelivered(answer.status)) return void this.delivered.push(answer)
        this.failures.push(answer.status)
        if (!isRetried(answer.status)) return void this.lost.push({ status: answer.status, lines })
      }
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }

  async #tried(lines: readonly Line[]): Promise<Answer | undefined> {
    try {
      return await this.#options.send(lines)
    } catch {
      this.failures.push(NO_CONNECTION)
      return undefined
    }
  }
}
