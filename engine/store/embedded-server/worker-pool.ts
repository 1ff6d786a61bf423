import type { Asker } from '../../turns/asker.ts'
import { FairPlaces } from '../../turns/fair-places.ts'
import { turnedAway } from './engine-error.ts'

/** Maximum queue length per account. Longer waits exceed the patience of clients, so they get an error at once. */
const MAX_WAITING = 200

/** Workers of one kind. Tasks wait for a free one; enterprises and accounts take turns, however many tasks each of them has. */
export class WorkerPool<Worker> {
  readonly #workers: readonly Worker[]
  readonly #free: Worker[]
  readonly #places: FairPlaces
  /** Gives the place of a worker back. */
  readonly #leave = new Map<Worker, () => void>()
  readonly #closing = new AbortController()
  readonly #idle = Promise.withResolvers<void>()

  /** @param mostPerAccount workers that the tasks of one account have at once; default: all of them */
  constructor(workers: readonly Worker[], mostPerAccount = workers.length) {
    this.#workers = workers
    this.#free = [...workers]
    this.#places = new FairPlaces(workers.length, mostPerAccount)
  }

  /**
   * Gives the task a worker of its own until it ends.
   *
   * @param asker for whom the task runs
   * @param signal ends the waiting, not the task
   * @throws the engine's error 202 when too many wait, or the pool is closed
   */
  async take(asker: Asker, signal: AbortSignal): Promise<Worker> {
    signal.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    if (this.#places.waitingOf(asker) >= MAX_WAITING)
      throw turnedAway('too many statements wait for their turn')
    const leave = await this.#places.take(asker, AbortSignal.any([signal, this.#closing.signal]))
    if (this.#closing.signal.aborted) {
      leave()
      throw this.#closing.signal.reason
    }
    // There are as many places as workers.
    const worker = this.#free.pop() as Worker
    this.#leave.set(worker, leave)
    return worker
  }

  give(worker: Worker): void {
    this.#free.push(worker)
    this.#leave.get(worker)?.()
    if (this.#closing.signal.aborted) this.#noteIdle()
  }

  /** Refuses waiting tasks, and waits for those that have begun. @returns the workers, which are all free */
  async close(): Promise<readonly Worker[]> {
    this.#closing.abort(turnedAway('the store is stopping'))
    this.#noteIdle()
    await this.#idle.promise
    return this.#workers
  }

  #noteIdle(): void {
    if (this.#free.length === this.#workers.length) this.#idle.resolve()
  }
}
