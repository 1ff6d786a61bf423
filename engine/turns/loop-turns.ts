import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock/clock.ts'
import type { Steps } from '../steps.ts'

/**
 * Length of a turn, during which all other work of the process waits. An answer takes some turns, which together are
 * short.
 */
const STRETCH_MS = 2

/** The turns of long work in one process. Between two of them other work has a turn: requests are read and answered. */
export class LoopTurns {
  readonly #clock: Clock
  /** Waiting turns, oldest first. */
  readonly #waiting: (() => void)[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Begins a turn. */
  begin(): LoopTurn {
    const turn = {
      beganMs: this.#clock.monotonicMs(),
      isOver: () => this.#clock.monotonicMs() - turn.beganMs >= STRETCH_MS,
      rest: async () => {
        await this.#next()
        turn.beganMs = this.#clock.monotonicMs()
      },
    }
    return turn
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      if (this.#waiting.push(resolve) === 1) void this.#wakeInTurn()
    })
  }

  /** Wakes one after the other, so that several do not work in succession while other work waits. */
  async #wakeInTurn(): Promise<void> {
    while (this.#waiting.length > 0) {
      await setImmediate()
      this.#waiting.shift()?.()
    }
  }
}

export interface LoopTurn {
  isOver(): boolean
  /** Resolves at the next turn of this work. */
  rest(): Promise<void>
}

/** Does work with pauses, in turns with all other work of the process. */
export async function inTurns<Result>(steps: Steps<Result>, turn: LoopTurn): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (turn.isOver()) await turn.rest()
  }
}
