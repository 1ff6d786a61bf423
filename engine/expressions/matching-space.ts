/** Number of unused spaces that are kept: more than one matching is under way only while some are suspended. */
const MAX_UNUSED = 4
const SMALLEST_SIZE = 64
/** Places are numbers of 32 bits; a text is much shorter than the rest of them. */
const MAX_LAST_PLACE = 2 ** 30

/**
 * Memory of one matching, as large as the program. It is used again by the next matching, because clearing the memory of a
 * large program would take much longer than a short text.
 */
export class MatchingSpace {
  static readonly #unused: MatchingSpace[] = []
  readonly #size: number
  /** Place at which each step was last reached; places of earlier matchings are lower than those of the present one. */
  readonly seenAt: Int32Array
  readonly forks: Int32Array
  readonly waiting: Int32Array
  readonly following: Int32Array
  #lastPlace = 0

  private constructor(size: number) {
    this.#size = size
    this.seenAt = new Int32Array(size)
    this.forks = new Int32Array(size)
    this.waiting = new Int32Array(size)
    this.following = new Int32Array(size)
  }

  /** @param size number of steps of the program */
  static take(size: number): MatchingSpace {
    const space = MatchingSpace.#unused.pop()
    if (space !== undefined && space.#size >= size) return space
    return new MatchingSpace(Math.max(SMALLEST_SIZE, 2 ** Math.ceil(Math.log2(size))))
  }

  /** Last place of the matchings that are over. */
  get lastPlace(): number {
    return this.#lastPlace
  }

  /** Lets other matchings use it. @param lastPlace of the matching that is over */
  giveBack(lastPlace: number): void {
    this.#lastPlace = lastPlace
    if (lastPlace > MAX_LAST_PLACE) {
      this.seenAt.fill(0)
      this.#lastPlace = 0
    }
    if (MatchingSpace.#unused.length < MAX_UNUSED) MatchingSpace.#unused.push(this)
  }
}
