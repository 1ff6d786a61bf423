import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { PipelineRecord } from '../../schemas/http/pipeline/pipeline-api.ts'
import { envelope } from '../http/envelope.ts'
import { onlyParameters } from './act-queries.ts'
import { PUBLISHED_PIPELINE } from './links.ts'
import type { PipelineRouteOptions } from './pipelines.ts'
import { publish } from './publish.ts'
import { pipelineRecord } from './records.ts'

/** Publication of a pipeline (pipeline API, section 2.7). */
export const publishRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  app.post(
    '/v3/pipeline/:pipelineId/publish',
    {
      // A published revision may send every line to any address that its author likes.
      config: { needs: 'write', reveals: 'any line' },
      preValidation: onlyParameters('allow_unconnected_edges'),
      schema: {
        summary: 'Deploy the present nodes as a new revision',
        tags: ['pipelines'],
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: Type.Object({
          allow_unconnected_edges: Type.Optional(Type.Enum(['true', 'false'], { default: 'false' })),
        }),
        response: { 200: EnvelopeOf(PipelineRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query }) => {
      const allowUnconnected = query.allow_unconnected_edges === 'true'
      const { isOwnHost } = app.ports
      const published = await publish(pipelines, app.ports, caller, params.pipelineId, {
        allowUnconnected,
        isOwnHost,
      })
      return envelope(PUBLISHED_PIPELINE, pipelineRecord(published))
    },
  )
}
