import type { ExpressionTree } from './expression-tree.ts'
import { parseExpression } from './parse-expression.ts'

/** A property of Unicode takes as much time and memory to build as that many states, each time that it is written. */
const PROPERTY_STATES = 32

export interface ExpressionSize {
  /** States of the program, all repeats expanded; not fewer than the library's program has. */
  readonly states: number
  /** The same, and what its properties of Unicode take beside: what it takes to build it. */
  readonly weight: number
}

/**
 * What an expression would take, reckoned without building it.
 *
 * @param source without a leading flag `x`
 * @returns undefined: it is not an expression that the library accepts, though not all of those are told
 */
export function expressionSize(source: string): ExpressionSize | undefined {
  try {
    const tree = parseExpression(source, false)
    const states = statesOf(tree) + ENDS
    return { states, weight: states + PROPERTY_STATES * propertiesIn(tree) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The state that matches, and the one that never does. */
const ENDS = 2
/** Where a captured group begins, and where it ends. */
const GROUP_STATES = 2

function statesOf(tree: ExpressionTree): number {
  switch (tree.kind) {
    case 'set':
    case 'edge':
      return 1
    case 'group':
      return statesOf(tree.of) + GROUP_STATES
    case 'sequence':
      // The library has a state for nothing, too.
      return Math.max(1, sumOf(tree.parts, statesOf))
    case 'choice':
      return sumOf(tree.options, statesOf) + tree.options.length - 1
    case 'repeat': {
      const { least, most } = tree
      const states = statesOf(tree.of)
      // Around what may be nothing, the library forks twice.
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
