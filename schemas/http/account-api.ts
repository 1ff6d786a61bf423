import Type from 'typebox'
import { named } from '../named.ts'

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
        'Days that lines are kept and found; with 0 they are accepted, and never found. Of an account that keeps them longer (/v1/config/retention) 90 is shown, and 90 changes nothing',
    }),
  ),
  enable_syslog: Type.Optional(
    Type.Literal(false, { description: 'There is no ingestion by syslog; false is accepted.' }),
  ),
  features: Type.Optional(
    Type.Object(
      { throttle: Type.Optional(Type.Boolean({ description: 'The throttle processor, a beta' })) },
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

/** What is left out stays as it is. */
export const AccountChange = named(
  'AccountChange',
  Type.Object(
    { company: Type.Optional(Company), owneremail: Type.Optional(OwnerEmail), ...members },
    { additionalProperties: false },
  ),
)
export type AccountChange = Type.Static<typeof AccountChange>
