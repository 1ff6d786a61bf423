import { setImmediate } from 'node:timers/promises'
import type { Asker } from './asker.ts'
import { FairPlaces } from './fair-places.ts'

/**
 * Work of many requests that is done in one go for each of them. All that is begun in one turn of the event loop has at most
 * the given size together. A larger piece is alone in its turn, and others wait for as many turns as it would have needed. Enterprises
 * take turns, and so do the accounts of an enterprise. Nothing passes a piece that waits since an earlier turn. A large one would otherwise
 * not begin as long as small ones arrive in every turn.
 */
export class PacedWork {
  readonly #sizeOfTurn: number
  readonly #next = new FairPlaces(1)
  /** Number of pieces that wait. */
  #waiting = 0
  /** Whether pieces wait since an earlier turn. */
  #areLate = false
  /** Size of the work that was begun in the present turn, and of earlier work that exceeded its turn. */
  #begun = 0

  /** @param sizeOfTurn size of work that the requests of other connections may wait for, for instance in bytes */
  constructor(sizeOfTurn: number) {
    this.#sizeOfTurn = sizeOfTurn
  }

  /**
   * Resolves when the work may be done, at once if the present turn has room for it and nothing waits since an earlier one. It
   * must follow without an `await`.
   */
  async begin(asker: Asker, size: number): Promise<void> {
    if (!this.#areLate && this.#hasRoomFor(size)) return this.#note(size)
    this.#waiting++
    const giveBack = await this.#next.take(asker)
    while (!this.#hasRoomFor(size)) await setImmediate()
    this.#waiting--
    this.#note(size)
    giveBack()
  }

  #hasRoomFor(size: number): boolean {
    return this.#begun === 0 || this.#begun + size <= this.#sizeOfTurn
  }

  #note(size: number): void {
    const isFirst = this.#begun === 0
    this.#begun += size
    if (isFirst) void this.#endTurns()
  }

  async #endTurns(): Promise<void> {
    while (this.#begun > 0) {
      await setImmediate()
      this.#begun = Math.max(0, this.#begun - this.#sizeOfTurn)
      this.#areLate = this.#waiting > 0
    }
  }
}
