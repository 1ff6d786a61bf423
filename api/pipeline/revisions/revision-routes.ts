import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { PauseEffect, PipelineRecord } from '../../../schemas/http/pipeline-api.ts'
import { RevisionDiff, RevisionRecord, RevisionSummary } from '../../../schemas/http/revision-api.ts'
import { EnvelopeOf, envelope, NO_FURTHER_PAGES, V3_ERROR_REPLIES } from '../../http/envelope.ts'
import { ONE_PIPELINE, REVISIONS } from '../links.ts'
import { asPaused, pauseEffects, setPaused } from '../pausing.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { Pipelines } from '../pipelines.ts'
import { pipelineRecord } from '../records.ts'
import { Revisions } from './revisions.ts'

const PipelinePath = Type.Object({ pipelineId: Type.String() })
const RevisionPath = Type.Object({ pipelineId: Type.String(), number: Type.String() })
const DiffPath = Type.Object({ pipelineId: Type.String(), from: Type.String(), to: Type.String() })
const OnePipeline = { 200: EnvelopeOf(PipelineRecord), ...V3_ERROR_REPLIES }
const PausedPipeline = EnvelopeOf(PipelineRecord, {
  effects: Type.Array(PauseEffect, { description: 'Of this pause; with dry_run: that it would have.' }),
})
const tags = ['revisions']

/**
 * What of a pipeline was published and what of it runs. Reading a revision's nodes asks for as much as reading
 * nodes: their options hold secrets in clear.
 */
export const revisionRoutes: FastifyPluginAsyncTypebox<PipelinePorts & { pipelines: Pipelines }> = async (
  app,
  { pipelines, ...ports },
) => {
  const revisions = new Revisions(pipelines, ports)
  const config = { needs: 'write' as const }

  app.get(
    '/v3/pipeline/:pipelineId/revision',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List the revisions of a pipeline, newest first',
        tags,
        params: PipelinePath,
        response: { 200: EnvelopeOf(Type.Array(RevisionSummary)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope({ ...REVISIONS, page: NO_FURTHER_PAGES }, revisions.list(caller, params.pipelineId)),
  )

  app.get(
    '/v3/pipeline/:pipelineId/revision/:number',
    {
      config,
      schema: {
        summary: 'Read a revision with its nodes and alerts',
        tags,
        params: RevisionPath,
        response: { 200: EnvelopeOf(RevisionRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope(REVISIONS, revisions.get(caller, params.pipelineId, params.number)),
  )

  app.post(
    '/v3/pipeline/:pipelineId/revision/:number/restore',
    {
      config,
      schema: {
        summary: 'Make the nodes what they were in a revision; publish them to let them run',
        tags,
        params: RevisionPath,
        response: OnePipeline,
      },
    },
    async ({ caller, params }) =>
      envelope(
        ONE_PIPELINE,
        pipelineRecord(await revisions.restore(caller, params.pipelineId, params.number)),
      ),
  )

  app.get(
    '/v3/pipeline/:pipelineId/revision/:from/diff/:to',
    {
      config,
      schema: {
        summary: 'What differs between two revisions, or a revision and the draft ("draft")',
        tags,
        params: DiffPath,
        response: { 200: EnvelopeOf(RevisionDiff), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope(REVISIONS, revisions.diff(caller, params.pipelineId, params.from, params.to)),
  )

  app.post(
    '/v3/pipeline/:pipelineId/pause',
    {
      config,
      schema: {
        summary: 'Pause a pipeline: it handles nothing, and keeps what it remembers',
        tags: ['pipelines'],
        params: PipelinePath,
        querystring: Type.Object({
          dry_run: Type.Optional(
            Type.Enum(['true', 'false'], { description: 'true: only tell what a pause would do' }),
          ),
        }),
        response: { 200: PausedPipeline, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, query }) => {
      const state =
        query.dry_run === 'true'
          ? asPaused(pipelines, caller, pipelineId)
          : await setPaused(pipelines, caller, pipelineId, true)
      const effects = pauseEffects(ports.configuration, state)
      return envelope({ ...ONE_PIPELINE, effects }, pipelineRecord(state))
    },
  )

  app.post(
    '/v3/pipeline/:pipelineId/resume',
    {
      config,
      schema: {
        summary: 'Let a paused pipeline run again',
        tags: ['pipelines'],
        params: PipelinePath,
        response: OnePipeline,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_PIPELINE, pipelineRecord(await setPaused(pipelines, caller, params.pipelineId, false))),
  )
}
