import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Registry } from '@prometheus-io/client'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Clock } from '../engine/clock/clock.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import type { LineRouting } from '../engine/configuration/kinds/line-routing.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import { jsonText } from '../engine/json/json-text.ts'
import type { NodeSettings } from '../engine/nodes/contract/node-declaration.ts'
import type { Outbound } from '../engine/outbound/outbound.ts'
import { MAX_QUERY_BYTES } from '../engine/query-language/parse-query.ts'
import { DeadLetterQueue, type DeadLetterTopics } from '../engine/replay/dead-letters/dead-letter-queue.ts'
import type { PresentMemory } from '../engine/replay/present-memory.ts'
import type { LiveTails } from '../engine/replay/tail/live-tails.ts'
import type { Taps } from '../engine/replay/taps/taps.ts'
import type { Store } from '../engine/store/store.ts'
import type { TellDeployment } from '../engine/worker/told-deployments.ts'
import type { JsonValue } from '../schemas/json.ts'
import type { CutsInEffect } from '../schemas/log/cuts.ts'
import { ConfigurationAuthenticator } from './auth/authenticator.ts'
import type { Needs } from './auth/permission.ts'
import { RefusalLog } from './auth/refusal-log.ts'
import { guard } from './auth/request-caller.ts'
import { RouteTable } from './auth/route-table.ts'
import { TokenUses } from './auth/token-uses.ts'
import type { ConfigurationSettings } from './configuration/configuration-ports.ts'
import { Reach } from './configuration/reach.ts'
import { configurationRoutes } from './configuration-routes.ts'
import { attachedAccountRoutes } from './enterprise/attached-account-routes.ts'
import { enterpriseRoutes } from './enterprise/enterprise-routes.ts'
import { errorText, sendError } from './error-reply.ts'
import { EarlyAnswers } from './http/early-answer.ts'
import { ApiError, badRequest, notFound } from './http/errors.ts'
import { forwardedAddresses } from './http/forwarded-for.ts'
import { parseJsonBodies } from './http/json-body.ts'
import { boundClosing } from './http/open-connections.ts'
import { type Rate, RateLimit } from './http/rate-limit.ts'
import { validatorCompiler } from './http/validation.ts'
import { acceptWebSockets, isUpgrade } from './http/web-sockets.ts'
import { AccessKeys } from './ingest/access-keys.ts'
import { GatewayRouteStates } from './ingest/gateway-route-states.ts'
import { ingestRoutes } from './ingest/ingest-routes.ts'
import type { IngestWriter } from './ingest/ingest-writer.ts'
import type { RecentKeys } from './ingest/recent-keys.ts'
import { documentRoutes, serveDocument } from './operations/api-document.ts'
import {
  ingestMetrics,
  pushMetrics,
  requestMetrics,
  searchMetrics,
  tailMetrics,
} from './operations/metrics.ts'
import { operationsRoutes } from './operations/operations-routes.ts'
import type { ServiceStatus } from './operations/readiness.ts'
import { ownHosts } from './pipeline/log-hosts.ts'
import { pipelineRoutes } from './pipeline/pipeline-routes.ts'
import type { ReplayPorts } from './pipeline/replay-ports.ts'
import { ConcurrentExports } from './search/concurrent-exports.ts'
import { exportRoutes } from './search/export-routes.ts'
import { spreadRoutes } from './spread/spread-routes.ts'
import { OpenTails, type TailLimits } from './tail/open-tails.ts'
import { tailRoutes } from './tail/tail-routes.ts'
import { usageRoutes } from './usage/usage-routes.ts'

export interface ServerPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly logger: FastifyBaseLogger
  readonly status: ServiceStatus
  /** What the engine of this process has in effect; absent where none runs. */
  readonly inEffect?: CutsInEffect | undefined
  /** Absent where events of pipelines cannot be seen. */
  readonly taps?: Taps | undefined
  /** Where lines can be seen as they are accepted. */
  readonly tails: LiveTails
  readonly registry: Registry
  /** Where events that failed are, and where they go once more. */
  readonly deadLetters: DeadLetterTopics
  /** Where lines can be read once more, with what was remembered before them. */
  readonly replay: ReplayPorts
  /** What nodes remember at this moment. */
  readonly memory: PresentMemory
  readonly settings: ServerSettings
  /** The way to addresses that users name. */
  readonly outbound: Outbound
  /** Absent: the server takes no lines. */
  readonly ingest?:
    | {
        readonly writer: IngestWriter
        readonly partitionOf: LineRouting
        readonly keys: RecentKeys
        readonly tellDeployment: TellDeployment
      }
    | undefined
  /** Absent: the server neither searches nor counts. */
  readonly store?: Store | undefined
  /**
   * 'ingest': lines and health alone, no metrics, for a second address that is open to more people; 'operations': no API, for a
   * process of another role.
   */
  readonly only?: 'ingest' | 'operations' | undefined
}

export interface ServerSettings extends ConfigurationSettings {
  /** Of the lines' topic. */
  readonly partitions: number
  readonly version: string
  readonly bodyLimitBytes: number
  readonly corsOrigins: readonly string[]
  readonly tails: TailLimits
  readonly maxTapsPerAccount: number
  /** Of one `/v1/export`. */
  readonly maxExportLines: number
  /** Addresses or networks whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[]
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined
  readonly destinations?: NodeSettings | undefined
  /** What is absent is not limited. */
  readonly limits?: RequestLimits | undefined
  /** Whether a host that a log-analysis destination names, as written, is this installation; see `ownHosts`. */
  readonly isOwnHost?: ((host: string) => boolean) | undefined
}

/** Of one credential, or account, at one server. */
export interface RequestLimits {
  readonly api?: Rate | undefined
  readonly ingest?: Rate | undefined
  readonly exportsPerAccount?: number | undefined
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
/** More than a request line holds: a long name is a name that is not there, not an error of its own. */
const MAX_PARAMETER_LENGTH = 65_536
const REQUEST_TIMEOUT_MS = 120_000
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Of the request line and the headers. Every byte of the longest query may be percent-encoded, and be three. */
const MAX_HEAD_BYTES = 3 * MAX_QUERY_BYTES + 16_384

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Builds the HTTP server from its ports. It never listens by itself: `app.listen` or `app.inject` is the caller's. */
export async function buildServer(ports: ServerPorts): Promise<FastifyInstance> {
  const { configuration, clock, settings, registry, status } = ports
  const early = new EarlyAnswers(clock)
  const app = newInstance(ports, early)
  const uses = new TokenUses(ports)
  early.attach(app)
  boundClosing(app, clock, ports.logger)
  whileItRuns(app, signal => uses.follow(signal))
  const routes = new RouteTable()
  const authenticator = new ConfigurationAuthenticator(configuration, clock, uses)

  routes.attach(app)
  app.decorate('routeTable', routes)
  if (settings.trustedProxies.length > 0)
    app.addHook('onRequest', async ({ headers }) => cleanForwarded(headers))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SAFE_HEADERS, 'x-request-id': request.id })
    assertOneHost(request.raw)
  })
  requestMetrics(app, registry)
  const { limits = {} } = settings
  guard(app, authenticator, configuration, limits.api && new RateLimit(limits.api, clock))
  parseJsonBodies(app)
  app.setValidatorCompiler(validatorCompiler())
  // Answers are written as they are: a response schema documents them and drops nothing.
  app.setSerializerCompiler(() => data => jsonText(data as JsonValue))
  app.setReplySerializer(data => jsonText(data as JsonValue))
  const refusals = new RefusalLog(clock)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, refusals))
  app.setNotFoundHandler(request => {
    throw refusalOfUnknown(routes, request.method, request.url)
  })

  await documentRoutes(app, settings.version)
  await app.register(operationsRoutes, { status, registry: ports.only === 'ingest' ? undefined : registry })
  if (ports.ingest !== undefined) {
    const { bodyLimitBytes, corsOrigins } = settings
    const { writer, partitionOf, keys, tellDeployment: tell } = ports.ingest
    const observer = ingestMetrics(registry)
    const gateway = {
      accessKeys: new AccessKeys(configuration),
      routes: new GatewayRouteStates({ configuration, clock, inEffect: ports.inEffect, tell }),
      observer: pushMetrics(registry),
    }
    await needing('ingest', app, scope =>
      scope.register(ingestRoutes, {
        writer,
        partitionOf,
        authenticator,
        clock,
        bodyLimitBytes,
        corsOrigins,
        observer,
        gateway,
        keys,
        rateLimit: limits.ingest && new RateLimit(limits.ingest, clock),
      }),
    )
  }
  if (ports.only === undefined) await registerApi(app, ports, { authenticator, uses })
  return app
}

async function registerApi(
  app: FastifyInstance,
  ports: ServerPorts,
  access: { readonly authenticator: ConfigurationAuthenticator; readonly uses: TokenUses },
): Promise<void> {
  const { configuration, clock, entropy, store, settings, inEffect, taps, tails, registry } = ports
  const { authenticator } = access
  const { destinations = {}, isOwnHost = ownHosts(destinations.ingestHost) } = settings
  const deadLetters = new DeadLetterQueue(ports.deadLetters, clock)
  const openTails = new OpenTails({ configuration, authenticator, clock, tails, limits: settings.tails })
  tailMetrics(registry, openTails)
  const withWebSockets: FastifyPluginAsync = async scope => {
    await acceptWebSockets(scope)
    await scope.register(pipelineRoutes, {
      configuration,
      authenticator,
      clock,
      entropy,
      destinations,
      isOwnHost,
      inEffect,
      deadLetters,
      replay: ports.replay,
      memory: ports.memory,
      store,
      taps,
      maxTapsPerAccount: settings.maxTapsPerAccount,
    })
    await scope.register(tailRoutes, { openTails })
  }
  await app.register(withWebSockets)
  await app.register(configurationRoutes, {
    configuration,
    clock,
    entropy,
    reach: new Reach(ports),
    settings,
    inEffect,
    store,
    ...access,
  })
  await app.register(enterpriseRoutes, { configuration, clock, entropy })
  await app.register(attachedAccountRoutes, { configuration, clock, entropy, settings })
  await app.register(spreadRoutes, { configuration, clock, partitions: settings.partitions })
  if (store !== undefined) {
    await needing('read', app, async scope => {
      const most = settings.limits?.exportsPerAccount
      const concurrent = most === undefined ? undefined : new ConcurrentExports(most)
      await scope.register(exportRoutes, {
        configuration,
        store,
        clock,
        maxLines: settings.maxExportLines,
        concurrent,
        ...searchMetrics(registry),
      })
      await scope.register(usageRoutes, { store, clock, concurrent })
    })
  }
  await serveDocument(app)
}

/** Does some work from the start of a server to its end. */
function whileItRuns(app: FastifyInstance, work: (signal: AbortSignal) => Promise<void>): void {
  const closing = new AbortController()
  let done: Promise<void> | undefined
  app.addHook('onReady', async () => {
    done = work(closing.signal)
  })
  app.addHook('onClose', async () => {
    closing.abort()
    await done
  })
}

/** Registers routes that all need the same, in a scope of their own. */
async function needing(
  needs: Needs,
  app: FastifyInstance,
  register: (scope: FastifyInstance) => PromiseLike<unknown>,
): Promise<void> {
  const inScope: FastifyPluginAsync = async scope => {
    scope.addHook('onRoute', options => {
      options.config = { needs, ...options.config }
    })
    await register(scope)
  }
  await app.register(inScope)
}

function newInstance({ entropy, logger, settings, only }: ServerPorts, early: EarlyAnswers): FastifyInstance {
  const requestIdOf = (headers: IncomingHttpHeaders) => {
    const sent = headers['x-request-id']
    return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : entropy.uuid()
  }
  const options: FastifyServerOptions = {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // Paths and queries may hold keys.
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (_error, request, reply) => refuseBadPath(request, reply, early),
    clientErrorHandler: (error, socket) => refuseBadRequest(error, socket, entropy.uuid()),
  }
  const http = {
    requireHostHeader: false, // Its refusal would have neither body nor request id: a hook does it.
    maxHeaderSize: MAX_HEAD_BYTES,
    shouldUpgradeCallback: (request: IncomingMessage) => only === undefined && isUpgrade(request),
  }
  // The two differ in nothing that a route sees.
  const app =
    settings.tls === undefined
      ? fastify({ ...options, http } as FastifyServerOptions)
      : fastify({ ...options, https: { ...settings.tls, ...http } } as FastifyServerOptions)
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuseExpectation(request, response, requestIdOf(request.headers)),
  )
  return app
}

/** A sender's address is an address, whatever proxies write and senders claim; without one it is that of the peer. */
function cleanForwarded(headers: IncomingHttpHeaders): void {
  const header = headers['x-forwarded-for']
  if (header === undefined) return
  headers['x-forwarded-for'] = forwardedAddresses([header].flat().join()).join()
}

/**
 * RFC 9112, section 3.2. Of several headers Node keeps the first, a proxy before us perhaps the last: they would not speak of
 * the same host.
 *
 * @throws ApiError 400
 */
function assertOneHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw badRequest([{ message: '"host" header is required', key: 'host' }])
  const given = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  )
  if (given.length > 1) throw badRequest([{ message: '"host" header must be there only once', key: 'host' }])
}

/** Of an `Expect` other than 100-continue, which Node keeps from every route. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const message = '"expect" header must be 100-continue'
  const refusal = new ApiError(417, 'BadRequest', message, { details: [{ message, key: 'expect' }] })
  // The body that may follow is not read.
  const body = errorText(refusal, request.url ?? '')
  const headers = {
    ...errorHeaders(requestId),
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }
  response.writeHead(refusal.status, headers).end(body)
}

/** Of answers that no hook of the framework sees. */
function errorHeaders(requestId: string): Record<string, string> {
  return { ...SAFE_HEADERS, 'x-request-id': requestId, 'content-type': 'application/json; charset=utf-8' }
}

/** A path that cannot be decoded reaches no route and no hook. */
function refuseBadPath(request: FastifyRequest, reply: FastifyReply, early: EarlyAnswers): void {
  const refusal = new ApiError(400, 'BadRequest', 'The path is not valid: it cannot be percent-decoded')
  void reply
    .code(refusal.status)
    .headers(errorHeaders(request.id))
    .send(early.lasting(reply, errorText(refusal, request.raw.url ?? '')))
}

/** What is no HTTP request, or none yet: there is neither request nor reply to work with, only the connection. */
function refuseBadRequest(
  error: Error & { readonly code?: string },
  socket: Socket,
  requestId: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refusal = refusalOfNoRequest(error.code)
  const body = errorText(refusal, '/')
  const headers = Object.entries({
    ...errorHeaders(requestId),
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...headers].join('\r\n')
  // Closed whatever the sender does: one that keeps its end open would keep what is held of its request, too.
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy())
}

function refusalOfNoRequest(code: string | undefined): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'RequestTimeout', 'The request did not come to its end in time')
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        431,
        'BadRequest',
        `The address and the headers of the request are longer than ${MAX_HEAD_BYTES} bytes together`,
      )
    default:
      return new ApiError(400, 'BadRequest', 'The request is not valid HTTP')
  }
}

function refusalOfUnknown(routes: RouteTable, method: string, url: string): ApiError {
  const allowed = routes.methodsOf(url.split('?', 1)[0] as string)
  if (allowed.length === 0 || allowed.includes(method)) return notFound()
  return new ApiError(405, 'MethodNotAllowed', `${method} is not offered here; ${allowed.join(', ')} is`, {
    headers: { allow: allowed.join(', ') },
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the server and whom it is for. */
    routeTable: RouteTable
  }
}
