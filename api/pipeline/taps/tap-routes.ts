import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { TapMessage, TapQuery } from '../../../schemas/http/pipeline/tap-api.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { type AdmittedTap, OpenTaps } from './open-taps.ts'
import { EventStreamReader, WebSocketReader } from './tap-reader.ts'

const NodePath = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const CALLED = { source: 'source', transform: 'processor' } as const
/** The handlers check the query themselves: there every value is a text. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/**
 * Routes `/v3/pipeline/{id}/{source|transform}/{node}/tap`: live events that leave a node. Decrypted values are shown in
 * clear, so they need the right to edit the pipeline.
 */
export const tapRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const { clock } = app.ports
  const openTaps = new OpenTaps(pipelines, app.ports)
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
        summary: `Watch events that leave a ${CALLED[kind]}, live: server-sent events, or a WebSocket with the same messages`,
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
      // Runs before both handlers: a refusal is an HTTP answer, even for a client that asks for a WebSocket.
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
          .header('x-accel-buffering', 'no') // proxies that collect answers would show nothing for minutes
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
    /** The admitted tap, on routes of taps alone. */
    admittedTap: AdmittedTap | undefined
  }
}
