import Type from 'typebox'
import { declareDestination } from '../contract/define-destination.ts'
import { ackEnabled, encoding } from '../options/delivery-options.ts'
import {
  kafkaConnectionOptions,
  kafkaConnectionProblems,
  withSaslDefaults,
} from '../options/kafka-connection-options.ts'

/**
 * A topic of Kafka: components, section 7.3. `event_key_field` is not checked as a path, because clients send plain
 * names.
 */
export const kafka = declareDestination({
  type: 'kafka',
  summary: 'Produce events to a topic of Kafka.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      ...kafkaConnectionOptions,
      tls_ca_certificate: Type.Optional(
        Type.String({ minLength: 1, description: 'Certificate that the brokers are verified with, as PEM' }),
      ),
      tls_verify_certificate: Type.Optional(
        Type.Boolean({ description: 'Verify the certificates of the brokers; true when left out' }),
      ),
      topic: Type.String({ minLength: 1, description: 'Topic to write to' }),
      encoding,
      compression: Type.Optional(
        Type.Enum(['gzip', 'lz4', 'snappy', 'zstd', 'none'], {
          default: 'none',
          description: 'How batches of records are compressed',
        }),
      ),
      event_key_field: Type.Optional(
        Type.String({ minLength: 1, description: 'Field whose value becomes the key of the record' }),
      ),
      group_id: Type.Optional(Type.String({ description: 'Accepted and not used' })),
    },
    { additionalProperties: false },
  ),
  check: kafkaConnectionProblems,
  complete: withSaslDefaults,
  configs: [
    {
      sent: { brokers: [{ host: 'kafka.example.com', port: 9093 }], topic: 'logs' },
      defaults: {
        ack_enabled: true,
        tls_enabled: true,
        sasl_enabled: false,
        encoding: 'text',
        compression: 'none',
      },
    },
    {
      sent: {
        brokers: [{ host: 'kafka.example.com', port: 9093 }],
        sasl_enabled: true,
        sasl_username: 'weir',
        sasl_password: 'secret',
        sasl_mechanism: '',
        topic: 'logs',
      },
      defaults: {
        ack_enabled: true,
        tls_enabled: true,
        sasl_mechanism: 'PLAIN',
        encoding: 'text',
        compression: 'none',
      },
    },
    {
      sent: {
        ack_enabled: false,
        brokers: [
          { host: 'a.example.com', port: 9092 },
          { host: 'b.example.com', port: 9092 },
        ],
        tls_enabled: false,
        tls_ca_certificate: '-----BEGIN CERTIFICATE-----',
        tls_verify_certificate: false,
        sasl_enabled: true,
        sasl_username: 'weir',
        sasl_password: 'secret',
        sasl_mechanism: 'SCRAM-SHA-512',
        topic: 'logs',
        encoding: 'json',
        compression: 'zstd',
        event_key_field: '.host',
        group_id: 'weir',
      },
    },
  ],
})
