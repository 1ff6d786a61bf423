import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Clock } from '../../../engine/clock/clock.ts'
import { TapMessage, TapQuery } from '../../../schemas/http/tap-api.ts'
import { V3_ERROR_REPLIES } from '../../http/envelope.ts'
import type { AdmittedTap, OpenTaps } from './open-taps.ts'
import { EventStreamReader, WebSocketReader } from './tap-reader.ts'

const NodePath = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const CALLED = { source: 'source', transform: 'processor' } as const
/** Findings about the query are made by hand: there everything is text. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/**
 * `/v3/pipeline/{id}/{source|transform}/{node}/tap`: what leaves a node, live. Values that were decrypted are shown as
 * they are, so it needs the right to edit the pipeline.
 */
export const tapRoutes: FastifyPluginAsyncTypebox<{
  readonly openTaps: OpenTaps
  readonly clock: Clock
}> = async (app, { openTaps, clock }) => {
  app.beforeSocketsClose(() => openTaps.stop())
  app.decorateRequest('admittedTap')

  for (const kind of ['source', 'transform'] as const) {
    app.route({
      method: 'GET',
      url: `/v3/pipeline/:pipelineId/${kind}/:nodeId/tap`,
      exposeHeadRoute: false,
      config: { needs: 'write', reveals: 'any line' },
      ...OWN_VALIDATION,
      schema: {
        summary: `Watch what leaves a ${CALLED[kind]}, live: server-sent events, or a WebSocket with the same messages`,
        tags: [`${CALLED[kind]}s`],
        params: NodePath,
        querystring: TapQuery,
        response: {
          200: {
            description: 'Events',
            content: { 'text/event-stream': { schema: Type.Unsafe<Readable>(TapMessage) } },
          },
          ...V3_ERROR_REPLIES,
          429: V3_ERROR_REPLIES[409],
        },
      },
      // Ahead of both handlers: a refusal is an HTTP answer, also to those who ask for a WebSocket.
      preHandler: async request => {
        const { pipelineId, nodeId } = request.params as { pipelineId: string; nodeId: string }
        const path = { pipeline: pipelineId, kind, node: nodeId }
        request.admittedTap = openTaps.admit(request, path)
      },
      handler: async (request, reply) => {
        const tap = admitted(request)
        const reader = new EventStreamReader(tap.place.node, reply.raw, clock)
        openTaps.open(tap, reader)
        return reply
          .type('text/event-stream; charset=utf-8')
          .header('x-accel-buffering', 'no') // Proxies that gather answers would show nothing for minutes.
          .send(reader.stream)
      },
      wsHandler: (socket, request) => {
        const tap = admitted(request)
        openTaps.open(tap, new WebSocketReader(tap.place.node, socket, clock))
      },
    })
  }
}

function admitted({ admittedTap }: FastifyRequest): AdmittedTap {
  if (admittedTap === undefined) throw new Error('a tap was opened that nobody admitted')
  return admittedTap
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the routes of taps alone. */
    admittedTap: AdmittedTap | undefined
  }
}
