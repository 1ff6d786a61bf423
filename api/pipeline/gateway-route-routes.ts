import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { Deleted } from '../../schemas/http/pipeline/deleted.ts'
import {
  GatewayRouteCreate,
  GatewayRouteRecord,
  GatewayRouteReplace,
} from '../../schemas/http/pipeline/gateway-route.ts'
import { envelope, NO_FURTHER_PAGES } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { accessKeyRoutes } from './access-key-routes.ts'
import { GatewayRouteService } from './gateway-route-service.ts'
import { ONE_GATEWAY_ROUTE } from './links.ts'
import type { PipelineRouteOptions } from './pipelines.ts'
import { gatewayRouteRecord } from './records.ts'
import { sentBody } from './sent-body.ts'

const ROUTES = '/v3/pipeline/gateway-route'
const ROUTE = `${ROUTES}/:routeId`

const RoutePath = Type.Object({ routeId: Type.String() })
const ManyRoutes = { 200: EnvelopeOf(Type.Array(GatewayRouteRecord)), ...V3_ERROR_REPLIES }
const OneRoute = { 200: EnvelopeOf(GatewayRouteRecord), ...V3_ERROR_REPLIES }

const tags = ['gateway routes']
const read = { needs: 'read' as const }
const write = { needs: 'write' as const }

/**
 * Gateway routes (pipeline API, section 2.5). The lists, also that of access keys, are not part of the hosted service's
 * contract (our choice). Without them a client could not find out an id.
 */
export const gatewayRouteRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  const gatewayRoutes = new GatewayRouteService(pipelines, app.ports)
  serveList(app, gatewayRoutes)
  serveOne(app, gatewayRoutes)
  await app.register(accessKeyRoutes, { gatewayRoutes })
  refuseOtherRequests(app)
}

function serveList(app: TypedApp, gatewayRoutes: GatewayRouteService): void {
  app.get(
    ROUTES,
    {
      config: read,
      schema: { summary: 'List gateway routes', tags, response: ManyRoutes },
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
        summary: 'Create a gateway route that several sources can share',
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
}

function serveOne(app: TypedApp, gatewayRoutes: GatewayRouteService): void {
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
}

/** Otherwise `gateway-route` would be taken for the id of a pipeline. */
function refuseOtherRequests(app: FastifyInstance): void {
  const rest = { config: read, schema: { hide: true } }
  const refuse = async () => {
    throw notFound()
  }
  app.route({ ...rest, method: ['PUT', 'DELETE'], url: ROUTES, handler: refuse })
  app.all(`${ROUTES}/*`, rest, refuse)
}
