import { expressionLimitProblem } from '../../engine/graph/expression-limit.ts'
import { optionLimitProblem } from '../../engine/graph/option-limit.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { ProblemsError } from '../http/problems-error.ts'

/**
 * Throws the problem that `optionLimitProblem` or `expressionLimitProblem` finds.
 *
 * @param instancePath pointer to the value that contains the options
 * @throws ProblemsError when a list is too long, or there are too many expressions
 */
export function assertOptionLimits(
  instancePath: string,
  parts: readonly JsonValue[],
  before: readonly JsonValue[] = [],
): void {
  const message = optionLimitProblem(parts, before) ?? expressionLimitProblem(parts, before)
  if (message !== undefined) throw new ProblemsError([{ instancePath, message }])
}
