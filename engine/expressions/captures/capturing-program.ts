import {
  EDGE_BITS,
  type ExpressionProgram,
  MAX_STEPS,
  Step,
  stepsOf,
  TooManyStepsError,
} from '../expression-program.ts'
import type { ExpressionTree } from '../expression-tree.ts'
import { ProgramSteps, type StepArrays } from '../program-steps.ts'
import { requiredText } from './required-text.ts'

/** Kind of step that notes the place in slot `other`, then continues at `next`. */
export const SAVE = 4

/** All edges that a place within a text may have. */
const EDGES_WITHIN = Object.values(EDGE_BITS).reduce((all, bit) => all | bit, 0) & ~EDGE_BITS['text start']

/** Group of an expression that has a name. */
export interface NamedGroup {
  readonly name: string
  readonly number: number
}

/**
 * Expression as a program whose threads have an order: the first one that matches decides. A fork prefers `next`. The kinds are
 * those of `Step`, and `SAVE`.
 */
export interface CapturingProgram extends ExpressionProgram {
  /** Whether a match can begin after the beginning of the text. */
  readonly beginsAnywhere: boolean
  /** Text that each match contains; '' when none is known. */
  readonly required: string
  /** Two for each group, and two for the match, which is group 0. */
  readonly slots: number
}

/** @throws TooManyStepsError */
export function capturingProgram(tree: ExpressionTree): CapturingProgram {
  const groups = groupsOf(tree)
  if (stepsOf(tree) + 2 * groups.steps >= MAX_STEPS)
    throw new TooManyStepsError(`more than ${MAX_STEPS} steps`)
  return new CapturingProgramBuilder().build(tree, 2 * (groups.numbers + 1))
}

/** Named groups, in the order of their opening parentheses. */
export function namedGroupsOf(tree: ExpressionTree): NamedGroup[] {
  switch (tree.kind) {
    case 'set':
    case 'edge':
      return []
    case 'group': {
      const { name, number } = tree
      const within = namedGroupsOf(tree.of)
      return name === undefined ? within : [{ name, number }, ...within]
    }
    case 'repeat':
      return namedGroupsOf(tree.of)
    case 'sequence':
      return tree.parts.flatMap(namedGroupsOf)
    case 'choice':
      return tree.options.flatMap(namedGroupsOf)
  }
}

/** Number of groups, and of their copies in the program. */
function groupsOf(tree: ExpressionTree): { readonly numbers: number; readonly steps: number } {
  switch (tree.kind) {
    case 'set':
    case 'edge':
      return { numbers: 0, steps: 0 }
    case 'group': {
      const { numbers, steps } = groupsOf(tree.of)
      return { numbers: numbers + 1, steps: steps + 1 }
    }
    case 'repeat': {
      const { numbers, steps } = groupsOf(tree.of)
      const copies = tree.most === Number.POSITIVE_INFINITY ? Math.max(1, tree.least) : tree.most
      return { numbers, steps: copies * steps }
    }
    case 'sequence':
      return sumOf(tree.parts)
    case 'choice':
      return sumOf(tree.options)
  }
}

function sumOf(trees: readonly ExpressionTree[]): { readonly numbers: number; readonly steps: number } {
  let numbers = 0
  let steps = 0
  for (const tree of trees) {
    const found = groupsOf(tree)
    numbers += found.numbers
    steps += found.steps
  }
  return { numbers, steps }
}

/** Whether it can match without reading a character, as if each edge held. */
function canBeEmpty(tree: ExpressionTree): boolean {
  switch (tree.kind) {
    case 'set':
      return false
    case 'edge':
      return true
    case 'group':
      return canBeEmpty(tree.of)
    case 'sequence':
      return tree.parts.every(canBeEmpty)
    case 'choice':
      return tree.options.some(canBeEmpty)
    case 'repeat':
      return tree.least === 0 || canBeEmpty(tree.of)
  }
}

/** Builds steps from the end of the expression to its beginning, as the library orders them. */
class CapturingProgramBuilder {
  readonly #steps = new ProgramSteps()
  #hasEdges = false

  build(tree: ExpressionTree, slots: number): CapturingProgram {
    const start = this.#add(tree, this.#steps.add(Step.MATCH, 0, 0))
    const steps = this.#steps.arrays()
    return {
      start,
      ...steps,
      hasEdges: this.#hasEdges,
      beginsAnywhere: beginsAnywhere(steps, start),
      required: requiredText(tree),
      slots,
    }
  }

  /** @returns the first step of the tree, which continues at `next` */
  #add(tree: ExpressionTree, next: number): number {
    switch (tree.kind) {
      case 'set':
        return this.#steps.add(Step.READ, next, this.#steps.numberOf(tree.set))
      case 'edge':
        this.#hasEdges = true
        return this.#steps.add(Step.EDGE, next, EDGE_BITS[tree.edge])
      case 'group': {
        const end = this.#steps.add(SAVE, next, 2 * tree.number + 1)
        return this.#steps.add(SAVE, this.#add(tree.of, end), 2 * tree.number)
      }
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

  #addRepeat(repeat: ExpressionTree & { kind: 'repeat' }, next: number): number {
    const { of, least, most, isLazy } = repeat
    let first = next
    let required = least
    if (most === Number.POSITIVE_INFINITY) {
      const loop = this.#fork(0, next, isLazy)
      const again = this.#add(of, loop)
      this.#leadTo(loop, again, isLazy)
      // An item that can be empty is entered once before the loop asks for another.
      if (least > 0) first = again
      else first = canBeEmpty(of) ? this.#fork(again, next, isLazy) : loop
      required = Math.max(0, least - 1)
    } else {
      // An early exit leaves all remaining copies: they are nested.
      for (let copy = least; copy < most; copy++) first = this.#fork(this.#add(of, first), next, isLazy)
    }
    for (let copy = 0; copy < required; copy++) first = this.#add(of, first)
    return first
  }

  #fork(again: number, exit: number, isLazy: boolean): number {
    return isLazy ? this.#steps.add(Step.FORK, exit, again) : this.#steps.add(Step.FORK, again, exit)
  }

  #leadTo(loop: number, again: number, isLazy: boolean): void {
    if (isLazy) this.#steps.setOther(loop, again)
    else this.#steps.setNext(loop, again)
  }
}

/** Whether a match can begin after the beginning of the text. */
function beginsAnywhere({ kinds, next, other }: StepArrays, start: number): boolean {
  const seen = new Set([start])
  // The set grows while it is iterated.
  for (const step of seen) {
    const kind = kinds[step]
    if (kind === Step.READ || kind === Step.MATCH) return true
    if (kind === Step.FORK) seen.add(other[step] as number)
    if (kind === Step.EDGE && ((other[step] as number) & EDGES_WITHIN) === 0) continue
    seen.add(next[step] as number)
  }
  return false
}
