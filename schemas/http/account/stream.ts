import Type from 'typebox'
import { named } from '../../named.ts'

/** A copy of an account's lines for a Kafka cluster (configuration and account API, section 13). */

/** Maximum number of brokers: a connection to each of them is attempted, and users can name any address. */
const MAX_BROKERS = 10

const description = 'host:port of brokers, through which the others of the cluster are found'
const others = { topic: Type.String({ minLength: 1 }), user: Type.String({ minLength: 1 }) }

export const StreamWrite = named(
  'StreamWrite',
  Type.Object({
    brokers: Type.Array(Type.String({ minLength: 1, format: 'host:port', maxLength: 300 }), {
      minItems: 1,
      maxItems: MAX_BROKERS,
      description,
    }),
    ...others,
    password: Type.String({ minLength: 1, description: 'Password; never shown again' }),
  }),
)
export type StreamWrite = Type.Static<typeof StreamWrite>

export const StreamRecord = named(
  'StreamRecord',
  Type.Object({
    status: Type.Enum(['active', 'inactive']),
    brokers: Type.Array(Type.String(), { description }),
    ...others,
  }),
)
export type StreamRecord = Type.Static<typeof StreamRecord>
