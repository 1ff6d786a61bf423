import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { Deleted } from '../../schemas/http/pipeline/deleted.ts'
import {
  AccessKeyRecord,
  AccessKeyWrite,
  NewAccessKeyRecord,
} from '../../schemas/http/pipeline/gateway-route.ts'
import { envelope, NO_FURTHER_PAGES } from '../http/envelope.ts'
import type { GatewayRouteService } from './gateway-route-service.ts'
import { ONE_ACCESS_KEY } from './links.ts'
import { accessKeyRecord } from './records.ts'
import { sentBody } from './sent-body.ts'

const ACCESS_KEYS = '/v3/pipeline/gateway-route/:routeId/access-key'
const RoutePath = Type.Object({ routeId: Type.String() })
const AccessKeyPath = Type.Object({ routeId: Type.String(), keyId: Type.String() })
const tags = ['gateway routes']

/** Access keys of gateway routes (pipeline API, section 2.6). */
export const accessKeyRoutes: FastifyPluginAsyncTypebox<{
  readonly gatewayRoutes: GatewayRouteService
}> = async (app, { gatewayRoutes }) => {
  app.get(
    ACCESS_KEYS,
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List the access keys of a gateway route, without the keys themselves',
        tags,
        params: RoutePath,
        response: { 200: EnvelopeOf(Type.Array(AccessKeyRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope(
        { ...ONE_ACCESS_KEY, page: NO_FURTHER_PAGES },
        gatewayRoutes.accessKeys(caller, params.routeId).map(accessKeyRecord),
      ),
  )

  app.post(
    ACCESS_KEYS,
    {
      config: { needs: 'write' },
      attachValidation: true,
      schema: {
        summary: 'Create an access key; the answer is the only one that shows it',
        tags,
        params: RoutePath,
        body: AccessKeyWrite,
        response: { 200: EnvelopeOf(NewAccessKeyRecord), ...V3_ERROR_REPLIES },
      },
    },
    async request => {
      const { caller, params } = request
      const { accessKey, key } = await gatewayRoutes.createAccessKey(
        caller,
        params.routeId,
        sentBody(request),
      )
      return envelope(ONE_ACCESS_KEY, { key, ...accessKeyRecord(accessKey) })
    },
  )

  app.delete(
    `${ACCESS_KEYS}/:keyId`,
    {
      config: { needs: 'write' },
      schema: { summary: 'Revoke an access key', tags, params: AccessKeyPath, response: Deleted },
    },
    async ({ caller, params: { routeId, keyId } }) => {
      await gatewayRoutes.deleteAccessKey(caller, routeId, keyId)
      return envelope(ONE_ACCESS_KEY, { id: keyId, deleted: true as const })
    },
  )
}
