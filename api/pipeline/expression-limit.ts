import { expressionLimitProblem } from '../../engine/graph/expression-limit.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { ProblemsError } from '../http/problems-error.ts'

/**
 * As `expressionLimitProblem`.
 *
 * @param instancePath pointer to what brings the expressions
 * @throws ProblemsError when they are too many
 */
export function assertExpressionLimit(
  instancePath: string,
  parts: readonly JsonValue[],
  before: readonly JsonValue[] = [],
): void {
  const message = expressionLimitProblem(parts, before)
  if (message !== undefined) throw new ProblemsError([{ instancePath, message }])
}
