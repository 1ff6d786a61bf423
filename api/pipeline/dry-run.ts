import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { pointerTo } from '../../engine/event/problem.ts'
import { ProblemsError } from '../http/problems-error.ts'

/** Query of an action that can be tried without effect. */
export function dryRunQuery(description: string) {
  return Type.Object({ dry_run: Type.Optional(Type.Enum(['true', 'false'], { description })) })
}

/**
 * Hook of an act on a pipeline that refuses all query parameters but one. An ignored one may be a misspelled `dry_run`, or
 * one that the act does not have, and the act would have its effect.
 *
 * @param known undefined: the act has no query parameter
 */
export function onlyParameter(known?: 'dry_run' | 'allow_unconnected_edges') {
  const rule = known === undefined ? 'this request takes none' : `${known} is the only one`
  /** @throws ProblemsError naming each other parameter */
  return async ({ query }: FastifyRequest): Promise<void> => {
    const others = Object.keys(query as object).filter(name => name !== known)
    if (others.length === 0) return
    throw new ProblemsError(
      others.map(name => ({
        instancePath: pointerTo('', name),
        message: `must NOT be a query parameter: ${rule}`,
      })),
    )
  }
}
