import type { CharacterSet } from './character-set.ts'

/** Steps as arrays, by their numbers. The kinds of steps say what `next` and `other` mean. */
export interface StepArrays {
  readonly size: number
  readonly kinds: Uint8Array
  readonly next: Int32Array
  readonly other: Int32Array
  readonly sets: readonly CharacterSet[]
}

/** Steps of a program while it is built. */
export class ProgramSteps {
  readonly #kinds: number[] = []
  readonly #next: number[] = []
  readonly #other: number[] = []
  readonly #sets: CharacterSet[] = []
  readonly #setNumbers = new Map<string, number>()

  /** @returns the number of the step */
  add(kind: number, next: number, other: number): number {
    this.#next.push(next)
    this.#other.push(other)
    return this.#kinds.push(kind) - 1
  }

  setNext(step: number, next: number): void {
    this.#next[step] = next
  }

  setOther(step: number, other: number): void {
    this.#other[step] = other
  }

  /** Number of a set among those of the program. */
  numberOf(set: CharacterSet): number {
    let number = this.#setNumbers.get(set.key)
    if (number === undefined) {
      number = this.#sets.push(set) - 1
      this.#setNumbers.set(set.key, number)
    }
    return number
  }

  arrays(): StepArrays {
    return {
      size: this.#kinds.length,
      kinds: Uint8Array.from(this.#kinds),
      next: Int32Array.from(this.#next),
      other: Int32Array.from(this.#other),
      sets: this.#sets,
    }
  }
}
