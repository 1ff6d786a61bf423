import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { pointerTo } from '../../engine/event/problem.ts'
import { ProblemsError } from '../http/problems-error.ts'

/** Query of an action that can be tried without effect. */
export function dryRunQuery(description: string) {
  return Type.Object({ dry_run: Type.Optional(Type.Enum(['true', 'false'], { description })) })
}

/**
 * Hook of an act on a pipeline that refuses all query parameters but those that it has. An ignored one may be a misspelled
 * `dry_run`, or one that the act does not have, and the act would have its effect.
 */
export function onlyParameters(...known: readonly ('dry_run' | 'mode' | 'allow_unconnected_edges')[]) {
  const rule = ruleOf(known)
  /** @throws ProblemsError naming each other parameter */
  return async ({ query }: FastifyRequest): Promise<void> => {
    const others = Object.keys(query as object).filter(name => !known.some(each => each === name))
    if (others.length === 0) return
    throw new ProblemsError(
      others.map(name => ({
        instancePath: pointerTo('', name),
        message: `must NOT be a query parameter: ${rule}`,
      })),
    )
  }
}

function ruleOf(known: readonly string[]): string {
  if (known.length === 0) return 'this request takes none'
  return known.length === 1 ? `${known[0]} is the only one` : `this request takes ${known.join(' and ')}`
}
