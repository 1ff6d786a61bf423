import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  ProfileQuery,
  ProfileRecord,
  ProfileResetRecord,
} from '../../../schemas/http/pipeline/profile-api.ts'
import { envelope } from '../../http/envelope.ts'
import { PROFILE } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { type ProfilerPath, Profiles } from './profiles.ts'

const PROFILE_PATH = '/v3/pipeline/:pipelineId/transform/:nodeId/profile'
const ProfilerParams = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const tags = ['processors']

/** Profile of a running data-profiler. */
export const profileRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const profiles = new Profiles(pipelines, app.ports)

  app.get(
    PROFILE_PATH,
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: {
        summary: 'Read the profile that a data-profiler has built of its events',
        tags,
        params: ProfilerParams,
        querystring: ProfileQuery,
        response: { 200: EnvelopeOf(ProfileRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query: { limit = '100', values = '10' } }) => {
      const bounds = { entries: Number(limit), values: Number(values) }
      return envelope(PROFILE, await profiles.show(caller, requestedProfiler(params), bounds))
    },
  )

  app.post(
    `${PROFILE_PATH}/reset`,
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Empty the profile of a data-profiler; the next event begins a run',
        tags,
        params: ProfilerParams,
        response: { 200: EnvelopeOf(ProfileResetRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => envelope(PROFILE, await profiles.reset(caller, requestedProfiler(params))),
  )
}

function requestedProfiler({ pipelineId, nodeId }: Type.Static<typeof ProfilerParams>): ProfilerPath {
  return { pipeline: pipelineId, node: nodeId }
}
