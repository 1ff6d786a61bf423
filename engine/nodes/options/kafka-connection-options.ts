import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { duplicateProblems } from '../../conditions/distinct-items.ts'
import { type Problem, pointerTo } from '../../event/problem.ts'
import { Secret } from '../contract/secret.ts'

const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const
const SASL_CREDENTIALS = ['sasl_username', 'sasl_password'] as const

/** Connection to a Kafka cluster, the same for sources and destinations (pipeline API, section 4). */
export const kafkaConnectionOptions = {
  brokers: Type.Array(
    Type.Object(
      {
        host: Type.String({ minLength: 1, maxLength: 255, description: 'Host name or address' }),
        port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port' }),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, description: 'Brokers through which the others of the cluster are found' },
  ),
  tls_enabled: Type.Optional(
    Type.Boolean({ default: true, description: 'Encrypt the connections to the brokers' }),
  ),
  sasl_enabled: Type.Optional(
    Type.Boolean({ default: false, description: 'Log in to the brokers with a user name and a password' }),
  ),
  sasl_username: Type.Optional(
    Type.String({ description: 'User name; required when sasl_enabled, otherwise left out' }),
  ),
  sasl_password: Type.Optional(
    Secret({ description: 'Password; required when sasl_enabled, otherwise left out' }),
  ),
  sasl_mechanism: Type.Optional(
    Type.Enum([...SASL_MECHANISMS, ''], {
      description: 'Method that proves the password; empty or left out: PLAIN when sasl_enabled',
    }),
  ),
}

/** Checks rules of these options that a schema cannot express. */
export function kafkaConnectionProblems(sent: JsonObject): Problem[] {
  return [...duplicateProblems('/brokers', sent.brokers, brokerKey), ...credentialProblems(sent)]
}

/** @param stored sent options with the schema's defaults */
export function withSaslDefaults(stored: JsonObject): JsonObject {
  if (stored.sasl_enabled !== true) return stored
  return { ...stored, sasl_mechanism: stored.sasl_mechanism || 'PLAIN' }
}

function brokerKey(broker: unknown): string | undefined {
  if (!isJsonObject(broker)) return undefined
  const { host, port } = broker
  return typeof host === 'string' && typeof port === 'number' ? `${host}:${port}` : undefined
}

function credentialProblems(sent: JsonObject): Problem[] {
  return SASL_CREDENTIALS.flatMap(member => {
    const value = sent[member]
    if (sent.sasl_enabled === true && value === undefined)
      return [{ instancePath: '', message: `must have required property '${member}'` }]
    const instancePath = pointerTo('', member)
    if (sent.sasl_enabled === true && value === '')
      return [{ instancePath, message: 'must NOT have fewer than 1 characters' }]
    // Clients that always send every member send the unused ones empty.
    if (sent.sasl_enabled !== true && typeof value === 'string' && value !== '')
      return [{ instancePath, message: 'must NOT be sent when sasl_enabled is false' }]
    return []
  })
}
