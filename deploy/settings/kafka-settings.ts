import { type SettingsOf, setting } from './declaration.ts'
import type { INSTALLATION_SETTINGS } from './installation-settings.ts'
import {
  brokerList,
  integer,
  matching,
  oneOf,
  optionalText,
  registryUrl,
  type SaslMechanism,
  text,
} from './setting-values.ts'
import type { STORE_SETTINGS } from './store-settings.ts'

/** Settings of a log in Kafka, and of its schema registry. */
export const KAFKA_SETTINGS = {
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    'Comma-separated host:port of the Kafka brokers for the log. Default: the embedded log.',
    brokerList,
    [] as readonly string[],
  ),
  kafkaTopicPrefix: setting(
    'KAFKA_TOPIC_PREFIX',
    'Prefix for the names of topics and of the consumer group, so that several installations can share brokers.',
    matching(/^[a-z0-9._-]{0,60}$/, 'up to 60 of a-z, 0-9, dot, underscore and hyphen') as (
      value: string,
    ) => string,
    '',
  ),
  kafkaReplication: setting(
    'KAFKA_REPLICATION',
    'Copies of each record in topics that Weir creates; topics with fewer are refused. Default: 3, or the number of brokers if lower.',
    integer(1, 9) as (value: string) => number | undefined,
    undefined,
  ),
  kafkaSessionTimeoutMs: setting(
    'KAFKA_SESSION_TIMEOUT_MS',
    'Milliseconds without a heartbeat after which other engines take over the partitions of an engine. Brokers allow 6000 and more (group.min.session.timeout.ms).',
    integer(1_000, 300_000),
    10_000,
  ),
  kafkaSaslMechanism: setting(
    'KAFKA_SASL_MECHANISM',
    'Login to Kafka: plain, scram-sha-256 or scram-sha-512. Default: no login.',
    oneOf('plain', 'scram-sha-256', 'scram-sha-512') as (value: string) => SaslMechanism | undefined,
    undefined,
  ),
  kafkaSaslUsername: setting('KAFKA_SASL_USERNAME', 'User name for Kafka.', text, ''),
  kafkaSaslPassword: setting('KAFKA_SASL_PASSWORD', 'Password of the Kafka user.', text, '', {
    secret: true,
  }),
  kafkaTls: setting('KAFKA_TLS', 'on: connections to Kafka use TLS.', oneOf('on', 'off'), 'off'),
  kafkaTlsCa: setting(
    'KAFKA_TLS_CA',
    "Path of PEM certificates of the authorities that issue the brokers' certificates. Default: those of Node.",
    optionalText,
    undefined,
  ),
  kafkaTlsCertificate: setting(
    'KAFKA_TLS_CERT',
    'Path of the PEM certificate that this process presents to Kafka.',
    optionalText,
    undefined,
  ),
  kafkaTlsKey: setting(
    'KAFKA_TLS_KEY',
    'Path of the PEM private key for KAFKA_TLS_CERT.',
    optionalText,
    undefined,
  ),
  schemaRegistryUrl: setting(
    'SCHEMA_REGISTRY_URL',
    'Address of a Confluent-compatible schema registry for the schemas of records on Kafka. Default: no registry; records carry the bundled ids.',
    registryUrl,
    undefined,
  ),
  schemaRegistryUser: setting('SCHEMA_REGISTRY_USER', 'User name for the schema registry.', text, ''),
  schemaRegistryPassword: setting(
    'SCHEMA_REGISTRY_PASSWORD',
    'Password of the schema registry user.',
    text,
    '',
    { secret: true },
  ),
  schemaRegistryCa: setting(
    'SCHEMA_REGISTRY_CA',
    "Path of PEM certificates of the authorities that issue the schema registry's certificate. Default: those of Node.",
    optionalText,
    undefined,
  ),
} as const

type KafkaSettings = SettingsOf<typeof KAFKA_SETTINGS>

/** Settings of other rooms that a log in Kafka requires. */
type RequiredSettings = SettingsOf<Pick<typeof INSTALLATION_SETTINGS, 'secretKey'>> &
  SettingsOf<Pick<typeof STORE_SETTINGS, 'clickhouseUrl'>>

/** Further settings that a shared log requires in addition to the brokers. */
export function kafkaProblems(settings: KafkaSettings & RequiredSettings): string[] {
  const { secretKey, clickhouseUrl, kafkaSaslMechanism, kafkaSaslUsername, kafkaTls } = settings
  const problems: string[] = []
  if (secretKey === undefined)
    problems.push(
      'KAFKA_BROKERS requires WEIR_SECRET_KEY: every process needs the same key. "openssl rand -hex 32" makes one',
    )
  if (clickhouseUrl === undefined)
    problems.push(
      'KAFKA_BROKERS requires CLICKHOUSE_URL: the address of a ClickHouse server, or of "weir store", which serves the embedded engine to all processes',
    )
  if ((kafkaSaslMechanism === undefined) !== (kafkaSaslUsername === ''))
    problems.push('KAFKA_SASL_MECHANISM and KAFKA_SASL_USERNAME must be set together')
  if ((settings.kafkaTlsCertificate === undefined) !== (settings.kafkaTlsKey === undefined))
    problems.push('KAFKA_TLS_CERT and KAFKA_TLS_KEY must be set together')
  if (kafkaTls === 'off' && (settings.kafkaTlsCa ?? settings.kafkaTlsCertificate) !== undefined)
    problems.push('KAFKA_TLS_CA and KAFKA_TLS_CERT have no effect unless KAFKA_TLS is on')
  return problems
}

export function registryProblems(settings: KafkaSettings): string[] {
  const { kafkaBrokers, schemaRegistryUrl, schemaRegistryUser, schemaRegistryPassword, schemaRegistryCa } =
    settings
  const problems: string[] = []
  if (schemaRegistryUrl !== undefined && kafkaBrokers.length === 0)
    problems.push('SCHEMA_REGISTRY_URL has no effect unless KAFKA_BROKERS is set')
  if (schemaRegistryUrl === undefined && (schemaRegistryUser || schemaRegistryPassword || schemaRegistryCa))
    problems.push(
      'SCHEMA_REGISTRY_USER, SCHEMA_REGISTRY_PASSWORD and SCHEMA_REGISTRY_CA have no effect unless SCHEMA_REGISTRY_URL is set',
    )
  if (schemaRegistryUser === '' && schemaRegistryPassword !== '')
    problems.push('SCHEMA_REGISTRY_PASSWORD requires SCHEMA_REGISTRY_USER')
  if (schemaRegistryCa !== undefined && schemaRegistryUrl?.startsWith('http:'))
    problems.push('SCHEMA_REGISTRY_CA has no effect unless SCHEMA_REGISTRY_URL begins with https')
  return problems
}
