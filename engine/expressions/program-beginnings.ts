import { closureOf, type ExpressionProgram } from './expression-program.ts'
import { ASCII_SIZE, asciiRowsOf, type BuildCount, HELD, UNKNOWN } from './set-rows.ts'

/**
 * Possible starts of a match at a place with given edges. Any place of a text may start a match, but few do, so the starts are
 * computed once per combination of edges.
 */
export class Beginnings {
  /** Whether the expression matches before it reads a character. */
  readonly isMatch: boolean
  /** Steps that read the first character. */
  readonly reads: Int32Array
  readonly #program: ExpressionProgram
  /** Steps to continue with, per ASCII character that was met. */
  readonly known: (Int32Array | undefined)[] = new Array(ASCII_SIZE).fill(undefined)

  constructor(program: ExpressionProgram, edges: number) {
    this.#program = program
    const { reads, isMatch } = closureOf(program, [program.start], edges)
    this.isMatch = isMatch
    this.reads = Int32Array.from(reads)
  }

  /** Steps to continue with after a given ASCII character. */
  after(character: number, count: BuildCount): Int32Array {
    let after = this.known[character]
    if (after === undefined) {
      const { next, other } = this.#program
      const rows = asciiRowsOf(this.#program)
      const row = rows.row(character)
      const holds = (set: number) => {
        const held = row[set] as number
        return (held === UNKNOWN ? rows.lookUp(row, set, character, count) : held) === HELD
      }
      count.built += this.reads.length
      const steps = [...this.reads].filter(step => holds(other[step] as number))
      after = Int32Array.from(new Set(steps.map(step => next[step] as number)))
      this.known[character] = after
    }
    return after
  }
}

/** Beginnings of a program, for each combination of edges. */
export class BeginningsByEdges {
  readonly #program: ExpressionProgram
  readonly #byEdges: (Beginnings | undefined)[] = []

  constructor(program: ExpressionProgram) {
    this.#program = program
  }

  /** @param edges bits of the edges at a place */
  at(edges: number, count: BuildCount): Beginnings {
    let found = this.#byEdges[edges]
    if (found === undefined) {
      count.built += this.#program.size
      found = new Beginnings(this.#program, edges)
      this.#byEdges[edges] = found
    }
    return found
  }
}

const beginnings = new WeakMap<ExpressionProgram, BeginningsByEdges>()

/** Beginnings of a program, shared by all texts. */
export function beginningsOf(program: ExpressionProgram): BeginningsByEdges {
  let known = beginnings.get(program)
  if (known === undefined) {
    known = new BeginningsByEdges(program)
    beginnings.set(program, known)
  }
  return known
}
