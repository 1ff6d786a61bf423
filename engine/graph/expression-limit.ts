import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import type { AlertDocument, NodeDocument } from '../../schemas/pipeline.ts'
import { operatorNamed } from '../conditions/operators.ts'
import { grokSteps } from '../expressions/grok/grok-size.ts'
import { regularExpressionWeight } from '../expressions/regular-expression.ts'

/** Bound on the states of all expressions of a pipeline: building that many takes about half a second. */
export const MAX_PIPELINE_STATES = 200_000

/** Options that contain an expression as a text of its own. */
const EXPRESSION_OPTIONS: readonly string[] = ['expression', 'pattern']

export interface ExpressionHolder {
  readonly nodes: readonly Pick<NodeDocument, 'user_config'>[]
  readonly alerts?: readonly Pick<AlertDocument, 'alert_config'>[]
}

/** Returns the parts of a pipeline that may contain expressions. */
export function partsWithExpressions({ nodes, alerts = [] }: ExpressionHolder): JsonValue[] {
  return [
    ...nodes.map(({ user_config: config }) => config),
    ...alerts.map(({ alert_config: config }) => config as JsonValue),
  ]
}

/**
 * Checks parts as they were sent, before any other check: checking an expression may take as long as building it.
 *
 * @param parts parts of the pipeline after the change
 * @param before the present parts; they stay valid unless they grow
 * @returns the reason, if all expressions together exceed the bound
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

/** Counts states. @param enough the count may end beyond this number */
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
          states += Math.max(regularExpressionWeight(each), grokSteps(each))
      }
    }
  }
  return states
}
