import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { AccessToken } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import {
  IssuedToken,
  TokenChange,
  TokenCreate,
  TokenRecord,
  TokenRotate,
} from '../../schemas/http/token-api.ts'
import type { ConfigurationAuthenticator } from '../auth/authenticator.ts'
import { authenticateAgain } from '../auth/request-caller.ts'
import type { TokenUses } from '../auth/token-uses.ts'
import { DeletedReply, V1_ERROR_REPLIES } from '../configuration/replies.ts'
import { type AccessTokenPorts, AccessTokens, type Issued } from './access-tokens.ts'

export interface TokenRoutesPorts extends AccessTokenPorts {
  readonly authenticator: ConfigurationAuthenticator
  readonly uses: TokenUses
}

const TokenPath = Type.Object({ tokenId: Type.String() })
const One = { 200: TokenRecord, ...V1_ERROR_REPLIES }
const OneIssued = { 200: IssuedToken, ...V1_ERROR_REPLIES }
const tags = ['access tokens']
const config = { needs: 'token' } as const

/** `/v1/config/tokens`: who may call the service, with what right and how long. */
export const tokenRoutes: FastifyPluginAsyncTypebox<TokenRoutesPorts> = async (app, ports) => {
  const tokens = new AccessTokens(ports)

  const record = (token: Entity<AccessToken>): TokenRecord => {
    const { value, id } = token
    return {
      id,
      kind: value.kind,
      name: value.name,
      subject: value.subjectId,
      email: value.email,
      scope: value.scope,
      right: tokens.rightOf(token) ?? null,
      created_at: new Date(value.createdAtMs).toISOString(),
      expires_at: timeText(value.expiresAtMs),
      previous_secret_until: timeText(value.previous?.untilMs ?? null),
      last_used_at: timeText(ports.uses.lastMs(id)),
    }
  }
  const issued = ({ token, secret }: Issued): IssuedToken => ({ ...record(token), token: secret })

  // The caller was let in by what this process knew then: what was revoked or narrowed elsewhere counts by now.
  app.addHook('preHandler', async (request, reply) => {
    authenticateAgain(ports.authenticator, request, reply)
  })

  app.get(
    '/v1/config/tokens',
    {
      config,
      schema: {
        summary: 'Access tokens: all of the account for admins, else those of the caller',
        tags,
        response: { 200: Type.Array(TokenRecord), ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => tokens.list(caller).map(record),
  )

  app.post(
    '/v1/config/tokens',
    {
      config,
      schema: {
        summary: 'Create an access token; the answer holds its secret, this once',
        tags,
        body: TokenCreate,
        response: OneIssued,
      },
    },
    async ({ caller, body }) => issued(await tokens.create(caller, body)),
  )

  app.get(
    '/v1/config/tokens/:tokenId',
    { config, schema: { summary: 'An access token', tags, params: TokenPath, response: One } },
    async ({ caller, params }) => record(tokens.get(caller, params.tokenId)),
  )

  app.patch(
    '/v1/config/tokens/:tokenId',
    {
      config,
      schema: {
        summary: 'Rename an access token, narrow it, or change when it ends; later by admins alone',
        tags,
        params: TokenPath,
        body: TokenChange,
        response: One,
      },
    },
    async ({ caller, params, body }) => record(await tokens.change(caller, params.tokenId, body)),
  )

  app.post(
    '/v1/config/tokens/:tokenId/rotate',
    {
      config,
      schema: {
        summary: 'Give an access token a new secret; the old one stops at once, or after a time of grace',
        tags,
        params: TokenPath,
        body: TokenRotate,
        response: OneIssued,
      },
    },
    async ({ caller, params, body }) =>
      issued(await tokens.rotate(caller, params.tokenId, (body?.grace_s ?? 0) * 1000)),
  )

  app.delete(
    '/v1/config/tokens/:tokenId',
    {
      config,
      schema: {
        summary: 'Revoke an access token: it stops at once',
        tags,
        params: TokenPath,
        response: { 200: DeletedReply, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await tokens.revoke(caller, params.tokenId)
      return { deleted: true as const }
    },
  )
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
