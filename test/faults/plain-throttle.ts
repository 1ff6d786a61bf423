export interface ThrottleRule {
  readonly limit: number
  readonly windowMs: number
}

/**
 * The throttle of the specification (components, section 5A.3), written again as plainly as possible: the pass times of
 * every key in a list. The window must stay the same; the limit may change.
 */
export class PlainThrottle {
  readonly #passes = new Map<string, number[]>()

  lets(key: string, timeMs: number, { limit, windowMs }: ThrottleRule): boolean {
    const passes = (this.#passes.get(key) ?? []).filter(passMs => timeMs - passMs < windowMs)
    const isPassing = passes.length < limit
    if (isPassing) passes.push(timeMs)
    this.#passes.set(key, passes)
    return isPassing
  }
}
