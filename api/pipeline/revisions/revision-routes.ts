import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { inTurns } from '../../../engine/turns/loop-turns.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { PipelineRecord } from '../../../schemas/http/pipeline/pipeline-api.ts'
import { RevisionDiff, RevisionRecord, RevisionSummary } from '../../../schemas/http/pipeline/revision-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { onlyParameters } from '../act-queries.ts'
import { ONE_PIPELINE, REVISIONS } from '../links.ts'
import { PipelinePath } from '../pipeline-path.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { pipelineRecord } from '../records.ts'
import { Revisions } from './revisions.ts'

const RevisionPath = Type.Object({ pipelineId: Type.String(), number: Type.String() })
const DiffPath = Type.Object({ pipelineId: Type.String(), from: Type.String(), to: Type.String() })
const OnePipeline = { 200: EnvelopeOf(PipelineRecord), ...V3_ERROR_REPLIES }
const tags = ['revisions']

/**
 * Published revisions of a pipeline. Reading a revision's nodes needs the same right as reading
 * nodes: their options contain secrets in clear.
 */
export const revisionRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const revisions = new Revisions(pipelines, app.ports)
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
      preValidation: onlyParameters(),
      schema: {
        summary: 'Restore the nodes of a revision into the draft; a publication deploys them',
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
        summary: 'List the differences between two revisions, or a revision and the draft ("draft")',
        tags,
        params: DiffPath,
        response: { 200: EnvelopeOf(RevisionDiff), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      const comparing = revisions.comparing(caller, params.pipelineId, params.from, params.to)
      return envelope(REVISIONS, await inTurns(comparing, app.ports.bodyTurns.begin()))
    },
  )
}
