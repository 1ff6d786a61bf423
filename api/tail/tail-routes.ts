import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { OpenTails } from './open-tails.ts'
import type { Tail } from './tail.ts'
import { tailSchema } from './tail-schema.ts'

/** Findings about the query are made by hand: there everything is text. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/** `GET /ws/tail`: the lines of the account as they are accepted, by WebSocket (live tail, section 7). */
export const tailRoutes: FastifyPluginAsync<{ readonly openTails: OpenTails }> = async (
  app,
  { openTails },
) => {
  app.beforeSocketsClose(() => openTails.stop())
  app.decorateRequest('admittedLiveTail')
  app.route({
    method: 'GET',
    url: '/ws/tail',
    exposeHeadRoute: false,
    config: { needs: 'read' },
    ...OWN_VALIDATION,
    schema: tailSchema,
    // Ahead of the upgrade: a refusal is an HTTP answer.
    preHandler: async request => {
      request.admittedLiveTail = await openTails.admit(request)
    },
    handler: async () => {
      throw new Error('a tail was admitted that is no WebSocket')
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
    /** Set on the route of tails alone. */
    admittedLiveTail: Tail | undefined
  }
}
