import type { ErrorObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../engine/event/problem.ts'
import { isJsonObject, type JsonObject } from '../../schemas/json.ts'
import { ProblemsError } from '../http/problems-error.ts'
import { findingsOf, problemsOf } from '../http/validation.ts'

/** A request body as it came, with the findings of its schema. Other findings are reported beside them. */
export interface SentBody {
  readonly sent: unknown
  readonly findings: readonly ErrorObject[]
}

/** Returns the body of a route with `attachValidation`. */
export function sentBody(request: Pick<FastifyRequest, 'body' | 'validationError'>): SentBody {
  return { sent: request.body, findings: findingsOf(request.validationError) ?? [] }
}

const NOT_AN_OBJECT: Problem = { instancePath: '', message: 'must be object' }

/**
 * The members of a body for closer checks: they may have any type.
 *
 * @throws ProblemsError when there are none
 */
export function membersOf({ sent, findings }: SentBody): { members: JsonObject; problems: Problem[] } {
  const problems = problemsOf(findings)
  if (!isJsonObject(sent)) throw new ProblemsError(problems.length > 0 ? problems : [NOT_AN_OBJECT])
  return { members: sent, problems }
}
