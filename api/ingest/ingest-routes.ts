import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { DAY_S } from '../../engine/times/duration.ts'
import { ingestSchema } from '../../schemas/http/lines/ingest-api.ts'
import type { Caller, IngestCredentials } from '../auth/caller.ts'
import { BodyRoom, holderOf } from '../http/bodies/body-room.ts'
import { ReceivedBodies } from '../http/bodies/received-bodies.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { AccessKeys } from './access-keys.ts'
import { GatewayRouteStates } from './gateway-route-states.ts'
import { IngestFront, type IngestFrontOptions, type IngestObserver } from './ingest-front.ts'
import type { IngestPorts } from './ingest-ports.ts'
import { IngestionHolds } from './ingestion-holds.ts'
import { refuseOwnRequests } from './loop-guard.ts'
import { PushFront, type PushObserver } from './push-front.ts'
import { servePushes } from './push-routes.ts'
import type { RequestQuery } from './request-query.ts'

/** Bodies being received or decompressed at once, in bytes; beyond it requests get a 503. Some sixty of the largest. */
const RECEIVING_BYTES = 128 * 1024 * 1024

export interface IngestRoutesOptions {
  readonly ingest: IngestPorts
  readonly observer?: IngestObserver | undefined
  /** Observes gateway routes. */
  readonly pushObserver?: PushObserver | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Facts of a request, on the routes of ingestion. */
    ingestion: {
      readonly query: RequestQuery
      /** Credentials outside of the body; undefined if only the body can contain them. */
      readonly credentials: IngestCredentials | undefined
      /** The caller as far as known; null before the body is read, for credentials in it. */
      readonly caller: Caller | null
      /** Address of the sender, read before the sender can have gone; empty: unknown. */
      readonly remoteAddress: string
    }
  }
}

/** Gateway routes, and `POST /logs/ingest` with its alias `/logs/agent`: ingestion, section 1. */
export const ingestRoutes: FastifyPluginAsync<IngestRoutesOptions> = async (
  app,
  { ingest, observer, pushObserver },
) => {
  const { catalogue, configuration, clock, authenticator, inEffect, settings } = app.ports
  const { bodyLimitBytes, corsOrigins, limits } = settings
  const { reportDeployment, logId, ...ports } = ingest
  refuseOwnRequests(app, logId)
  const room = new BodyRoom(RECEIVING_BYTES)
  const shared = {
    ...ports,
    clock,
    bodyLimitBytes,
    rateLimit: limits?.ingest && new RateLimit(limits.ingest, clock),
  }
  const holds = new IngestionHolds(catalogue, configuration)
  serveIngestion(app, { ...shared, authenticator, observer, corsOrigins, holds }, room)
  const accessKeys = new AccessKeys(catalogue, configuration)
  const gatewayRoutes = new GatewayRouteStates({
    catalogue,
    configuration,
    clock,
    inEffect,
    reportDeployment,
  })
  const pushing = { ...shared, catalogue, accessKeys, gatewayRoutes, observer: pushObserver }
  servePushes(app, new PushFront(pushing, room))
}

/** Log ingestion alone. */
export function serveIngestion(
  app: FastifyInstance,
  options: IngestFrontOptions & Pick<ServedFront, 'corsOrigins'>,
  room = new BodyRoom(RECEIVING_BYTES),
): void {
  const { clock, bodyLimitBytes: limitBytes, corsOrigins } = options
  const bodies = new ReceivedBodies({ clock, limitBytes, room })
  bodies.closeWith(app)
  serveFront(app, { corsOrigins, front: new IngestFront(options, room), bodies })
}

interface ServedFront {
  /** Origins whose pages can send lines; `*` means any. */
  readonly corsOrigins: readonly string[]
  readonly front: Pick<IngestFront, 'authenticateEarly' | 'ingest'>
  readonly bodies: ReceivedBodies
}

/** The routes in front of a given ingest front. */
export function serveFront(app: FastifyInstance, options: ServedFront): void {
  const { front, bodies } = options
  app.decorateRequest('ingestion')
  takeEveryBody(app, bodies)
  for (const url of ['/logs/ingest', '/logs/agent']) {
    app.options(url, { config: { needs: 'public' }, schema: { hide: true } }, (request, reply) => {
      allowOrigin(request.headers.origin, options.corsOrigins, reply)
      preflight(reply)
    })
    app.post(url, {
      config: { needs: 'ingest' },
      schema: ingestSchema,
      // The schema only documents: queries and bodies are read leniently, by rules that a schema cannot express.
      validatorCompiler: () => () => true,
      onRequest: (request, reply, done) => {
        // The format of a body is detected from its content: requests may have any content type, none, or a damaged one.
        request.headers['content-type'] = 'application/json'
        allowOrigin(request.headers.origin, options.corsOrigins, reply)
        front.authenticateEarly(request, reply)
        done()
      },
      handler: (request, reply) => front.ingest(request, reply),
    })
  }
}

/** Collects bodies as bytes, only in the scope of this plugin. A refusal is passed on as the body and thrown later. */
function takeEveryBody(app: FastifyInstance, bodies: ReceivedBodies): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    // A preflight is not authenticated, and can have a body.
    const holder = holderOf((request.ingestion ?? request.pushed)?.caller)
    bodies.collect(payload, request.headers, holder, body => done(null, body))
  })
}

function allowOrigin(origin: string | undefined, allowed: readonly string[], reply: FastifyReply): void {
  if (origin === undefined) return
  const isAny = allowed.includes('*')
  if (!isAny && !allowed.includes(origin)) return
  reply.header('access-control-allow-origin', isAny ? '*' : origin)
  if (!isAny) reply.header('vary', 'origin')
}

function preflight(reply: FastifyReply): void {
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'content-type, authorization, apikey, content-encoding',
      'access-control-max-age': String(DAY_S),
    })
    .send()
}
