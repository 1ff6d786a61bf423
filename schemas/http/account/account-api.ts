import Type from 'typebox'
import { named } from '../../named.ts'

/** Writes to accounts of an enterprise (configuration and account API, section 17.1; members of a change are our choice). */

const Limit = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    description: 'null: no limit',
  }),
)

const members = {
  external_id: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 256 })),
  plan: Type.Optional(
    Type.Object(
      {
        type: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        max_pipelines: Limit,
        max_nodes_per_pipeline: Limit,
      },
      { additionalProperties: false },
    ),
  ),
  retention: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 90,
      description:
        'Retention of lines in days; with 0 they are accepted and never found. An account with a longer retention (/v1/config/retention) shows 90, and writing 90 changes nothing',
    }),
  ),
  enable_syslog: Type.Optional(
    Type.Literal(false, { description: 'Syslog ingestion is not supported; only false is accepted.' }),
  ),
  features: Type.Optional(
    Type.Object(
      { throttle: Type.Optional(Type.Boolean({ description: 'The throttle processor (beta)' })) },
      { additionalProperties: false },
    ),
  ),
}
const Company = Type.String({ minLength: 1, maxLength: 256 })
const OwnerEmail = Type.String({ format: 'email', maxLength: 320 })

export const AccountCreate = named(
  'AccountCreate',
  Type.Object({ company: Company, owneremail: OwnerEmail, ...members }, { additionalProperties: false }),
)
export type AccountCreate = Type.Static<typeof AccountCreate>

/** Members that a request leaves out keep their values. */
export const AccountChange = named(
  'AccountChange',
  Type.Object(
    { company: Type.Optional(Company), owneremail: Type.Optional(OwnerEmail), ...members },
    { additionalProperties: false },
  ),
)
export type AccountChange = Type.Static<typeof AccountChange>

/** Accounts and enterprises as `/v3` shows them (configuration and account API, section 17.1). */
export const AccountRecord = named(
  'AccountRecord',
  Type.Object({
    account: Type.String(),
    account_id: Type.String(),
    enterprise_id: Type.Union([Type.String(), Type.Null()]),
    company: Type.String(),
    owneremail: Type.String(),
    plan: Type.Object({
      type: Type.String(),
      max_pipelines: Type.Optional(Type.Integer({ description: 'Absent: no limit' })),
      max_nodes_per_pipeline: Type.Optional(Type.Integer({ description: 'Absent: no limit' })),
    }),
    status: Type.String(),
    retention: Type.Integer(),
    quota: Type.Object({ retention: Type.Integer() }),
    external_id: Type.Union([Type.String(), Type.Null()]),
    created: Type.String({ format: 'date-time' }),
    features: Type.Optional(
      Type.Object({ throttle: Type.Boolean() }, { description: 'Absent: everything is on' }),
    ),
    meta: Type.Object({ suspendIngestion: Type.Boolean() }),
  }),
)
export type AccountRecord = Type.Static<typeof AccountRecord>

export const CreatedAccount = named(
  'CreatedAccount',
  Type.Object({
    ...AccountRecord.properties,
    ingestion_key: Type.String({ description: 'Ingestion key of the account' }),
  }),
)

export const EnterpriseRecord = named(
  'EnterpriseRecord',
  Type.Object({
    enterprise: Type.String(),
    enterprise_id: Type.String(),
    name: Type.String(),
    created: Type.String({ format: 'date-time' }),
    accounts: Type.Array(AccountRecord),
  }),
)
export type EnterpriseRecord = Type.Static<typeof EnterpriseRecord>
