import type { CountedWork } from './counted-work.ts'
import { EDGE_BITS, type ExpressionProgram, Step } from './expression-program.ts'
import { MatchingSpace } from './matching-space.ts'
import { type Beginnings, type BeginningsByEdges, beginningsOf } from './program-beginnings.ts'
import {
  ASCII_SIZE,
  type AsciiRows,
  asciiRowsOf,
  type BuildCount,
  HELD,
  isWord,
  LOOKUP_UNITS,
  NEWLINE,
  NOT_HELD,
  UNKNOWN,
} from './set-rows.ts'

const NO_EDGES = 0

/** Units for beginning with a text. */
export const START_UNITS = 32
/** Units for each character, and for each where edges must be found. */
const CHARACTER_UNITS = 1
const EDGE_UNITS = 3
const OTHER_UNITS = 3
const ROW_UNITS = 16
const NO_ROW = new Uint8Array()

/**
 * Searches one text for an expression and counts units of work. The text and each character cost units. Each step of
 * the program that is reached or reads a character costs one unit. Each lookup of a non-ASCII character in a set costs
 * 64. The count depends only on the expression and the text.
 */
export class CountedMatching implements CountedWork<boolean>, BuildCount {
  /** Units so far. */
  units = START_UNITS
  /** Units of work on tables that other texts use as well: their number depends on earlier matches. */
  built = 0
  readonly #program: ExpressionProgram
  readonly #text: string
  readonly #characterUnits: number
  readonly #asciiRows: AsciiRows
  readonly #beginningsByEdges: BeginningsByEdges
  /** Rows of the non-ASCII characters of this text. */
  #otherRows: Map<number, Uint8Array> | undefined
  readonly #space: MatchingSpace
  /** Place at which each step was last reached. */
  readonly #seenAt: Int32Array
  readonly #forks: Int32Array
  /** Steps that read the character at `#at`, of matches that have already begun. */
  #waiting: Int32Array
  #waitingCount = 0
  #following: Int32Array
  #at = 0
  #place: number
  #edges: number
  /** Matches that may begin at this place. */
  #beginnings: Beginnings
  #isMatched: boolean
  #isOver = false

  constructor(program: ExpressionProgram, text: string) {
    this.#program = program
    this.#characterUnits = CHARACTER_UNITS + (program.hasEdges ? EDGE_UNITS : 0)
    this.#text = text
    this.#asciiRows = asciiRowsOf(program)
    this.#beginningsByEdges = beginningsOf(program)
    this.#space = MatchingSpace.take(program.size)
    this.#seenAt = this.#space.seenAt
    this.#forks = this.#space.forks
    this.#waiting = this.#space.waiting
    this.#following = this.#space.following
    this.#place = this.#space.lastPlace + 1
    this.#edges = this.#edgesHere()
    this.#beginnings = this.#beginningsByEdges.at(this.#edges, this)
    this.#isMatched = this.#beginnings.isMatch
  }

  /**
   * Continues until the result is known or the units are used up, apart from those of one character. Pauses do not change the
   * result.
   *
   * @param untilWork bound on all work, `units` and `built`
   * @returns undefined: the result is not known yet
   */
  run(untilUnits: number, untilWork = Number.POSITIVE_INFINITY): boolean | undefined {
    if (this.#isOver) return this.#isMatched
    const text = this.#text
    const canSkip = !this.#program.hasEdges
    while (!this.#isMatched) {
      if (canSkip && this.#waitingCount === 0) this.#skip(untilUnits, untilWork)
      if (this.#at >= text.length) break
      if (this.units >= untilUnits || this.work >= untilWork) return undefined
      const codePoint = text.codePointAt(this.#at) as number
      const beginnings = this.#beginnings
      this.#at += codePoint > 0xffff ? 2 : 1
      this.#place++
      if (this.#program.hasEdges) this.#comeToPlace()
      this.#read(codePoint, beginnings)
    }
    this.end()
    return this.#isMatched
  }

  /** Ends the matching, also without a result: others use its memory. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#space.giveBack(this.#place)
  }

  /** Passes characters that begin no match, where no match has begun. */
  #skip(untilUnits: number, untilWork: number): void {
    const text = this.#text
    const { known } = this.#beginnings
    const from = this.#at
    const most = Math.min(untilUnits - this.units, untilWork - this.work)
    const end = Math.min(text.length, from + most)
    let at = from
    while (at < end && known[text.charCodeAt(at)]?.length === 0) at++
    this.#at = at
    this.units += CHARACTER_UNITS * (at - from)
  }

  get characters(): number {
    return this.#text.length
  }

  /** Units of all work so far. */
  get work(): number {
    return this.units + this.built
  }

  #comeToPlace(): void {
    this.#edges = this.#edgesHere()
    this.#beginnings = this.#beginningsByEdges.at(this.#edges, this)
    if (this.#beginnings.isMatch) this.#isMatched = true
  }

  #read(codePoint: number, beginnings: Beginnings): void {
    const { kinds, next, other } = this.#program
    const waiting = this.#waiting
    const following = this.#following
    const seenAt = this.#seenAt
    const place = this.#place
    const waitingCount = this.#waitingCount
    let count = 0
    let units = waitingCount + this.#characterUnits
    const isAscii = codePoint < ASCII_SIZE
    if (!isAscii) units += OTHER_UNITS
    const needsRow = waitingCount > 0 || (!isAscii && beginnings.reads.length > 0)
    const row = needsRow ? this.#rowOf(codePoint) : NO_ROW
    for (let index = 0; index < waitingCount; index++) {
      const step = waiting[index] as number
      const set = other[step] as number
      let held = row[set] as number
      if (held === UNKNOWN) held = this.#lookUp(row, set, codePoint)
      if (held !== HELD) continue
      const to = next[step] as number
      if (kinds[to] !== Step.READ) {
        count = this.#come(to, following, count)
        continue
      }
      units++
      if (seenAt[to] === place) continue
      seenAt[to] = place
      following[count++] = to
    }
    if (isAscii) {
      const after = beginnings.after(codePoint, this)
      for (let index = 0; index < after.length; index++)
        count = this.#come(after[index] as number, following, count)
    } else {
      const { reads } = beginnings
      for (let index = 0; index < reads.length; index++) {
        units++
        const step = reads[index] as number
        const set = other[step] as number
        let held = row[set] as number
        if (held === UNKNOWN) held = this.#lookUp(row, set, codePoint)
        if (held === HELD) count = this.#come(next[step] as number, following, count)
      }
    }
    this.units += units
    this.#waiting = following
    this.#following = waiting
    this.#waitingCount = count
  }

  /** Reaches a step and all steps that follow without a character. @returns number of steps that wait for a character */
  #come(first: number, waiting: Int32Array, waitingCount: number): number {
    const { kinds, next, other } = this.#program
    const seenAt = this.#seenAt
    const forks = this.#forks
    const place = this.#place
    const edges = this.#edges
    let count = waitingCount
    let forkCount = 0
    let units = 0
    let step = first
    for (;;) {
      units++
      let goesOn = false
      if (seenAt[step] !== place) {
        seenAt[step] = place
        const kind = kinds[step]
        if (kind === Step.READ) {
          waiting[count++] = step
        } else if (kind === Step.FORK) {
          forks[forkCount++] = other[step] as number
          goesOn = true
        } else if (kind === Step.EDGE) {
          goesOn = ((other[step] as number) & edges) !== 0
        } else {
          this.#isMatched = true
        }
      }
      if (goesOn) step = next[step] as number
      else if (forkCount > 0) step = forks[--forkCount] as number
      else break
    }
    this.units += units
    return count
  }

  #rowOf(codePoint: number): Uint8Array {
    if (codePoint < ASCII_SIZE) return this.#asciiRows.row(codePoint)
    this.#otherRows ??= new Map()
    let row = this.#otherRows.get(codePoint)
    if (row === undefined) {
      row = new Uint8Array(this.#program.sets.length)
      this.#otherRows.set(codePoint, row)
      this.units += ROW_UNITS
    }
    return row
  }

  #lookUp(row: Uint8Array, set: number, codePoint: number): number {
    if (codePoint < ASCII_SIZE) return this.#asciiRows.lookUp(row, set, codePoint, this)
    this.units += LOOKUP_UNITS
    const held = this.#program.sets[set]?.has(codePoint) ? HELD : NOT_HELD
    row[set] = held
    return held
  }

  /** Bits of the edges before the character at `#at`. */
  #edgesHere(): number {
    if (!this.#program.hasEdges) return NO_EDGES
    const text = this.#text
    const at = this.#at
    const before = text.charCodeAt(at - 1)
    const after = text.charCodeAt(at)
    let bits = isWord(before) === isWord(after) ? EDGE_BITS['no word'] : EDGE_BITS.word
    if (at === 0) bits |= EDGE_BITS['text start'] | EDGE_BITS['line start']
    else if (before === NEWLINE) bits |= EDGE_BITS['line start']
    if (at === text.length) bits |= EDGE_BITS['text end'] | EDGE_BITS['line end']
    else if (after === NEWLINE) bits |= EDGE_BITS['line end']
    return bits
  }
}
