import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { tailSchema } from '../../schemas/http/lines/tail-api.ts'
import type { Tail } from './tail.ts'

/** The handlers check the query themselves: there every value is a text. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/** `GET /ws/tail`: the lines of the account as they are accepted, by WebSocket (live tail, section 7). */
export const tailRoutes: FastifyPluginAsync = async app => {
  const { openTails } = app.ports
  app.beforeSocketsClose(() => openTails.stop())
  app.decorateRequest('admittedLiveTail')
  app.route({
    method: 'GET',
    url: '/ws/tail',
    exposeHeadRoute: false,
    config: { needs: 'read' },
    ...OWN_VALIDATION,
    schema: tailSchema,
    // Runs before the upgrade: a refusal is an HTTP answer.
    preHandler: async request => {
      request.admittedLiveTail = await openTails.admit(request)
    },
    handler: async () => {
      throw new Error('a tail was admitted that is not a WebSocket')
    },
    wsHandler: (socket, request) => admitted(request).attach(socket),
  })
}

function admitted({ admittedLiveTail }: FastifyRequest): Tail {
  if (admittedLiveTail === undefined) throw new Error('a tail was opened that nobody admitted')
  return admittedLiveTail
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The admitted tail, on the route of tails alone. */
    admittedLiveTail: Tail | undefined
  }
}
