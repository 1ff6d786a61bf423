import Type from 'typebox'
import { named } from '../../named.ts'

/** Accounts of an enterprise as its older API shows them (configuration and account API, section 17.2). */

/** Clients send unset members as 0 or as an empty string; both keep the present value. */
export const AttachedAccountChange = named(
  'AttachedAccountChange',
  Type.Object({
    retention: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 90,
        description: 'Retention of lines in days; 0 keeps the present value',
      }),
    ),
    owner: Type.Optional(
      Type.String({
        description: 'E-mail address; an empty string keeps the present owner',
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
    retentionTiers: Type.Array(Type.Integer(), {
      description: 'Older name of `retentionPeriods`',
    }),
    plan: Type.String(),
    servicekey: Type.String({
      description:
        'The oldest service key of the account; empty when it has none, or when the caller may only read',
    }),
  }),
)
export type AttachedAccountRecord = Type.Static<typeof AttachedAccountRecord>

export const DetachedAccount = named('DetachedAccount', Type.Object({ account: Type.String() }))
