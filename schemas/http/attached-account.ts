import Type from 'typebox'
import { named } from '../named.ts'

/** Accounts of an enterprise as its older API shows them (configuration and account API, section 17.2). */

/** What a client leaves unset comes as 0 and as an empty text: both leave things as they are. */
export const AttachedAccountChange = named(
  'AttachedAccountChange',
  Type.Object({
    retention: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 90,
        description: 'Days that lines are kept; 0 leaves them as they are',
      }),
    ),
    owner: Type.Optional(
      Type.String({
        description: 'E-mail address; an empty text leaves the owner',
        if: { minLength: 1 },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { format: 'email' },
      }),
    ),
  }),
)
export type AttachedAccountChange = Type.Static<typeof AttachedAccountChange>

export const AttachedAccountRecord = named(
  'AttachedAccountRecord',
  Type.Object({
    account: Type.String(),
    enterprise: Type.String(),
    retention: Type.Integer(),
    owner: Type.String(),
    retentionPeriods: Type.Array(Type.Integer()),
    retentionTiers: Type.Array(Type.Integer(), { description: 'The same, as older clients call it' }),
    plan: Type.String(),
    servicekey: Type.String({
      description:
        'The oldest service key of the account; empty when it has none, or the caller may only look',
    }),
  }),
)
export type AttachedAccountRecord = Type.Static<typeof AttachedAccountRecord>
