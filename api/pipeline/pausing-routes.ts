import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf, EnvelopeWith } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { PauseEffect, PauseQuery, PipelineRecord } from '../../schemas/http/pipeline/pipeline-api.ts'
import { envelope } from '../http/envelope.ts'
import { onlyParameters } from './act-queries.ts'
import { ONE_PIPELINE } from './links.ts'
import { asPaused, pauseEffects, pausePipeline, resumePipeline } from './pausing.ts'
import { PipelinePath } from './pipeline-path.ts'
import type { PipelineRouteOptions } from './pipelines.ts'
import { pipelineRecord } from './records.ts'

const OnePipeline = { 200: EnvelopeOf(PipelineRecord), ...V3_ERROR_REPLIES }
const PausedPipeline = EnvelopeWith('PausedPipelineEnvelope', PipelineRecord, {
  effects: Type.Array(PauseEffect, {
    description: 'Effects of this pause; with dry_run: effects that it would have.',
  }),
})
const tags = ['pipelines']
const config = { needs: 'write' as const }

/** Pause and resumption of a pipeline. The wire contract has neither. */
export const pausingRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  app.post(
    '/v3/pipeline/:pipelineId/pause',
    {
      config,
      preValidation: onlyParameters('dry_run', 'mode'),
      schema: {
        summary: 'Pause a pipeline, which keeps its state, or change the mode of its pause',
        tags,
        params: PipelinePath,
        querystring: PauseQuery,
        response: { 200: PausedPipeline, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, query }) => {
      const state =
        query.dry_run === 'true'
          ? asPaused(pipelines, caller, pipelineId, query.mode)
          : await pausePipeline(pipelines, caller, pipelineId, query.mode)
      const effects = pauseEffects(app.ports, state)
      return envelope({ ...ONE_PIPELINE, effects }, pipelineRecord(state))
    },
  )

  app.post(
    '/v3/pipeline/:pipelineId/resume',
    {
      config,
      preValidation: onlyParameters(),
      schema: {
        summary: 'Resume a paused pipeline',
        tags,
        params: PipelinePath,
        response: OnePipeline,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_PIPELINE, pipelineRecord(await resumePipeline(pipelines, caller, params.pipelineId))),
  )
}
