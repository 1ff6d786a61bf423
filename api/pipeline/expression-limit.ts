import { expressionLimitProblem } from '../../engine/graph/expression-limit.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { ProblemsError } from '../http/problems-error.ts'

/**
 * Throws the problem that `expressionLimitProblem` finds.
 *
 * @param instancePath pointer to the value that contains the expressions
 * @throws ProblemsError when there are too many of them
 */
export function assertExpressionLimit(
  instancePath: string,
  parts: readonly JsonValue[],
  before: readonly JsonValue[] = [],
): void {
  const message = expressionLimitProblem(parts, before)
  if (message !== undefined) throw new ProblemsError([{ instancePath, message }])
}
