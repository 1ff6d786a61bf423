export interface ThrottleRule {
  readonly limit: number
  readonly windowMs: number
  /** true: before the throttle, each line of the level `limited` is compared with an expensive expression. */
  readonly looks?: boolean | undefined
}

/**
 * The throttle of the specification (components, section 5A.3), written again as plainly as possible: the pass times of
 * every key in a list. The window must stay the same; the limit may change.
 */
export class PlainThrottle {
  readonly #passes: Map<string, number[]>

  constructor(passes: ReadonlyMap<string, number[]> = new Map()) {
    this.#passes = new Map(passes)
  }

  /** A throttle with the same memory. */
  copy(): PlainThrottle {
    return new PlainThrottle(this.#passes)
  }

  lets(key: string, timeMs: number, { limit, windowMs }: ThrottleRule): boolean {
    const passes = (this.#passes.get(key) ?? []).filter(passMs => timeMs - passMs < windowMs)
    const isPassing = passes.length < limit
    this.#passes.set(key, isPassing ? [...passes, timeMs] : passes)
    return isPassing
  }
}
