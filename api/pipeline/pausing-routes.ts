import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf, EnvelopeWith } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { PauseEffect, PipelineRecord } from '../../schemas/http/pipeline/pipeline-api.ts'
import { envelope } from '../http/envelope.ts'
import { dryRunQuery, onlyParameter } from './dry-run.ts'
import { ONE_PIPELINE } from './links.ts'
import { asPaused, pauseEffects, setPaused } from './pausing.ts'
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
      preValidation: onlyParameter('dry_run'),
      schema: {
        summary: 'Pause a pipeline: it handles no lines, and keeps its state',
        tags,
        params: PipelinePath,
        querystring: dryRunQuery('true: only return the effects of a pause'),
        response: { 200: PausedPipeline, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, query }) => {
      const state =
        query.dry_run === 'true'
          ? asPaused(pipelines, caller, pipelineId)
          : await setPaused(pipelines, caller, pipelineId, true)
      const effects = pauseEffects(app.ports, state)
      return envelope({ ...ONE_PIPELINE, effects }, pipelineRecord(state))
    },
  )

  app.post(
    '/v3/pipeline/:pipelineId/resume',
    {
      config,
      preValidation: onlyParameter(),
      schema: {
        summary: 'Resume a paused pipeline',
        tags,
        params: PipelinePath,
        response: OnePipeline,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_PIPELINE, pipelineRecord(await setPaused(pipelines, caller, params.pipelineId, false))),
  )
}
