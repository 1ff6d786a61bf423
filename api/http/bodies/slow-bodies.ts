import type { Clock } from '../../../engine/clock/clock.ts'

/** Time between two looks at the bodies. A body is too slow if it makes little progress from one look to the next. */
const LOOK_EVERY_MS = 10_000
/** Bytes that must arrive between two looks: some hundred a second, fewer than any usual connection brings. */
const MIN_PROGRESS_BYTES = 1024

/** A body that is being received. */
export interface ArrivingBody {
  /** Bytes that have arrived. */
  readonly bytes: number
  /** Ends the body because it is too slow. */
  refuseSlow(): void
}

/**
 * Ends bodies that make hardly any progress for ten to twenty seconds, so that they do not hold room for others. One timer
 * serves all bodies, because most are complete long before a look.
 */
export class SlowBodies {
  readonly #clock: Clock
  readonly #closing = new AbortController()
  /** Bytes of each body at the last look; -1 before its first one. */
  readonly #lastBytes = new Map<ArrivingBody, number>()
  #isLooking = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  watch(body: ArrivingBody): void {
    this.#lastBytes.set(body, -1)
    if (!this.#isLooking) void this.#lookWhileAny()
  }

  forget(body: ArrivingBody): void {
    this.#lastBytes.delete(body)
  }

  close(): void {
    this.#closing.abort()
  }

  async #lookWhileAny(): Promise<void> {
    const { signal } = this.#closing
    this.#isLooking = true
    while (this.#lastBytes.size > 0 && !signal.aborted) {
      await this.#clock.sleep(LOOK_EVERY_MS, signal)
      if (!signal.aborted) this.#look()
    }
    this.#isLooking = false
  }

  #look(): void {
    for (const [body, lastBytes] of this.#lastBytes) {
      if (lastBytes >= 0 && body.bytes - lastBytes < MIN_PROGRESS_BYTES) body.refuseSlow()
      else this.#lastBytes.set(body, body.bytes)
    }
  }
}
