import Type from 'typebox'
import { named } from '../named.ts'

/** Access tokens (configuration and account API, section 2.2; their life is our choice). */

const KINDS = ['user', 'service', 'enterprise']
const SCOPES = ['owner', 'admin', 'member', 'readonly', 'ingest']

type TokenKind = 'user' | 'service' | 'enterprise'
type TokenScope = 'owner' | 'admin' | 'member' | 'readonly' | 'ingest'

/** Ten years. */
const MAX_EXPIRES_S = 315_360_000
const MAX_GRACE_S = 86_400

const Name = Type.String({ minLength: 1, maxLength: 120 })
const Scope = (description: string) =>
  Type.Optional(Type.Unsafe<TokenScope>({ type: 'string', enum: SCOPES, description }))
const Expires = Type.Optional(
  Type.Unsafe<string | number | null>({
    type: ['string', 'number', 'null'],
    format: 'ISO 8601 date',
    minimum: 1,
    maximum: MAX_EXPIRES_S,
    description:
      'When it ends: an ISO 8601 date (its first instant in UTC) or date-time, or seconds from now; null: never.',
  }),
)

export const TokenCreate = named(
  'TokenCreate',
  Type.Object({
    name: Name,
    kind: Type.Optional(
      Type.Unsafe<TokenKind>({
        type: 'string',
        enum: KINDS,
        description:
          'user: a personal token; service: of the account; enterprise: of the enterprise, without x-delegate-account-id. Default: the kind of the token that asks, service when it acts for an account.',
      }),
    ),
    scope: Scope(
      'What it may do, at most what the token that asks may. Default: that. A further personal token for oneself grows with the role as far as the token that asks.',
    ),
    expires: Expires,
    email: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 320,
        description: 'A personal token for this member; needs an admin. Default: the caller.',
      }),
    ),
  }),
)
export type TokenCreate = Type.Static<typeof TokenCreate>

/** What is left out stays as it is. */
export const TokenChange = named(
  'TokenChange',
  Type.Object({
    name: Type.Optional(Name),
    scope: Scope('Narrower than before.'),
    expires: Expires,
  }),
)
export type TokenChange = Type.Static<typeof TokenChange>

const Rotation = Type.Object({
  grace_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_GRACE_S,
      description: 'Seconds that the old secret goes on working. Default: 0, it stops at once.',
    }),
  ),
})
/** It may be left out. */
export const TokenRotate = named(
  'TokenRotate',
  Type.Unsafe<Type.Static<typeof Rotation> | null>({
    ...Rotation,
    type: ['object', 'null'],
  }),
)

const OrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const members = {
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  subject: Type.String({ description: 'As in the header x-auth-subject-id.' }),
  email: OrNull('Of personal tokens: whose it is.'),
  scope: OrNull('What it was narrowed to; null: all that its subject may.'),
  right: OrNull('What it may do at present; null: nothing, it has expired or its user has left.'),
  created_at: Type.String(),
  expires_at: OrNull('null: never.'),
  previous_secret_until: OrNull('Until when the secret before the last rotation works.'),
  last_used_at: OrNull('To within the hour; null: never.'),
}
export const TokenRecord = named('TokenRecord', Type.Object(members))
export type TokenRecord = Type.Static<typeof TokenRecord>

export const IssuedToken = named(
  'IssuedToken',
  Type.Object({
    ...members,
    token: Type.String({ description: 'The secret. It is not shown again, and kept as a hash alone.' }),
  }),
)
export type IssuedToken = Type.Static<typeof IssuedToken>
