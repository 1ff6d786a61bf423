import type { Clock } from '../../engine/clock/clock.ts'
import { guardedClock } from '../../engine/clock/guarded-clock.ts'
import type { Actor, Scheduler } from './scheduler.ts'

/** Time at which every world begins, UNIX ms. */
export const START_MS = Date.UTC(2026, 2, 1, 12)

/** A machine with a wall clock that may be set. When it wakes from sleep, its wall clock jumps. */
export class Machine {
  readonly #scheduler: Scheduler
  /** Distance of its wall clock from the time of the world. */
  offsetMs = 0

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  get wallMs(): number {
    return START_MS + this.#scheduler.nowMs + this.offsetMs
  }

  /** The clock as a process of the machine has it: guarded, as in the program. */
  clockOf(actor: Actor): Clock {
    return guardedClock({
      wallMs: () => this.wallMs,
      monotonicMs: () => this.#scheduler.nowMs,
      sleep: (ms, signal) => this.#scheduler.sleep(actor, ms, signal),
    })
  }
}
