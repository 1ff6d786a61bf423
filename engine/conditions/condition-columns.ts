import type { WordsByLine } from '../event/word-member.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { compileTest, type Leaf } from './comparison.ts'
import { type Condition, isUncounted } from './condition.ts'
import { type BaseOperator, operatorNamed } from './operators.ts'

/** Result for a line; unknown: only its event can be judged, since an error must be reported. */
export const UNKNOWN = 0
export const MET = 1
export const NOT_MET = 2
export type Truth = typeof UNKNOWN | typeof MET | typeof NOT_MET

/** Judges a line of a batch, by its number. */
export type LinePredicate = (line: number) => Truth

/** Comparisons that count the cost of their texts. */
const COUNTED: readonly BaseOperator[] = ['contains', 'regex_match']

/** Paths that a conditional reads; undefined: it counts its cost, which differs between events. */
export function uncountedPaths(condition: Condition): readonly string[] | undefined {
  if (!isUncounted(condition)) return undefined
  const leaves = leavesOf(condition)
  const isCounted = leaves.some(leaf => COUNTED.includes(operatorOf(leaf).base))
  return isCounted ? undefined : leaves.map(({ field }) => field)
}

/**
 * Compiles a conditional for columns of words. Each comparison judges a word once per batch.
 *
 * @param condition has `uncountedPaths`
 */
export function compileOnColumns(
  condition: Condition,
): (columns: ReadonlyMap<string, WordsByLine>) => LinePredicate {
  return compileGroup(condition)
}

type Preparation = (columns: ReadonlyMap<string, WordsByLine>) => LinePredicate

function compileGroup({ expressions, logical_operation: operation = 'AND' }: Condition): Preparation {
  const parts = expressions.map(expression =>
    'expressions' in expression ? compileGroup(expression) : compileLeaf(expression),
  )
  // Parts are judged from left to right, as in the form for events, while all parts before have this result.
  const goesOn = operation === 'AND' ? MET : NOT_MET
  return columns => {
    const judges = parts.map(part => part(columns))
    const [first] = judges
    if (first !== undefined && judges.length === 1) return first
    return line => {
      for (const judge of judges) {
        const truth = judge(line)
        if (truth !== goesOn) return truth
      }
      return goesOn
    }
  }
}

/** No word is judged yet. */
const UNREAD = 0xff

function compileLeaf(leaf: Leaf): Preparation {
  const operator = operatorOf(leaf)
  let isReported = false
  const report = () => {
    isReported = true
  }
  const test = compileTest(operator, leaf, report, UNMETERED)
  const inverted = operator.inverted !== (leaf.negate ?? false)
  const judge = (word: string): Truth => {
    if (word === '') return UNKNOWN
    isReported = false
    const holds = test(word)
    if (isReported) return UNKNOWN
    return holds === inverted ? NOT_MET : MET
  }
  return columns => {
    const { numbers, words } = columns.get(leaf.field) as WordsByLine
    const truths = new Uint8Array(words.length).fill(UNREAD)
    return line => {
      const number = numbers[line] as number
      const known = truths[number] as Truth | typeof UNREAD
      if (known !== UNREAD) return known
      const truth = judge(words[number] as string)
      truths[number] = truth
      return truth
    }
  }
}

function leavesOf({ expressions }: Condition): Leaf[] {
  return expressions.flatMap(expression => ('expressions' in expression ? leavesOf(expression) : expression))
}

function operatorOf(leaf: Leaf) {
  const operator = operatorNamed(leaf.str_operator)
  if (operator === undefined) throw new RangeError(`unknown operator ${leaf.str_operator}`)
  return operator
}
