import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  DeliveryCheckRecord,
  DeliveryRecord,
  DestinationDeliveryRecord,
} from '../../../schemas/http/pipeline/delivery-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { ALL_DELIVERIES, DELIVERY, DELIVERY_CHECK } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Deliveries } from './deliveries.ts'
import { DeliveryChecks } from './delivery-checks.ts'

const CheckQuery = Type.Object(
  {
    revision: Type.Optional(
      Type.Enum(['draft', 'deployed'], { default: 'draft', description: 'Revision whose options are used.' }),
    ),
  },
  { additionalProperties: false },
)

const DestinationParams = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })

/** Deliveries of a destination that sends requests. */
export const deliveryRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const deliveries = new Deliveries(pipelines, app.ports)

  app.get(
    '/v3/pipeline/delivery',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List how far the destinations of all pipelines have delivered their events',
        tags: ['destinations'],
        response: { 200: EnvelopeOf(Type.Array(DestinationDeliveryRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller }) =>
      envelope({ ...ALL_DELIVERIES, page: NO_FURTHER_PAGES }, await deliveries.list(caller)),
  )

  app.get(
    '/v3/pipeline/:pipelineId/sink/:nodeId/delivery',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'Read how far a destination has delivered its events',
        tags: ['destinations'],
        params: DestinationParams,
        response: { 200: EnvelopeOf(DeliveryRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId, nodeId } }) =>
      envelope(DELIVERY, await deliveries.show(caller, { pipeline: pipelineId, node: nodeId })),
  )

  const { checks: outbound } = app.ports
  if (outbound === undefined) return
  const checks = new DeliveryChecks(pipelines, { ...app.ports, outbound })
  app.post(
    '/v3/pipeline/:pipelineId/sink/:nodeId/check',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Send an empty request to the server of a destination',
        description:
          'The request stores nothing there. It shows whether the server is there and accepts the credentials. One check per second and account is allowed.',
        tags: ['destinations'],
        params: DestinationParams,
        querystring: CheckQuery,
        response: { 200: EnvelopeOf(DeliveryCheckRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId, nodeId }, query: { revision } }) => {
      const path = { pipeline: pipelineId, node: nodeId }
      return envelope(DELIVERY_CHECK, await checks.check(caller, path, revision === 'deployed'))
    },
  )
}
