import type { ExpressionTree } from './expression-tree.ts'
import { parseExpression } from './parse-expression.ts'

/** Each use of a Unicode property takes as much time and memory to build as this many states. */
const PROPERTY_STATES = 32

export interface ExpressionSize {
  /** States of the program with all repeats expanded; never fewer than in the library's program. */
  readonly states: number
  /** Cost of building the expression: its states, and the additional cost of its Unicode properties. */
  readonly weight: number
}

/**
 * Estimates the size of an expression without building it.
 *
 * @param source without a leading flag `x`
 * @returns undefined when the library does not accept the expression; not all such expressions are recognised here
 */
export function expressionSize(source: string): ExpressionSize | undefined {
  try {
    const tree = parseExpression(source, {})
    const states = statesOf(tree) + ENDS
    return { states, weight: states + PROPERTY_STATES * propertiesIn(tree) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The state that matches, and the one that never matches. */
const ENDS = 2
/** States at the start and at the end of a captured group. */
const GROUP_STATES = 2

function statesOf(tree: ExpressionTree): number {
  switch (tree.kind) {
    case 'set':
    case 'edge':
      return 1
    case 'group':
      return statesOf(tree.of) + GROUP_STATES
    case 'sequence':
      // The library has a state for an empty sequence as well.
      return Math.max(1, sumOf(tree.parts, statesOf))
    case 'choice':
      return sumOf(tree.options, statesOf) + tree.options.length - 1
    case 'repeat': {
      const { least, most } = tree
      const states = statesOf(tree.of)
      // Around an item that may be empty, the library forks twice.
      if (most === Number.POSITIVE_INFINITY) return Math.max(1, least) * states + (least === 0 ? 2 : 1)
      return Math.max(1, most * states + most - least)
    }
  }
}

function propertiesIn(tree: ExpressionTree): number {
  switch (tree.kind) {
    case 'set':
      return tree.set.hasProperty ? 1 : 0
    case 'edge':
      return 0
    case 'group':
    case 'repeat':
      return propertiesIn(tree.of)
    case 'sequence':
      return sumOf(tree.parts, propertiesIn)
    case 'choice':
      return sumOf(tree.options, propertiesIn)
  }
}

function sumOf(trees: readonly ExpressionTree[], of: (tree: ExpressionTree) => number): number {
  return trees.reduce((sum, tree) => sum + of(tree), 0)
}
