import type { ServerResponse } from 'node:http'
import { tooManyRequests } from '../http/rate-limit.ts'

/** Number of simultaneous exports per account, in this process. */
export class ConcurrentExports {
  readonly #most: number
  readonly #running = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts an export until its answer has been read, or its client has gone. @throws ApiError 429 */
  begin(account: string, answer: ServerResponse): void {
    const running = this.#running.get(account) ?? 0
    if (running >= this.#most)
      throw tooManyRequests(`At most ${this.#most} exports of an account run at once`, 1)
    this.#running.set(account, running + 1)
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      const left = (this.#running.get(account) ?? 1) - 1
      if (left === 0) this.#running.delete(account)
      else this.#running.set(account, left)
    }
    answer.once('finish', end).once('close', end)
  }
}
