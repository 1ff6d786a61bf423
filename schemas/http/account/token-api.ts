import Type from 'typebox'
import { named } from '../../named.ts'
import { nullable } from '../../nullable.ts'

/** Access tokens (configuration and account API, section 2.2; lifetimes are our choice). */

const KINDS = ['user', 'service', 'enterprise']
const SCOPES = ['owner', 'admin', 'member', 'readonly', 'ingest']

type TokenKind = 'user' | 'service' | 'enterprise'
type TokenScope = 'owner' | 'admin' | 'member' | 'readonly' | 'ingest'

const DAY_S = 86_400
/** Ten years of 365 days. */
const MAX_EXPIRES_S = 3_650 * DAY_S
const MAX_GRACE_S = DAY_S

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
      'Expiry: an ISO 8601 date (its first instant in UTC) or date-time, a span from now such as 90d, or seconds from now; null: never.',
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
          'user: a personal token; service: a token of the account; enterprise: a token of the enterprise, without x-delegate-account-id. Default: the kind of the requesting token, or service when it acts for an account.',
      }),
    ),
    scope: Scope(
      "Scope; never wider than the requesting token's, which is the default. A personal token for the caller follows changes of the caller's role up to the scope of the requesting token.",
    ),
    expires: Expires,
    email: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 320,
        description:
          'E-mail address of the member who gets the personal token; requires an admin. Default: the caller.',
      }),
    ),
  }),
)
export type TokenCreate = Type.Static<typeof TokenCreate>

/** Members that a request leaves out keep their values. */
export const TokenChange = named(
  'TokenChange',
  Type.Object({
    name: Type.Optional(Name),
    scope: Scope('New scope, narrower than the present one.'),
    expires: Expires,
  }),
)
export type TokenChange = Type.Static<typeof TokenChange>

const rotation = {
  grace_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_GRACE_S,
      description: 'Seconds during which the old secret keeps working. Default: 0, it stops at once.',
    }),
  ),
}
/** The body is optional. */
export const TokenRotate = named(
  'TokenRotate',
  nullable<Type.Static<Type.TObject<typeof rotation>>>({ ...Type.Object(rotation) }),
)

const OrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const members = {
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  subject: Type.String({ description: 'Subject id, as in the header x-auth-subject-id.' }),
  email: OrNull('Owner of a personal token.'),
  scope: OrNull('Scope to which it was narrowed; null: not narrowed, all rights of its subject.'),
  right: OrNull('Present scope; null: none, because it has expired or its user has left.'),
  created_at: Type.String(),
  expires_at: OrNull('null: never.'),
  previous_secret_until: OrNull('Time until which the secret before the last rotation works.'),
  last_used_at: OrNull('Time of the last use, to within an hour; null: never.'),
}
export const TokenRecord = named('TokenRecord', Type.Object(members))
export type TokenRecord = Type.Static<typeof TokenRecord>

export const IssuedToken = named(
  'IssuedToken',
  Type.Object({
    ...members,
    token: Type.String({ description: 'The secret. It is not shown again; only its hash is kept.' }),
  }),
)
export type IssuedToken = Type.Static<typeof IssuedToken>

/** Answer to a token about itself, and to the sign-in of the console. */
export const TokenDescription = named(
  'TokenDescription',
  Type.Object({
    subject: Type.String(),
    type: Type.String(),
    account: Type.Union([Type.String(), Type.Null()]),
    enterprise: Type.Union([Type.String(), Type.Null()]),
    email: Type.Union([Type.String(), Type.Null()]),
    role: Type.String(),
    token_id: OrNull('Id of the access token; null: the credential is a key.'),
    name: OrNull('Name of the access token or key.'),
    scope: OrNull('Scope to which the token was narrowed; null: not narrowed, all rights of its subject.'),
    expires_at: OrNull('End of the credential; null: never.'),
    limited: Type.Boolean({ description: 'Whether groups limit which lines the caller sees.' }),
    ingest_url: OrNull('Address to which lines can be sent; null: this process does not know any.'),
    features: Type.Object(
      {
        store: Type.Boolean({ description: 'Searches and usage.' }),
        engine: Type.Boolean({ description: 'Pipelines run in this process.' }),
        taps: Type.Boolean({ description: 'Events of pipelines can be watched.' }),
        ingest: Type.Boolean({ description: 'Lines are accepted.' }),
      },
      { description: 'Parts of the service that the answering process has.' },
    ),
  }),
)
export type TokenDescription = Type.Static<typeof TokenDescription>
