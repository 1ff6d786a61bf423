import { isBeyond, type Position } from '../../../schemas/log/position.ts'

/** Highest known position of each partition that sends to another one; it distinguishes repeats from new things. */
export class PassedPositions {
  readonly #highest = new Map<string, Position>()

  constructor(known: Iterable<readonly [source: string, position: Position]> = []) {
    for (const [source, position] of known) this.#highest.set(source, position)
  }

  /** @param source key of the partition: see `sourceKey` */
  of(source: string): Position | undefined {
    return this.#highest.get(source)
  }

  /** Notes a position. @returns false when it was passed before, so that the thing there is a repeat */
  advance(source: string, position: Position): boolean {
    const known = this.#highest.get(source)
    if (known !== undefined && !isBeyond(position, known)) return false
    this.#highest.set(source, position)
    return true
  }

  /** All of them, by the key of the partition. */
  [Symbol.iterator](): Iterator<readonly [source: string, position: Position]> {
    return this.#highest[Symbol.iterator]()
  }
}
