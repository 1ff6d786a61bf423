import type { FastifyRequest } from 'fastify'
import { badRequest, type ValidationDetail } from '../http/errors.ts'
import { detailsOf, findingsOf } from '../http/validation.ts'

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
  throw badRequest([...detailsOf(findingsOf(validationError) ?? []), ...further(body)])
}
