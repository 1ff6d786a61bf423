import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { AccessToken } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { Deleted } from '../../schemas/http/account/deleted.ts'
import {
  IssuedToken,
  TokenChange,
  TokenCreate,
  TokenRecord,
  TokenRotate,
} from '../../schemas/http/account/token-api.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { authenticateAgain } from '../auth/request-caller.ts'
import type { TokenUses } from '../auth/token-uses.ts'
import { isoTime } from '../http/iso-time.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AccessTokens, type Issued } from './access-tokens.ts'

const TokenPath = Type.Object({ tokenId: Type.String() })
const One = { 200: TokenRecord, ...V1_ERROR_REPLIES }
const OneIssued = { 200: IssuedToken, ...V1_ERROR_REPLIES }
const tags = ['access tokens']
const config = { needs: 'token' } as const

/** Access tokens, with the parts that turn them into records. */
interface ServedTokens {
  readonly tokens: AccessTokens
  readonly record: (token: Entity<AccessToken>) => TokenRecord
  readonly issued: (issued: Issued) => IssuedToken
}

/** Routes `/v1/config/tokens`: tokens with their rights and lifetimes. */
export const tokenRoutes: FastifyPluginAsyncTypebox = async app => {
  const tokens = new AccessTokens(app.ports)
  const record = (token: Entity<AccessToken>) => recordOf(token, tokens, app.ports.uses)
  const issued = ({ token, secret }: Issued) => ({ ...record(token), token: secret })

  // The caller was admitted by an older state of this process: a revocation or restriction elsewhere is known by now.
  app.addHook('preHandler', async (request, reply) => {
    authenticateAgain(app.ports, request, reply)
  })

  serveList(app, { tokens, record, issued })
  serveOne(app, { tokens, record, issued })
}

function serveList(app: TypedApp, { tokens, record, issued }: ServedTokens): void {
  app.get(
    '/v1/config/tokens',
    {
      config,
      schema: {
        summary: 'List access tokens: for admins all of the account, otherwise those of the caller',
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
        summary: 'Create an access token; only this answer contains its secret',
        tags,
        body: TokenCreate,
        response: OneIssued,
      },
    },
    async ({ caller, body }) => issued(await tokens.create(caller, body)),
  )
}

function serveOne(app: TypedApp, { tokens, record, issued }: ServedTokens): void {
  app.get(
    '/v1/config/tokens/:tokenId',
    { config, schema: { summary: 'Read an access token', tags, params: TokenPath, response: One } },
    async ({ caller, params }) => record(tokens.get(caller, params.tokenId)),
  )

  app.patch(
    '/v1/config/tokens/:tokenId',
    {
      config,
      schema: {
        summary: 'Rename or narrow an access token, or change its end; only admins can postpone the end',
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
        summary:
          'Give an access token a new secret; the old one becomes invalid at once or after a grace period',
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
        summary: 'Revoke an access token, which becomes invalid at once',
        tags,
        params: TokenPath,
        response: { 200: Deleted, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await tokens.revoke(caller, params.tokenId)
      return { deleted: true as const }
    },
  )
}

function recordOf(token: Entity<AccessToken>, tokens: AccessTokens, uses: TokenUses): TokenRecord {
  const { value, id } = token
  return {
    id,
    kind: value.kind,
    name: value.name,
    subject: value.subjectId,
    email: value.email,
    scope: value.scope,
    right: tokens.rightOf(token) ?? null,
    created_at: isoTime(value.createdAtMs),
    expires_at: timeText(value.expiresAtMs),
    previous_secret_until: timeText(value.previous?.untilMs ?? null),
    last_used_at: timeText(uses.lastMs(id)),
  }
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}
