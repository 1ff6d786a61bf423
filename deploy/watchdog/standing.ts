export interface WatchdogLimits {
  /** Interval between two looks. */
  readonly lookEveryMs: number
  /** Time after which a stretch that stands is reported. */
  readonly reportAfterMs: number
  /** Time after which the process ends. */
  readonly endAfterMs: number
}

export const DEFAULT_LIMITS: WatchdogLimits = { lookEveryMs: 500, reportAfterMs: 10_000, endAfterMs: 60_000 }

/** Finding of one look. */
export type Finding = 'works' | 'stands' | 'has stood too long'

/** Judges, look by look, how long a fold has stood in one stretch of its work. */
export class Standing {
  readonly #limits: WatchdogLimits
  #stretch = 0
  #lookedAtMs: number
  #isReported = false
  #stoodMs = 0

  constructor(limits: WatchdogLimits, nowMs: number) {
    this.#limits = limits
    this.#lookedAtMs = nowMs
  }

  /** Time for which the present stretch has stood, in ms. */
  get stoodMs(): number {
    return this.#stoodMs
  }

  /**
   * @param stretch number of the present stretch
   * @param isWorking false: no fold works now
   * @returns 'stands' once for each stretch
   */
  look(stretch: number, isWorking: boolean, nowMs: number): Finding {
    const { lookEveryMs, reportAfterMs, endAfterMs } = this.#limits
    // A process or machine that was paused has not looked for longer: the fold had no more time than the looks.
    const passedMs = Math.min(nowMs - this.#lookedAtMs, 2 * lookEveryMs)
    this.#lookedAtMs = nowMs
    const isSame = isWorking && stretch === this.#stretch
    this.#stretch = stretch
    this.#stoodMs = isSame ? this.#stoodMs + passedMs : 0
    if (this.#stoodMs === 0) this.#isReported = false
    if (this.#stoodMs >= endAfterMs) return 'has stood too long'
    if (this.#stoodMs < reportAfterMs || this.#isReported) return 'works'
    this.#isReported = true
    return 'stands'
  }
}
