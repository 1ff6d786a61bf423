import type { Entropy } from '../entropy/entropy.ts'
import type { Clock } from './clock.ts'

/** Bounds of the pauses between attempts. */
export interface BackOffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

/** Pauses between attempts of one action: each is twice as long as the one before, up to the longest. */
export class BackOff {
  readonly #clock: Clock
  readonly #bounds: BackOffBounds
  readonly #entropy: Pick<Entropy, 'bytes'> | undefined
  #fullMs: number

  /**
   * @param entropy chooses the upper half of each pause at random, so that many waiting processes do not retry together
   */
  constructor(clock: Clock, bounds: BackOffBounds, entropy?: Pick<Entropy, 'bytes'>) {
    this.#clock = clock
    this.#bounds = bounds
    this.#entropy = entropy
    this.#fullMs = bounds.firstMs
  }

  /** Takes the length of the next pause; the one after it is longer. */
  nextMs(): number {
    const fullMs = this.#fullMs
    this.#fullMs = Math.min(fullMs * 2, this.#bounds.longestMs)
    if (this.#entropy === undefined) return fullMs
    const chance = this.#entropy.bytes(2).readUInt16BE() / 65_536
    return fullMs * (0.5 + chance / 2)
  }

  /** Begins with the first pause again, after a success. */
  reset(): void {
    this.#fullMs = this.#bounds.firstMs
  }

  /**
   * Repeats a call until it succeeds, with a pause after each failure.
   *
   * @param mayRepeat called after a failure, with the length of the pause that would follow
   * @param signal ends the pause; a failure after it is not repeated
   * @throws the error of the last call
   */
  async repeat<T>(
    call: () => Promise<T>,
    mayRepeat: (error: unknown, pauseMs: number) => boolean,
    signal?: AbortSignal,
  ): Promise<T> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (signal?.aborted) throw error
        const pauseMs = this.nextMs()
        if (!mayRepeat(error, pauseMs)) throw error
        await this.#clock.sleep(pauseMs, signal)
      }
    }
  }

  /** Sleeps for the next pause, or until the signal. */
  async pause(signal?: AbortSignal): Promise<void> {
    await this.#clock.sleep(this.nextMs(), signal)
  }
}
