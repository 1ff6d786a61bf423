import { closedError } from './appendable.ts'

interface Waiter {
  readonly offset: number
  readonly wake: () => void
  readonly fail: (error: Error) => void
}

/** Readers that wait for a partition to grow beyond an offset, without polling. */
export class OffsetWaiters {
  readonly #waiters = new Set<Waiter>()

  /** Resolves when `advance` passes the offset or the signal is aborted. @throws LogError LOG_CLOSED */
  wait(offset: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => {
        this.#waiters.delete(waiter)
        signal.removeEventListener('abort', waiter.wake)
        outcome()
      }
      const waiter: Waiter = {
        offset,
        wake: () => settle(resolve),
        fail: error => settle(() => reject(error)),
      }
      this.#waiters.add(waiter)
      signal.addEventListener('abort', waiter.wake, { once: true })
    })
  }

  /** The partition's next offset is now `next`. */
  advance(next: number): void {
    for (const waiter of this.#waiters) if (next > waiter.offset) waiter.wake()
  }

  close(): void {
    for (const waiter of this.#waiters) waiter.fail(closedError())
  }
}
