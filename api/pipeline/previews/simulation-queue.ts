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
   * @throws ApiError 429 when too many simulations of the account wait
   */
  async run<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = [...this.#waiting].filter(each => each.account === account).length
    if (waiting >= MAX_WAITING_PER_ACCOUNT)
      throw tooManyRequests(`${MAX_WAITING_PER_ACCOUNT} simulations of the account wait already`, 1)
    await new Promise<void>(start => {
      this.#waiting.add({ account, start })
      this.#startNext()
    })
    try {
      return await work()
    } finally {
      this.#running.delete(account)
      this.#startNext()
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
