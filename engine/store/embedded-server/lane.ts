import { turnedAway } from './engine-error.ts'

/** Maximum queue length. Longer waits exceed the patience of clients, so they get an error at once. */
const MAX_WAITING = 200

/** Workers of one kind; tasks wait for a free one in order of arrival. */
export class Lane<Worker> {
  readonly #workers: readonly Worker[]
  readonly #free: Worker[]
  readonly #waiting: PromiseWithResolvers<Worker>[] = []
  readonly #idle = Promise.withResolvers<void>()
  #isClosed = false

  constructor(workers: readonly Worker[]) {
    this.#workers = workers
    this.#free = [...workers]
  }

  /**
   * Gives the task a worker of its own until it ends.
   *
   * @param signal ends the waiting, not the task
   * @throws the engine's error 202 when too many wait, or the lane is closed
   */
  async take(signal: AbortSignal): Promise<Worker> {
    signal.throwIfAborted()
    if (this.#isClosed) throw turnedAway('the store is stopping')
    const worker = this.#free.pop()
    if (worker !== undefined) return worker
    if (this.#waiting.length >= MAX_WAITING) throw turnedAway('too many statements wait for their turn')
    const turn = Promise.withResolvers<Worker>()
    this.#waiting.push(turn)
    const leave = () => {
      const place = this.#waiting.indexOf(turn)
      if (place >= 0) this.#waiting.splice(place, 1)
      turn.reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    return turn.promise.finally(() => signal.removeEventListener('abort', leave))
  }

  give(worker: Worker): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free.push(worker)
    else next.resolve(worker)
    if (this.#isClosed) this.#noteIdle()
  }

  /** Refuses waiting tasks, and waits for those that have begun. @returns the workers, which are all free */
  async close(): Promise<readonly Worker[]> {
    this.#isClosed = true
    for (const turn of this.#waiting.splice(0)) turn.reject(turnedAway('the store is stopping'))
    this.#noteIdle()
    await this.#idle.promise
    return this.#workers
  }

  #noteIdle(): void {
    if (this.#free.length === this.#workers.length) this.#idle.resolve()
  }
}
