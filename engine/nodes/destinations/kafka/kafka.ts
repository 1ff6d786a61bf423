import { X509Certificate } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonObject } from '../../../../schemas/json.ts'
import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import { type Field, fieldAt, isFieldPath } from '../../../event/field-path.ts'
import type { Problem } from '../../../event/problem.ts'
import { textForm } from '../../../json/json-text.ts'
import type { KafkaLogin, KafkaOutcome, KafkaProduction } from '../../../outbound/kafka-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
  KAFKA_TRANSPORT,
} from '../../contract/define-destination.ts'
import { jsonFormOf, textFormOf } from '../../http/event-text.ts'
import { perConfig } from '../../http/per-config.ts'
import { requestRanges } from '../../http/request-ranges.ts'
import { ackEnabled, encoding } from '../../options/delivery-options.ts'
import {
  kafkaConnectionOptions,
  kafkaConnectionProblems,
  withSaslDefaults,
} from '../../options/kafka-connection-options.ts'
import { recordsVerdict } from './kafka-verdict.ts'

/** Class "streaming" of components, section 7.1. By default, brokers accept a little more. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
/** A record beside its key and value: two headers, and lengths. */
const RECORD_BYTES = 128
const TOPIC = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/

const KafkaOptions = Type.Object(
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
        description: 'Compression of the batches of records',
      }),
    ),
    event_key_field: Type.Optional(
      Type.String({ minLength: 1, description: 'Field whose value becomes the key of the record' }),
    ),
    group_id: Type.Optional(Type.String({ description: 'Accepted and not used' })),
  },
  { additionalProperties: false },
)

type KafkaConfig = Static<typeof KafkaOptions>
type RecordConfig = Pick<KafkaConfig, 'encoding' | 'event_key_field'>

const batching: Batching<RecordConfig> = {
  bounds: () => ({ bytes: MAX_BYTES, events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: (event, config) =>
    Buffer.byteLength(recordValue(event, config)) +
    Buffer.byteLength(recordKey(event, config) ?? '') +
    RECORD_BYTES,
}

/** A topic of Kafka: components, section 7.3. */
export const kafka = defineDestination({
  type: 'kafka',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Produce events to a topic of Kafka.',
  notes: [
    'Each event is a record with the timestamp of the event. Kafka does not recognise repeats: a record can be there twice. Both ' +
      'have the same header `weir-position`, which no other event has; the header `idempotency-key` is the id of their batch.',
    'The key of a record is the text of `event_key_field`: a path, or the name of a member of the message. Records without a ' +
      'key go to one partition per batch.',
    'A record that is too large for the broker fails alone. Each broker that the cluster names must be an allowed address.',
  ],
  config: KafkaOptions,
  check: kafkaConnectionProblems,
  complete: withSaslDefaults,
  publishProblems: kafkaPublishProblems,
  delivery: 'requests',
  transport: KAFKA_TRANSPORT,
  foldOptions: ['encoding', 'event_key_field'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: () => undefined,
  batching,
  encode: productions,
  judge: (outcome: KafkaOutcome, _config, sent) => recordsVerdict(outcome, sent),
  checkRequest: (config: KafkaConfig): KafkaProduction => ({
    ...{ brokers: config.brokers, ...connectionOf(config), topic: config.topic },
    ...{ compression: config.compression ?? 'none', records: [], stickiness: '' },
  }),
  examples: [
    {
      title: 'each event is a record, with the text of a field as its key',
      config: {
        brokers: [{ host: 'kafka.example.com', port: 9093 }],
        ...{ topic: 'logs', encoding: 'json', compression: 'zstd', event_key_field: '.door' },
      },
      events: [{ door: 7 }, 'open', { door: null }],
      requests: [
        {
          brokers: [{ host: 'kafka.example.com', port: 9093 }],
          tls: {},
          ...{ topic: 'logs', compression: 'zstd' },
          records: [
            {
              ...{ key: '7', value: '{"door":7}', timestampMs: 1_930_810_530_250 },
              headers: { 'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10', 'weir-position': '1' },
            },
            {
              ...{ key: null, value: '"open"', timestampMs: 1_930_810_530_250 },
              headers: { 'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10', 'weir-position': '2' },
            },
            {
              ...{ key: null, value: '{"door":null}', timestampMs: 1_930_810_530_250 },
              headers: { 'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10', 'weir-position': '3' },
            },
          ],
          stickiness: '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10',
        },
      ],
      answers: [
        { answer: { error: null }, verdict: 'delivered' },
        { answer: { error: 'NOT_LEADER_FOR_PARTITION' }, verdict: 'again' },
        { answer: { failure: 'NOT_CONNECTED' }, verdict: 'again' },
        { answer: { error: 'TOPIC_AUTHORIZATION_FAILED' }, verdict: 'rest' },
        { answer: { error: 'MESSAGE_TOO_LARGE' }, verdict: 'halve' },
        {
          answer: { error: 'INVALID_TOPIC_EXCEPTION' },
          verdict: { failed: ['E_DELIVERY_FAILED', null] },
        },
        { answer: { failure: 'DENIED' }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'a plain name is a member of the message; texts are sent as they are',
      config: {
        brokers: [{ host: '10.0.0.7', port: 9092 }],
        ...{ tls_enabled: false, topic: 'logs', event_key_field: 'door name' },
        ...{
          sasl_enabled: true,
          sasl_username: 'weir',
          sasl_password: 'secret',
          sasl_mechanism: 'SCRAM-SHA-512',
        },
      },
      events: [{ 'door name': 'north' }],
      requests: [
        {
          brokers: [{ host: '10.0.0.7', port: 9092 }],
          login: { mechanism: 'scram-sha-512', username: 'weir', password: 'secret' },
          ...{ topic: 'logs', compression: 'none' },
          records: [
            {
              ...{ key: 'north', value: '{"door name":"north"}', timestampMs: 1_930_810_530_250 },
              headers: { 'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10', 'weir-position': '1' },
            },
          ],
          stickiness: '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10',
        },
      ],
      answers: [{ answer: { error: 'MESSAGE_TOO_LARGE' }, verdict: { failed: ['E_DELIVERY_FAILED', null] } }],
    },
  ],
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

function kafkaPublishProblems(config: JsonObject): Problem[] {
  const { topic, tls_ca_certificate: certificate } = config as unknown as KafkaConfig
  return [
    ...(TOPIC.test(topic) ? [] : [{ instancePath: '/topic', message: 'must be the name of a topic' }]),
    ...(certificate === undefined || isCertificate(certificate)
      ? []
      : [{ instancePath: '/tls_ca_certificate', message: 'must be a certificate in PEM' }]),
  ]
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== ''
  } catch {
    return false
  }
}

function* productions(
  { id, events, eventIds }: Batch,
  config: KafkaConfig,
): Generator<EncodedRequest<KafkaProduction>> {
  const sizes = events.map(event => batching.sizeOf(event, config))
  const { brokers, topic, compression = 'none' } = config
  for (const [first, end] of requestRanges(sizes, batching.bounds(config)))
    yield {
      request: {
        brokers,
        ...connectionOf(config),
        ...{ topic, compression },
        records: events.slice(first, end).map((event, index) => ({
          key: recordKey(event, config),
          value: recordValue(event, config),
          headers: { 'idempotency-key': id, 'weir-position': eventIds[first + index] as string },
          timestampMs: Math.max(0, Math.floor(event.timestampMs)),
        })),
        stickiness: id,
      },
      events: end - first,
    }
}

function connectionOf(config: KafkaConfig): Pick<KafkaProduction, 'tls' | 'login'> {
  const { tls_enabled: isTls = true, tls_ca_certificate: ca, tls_verify_certificate: verifies } = config
  const {
    sasl_enabled: hasLogin,
    sasl_mechanism: mechanism,
    sasl_username: username,
    sasl_password: password,
  } = config
  const tls = { ...(ca !== undefined && { ca }), ...(verifies === false && { verifiesCertificate: false }) }
  return {
    ...(isTls && { tls }),
    ...(hasLogin === true && {
      login: {
        mechanism: (mechanism || 'PLAIN').toLowerCase() as KafkaLogin['mechanism'],
        ...{ username: username ?? '', password: password ?? '' },
      },
    }),
  }
}

function recordValue(event: Event, { encoding: form }: RecordConfig): string {
  return form === 'json' ? jsonFormOf(event) : textFormOf(event)
}

const keyFieldOf = perConfig(({ event_key_field: name }: RecordConfig): Pick<Field, 'read'> | undefined => {
  if (name === undefined) return undefined
  if (isFieldPath(name)) return fieldAt(name)
  return {
    read: ({ message }) =>
      isJsonObject(message) && Object.hasOwn(message, name) ? message[name] : undefined,
  }
})

/** Key of the record of an event; null: it has none. */
function recordKey(event: Event, config: RecordConfig): string | null {
  const value = keyFieldOf(config)?.read(event)
  return value === undefined || value === null ? null : textForm(value)
}
