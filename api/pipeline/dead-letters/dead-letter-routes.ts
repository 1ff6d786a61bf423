import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { DeadLetterQueue } from '../../../engine/replay/dead-letters/dead-letter-queue.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  DeadLetterQuery,
  DeadLetterRecordListEnvelope,
  DeadLetterReplay,
  DeadLetterReplayRecord,
  DeadLetterSettingsRecord,
  DeadLetterSettingsWrite,
  WaitingDeadLetters,
} from '../../../schemas/http/pipeline/dead-letter-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { ALL_DEAD_LETTERS, DEAD_LETTERS } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { DeadLetters } from './dead-letters.ts'

const Path = Type.Object({ pipelineId: Type.String() })
const tags = ['pipelines']

const WAITING = {
  summary: 'Count the failed events of all pipelines that were not replayed, by pipeline and code',
  tags,
  response: { 200: EnvelopeOf(Type.Array(WaitingDeadLetters)), ...V3_ERROR_REPLIES },
}

/** Routes `/v3/pipeline/{id}/dead-letter`: events of a pipeline that failed. */
export const deadLetterRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  const { configuration, clock, inEffect, deadLetters: topics } = app.ports
  const queue = new DeadLetterQueue(topics, clock)
  const deadLetters = new DeadLetters(pipelines, { configuration, clock, inEffect, queue })

  app.get(
    '/v3/pipeline/dead-letter',
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: WAITING,
    },
    async ({ caller }) =>
      envelope({ ...ALL_DEAD_LETTERS, page: NO_FURTHER_PAGES }, await deadLetters.waiting(caller)),
  )

  app.get(
    '/v3/pipeline/:pipelineId/dead-letter',
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: {
        summary: 'List failed events, newest first, and the settings for dead letters',
        tags,
        params: Path,
        querystring: DeadLetterQuery,
        response: { 200: DeadLetterRecordListEnvelope, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, query }) => {
      const settings = deadLetters.settings(caller, pipelineId)
      const { letters, next } = await deadLetters.page(caller, pipelineId, query)
      return { meta: { ...DEAD_LETTERS, page: { next, previous: null }, settings }, data: letters }
    },
  )

  app.put(
    '/v3/pipeline/:pipelineId/dead-letter',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Replace the settings for dead letters',
        tags,
        params: Path,
        body: DeadLetterSettingsWrite,
        response: { 200: EnvelopeOf(DeadLetterSettingsRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, body }) =>
      envelope(DEAD_LETTERS, await deadLetters.change(caller, pipelineId, body)),
  )

  app.post(
    '/v3/pipeline/:pipelineId/dead-letter/replay',
    {
      config: { needs: 'write', reveals: 'any line' },
      schema: {
        summary: 'Replay failed events through the deployed revision, from the node that failed',
        tags,
        params: Path,
        body: DeadLetterReplay,
        response: { 200: EnvelopeOf(DeadLetterReplayRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, body }) =>
      envelope(DEAD_LETTERS, await deadLetters.replay(caller, pipelineId, body)),
  )
}
