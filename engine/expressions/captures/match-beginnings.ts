import { Step } from '../expression-program.ts'
import { type CapturingProgram, SAVE } from './capturing-program.ts'

/** Bound on the steps between the beginning of a match and its first character, for programs whose beginnings are listed. */
const MAX_STEPS = 256

/** A step that may read the first character of a match. */
export interface Beginning {
  /** Set of characters that it reads, by number, and the step after it. */
  readonly set: number
  readonly next: number
  /** Slots that are noted on the way to it. */
  readonly slots: readonly number[]
}

/**
 * Steps that may read the first character of a match, in the order of their preference. A match may begin at each place, but few
 * do. So these steps are listed once for each combination of edges.
 */
export class MatchBeginnings {
  /** Bound on the slots of all beginnings at a place. */
  readonly mostNotes: number
  readonly #program: CapturingProgram
  readonly #byEdges: (readonly Beginning[] | undefined)[] = []

  private constructor(program: CapturingProgram, mostNotes: number) {
    this.#program = program
    this.mostNotes = mostNotes
  }

  /** Beginnings of a program; undefined: it can match without reading a character, or has too many steps before the first one. */
  static of(program: CapturingProgram): MatchBeginnings | undefined {
    const { kinds, next, other, start } = program
    const steps = new Set([start])
    let reads = 0
    let saves = 1
    // The set grows while it is iterated.
    for (const step of steps) {
      if (steps.size > MAX_STEPS || kinds[step] === Step.MATCH) return undefined
      if (kinds[step] === SAVE) saves++
      if (kinds[step] === Step.READ) {
        reads++
        continue
      }
      if (kinds[step] === Step.FORK) steps.add(other[step] as number)
      steps.add(next[step] as number)
    }
    return new MatchBeginnings(program, reads * saves)
  }

  /** @param edges bits of the edges at a place */
  at(edges: number): readonly Beginning[] {
    let found = this.#byEdges[edges]
    if (found === undefined) {
      found = this.#list(edges)
      this.#byEdges[edges] = found
    }
    return found
  }

  #list(edges: number): Beginning[] {
    const { kinds, next, other, start } = this.#program
    const found: Beginning[] = []
    const seen = new Set<number>()
    const waiting: { readonly step: number; readonly slots: readonly number[] }[] = [
      { step: start, slots: [0] },
    ]
    for (let last = waiting.pop(); last !== undefined; last = waiting.pop()) {
      const { step, slots } = last
      if (seen.has(step)) continue
      seen.add(step)
      const after = next[step] as number
      const value = other[step] as number
      switch (kinds[step]) {
        case Step.READ:
          found.push({ set: value, next: after, slots })
          break
        case Step.FORK:
          waiting.push({ step: value, slots }, { step: after, slots })
          break
        case Step.EDGE:
          if ((value & edges) !== 0) waiting.push({ step: after, slots })
          break
        case SAVE:
          waiting.push({ step: after, slots: [...slots, value] })
          break
      }
    }
    return found
  }
}
