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
  /** Of the others: sent again. The rest is dropped. */
  readonly isRetried: (status: number) => boolean
  /** A batch goes out when it has so many lines, or was begun so long ago. */
  readonly batchLines?: number
  readonly intervalMs?: number
}

/** Existing clients wait for seconds and minutes; only that pauses grow matters here. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 320

/**
 * What the clients that ship lines have in common: lines are gathered, a batch goes out after the one before it, and again
 * after growing pauses. When they are content, and when they give up, is each one's own.
 */
export class Outbox<Line> {
  readonly lost: Lost<Line>[] = []
  /** What went wrong with requests so far, in order, whatever became of their lines. */
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
