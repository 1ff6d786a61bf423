import { TooManyStepsError } from '../expression-program.ts'
import type { ExpressionTree } from '../expression-tree.ts'
import { withoutExtended } from '../extended-flag.ts'
import { type InitialFlags, parseExpression } from '../parse-expression.ts'
import { CapturingAutomaton } from './capturing-automaton.ts'
import { capturingProgram, type NamedGroup, namedGroupsOf } from './capturing-program.ts'
import { CountedCaptures } from './counted-captures.ts'

/** Units per step for building the program: see `BuildCount`. */
const BUILD_UNITS = 128

/** Flags of an expression whose captures are wanted. */
export interface CapturingFlags extends InitialFlags {
  /** Whether a carriage return and a line feed end a line together, where the ends of lines are edges. */
  readonly crlf?: boolean
}

/** A user's expression, compiled to find its groups: components, section 9.5. */
export interface CapturingExpression {
  /** Groups with names, in the order in which they begin. */
  readonly names: readonly NamedGroup[]
  /**
   * Prepares the search for the first match.
   *
   * @param from place at which the search begins, in UTF-16 units; edges see the characters before it
   */
  find(text: string, from?: number): CountedCaptures
}

/** Compiled expressions, shared by all partitions of the process, which run the same pipelines. */
const inUse = new Map<string, WeakRef<CapturingExpression>>()
const unused = new FinalizationRegistry((key: string) => {
  if (inUse.get(key)?.deref() === undefined) inUse.delete(key)
})

/** Returns the reason when an accepted expression is too large for captures. */
export function capturingProblem(source: string): string | undefined {
  try {
    capturingProgram(treeOf(source, {}))
    return undefined
  } catch (error) {
    if (error instanceof TooManyStepsError) return 'Must be a valid regular expression: it is too large'
    throw error
  }
}

/**
 * Compiles on the first search, because a pipeline may have many expressions that are never used.
 *
 * @param source was accepted by `regularExpressionProblem` and `capturingProblem`
 */
export function compileCapturing(source: string, flags: CapturingFlags = {}): CapturingExpression {
  const { ignoreCase = false, multiline = false, dotAll = false, crlf = false } = flags
  const key = `${[ignoreCase, multiline, dotAll, crlf].map(Number).join('')}/${source}`
  return shared(key, () => capturingExpressionOf(treeOf(source, flags), { crlf }))
}

/** Returns the expression with this key, which is made unless it is in use. */
export function shared<Expression extends CapturingExpression>(
  key: string,
  make: () => Expression,
): Expression {
  const known = inUse.get(key)?.deref()
  // A key is only used for one kind of expression.
  if (known !== undefined) return known as Expression
  const made = make()
  inUse.set(key, new WeakRef(made))
  unused.register(made, key)
  return made
}

/** @param tree small enough for a program */
export function capturingExpressionOf(
  tree: ExpressionTree,
  { crlf = false }: { readonly crlf?: boolean } = {},
): CapturingExpression {
  let automaton: CapturingAutomaton | undefined
  return {
    names: namedGroupsOf(tree),
    find(text, from = 0) {
      let built = 0
      if (automaton === undefined) {
        automaton = new CapturingAutomaton(capturingProgram(tree))
        built = BUILD_UNITS * automaton.program.size
      }
      const found = new CountedCaptures(automaton, text, { from, crlf })
      found.built += built
      return found
    },
  }
}

function treeOf(source: string, flags: InitialFlags): ExpressionTree {
  return parseExpression(withoutExtended(source), flags)
}
