import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Deleted } from '../../schemas/http/account/deleted.ts'
import { SessionCreate } from '../../schemas/http/account/session-api.ts'
import { TokenDescription } from '../../schemas/http/account/token-api.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { type Envelope, envelope, type Meta } from '../http/envelope.ts'
import { forbidden, notAuthorized } from '../http/errors.ts'
import { callerDescription } from './caller-description.ts'
import { authHeaders } from './headers.ts'
import { assertFromConsole } from './session.ts'
import { isFromThisMachine } from './sign-in-links.ts'

const SESSION: Meta = { pk: 'subject', type: 'session', links: { self: {} } }
const MAX_BODY_BYTES = 8_192

const LINK_REFUSED =
  'The sign-in link works once, for ten minutes, and on the machine of the server alone: npx weir console prints a new one'
const CANNOT_READ = 'The token can only send lines: the console needs one that can read'

/**
 * `/v3/auth/session`: sign-in and sign-out of the console. Both are public, because the first has no session yet and the
 * second must also work with one that has ended.
 */
export const sessionRoutes: FastifyPluginAsyncTypebox = async app => {
  const { authenticator, sessions, configuration, signInLinks } = app.ports
  const tokenOf = (request: FastifyRequest, code: string): string => {
    // A code stays good when somebody else tries it from another machine.
    const token = isFromThisMachine(request) ? signInLinks?.take(code) : undefined
    if (token === undefined) throw notAuthorized(LINK_REFUSED)
    return token
  }
  const config = { needs: 'public', maxBodyBytes: MAX_BODY_BYTES } as const
  app.addHook('onRequest', async request => assertFromConsole(request))

  app.post(
    '/v3/auth/session',
    {
      config,
      schema: {
        summary: 'Sign in to the console: the answer sets a cookie that holds the access token, encrypted',
        tags: ['accounts'],
        body: SessionCreate,
        response: { 200: EnvelopeOf(TokenDescription), ...V3_ERROR_REPLIES },
      },
    },
    async (request, reply): Promise<Envelope<TokenDescription>> => {
      const { code, stay = false } = request.body
      const token = code === undefined ? (request.body.token ?? '') : tokenOf(request, code)
      // Another process may have created the token a moment ago.
      await configuration.catchUp()
      const result = authenticator.authenticateToken(token.trim())
      if ('failure' in result) throw notAuthorized(result.failure.message)
      const { caller } = result
      if (caller.role === 'ingest') throw forbidden(CANNOT_READ)
      const cookie = sessions.begin(request, token.trim(), caller.credential.expiresAtMs, stay)
      reply.headers({ ...authHeaders(caller), 'set-cookie': cookie })
      return callerDescription(app.ports, request, caller)
    },
  )

  app.delete(
    '/v3/auth/session',
    {
      config,
      schema: {
        summary: 'Sign out of the console in this browser; the access token stays valid',
        tags: ['accounts'],
        response: { 200: EnvelopeOf(Deleted), ...V3_ERROR_REPLIES },
      },
    },
    async (request, reply) => {
      reply.header('set-cookie', sessions.end(request))
      return envelope(SESSION, { deleted: true as const })
    },
  )
}
