import type { FastifyPluginAsync } from 'fastify'
import { NODE_TYPES } from '../../../schemas/http/pipeline/node-type-api.ts'
import { envelope, type Meta, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { FixedAnswer } from '../../http/fixed-answer.ts'
import { makingNodeTypes } from './node-types.ts'

const META: Meta = { pk: 'type', type: 'node-type', links: {}, page: NO_FURTHER_PAGES }

/** `/v3/pipeline/node-type`: types of nodes, for forms. They are facts of the program, not of an account. */
export const nodeTypeRoutes: FastifyPluginAsync = async app => {
  const { catalogue, bodyTurns } = app.ports
  const answer = new FixedAnswer(function* () {
    return envelope(META, yield* makingNodeTypes(catalogue))
  }, bodyTurns)

  app.get(
    '/v3/pipeline/node-type',
    { config: { needs: 'read' }, schema: NODE_TYPES },
    async (request, reply) => answer.send(request, reply),
  )
}
