import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { ApiError, forbidden } from '../http/errors.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { isUpgrade } from '../http/web-sockets.ts'
import { accessScopeOf } from './access-scope.ts'
import type { ApiCredentials, ConfigurationAuthenticator } from './authenticator.ts'
import type { Caller } from './caller.ts'
import { authHeaders } from './headers.ts'
import { type GuardedNeeds, isGuarded, type Needs, refusalOf } from './permission.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller of the request. Present on every route that is not public and does not authenticate by itself. */
    caller: Caller
  }
  interface FastifyContextConfig {
    needs?: Needs
    /**
     * Whether the route shows lines of the account or their content, or sends them somewhere, regardless of the groups
     * that limit a member.
     */
    reveals?: 'any line'
    /** Member of the body that contains the same values as events: keys keep their order, and numbers their text. */
    exactMember?: string
    /** Maximum size of a body in bytes, if it is less than that of all bodies: an invalid body, in place of 413. */
    maxBodyBytes?: number | undefined
    /** Form of the errors of a route, if it does not follow from the path. */
    errors?: 'push'
  }
}

const LIMITED = 'Your groups limit which lines you see, and this is about all lines of the account'

/** Paths whose existence is revealed only to callers with a credential. */
const GUARDED = /^\/(v[123](\/|$)|ws\/tail\/?$)/i

/** Parts that decide the identity and the rights of a caller. */
export interface CallerPorts {
  readonly authenticator: ConfigurationAuthenticator
  readonly configuration: ConfigurationView
}

/**
 * Authenticates every request first, then checks the requirements of its route. Existence and validation come after that
 * (configuration and account API, section 3.2).
 *
 * Caller and requirements are checked again once the body has arrived, which may take minutes. A revocation in between takes
 * effect before the body is validated. Reads have no body to wait for.
 */
export function guard(app: FastifyInstance, ports: CallerPorts, rateLimit?: RateLimit): void {
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request, reply) => {
    const needs = needsOf(request)
    if (!isGuarded(needs)) return
    request.caller = authenticated(ports.authenticator, request, reply)
    // A request that is refused for a missing right costs as much as any other, so it counts.
    rateLimit?.take(request.caller.credential.id)
    assertMay(ports.configuration, request, needs)
  })
  app.addHook('preValidation', async (request, reply) => {
    if (!isRead(request)) authenticateAgain(ports, request, reply)
  })
}

/**
 * Determines the caller of a guarded route again: the configuration may have changed during a wait.
 *
 * @throws ApiError 401, 403
 */
export function authenticateAgain(
  { authenticator, configuration }: CallerPorts,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const needs = needsOf(request)
  if (!isGuarded(needs)) return
  request.caller = authenticated(authenticator, request, reply)
  assertMay(configuration, request, needs)
}

/** Whether a request changes nothing, by its method. */
export function isRead({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** @throws ApiError 403 */
function assertMay(
  configuration: ConfigurationView,
  { caller, routeOptions }: FastifyRequest,
  needs: GuardedNeeds,
): void {
  const refusal = refusalOf(needs, caller)
  if (refusal !== undefined) throw refusal
  const { reveals } = routeOptions.config
  if (reveals === 'any line' && accessScopeOf(configuration, caller) !== undefined) throw forbidden(LIMITED)
}

/** Requirements of a request's route. */
export function needsOf(request: FastifyRequest): Needs {
  if (request.is404) return GUARDED.test(pathOf(request)) ? 'caller' : 'public'
  const needs = request.routeOptions.config.needs
  if (needs === undefined) throw new Error(`${request.routeOptions.url} does not say whom it is for`)
  return needs
}

function authenticated(
  authenticator: ConfigurationAuthenticator,
  request: FastifyRequest,
  reply: FastifyReply,
): Caller {
  const result = authenticator.authenticate(credentialsOf(request))
  if ('failure' in result) {
    const { status, message, caller } = result.failure
    if (caller !== undefined) reply.headers(authHeaders(caller))
    throw new ApiError(status, status === 401 ? 'NotAuthorized' : 'Forbidden', message)
  }
  reply.headers(authHeaders(result.caller))
  return result.caller
}

/** Credentials of a request; long-lived requests use them repeatedly. */
export function credentialsOf(request: FastifyRequest): ApiCredentials {
  const { headers } = request
  const query = request.query as Record<string, string | string[]>
  return {
    path: pathOf(request),
    authorization: headers.authorization,
    servicekeyHeader: single(headers.servicekey),
    apikeyHeader: single(headers.apikey),
    servicekeyQuery: single(query.servicekey),
    enterpriseServicekeyHeader: single(headers['enterprise-servicekey']),
    session: request.server.ports.sessions.sentWith(request),
    delegateAccountId: single(headers['x-delegate-account-id']),
    delegateAccountIdOfSocket: isUpgrade(request.raw) ? single(query.delegate_account_id) : undefined,
  }
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] as string
}

/** Returns the first value of a carrier that occurs twice. Likewise the first of several kinds of carriers counts. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
