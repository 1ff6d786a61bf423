import type { Control } from '../../schemas/log/control.ts'
import type { Clock } from '../clock/clock.ts'

/** Delay of ticks, which lets records of the same instant arrive first, and makes ticks rare on a slow log. */
const SLACK_MS = 5

/** The log time of a partition, and the next deadline of its fold. */
export interface TickedFold {
  readonly timeMs: number
  readonly deadlineMs: number
}

/** Appends a tick when a deadline of a partition has passed by the monotonic clock, and no record has reached it. */
export class TickSender {
  readonly #clock: Clock
  readonly #append: (body: Control['body']) => Promise<unknown>
  /** Log time at its last known change, and the monotonic clock at that moment. */
  #seen = { timeMs: 0, atMs: 0 }
  #sentForMs = 0

  constructor(clock: Clock, append: (body: Control['body']) => Promise<unknown>) {
    this.#clock = clock
    this.#append = append
  }

  /** Compares the log time with the last known one. */
  noteTime({ timeMs }: TickedFold): void {
    if (timeMs !== this.#seen.timeMs) this.#seen = { timeMs, atMs: this.#clock.monotonicMs() }
  }

  /** Time until a tick is due; 0 or less: it is due now. */
  untilDueMs({ deadlineMs }: TickedFold): number {
    const passedMs = this.#clock.monotonicMs() - this.#seen.atMs
    return deadlineMs - this.#seen.timeMs + SLACK_MS - passedMs
  }

  /** @returns whether a tick was appended */
  async sendDue(fold: TickedFold): Promise<boolean> {
    const { deadlineMs } = fold
    if (this.#sentForMs === deadlineMs || this.untilDueMs(fold) > 0) return false
    await this.#append({ 'weir.Tick': { deadlineMs } })
    this.#sentForMs = deadlineMs
    return true
  }
}
