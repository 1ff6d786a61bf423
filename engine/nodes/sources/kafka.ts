import Type from 'typebox'
import { duplicateProblems } from '../../conditions/distinct-items.ts'
import { declareSource } from '../contract/define-source.ts'
import {
  kafkaConnectionOptions,
  kafkaConnectionProblems,
  withSaslDefaults,
} from '../options/kafka-connection-options.ts'

const CLUSTER = { brokers: [{ host: 'kafka.example.org', port: 9093 }] }

/** Rules: pipeline API, section 4; components, section 6.7. */
export const kafka = declareSource({
  type: 'kafka',
  summary: 'Records of Kafka topics.',
  config: Type.Object(
    {
      ...kafkaConnectionOptions,
      topics: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        description: 'Topics to read; a name that starts with ^ is a pattern',
      }),
      group_id: Type.String({ minLength: 1, description: 'Consumer group' }),
      decoding_codec: Type.Optional(
        Type.Enum(['bytes', 'json'], {
          default: 'json',
          description: 'Rule by which the value of a record becomes events',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  entrance: 'pull',

  check: sent => [
    ...kafkaConnectionProblems(sent),
    ...duplicateProblems('/topics', sent.topics, topic => (typeof topic === 'string' ? topic : undefined)),
  ],
  complete: withSaslDefaults,

  configs: [
    {
      sent: { ...CLUSTER, topics: ['orders', '^audit-.*'], group_id: 'pipelines' },
      defaults: { tls_enabled: true, decoding_codec: 'json', sasl_enabled: false },
    },
    {
      sent: {
        ...CLUSTER,
        topics: ['orders'],
        group_id: 'pipelines',
        tls_enabled: false,
        decoding_codec: 'bytes',
        sasl_enabled: true,
        sasl_username: 'reader',
        sasl_password: 'a password',
        sasl_mechanism: '',
      },
      defaults: { sasl_mechanism: 'PLAIN' },
    },
  ],
})
