import type { Edge, ExpressionTree } from './expression-tree.ts'
import { parseExpression } from './parse-expression.ts'
import { ProgramSteps, type StepArrays } from './program-steps.ts'

/**
 * Maximum number of steps of a program. Expressions that the library accepts have a few thousand. A counted repeat of a common
 * beginning may need more steps here than in the library.
 */
export const MAX_STEPS = 65_536

/** Kinds of steps. */
export const Step = {
  /** Reads one character of the set with number `other`, then continues at `next`. */
  READ: 0,
  /** Continues at `next` and at `other`. */
  FORK: 1,
  /** Continues at `next` if the place has the edges in the bits of `other`. */
  EDGE: 2,
  /** The expression matches. */
  MATCH: 3,
} as const

/** Bits for the edges at a place in a text. */
export const EDGE_BITS: Readonly<Record<Edge, number>> = {
  'text start': 1,
  'text end': 2,
  'line start': 4,
  'line end': 8,
  word: 16,
  'no word': 32,
}

/** An expression exceeds the maximum number of steps. */
export class TooManyStepsError extends Error {
  override readonly name = 'TooManyStepsError'
}

/** An expression as a program for a machine that can be in several steps at once. */
export interface ExpressionProgram extends StepArrays {
  readonly start: number
  readonly hasEdges: boolean
}

/**
 * @param source accepted by the library
 * @throws TooManyStepsError
 */
export function expressionProgram(source: string, ignoreCase: boolean): ExpressionProgram {
  const tree = parseExpression(source, { ignoreCase })
  if (stepsOf(tree) >= MAX_STEPS) throw new TooManyStepsError(`more than ${MAX_STEPS} steps`)
  return new ProgramBuilder().build(tree)
}

/** Upper bound on the number of steps of a tree. */
export function stepsOf(tree: ExpressionTree): number {
  switch (tree.kind) {
    case 'set':
    case 'edge':
      return 1
    case 'group':
      return stepsOf(tree.of)
    case 'sequence':
      return tree.parts.reduce((sum, part) => sum + stepsOf(part), 0)
    case 'choice':
      return tree.options.reduce((sum, option) => sum + stepsOf(option), tree.options.length - 1)
    case 'repeat': {
      const { least, most } = tree
      const steps = stepsOf(tree.of)
      return most === Number.POSITIVE_INFINITY ? Math.max(1, least) * steps + 1 : most * (steps + 1)
    }
  }
}

/** Builds steps from the end of the expression to its beginning, so that each step knows its successor. */
class ProgramBuilder {
  readonly #steps = new ProgramSteps()
  #hasEdges = false

  build(tree: ExpressionTree): ExpressionProgram {
    const start = this.#add(tree, this.#steps.add(Step.MATCH, 0, 0))
    return { start, ...this.#steps.arrays(), hasEdges: this.#hasEdges }
  }

  /** @returns the first step of the tree, which continues at `next` */
  #add(tree: ExpressionTree, next: number): number {
    switch (tree.kind) {
      case 'set':
        return this.#steps.add(Step.READ, next, this.#steps.numberOf(tree.set))
      case 'edge':
        this.#hasEdges = true
        return this.#steps.add(Step.EDGE, next, EDGE_BITS[tree.edge])
      case 'group':
        return this.#add(tree.of, next)
      case 'sequence':
        return tree.parts.reduceRight((after, part) => this.#add(part, after), next)
      case 'choice': {
        const [last, ...others] = tree.options.map(option => this.#add(option, next)).reverse()
        return others.reduce((after, option) => this.#steps.add(Step.FORK, option, after), last as number)
      }
      case 'repeat':
        return this.#addRepeat(tree, next)
    }
  }

  #addRepeat({ of, least, most }: ExpressionTree & { kind: 'repeat' }, next: number): number {
    let first = next
    let required = least
    if (most === Number.POSITIVE_INFINITY) {
      const loop = this.#steps.add(Step.FORK, 0, next)
      const again = this.#add(of, loop)
      this.#steps.setNext(loop, again)
      first = least === 0 ? loop : again
      required = Math.max(0, least - 1)
    } else {
      // An early exit leaves all remaining copies: they are nested.
      for (let copy = least; copy < most; copy++) {
        const again = this.#add(of, first)
        if (again === first) break
        first = this.#steps.add(Step.FORK, again, next)
      }
    }
    for (let copy = 0; copy < required; copy++) {
      const again = this.#add(of, first)
      if (again === first) break
      first = again
    }
    return first
  }
}

/** Steps that a program reaches from others without reading a character. */
export interface Closure {
  /** Steps that read the next character, in the order in which they are reached. */
  readonly reads: readonly number[]
  /** Whether the expression matches before it. */
  readonly isMatch: boolean
  /** Number of all steps that are reached. */
  readonly size: number
}

/** @param edges bits of the edges that hold at the place */
export function closureOf(
  { kinds, next, other }: ExpressionProgram,
  from: readonly number[],
  edges: number,
): Closure {
  const seen = new Set(from)
  const reads: number[] = []
  let isMatch = false
  // The set grows while it is iterated, in insertion order.
  for (const step of seen) {
    const kind = kinds[step]
    if (kind === Step.READ) reads.push(step)
    else if (kind === Step.MATCH) isMatch = true
    else if (kind === Step.FORK) seen.add(next[step] as number).add(other[step] as number)
    else if (((other[step] as number) & edges) !== 0) seen.add(next[step] as number)
  }
  return { reads, isMatch, size: seen.size }
}
