import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { jsonText } from '../engine/json/json-text.ts'
import type { JsonValue } from '../schemas/json.ts'
import { RefusalLog } from './auth/refusal-log.ts'
import { guard } from './auth/request-caller.ts'
import { RouteTable } from './auth/route-table.ts'
import { sessionRoutes } from './auth/session-routes.ts'
import { configurationRoutes } from './configuration-routes.ts'
import { consoleRoutes } from './console/console-routes.ts'
import { attachedAccountRoutes } from './enterprise/attached-account-routes.ts'
import { callerRoutes } from './enterprise/caller-routes.ts'
import { enterpriseRoutes } from './enterprise/enterprise-routes.ts'
import { sendError } from './error-reply.ts'
import { BodyRoom } from './http/bodies/body-room.ts'
import { ReceivedBodies } from './http/bodies/received-bodies.ts'
import { compressAnswers } from './http/compressed-answers.ts'
import { EarlyAnswers } from './http/early-answer.ts'
import { parseJsonBodies } from './http/json-body.ts'
import { boundClosing } from './http/open-connections.ts'
import { RateLimit } from './http/rate-limit.ts'
import { validatorCompiler } from './http/validation.ts'
import { acceptWebSockets } from './http/web-sockets.ts'
import { whileItRuns } from './http/while-it-runs.ts'
import { ingestRoutes } from './ingest/ingest-routes.ts'
import { newInstance } from './instance.ts'
import { collectDocument } from './operations/api-document.ts'
import { apiDocumentRoutes } from './operations/api-document-routes.ts'
import {
  ingestMetrics,
  pushMetrics,
  requestMetrics,
  searchMetrics,
  tailMetrics,
} from './operations/metrics.ts'
import { operationsRoutes } from './operations/operations-routes.ts'
import { pipelineRoutes } from './pipeline/pipeline-routes.ts'
import { type ServerPorts, sharedPorts } from './ports.ts'
import { contextRoutes } from './search/context-routes.ts'
import { countRoutes } from './search/count-routes.ts'
import { exportRoutes } from './search/export-routes.ts'
import { fieldRoutes } from './search/field-routes.ts'
import { searchRoutes } from './search/search-routes.ts'
import { spreadRoutes } from './spread/spread-routes.ts'
import { systemRoutes } from './system/system-routes.ts'
import { tailRoutes } from './tail/tail-routes.ts'
import { assertOneHost, cleanForwarded, refusalOfUnknown, SAFE_HEADERS } from './unrouted-requests.ts'
import { usageRoutes } from './usage/usage-routes.ts'
import { usageSeriesRoutes } from './usage/usage-series-routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the server, with its requirements. */
    routeTable: RouteTable
  }
}

/** Bodies of API requests that can be received at the same time: some thirty of the largest. */
const API_RECEIVING_BYTES = 64 * 1024 * 1024

/** Builds the HTTP server from its ports. The caller calls `app.listen` or `app.inject`. */
export async function buildServer(given: ServerPorts): Promise<FastifyInstance> {
  const { clock, settings, only } = given
  const early = new EarlyAnswers(clock)
  const app = newInstance(given, early)
  early.attach(app)
  boundClosing(app, clock, given.logger)
  const ports = sharedPorts(given)
  app.decorate('ports', ports)
  whileItRuns(app, signal => ports.uses.follow(signal))
  const routes = new RouteTable()
  routes.attach(app)
  app.decorate('routeTable', routes)
  addHooks(app)
  const rate = settings.limits?.api
  guard(app, ports, rate && new RateLimit(rate, clock))
  readAndAnswerJson(app)
  const refusals = new RefusalLog(clock)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, refusals))
  const refuseUnknown = ({ method, url }: FastifyRequest): never => {
    throw refusalOfUnknown(routes, method, url)
  }
  // Before the body: reading it would be work that anybody can ask for.
  app.addHook('onRequest', async request => {
    if (request.is404) refuseUnknown(request)
  })
  app.setNotFoundHandler(refuseUnknown)

  await collectDocument(app, settings.version, ports.catalogue)
  await app.register(operationsRoutes)
  if (ports.ingest !== undefined) {
    const observers = { observer: ingestMetrics(ports.registry), pushObserver: pushMetrics(ports.registry) }
    await app.register(ingestRoutes, { ingest: ports.ingest, ...observers })
  }
  if (only === undefined) await registerApi(app)
  return app
}

function addHooks(app: FastifyInstance): void {
  const { settings, registry } = app.ports
  if (settings.trustedProxies.length > 0)
    app.addHook('onRequest', async ({ headers }) => cleanForwarded(headers))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SAFE_HEADERS, 'x-request-id': request.id })
    assertOneHost(request.raw)
  })
  compressAnswers(app)
  requestMetrics(app, registry)
}

function readAndAnswerJson(app: FastifyInstance): void {
  const { clock, settings, bodyTurns } = app.ports
  const room = new BodyRoom(API_RECEIVING_BYTES)
  const bodies = new ReceivedBodies({ clock, limitBytes: settings.bodyLimitBytes, room })
  bodies.closeWith(app)
  app.decorate('receivedBodies', bodies)
  parseJsonBodies(app, bodies, bodyTurns)
  app.setValidatorCompiler(validatorCompiler)
  // Answers are written unchanged: a response schema only documents them, and drops nothing.
  app.setSerializerCompiler(() => data => jsonText(data as JsonValue))
  app.setReplySerializer(data => jsonText(data as JsonValue))
}

async function registerApi(app: FastifyInstance): Promise<void> {
  const { registry, openTails, store, console: files } = app.ports
  tailMetrics(registry, openTails)
  const withWebSockets: FastifyPluginAsync = async scope => {
    await acceptWebSockets(scope)
    await scope.register(pipelineRoutes)
    await scope.register(tailRoutes)
  }
  await app.register(withWebSockets)
  await app.register(configurationRoutes)
  await app.register(sessionRoutes)
  await app.register(callerRoutes)
  await app.register(enterpriseRoutes)
  await app.register(attachedAccountRoutes)
  await app.register(spreadRoutes)
  await app.register(systemRoutes)
  if (store !== undefined) {
    await app.register(exportRoutes, { store })
    await app.register(searchRoutes, { store })
    await app.register(contextRoutes, { store })
    await app.register(countRoutes, { store, ...searchMetrics(registry) })
    await app.register(fieldRoutes, { store })
    await app.register(usageRoutes, { store })
    await app.register(usageSeriesRoutes, { store })
  }
  await apiDocumentRoutes(app)
  if (files !== undefined) await app.register(consoleRoutes, { files })
}
