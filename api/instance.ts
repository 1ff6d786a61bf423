import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { MAX_QUERY_BYTES } from '../engine/query-language/parse-query.ts'
import type { EarlyAnswers } from './http/early-answer.ts'
import { limitPipelining } from './http/pipelined-requests.ts'
import { isUpgrade } from './http/web-sockets.ts'
import type { ServerPorts } from './ports.ts'
import { refuseBadPath, refuseBadRequest, refuseExpectation } from './unrouted-requests.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
/** Longer than a request line can be, so that a route answers a long name as an unknown one. */
const MAX_PARAMETER_LENGTH = 65_536
const REQUEST_TIMEOUT_MS = 120_000
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Bound on the request line and the headers together. Percent-encoding triples the bytes of the longest query. */
const MAX_HEAD_BYTES = 3 * MAX_QUERY_BYTES + 16_384

/** Creates a Fastify instance with the limits of this service, without routes. */
export function newInstance(
  { entropy, logger, settings, only }: ServerPorts,
  early: EarlyAnswers,
): FastifyInstance {
  const requestIdOf = (headers: IncomingHttpHeaders) => {
    const sent = headers['x-request-id']
    return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : entropy.uuid()
  }
  const options: FastifyServerOptions = {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // Paths and queries may contain keys.
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (_error, request, reply) => refuseBadPath(request, reply, early),
    clientErrorHandler: (error, socket) =>
      refuseBadRequest(error, socket, { id: entropy.uuid(), maxHeadBytes: MAX_HEAD_BYTES }),
  }
  const http = {
    requireHostHeader: false, // the framework's refusal has neither body nor request id: a hook refuses instead
    maxHeaderSize: MAX_HEAD_BYTES,
    shouldUpgradeCallback: (request: IncomingMessage) => only === undefined && isUpgrade(request),
  }
  // Routes do not depend on the difference between the two.
  const app =
    settings.tls === undefined
      ? fastify({ ...options, http } as FastifyServerOptions)
      : fastify({ ...options, https: { ...settings.tls, ...http } } as FastifyServerOptions)
  limitPipelining(app.server)
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuseExpectation(request, response, requestIdOf(request.headers)),
  )
  return app
}
