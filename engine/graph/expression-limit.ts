import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import type { AlertDocument, NodeDocument } from '../../schemas/pipeline.ts'
import { operatorNamed } from '../conditions/operators.ts'
import { regularExpressionWeight } from '../expressions/regular-expression.ts'

/** Of all expressions of a pipeline: to build that many takes about half a second. */
export const MAX_PIPELINE_STATES = 200_000

/** Options that hold an expression by themselves. */
const EXPRESSION_OPTIONS: readonly string[] = ['expression', 'pattern']

export interface ExpressionHolder {
  readonly nodes: readonly Pick<NodeDocument, 'user_config'>[]
  readonly alerts?: readonly Pick<AlertDocument, 'alert_config'>[]
}

/** The parts of a pipeline in which expressions may be. */
export function partsWithExpressions({ nodes, alerts = [] }: ExpressionHolder): JsonValue[] {
  return [
    ...nodes.map(({ user_config: config }) => config),
    ...alerts.map(({ alert_config: config }) => config as JsonValue),
  ]
}

/**
 * Looks at parts as they were sent, before anything else does: to check an expression may take as long as to build it.
 *
 * @param parts of the pipeline as it is to be
 * @param before parts that it has now: what was saved stays valid, as long as it does not grow
 * @returns the reason, when all expressions together are more than a pipeline may have
 */
export function expressionLimitProblem(
  parts: readonly JsonValue[],
  before: readonly JsonValue[] = [],
): string | undefined {
  if (statesIn(parts, MAX_PIPELINE_STATES) <= MAX_PIPELINE_STATES) return undefined
  const allowed = statesIn(before, Number.POSITIVE_INFINITY)
  if (statesIn(parts, allowed) <= allowed) return undefined
  const most = MAX_PIPELINE_STATES.toLocaleString('en-US')
  return `the regular expressions of a pipeline may have at most ${most} states together: write shorter ones, with smaller repeats (a repeat such as {0,999} counts its content 999 times), or use several pipelines`
}

/** @param enough it need not be told how many more than that there are */
function statesIn(parts: readonly JsonValue[], enough: number): number {
  let states = 0
  const waiting = [...parts]
  while (states <= enough) {
    const value = waiting.pop()
    if (value === undefined) return states
    if (Array.isArray(value)) {
      for (const each of value) waiting.push(each)
    } else if (isJsonObject(value)) {
      const { str_operator: name } = value
      const isComparison = typeof name === 'string' && operatorNamed(name)?.operand === 'expression'
      for (const member in value) {
        const each = value[member] as JsonValue
        if (typeof each !== 'string') waiting.push(each)
        else if (EXPRESSION_OPTIONS.includes(member) || (isComparison && member === 'value'))
          states += regularExpressionWeight(each)
      }
    }
  }
  return states
}
