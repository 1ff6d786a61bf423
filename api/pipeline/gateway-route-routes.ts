import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import {
  AccessKeyRecord,
  AccessKeyWrite,
  GatewayRouteCreate,
  GatewayRouteRecord,
  GatewayRouteReplace,
  NewAccessKeyRecord,
} from '../../schemas/http/gateway-route.ts'
import { EnvelopeOf, envelope, NO_FURTHER_PAGES, V3_ERROR_REPLIES } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import type { GatewayRouteService } from './gateway-route-service.ts'
import { ONE_ACCESS_KEY, ONE_GATEWAY_ROUTE } from './links.ts'
import { accessKeyRecord, gatewayRouteRecord } from './records.ts'
import { sentBody } from './sent-body.ts'

const ROUTES = '/v3/pipeline/gateway-route'
const ROUTE = `${ROUTES}/:routeId`
const ACCESS_KEYS = `${ROUTE}/access-key`

const RoutePath = Type.Object({ routeId: Type.String() })
const AccessKeyPath = Type.Object({ routeId: Type.String(), keyId: Type.String() })
const OneRoute = { 200: EnvelopeOf(GatewayRouteRecord), ...V3_ERROR_REPLIES }
const Deleted = {
  200: EnvelopeOf(Type.Object({ id: Type.String(), deleted: Type.Literal(true) })),
  ...V3_ERROR_REPLIES,
}

/**
 * Gateway routes and their access keys (pipeline API, sections 2.5 and 2.6). The lists are not part of the hosted
 * service's contract (our choice): without them nobody could find out an id.
 */
export const gatewayRouteRoutes: FastifyPluginAsyncTypebox<{ gatewayRoutes: GatewayRouteService }> = async (
  app,
  { gatewayRoutes },
) => {
  const tags = ['gateway routes']
  const read = { needs: 'read' as const }
  const write = { needs: 'write' as const }

  app.get(
    ROUTES,
    {
      config: read,
      schema: {
        summary: 'List gateway routes',
        tags,
        response: { 200: EnvelopeOf(Type.Array(GatewayRouteRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller }) =>
      envelope(
        { ...ONE_GATEWAY_ROUTE, page: NO_FURTHER_PAGES },
        gatewayRoutes.list(caller).map(gatewayRouteRecord),
      ),
  )

  app.post(
    ROUTES,
    {
      config: write,
      attachValidation: true,
      schema: {
        summary: 'Create a gateway route for sources to share',
        tags,
        body: GatewayRouteCreate,
        response: OneRoute,
      },
    },
    async request =>
      envelope(
        ONE_GATEWAY_ROUTE,
        gatewayRouteRecord(await gatewayRoutes.create(request.caller, sentBody(request))),
      ),
  )

  app.get(
    ROUTE,
    {
      config: read,
      schema: { summary: 'Read a gateway route', tags, params: RoutePath, response: OneRoute },
    },
    async ({ caller, params }) =>
      envelope(ONE_GATEWAY_ROUTE, gatewayRouteRecord(gatewayRoutes.get(caller, params.routeId))),
  )

  app.put(
    ROUTE,
    {
      config: write,
      attachValidation: true,
      schema: {
        summary: 'Replace title and description of a gateway route',
        tags,
        params: RoutePath,
        body: GatewayRouteReplace,
        response: OneRoute,
      },
    },
    async request => {
      const { caller, params } = request
      const route = await gatewayRoutes.replace(caller, params.routeId, sentBody(request))
      return envelope(ONE_GATEWAY_ROUTE, gatewayRouteRecord(route))
    },
  )

  app.delete(
    ROUTE,
    {
      config: write,
      schema: {
        summary: 'Delete a gateway route that no source uses, with its access keys',
        tags,
        params: RoutePath,
        response: Deleted,
      },
    },
    async ({ caller, params: { routeId } }) => {
      await gatewayRoutes.delete(caller, routeId)
      return envelope(ONE_GATEWAY_ROUTE, { id: routeId, deleted: true as const })
    },
  )

  app.get(
    ACCESS_KEYS,
    {
      config: read,
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
      config: write,
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
      config: write,
      schema: { summary: 'Revoke an access key', tags, params: AccessKeyPath, response: Deleted },
    },
    async ({ caller, params: { routeId, keyId } }) => {
      await gatewayRoutes.deleteAccessKey(caller, routeId, keyId)
      return envelope(ONE_ACCESS_KEY, { id: keyId, deleted: true as const })
    },
  )

  // Otherwise `gateway-route` would be taken for the id of a pipeline.
  const rest = { config: read, schema: { hide: true } }
  const refuse = async () => {
    throw notFound()
  }
  app.route({ ...rest, method: ['PUT', 'DELETE'], url: ROUTES, handler: refuse })
  app.all(`${ROUTES}/*`, rest, refuse)
}
