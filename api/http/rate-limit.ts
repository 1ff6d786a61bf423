import type { Clock } from '../../engine/clock/clock.ts'
import { ApiError } from './errors.ts'

/** Allowed frequency of an action. */
export interface Rate {
  readonly perSecond: number
  /** Maximum number of actions at once. */
  readonly burst: number
}

const FORGET_EVERY = 1_024
/** Sums of fractions of a millisecond are not exact. */
const ROUNDING_MS = 1e-6

/**
 * A token bucket per credential, in one process. A bucket is the time at which it is full again. Full buckets are
 * forgotten, so memory only holds credentials that were used within the refill time of a burst.
 */
export class RateLimit {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #fullAtMs = new Map<string, number>()
  #sinceForgotten = 0

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
  }

  /** @throws ApiError 429 with `retry-after` */
  take(credential: string): void {
    const nowMs = this.#clock.monotonicMs()
    const { perSecond, burst } = this.#rate
    const intervalMs = 1_000 / perSecond
    const fullAtMs = Math.max(this.#fullAtMs.get(credential) ?? 0, nowMs) + intervalMs
    const waitMs = fullAtMs - nowMs - burst * intervalMs
    if (waitMs > ROUNDING_MS)
      throw tooManyRequests(
        `Too many requests with this credential: at most ${perSecond} a second, ${burst} at once`,
        Math.ceil(waitMs / 1_000),
      )
    this.#fullAtMs.set(credential, fullAtMs)
    if (++this.#sinceForgotten >= FORGET_EVERY) this.#forget(nowMs)
  }

  /** Credentials whose bucket is not full. */
  get size(): number {
    return this.#fullAtMs.size
  }

  #forget(nowMs: number): void {
    this.#sinceForgotten = 0
    for (const [credential, fullAtMs] of this.#fullAtMs)
      if (fullAtMs <= nowMs) this.#fullAtMs.delete(credential)
  }
}

export function tooManyRequests(message: string, retryAfterS: number): ApiError {
  return new ApiError(429, 'TooManyRequests', message, { headers: { 'retry-after': String(retryAfterS) } })
}
