import { tooManyRequests } from '../../http/rate-limit.ts'

const MAX_RUNNING = 2
const MAX_WAITING_PER_ACCOUNT = 20

interface Waiting {
  readonly account: string
  start(): void
}

/** Order of the simulations of a process. Two run at once, of different accounts; the others wait, oldest first. */
export class SimulationQueue {
  /** Accounts whose simulation runs. */
  readonly #running = new Set<string>()
  readonly #waiting = new Set<Waiting>()

  /**
   * Does the work when it is its turn.
   *
   * @param gone aborted when the client has left: a simulation that waits then gives its place back
   * @throws ApiError 429 when too many simulations of the account wait; the reason of `gone` before its turn
   */
  async run<Result>(account: string, gone: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    gone.throwIfAborted()
    const waiting = [...this.#waiting].filter(each => each.account === account).length
    if (waiting >= MAX_WAITING_PER_ACCOUNT)
      throw tooManyRequests(`${MAX_WAITING_PER_ACCOUNT} simulations of the account wait already`, 1)
    await this.#turn(account, gone)
    try {
      return await work()
    } finally {
      this.#running.delete(account)
      this.#startNext()
    }
  }

  async #turn(account: string, gone: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { account, start: resolve }
    const leave = () => {
      if (this.#waiting.delete(waiting)) reject(gone.reason)
    }
    gone.addEventListener('abort', leave)
    this.#waiting.add(waiting)
    this.#startNext()
    try {
      await promise
    } finally {
      gone.removeEventListener('abort', leave)
    }
  }

  #startNext(): void {
    for (const each of this.#waiting) {
      if (this.#running.size >= MAX_RUNNING) return
      if (this.#running.has(each.account)) continue
      this.#waiting.delete(each)
      this.#running.add(each.account)
      each.start()
    }
  }
}
