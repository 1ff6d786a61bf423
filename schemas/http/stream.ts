import Type from 'typebox'
import { named } from '../named.ts'

/** A copy of an account's lines for a Kafka cluster (configuration and account API, section 13). */

const MAX_BROKERS = 100

const members = {
  brokers: Type.Array(Type.String({ minLength: 1, format: 'host:port', maxLength: 300 }), {
    minItems: 1,
    maxItems: MAX_BROKERS,
    description: 'host:port of brokers to ask for the others of the cluster',
  }),
  topic: Type.String({ minLength: 1 }),
  user: Type.String({ minLength: 1 }),
}

export const StreamWrite = named(
  'StreamWrite',
  Type.Object({
    ...members,
    password: Type.String({ minLength: 1, description: 'Never shown again' }),
  }),
)
export type StreamWrite = Type.Static<typeof StreamWrite>

export const StreamRecord = named(
  'StreamRecord',
  Type.Object({ status: Type.Enum(['active', 'inactive']), ...members }),
)
export type StreamRecord = Type.Static<typeof StreamRecord>
