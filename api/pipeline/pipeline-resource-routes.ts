import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'
import type { Steps } from '../../engine/steps.ts'
import { inTurns } from '../../engine/turns/loop-turns.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { Deleted } from '../../schemas/http/pipeline/deleted.ts'
import { PipelineBody, PipelineRecord } from '../../schemas/http/pipeline/pipeline-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../http/envelope.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { onlyParameters } from './act-queries.ts'
import { CREATED_PIPELINE, ONE_PIPELINE } from './links.ts'
import { PipelinePath } from './pipeline-path.ts'
import type { PipelineRouteOptions, PipelineState, Pipelines } from './pipelines.ts'
import { pipelineRecord } from './records.ts'

const OnePipeline = { 200: EnvelopeOf(PipelineRecord), ...V3_ERROR_REPLIES }
const ManyPipelines = { 200: EnvelopeOf(Type.Array(PipelineRecord)), ...V3_ERROR_REPLIES }
const tags = ['pipelines']

/** Pipelines without their nodes (pipeline API, section 2.1). */
export const pipelineResourceRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  serveList(app, pipelines)
  serveOne(app, pipelines)
}

function serveList(app: TypedApp, pipelines: Pipelines): void {
  app.get(
    '/v3/pipeline',
    {
      config: { needs: 'read' },
      schema: { summary: 'List pipelines', tags, response: ManyPipelines },
    },
    async ({ caller }) => {
      const records = await inTurns(recordsOf(pipelines.list(caller)), app.ports.bodyTurns.begin())
      return envelope({ ...ONE_PIPELINE, page: NO_FURTHER_PAGES }, records)
    },
  )

  app.post(
    '/v3/pipeline',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Create a pipeline',
        tags,
        body: PipelineBody,
        response: OnePipeline,
      },
    },
    async ({ caller, body }) =>
      envelope(CREATED_PIPELINE, pipelineRecord(await pipelines.create(caller, body))),
  )
}

/** Records, with a pause after each: its nodes are compared with the deployed ones. */
function* recordsOf(states: readonly PipelineState[]): Steps<Static<typeof PipelineRecord>[]> {
  const records: Static<typeof PipelineRecord>[] = []
  for (const state of states) {
    records.push(pipelineRecord(state))
    yield
  }
  return records
}

function serveOne(app: TypedApp, pipelines: Pipelines): void {
  app.get(
    '/v3/pipeline/:pipelineId',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'Read a pipeline',
        tags,
        params: PipelinePath,
        response: OnePipeline,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_PIPELINE, pipelineRecord(pipelines.get(caller, params.pipelineId))),
  )

  app.put(
    '/v3/pipeline/:pipelineId',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Replace the settings of a pipeline',
        tags,
        params: PipelinePath,
        body: PipelineBody,
        response: OnePipeline,
      },
    },
    async ({ caller, params, body }) =>
      envelope(ONE_PIPELINE, pipelineRecord(await pipelines.update(caller, params.pipelineId, body))),
  )

  app.delete(
    '/v3/pipeline/:pipelineId',
    {
      config: { needs: 'write' },
      preValidation: onlyParameters(),
      schema: {
        summary: 'Delete a pipeline with its nodes and alerts; its deployment stops',
        tags,
        params: PipelinePath,
        response: Deleted,
      },
    },
    async ({ caller, params: { pipelineId } }) => {
      await pipelines.delete(caller, pipelineId)
      return envelope(ONE_PIPELINE, { id: pipelineId, deleted: true as const })
    },
  )
}
