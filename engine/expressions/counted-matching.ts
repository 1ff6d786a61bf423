import { EDGE_BITS, type ExpressionProgram, Step } from './expression-program.ts'
import { type Beginnings, beginningsOf } from './program-beginnings.ts'
import {
  ASCII_SIZE,
  type AsciiRows,
  asciiRowsOf,
  type BuildCount,
  HELD,
  LOOKUP_UNITS,
  NOT_HELD,
  UNKNOWN,
} from './set-rows.ts'

const NEWLINE = 0x0a
const NO_EDGES = 0

/**
 * Looks for an expression in one text, and counts what that takes: one unit for each step of the program that is come to,
 * or that looks at a character, and 64 for each character beyond ASCII that it looks up in a set. The count follows from
 * the expression and the text alone.
 */
export class CountedMatching implements BuildCount {
  /** Units so far. */
  units = 0
  /** Units of work on what serves other texts, too: how many depends on what was matched before. */
  built = 0
  readonly #program: ExpressionProgram
  readonly #text: string
  readonly #asciiRows: AsciiRows
  /** Of the characters of this text. */
  readonly #otherRows = new Map<number, Uint8Array>()
  /** For each step, the place at which it was come to last. */
  readonly #seenAt: Int32Array
  readonly #forks: Int32Array
  /** Steps that read the character at `#at`, of matches that have begun before. */
  #waiting: Int32Array
  #waitingCount = 0
  #following: Int32Array
  #at = 0
  #place = 1
  #edges: number
  #isMatched: boolean

  constructor(program: ExpressionProgram, text: string) {
    this.#program = program
    this.#text = text
    this.#asciiRows = asciiRowsOf(program)
    const { size } = program
    this.#seenAt = new Int32Array(size)
    this.#forks = new Int32Array(size)
    this.#waiting = new Int32Array(size)
    this.#following = new Int32Array(size)
    this.#edges = this.#edgesHere()
    this.#isMatched = this.#beginnings().isMatch
  }

  /**
   * Goes on until it knows, or has counted that many units, but for those of one character. Where it stops in between
   * changes nothing.
   *
   * @param untilWork the same of all work, `units` and `built`
   * @returns undefined: it does not know yet
   */
  run(untilUnits: number, untilWork = Number.POSITIVE_INFINITY): boolean | undefined {
    const text = this.#text
    while (!this.#isMatched) {
      if (this.#at >= text.length) return false
      if (this.units >= untilUnits || this.work >= untilWork) return undefined
      const codePoint = text.codePointAt(this.#at) as number
      const beginnings = this.#beginnings()
      this.#at += codePoint > 0xffff ? 2 : 1
      this.#place++
      this.#edges = this.#edgesHere()
      this.#isMatched = this.#beginnings().isMatch
      this.#read(codePoint, beginnings)
    }
    return true
  }

  /** Units of all work so far. */
  get work(): number {
    return this.units + this.built
  }

  #beginnings(): Beginnings {
    return beginningsOf(this.#program, this.#edges, this)
  }

  #read(codePoint: number, beginnings: Beginnings): void {
    const { kinds, next, other } = this.#program
    const isAscii = codePoint < ASCII_SIZE
    const row = isAscii ? this.#asciiRows.row(codePoint) : this.#rowOf(codePoint)
    const waiting = this.#waiting
    const following = this.#following
    const seenAt = this.#seenAt
    const place = this.#place
    const waitingCount = this.#waitingCount
    let count = 0
    let units = waitingCount + 1
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
      for (const to of beginnings.after(codePoint, this)) count = this.#come(to, following, count)
    } else {
      for (const step of beginnings.reads) {
        units++
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

  /** Comes to a step, and to all that follow without a character. @returns how many wait to read one */
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
    let row = this.#otherRows.get(codePoint)
    if (row === undefined) {
      row = new Uint8Array(this.#program.sets.length)
      this.#otherRows.set(codePoint, row)
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

  /** Bits of the edges that the place in front of the character at `#at` is. */
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

const IS_WORD = Uint8Array.from({ length: ASCII_SIZE }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** @param code NaN: there is none */
function isWord(code: number): boolean {
  return code < ASCII_SIZE && IS_WORD[code] === 1
}
