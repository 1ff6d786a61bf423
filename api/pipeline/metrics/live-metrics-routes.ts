import type { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import Type from 'typebox'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { LiveMetrics } from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { socketReader, streamReader } from './live-count-reader.ts'
import { OpenLiveCounts } from './open-live-counts.ts'

/** Counts of a pipeline each second, as the engine of this process has them. */
export const liveMetricsRoutes: FastifyPluginAsync<PipelineRouteOptions> = async (app, { pipelines }) => {
  const { clock } = app.ports
  const openCounts = new OpenLiveCounts(pipelines, app.ports)
  app.beforeSocketsClose(() => openCounts.stop())

  app.route({
    method: 'GET',
    url: '/v3/pipeline/:pipelineId/metrics/live',
    exposeHeadRoute: false,
    config: { needs: 'read', reveals: 'any line' },
    schema: {
      summary:
        'Count the events of each node and edge every second, live: server-sent events, or a WebSocket with the same messages',
      description: 'Only in a process with the engine, and for the partitions of this process.',
      tags: ['pipelines'],
      params: Type.Object({ pipelineId: Type.String() }),
      response: {
        200: {
          description: 'Counts',
          content: { 'text/event-stream': { schema: Type.Unsafe<Readable>(LiveMetrics) } },
        },
        ...V3_ERROR_REPLIES,
        429: V3_ERROR_REPLIES[409],
      },
    },
    // Runs before both handlers: a refusal is an HTTP answer, even for a client that asks for a WebSocket.
    preHandler: async request => void openCounts.admit(request),
    handler: async (request, reply) => {
      const admitted = openCounts.admit(request)
      const { reader, body } = streamReader(reply)
      void openCounts.follow(admitted, reader)
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(body)
    },
    wsHandler: (socket, request) => {
      void openCounts.follow(openCounts.admit(request), socketReader(socket, clock))
    },
  })
}
