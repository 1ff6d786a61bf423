export interface ThrottleRule {
  readonly limit: number
  readonly windowMs: number
  /** Whether it counts by a key, or all events together. */
  readonly isKeyed: boolean
}

/** The bucket of events without a key. */
const DEFAULT_BUCKET = ''

/**
 * A throttle written as plainly as possible: the pass times of every key in a list. As in the specification's steps,
 * times are forgotten when an event of their key comes. All times of a key are forgotten when the last of them has expired. A
 * longer window that is published later still has the remaining times.
 */
export class ThrottleModel {
  #rule: ThrottleRule
  #passes = new Map<string, number[]>()
  #timeMs = 0
  /** Time at which the exemption of a key ends. */
  readonly #exemptUntilMs = new Map<string, number>()

  constructor(rule: ThrottleRule) {
    this.#rule = rule
  }

  timePasses(timeMs: number): void {
    this.#timeMs = Math.max(this.#timeMs, timeMs)
    for (const [key, times] of this.#passes)
      if (this.#isPast(times.at(-1) ?? Number.NEGATIVE_INFINITY)) this.#passes.delete(key)
    // The default bucket is always at hand: it forgets as time passes.
    const times = this.#passes.get(DEFAULT_BUCKET)
    if (times !== undefined)
      this.#passes.set(
        DEFAULT_BUCKET,
        times.filter(passMs => !this.#isPast(passMs)),
      )
  }

  change(rule: ThrottleRule): void {
    if (rule.isKeyed !== this.#rule.isKeyed) this.#passes.clear()
    this.#rule = rule
  }

  exempt(key: string, untilMs: number): void {
    this.#exemptUntilMs.set(key, untilMs)
  }

  lets(key: string): boolean {
    const bucket = this.#rule.isKeyed ? key : DEFAULT_BUCKET
    if (this.#timeMs < (this.#exemptUntilMs.get(bucket) ?? 0)) return true
    const times = (this.#passes.get(bucket) ?? []).filter(timeMs => !this.#isPast(timeMs))
    const passes = times.length < this.#rule.limit
    if (passes) times.push(this.#timeMs)
    this.#passes.set(bucket, times)
    return passes
  }

  #isPast(timeMs: number): boolean {
    return this.#timeMs - timeMs >= this.#rule.windowMs
  }
}
