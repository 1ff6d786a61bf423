import type { ErrorObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { badRequest, type ValidationDetail } from '../http/errors.ts'
import { detailsOf } from '../http/validation.ts'

/**
 * Refuses an invalid body of a route with `attachValidation`. Findings that need the configuration are reported together
 * with those of its schema.
 *
 * @param further other findings about the body; members of it may have any type
 * @throws ApiError 400
 */
export function assertValid(
  { body, validationError }: Pick<FastifyRequest, 'body' | 'validationError'>,
  further: (body: unknown) => readonly ValidationDetail[],
): void {
  if (validationError === undefined) return
  const findings = (validationError.validation ?? []) as unknown as readonly ErrorObject[]
  throw badRequest([...detailsOf(findings), ...further(body)])
}
