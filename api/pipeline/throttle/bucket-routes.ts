import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  BucketQuery,
  BucketRecordListEnvelope,
  OneBucketQuery,
  OneBucketRecord,
} from '../../../schemas/http/pipeline/throttle-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { BUCKETS } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Buckets } from './buckets.ts'
import { requestedThrottle, THROTTLE_PATH, ThrottleParams } from './requested-throttle.ts'

const BucketPath = Type.Object({
  ...ThrottleParams.properties,
  key: Type.String({ description: 'Percent-encoded key; ignored with `default=true`.' }),
})
const tags = ['processors']

/** Buckets of a running throttle: the events that it has let pass. */
export const bucketRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const buckets = new Buckets(pipelines, app.ports)

  app.get(
    `${THROTTLE_PATH}/bucket`,
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: {
        summary: 'List the buckets of a throttle with the most passed events in the window that ends now',
        tags,
        params: ThrottleParams,
        querystring: BucketQuery,
        response: { 200: BucketRecordListEnvelope, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query: { limit = '20' } }) => {
      const { totals, buckets: data } = await buckets.busiest(
        caller,
        requestedThrottle(params),
        Number(limit),
      )
      return { meta: { ...BUCKETS, page: NO_FURTHER_PAGES, totals }, data }
    },
  )

  app.get(
    `${THROTTLE_PATH}/bucket/:key`,
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: {
        summary: 'Read one bucket of a throttle, with its pass times',
        tags,
        params: BucketPath,
        querystring: OneBucketQuery,
        response: { 200: EnvelopeOf(OneBucketRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query }) => {
      const key = query.default === undefined ? params.key : null
      return envelope(BUCKETS, await buckets.one(caller, requestedThrottle(params), key))
    },
  )
}
