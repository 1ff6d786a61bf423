import Type from 'typebox'
import { named } from '../../named.ts'
import { nullable } from '../../nullable.ts'

/** Bodies of `/v3/pipeline/gateway-route` (pipeline API, sections 2.5 and 2.6), for validation and for the API document. */

const Title = Type.String({ minLength: 1, maxLength: 512 })
const Id = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })

const writtenMembers = {
  title: Title,
  description: Type.Optional(nullable<string>({ type: 'string', minLength: 1 })),
}

/** Unknown members are ignored, so that a client can send the answer of a GET back. */
export const GatewayRouteCreate = named(
  'GatewayRouteCreate',
  Type.Object({
    type: Type.String({ description: 'Type of the sources that may use it.' }),
    ...writtenMembers,
  }),
)
/** A full replacement; the type may be omitted, but not changed. */
export const GatewayRouteReplace = named(
  'GatewayRouteReplace',
  Type.Object({ type: Type.Optional(Type.String()), ...writtenMembers }),
)
export type GatewayRouteWrite = Type.Static<typeof GatewayRouteReplace>

export const GatewayRouteRecord = named(
  'GatewayRouteRecord',
  Type.Object({
    id: Id,
    account_id: Type.String(),
    consumer_id: Id,
    type: Type.String(),
    title: nullable<string>({
      type: 'string',
      description: 'null: a source without a title created it.',
    }),
    description: nullable<string>({ type: 'string' }),
    created_at: Time,
  }),
)
export type GatewayRouteRecord = Type.Static<typeof GatewayRouteRecord>

export const AccessKeyWrite = named(
  'AccessKeyWrite',
  Type.Object({
    title: Title,
    type: Type.Enum(['generated']),
    gateway_route_id: Type.Optional(
      nullable<string>({ type: 'string', description: 'If present, it must be the id in the path.' }),
    ),
  }),
)
export type AccessKeyWrite = Type.Static<typeof AccessKeyWrite>

export const AccessKeyRecord = named(
  'AccessKeyRecord',
  Type.Object({
    id: Id,
    account_id: Type.String(),
    title: Type.String(),
    gateway_route_id: Id,
    created_at: Time,
  }),
)
export type AccessKeyRecord = Type.Static<typeof AccessKeyRecord>

export const NewAccessKeyRecord = named(
  'NewAccessKeyRecord',
  Type.Object({
    key: Type.String({ description: 'The key itself; only this answer shows it.' }),
    ...AccessKeyRecord.properties,
  }),
)
export type NewAccessKeyRecord = Type.Static<typeof NewAccessKeyRecord>
