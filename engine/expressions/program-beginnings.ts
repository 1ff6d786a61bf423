import { type ExpressionProgram, Step } from './expression-program.ts'
import { ASCII_SIZE, asciiRowsOf, type BuildCount, HELD, UNKNOWN } from './set-rows.ts'

/**
 * How a match begins at a place with some edges. A match may begin at each place of a text, and hardly ever does: what that
 * takes is thought out once for all of them.
 */
export class Beginnings {
  /** It has matched before it reads anything. */
  readonly isMatch: boolean
  /** Steps that read its first character. */
  readonly reads: Int32Array
  readonly #program: ExpressionProgram
  readonly #after: (Int32Array | undefined)[] = new Array(ASCII_SIZE).fill(undefined)

  constructor(program: ExpressionProgram, edges: number) {
    const { kinds, next, other, start } = program
    this.#program = program
    const seen = new Set([start])
    const reads: number[] = []
    let isMatch = false
    // A set is walked through in the order in which it grows.
    for (const step of seen) {
      const kind = kinds[step]
      if (kind === Step.READ) reads.push(step)
      else if (kind === Step.MATCH) isMatch = true
      else if (kind === Step.FORK) seen.add(next[step] as number).add(other[step] as number)
      else if (((other[step] as number) & edges) !== 0) seen.add(next[step] as number)
    }
    this.isMatch = isMatch
    this.reads = Int32Array.from(reads)
  }

  /** Where it goes on when its first character is that one of ASCII. */
  after(character: number, count: BuildCount): Int32Array {
    let after = this.#after[character]
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
      this.#after[character] = after
    }
    return after
  }
}

const beginnings = new WeakMap<ExpressionProgram, Map<number, Beginnings>>()

/** @param edges bits of the edges that a place is */
export function beginningsOf(program: ExpressionProgram, edges: number, count: BuildCount): Beginnings {
  let known = beginnings.get(program)
  if (known === undefined) {
    known = new Map()
    beginnings.set(program, known)
  }
  let found = known.get(edges)
  if (found === undefined) {
    count.built += program.size
    found = new Beginnings(program, edges)
    known.set(edges, found)
  }
  return found
}
