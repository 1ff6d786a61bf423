import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock/clock.ts'

/** Everybody else of the process waits while one works. An answer takes some turns, which together are short. */
const STRETCH_MS = 2

/**
 * The turns of those who work a lot in one process. Between two of them everybody else has a turn: what was sent is read,
 * and what is done is answered.
 */
export class LoopTurns {
  readonly #clock: Clock
  /** Oldest first. */
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

  /** One after the other, so that several do not work one behind the other while everybody else waits. */
  async #wakeInTurn(): Promise<void> {
    while (this.#waiting.length > 0) {
      await setImmediate()
      this.#waiting.shift()?.()
    }
  }
}

export interface LoopTurn {
  isOver(): boolean
  /** Resolves when it is this one's turn again. */
  rest(): Promise<void>
}
