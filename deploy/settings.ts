import { readFileSync } from 'node:fs'
import type { CidrBlock } from '../engine/conditions/cidr.ts'
import { MAX_RETENTION_DAYS } from '../schemas/http/retention-api.ts'
import {
  brokerList,
  byteSize,
  databaseName,
  type GivenServiceKey,
  integer,
  key32,
  list,
  matching,
  networks,
  oneOf,
  optionalPort,
  optionalText,
  port,
  proxyList,
  registryUrl,
  regularExpression,
  requestCount,
  type SaslMechanism,
  serviceKeys,
  text,
  token,
  Unreadable,
  url,
} from './setting-values.ts'

/**
 * Every setting is declared here once: name, meaning, default, and the reader of its text. Only this file reads the
 * environment. A setting can also be given as `<NAME>_FILE`, the path of a file with its value.
 */

interface Declaration<T> {
  readonly name: string
  readonly summary: string
  readonly read: (text: string) => T
  /** Value when it is not set. */
  readonly fallback: T
  readonly secret?: boolean
}

/** All problems with the settings, one sentence each, so that they can be fixed at once. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

function setting<T>(
  name: string,
  summary: string,
  read: (text: string) => T,
  fallback: T,
  options: { secret?: boolean } = {},
): Declaration<T> {
  return { name, summary, read, fallback, ...options }
}

const DECLARATIONS = {
  dataDirectory: setting(
    'WEIR_DATA_DIR',
    'Folder of the log, the store and the credentials.',
    text,
    './weir-data',
  ),
  host: setting('WEIR_HOST', 'Address to listen on.', text, '127.0.0.1'),
  port: setting('WEIR_PORT', 'Port of the API and of ingestion; 0 takes a free one.', port, 8080),
  ingestPort: setting(
    'WEIR_INGEST_PORT',
    'Separate port for ingestion. Default: ingestion uses WEIR_PORT.',
    optionalPort,
    undefined,
  ),
  tlsCertificate: setting(
    'WEIR_TLS_CERT',
    'Path of the PEM certificate chain for HTTPS.',
    optionalText,
    undefined,
  ),
  tlsKey: setting('WEIR_TLS_KEY', 'Path of the PEM private key for HTTPS.', optionalText, undefined),
  ingestHost: setting(
    'WEIR_INGEST_HOST',
    'Host, with a port if needed, at which senders reach ingestion: the default host of log-analysis destinations. Default: WEIR_HOST and its port.',
    optionalText,
    undefined,
  ),
  logHostPattern: setting(
    'WEIR_LOG_HOST_PATTERN',
    'Regular expression for the hosts that log-analysis destinations may use. Default: any host.',
    regularExpression,
    undefined,
  ),
  trustedProxies: setting(
    'WEIR_TRUSTED_PROXIES',
    'Comma-separated addresses or networks of proxies whose x-forwarded-for is trusted.',
    proxyList,
    [] as readonly string[],
  ),
  corsOrigins: setting(
    'WEIR_CORS_ORIGINS',
    'Comma-separated origins from which browsers may send lines; * for any.',
    list,
    ['*'] as readonly string[],
  ),
  bodyLimitBytes: setting(
    'WEIR_BODY_LIMIT_BYTES',
    'Maximum size of a request body.',
    integer(1024, 12 * 1024 ** 2),
    2_097_152,
  ),
  maxIngestionKeys: setting(
    'WEIR_MAX_INGESTION_KEYS',
    'Maximum number of ingestion keys per account. Default: the limit of its plan, which is 10.',
    integer(1, 100_000) as (value: string) => number | undefined,
    undefined,
  ),
  maxServiceKeys: setting(
    'WEIR_MAX_SERVICE_KEYS',
    'Maximum number of service keys per account. Default: the limit of its plan, which is 20.',
    integer(1, 100_000) as (value: string) => number | undefined,
    undefined,
  ),
  maxMemberKeys: setting(
    'WEIR_MAX_MEMBER_KEYS',
    "Maximum number of personal access tokens per member. Default: the limit of the account's plan, which is 20.",
    integer(1, 10_000) as (value: string) => number | undefined,
    undefined,
  ),
  allowServiceKeyCreation: setting(
    'WEIR_ALLOW_SERVICE_KEY_CREATION',
    'on: service keys can still be created, although access tokens have replaced them.',
    oneOf('on', 'off'),
    'off',
  ),
  checkArchiving: setting(
    'WEIR_CHECK_ARCHIVING',
    'on: an archiving configuration is accepted only if its endpoint, or otherwise the host of its provider, accepts a TCP connection (default port 443).',
    oneOf('on', 'off'),
    'off',
  ),
  outboundDeny: setting(
    'WEIR_OUTBOUND_DENY',
    'Comma-separated addresses or networks to which connections for users are refused, in addition to those that are always refused.',
    networks,
    [] as readonly CidrBlock[],
  ),
  outboundAllow: setting(
    'WEIR_OUTBOUND_ALLOW',
    'Comma-separated addresses or networks to which connections for users are allowed. A cluster refuses loopback and private networks otherwise. Of overlapping networks, the longest prefix counts.',
    networks,
    [] as readonly CidrBlock[],
  ),
  rateLimitApi: setting(
    'WEIR_RATE_LIMIT_API',
    'API requests per second and credential, at each process; more get 429. Default: no limit.',
    requestCount,
    undefined,
  ),
  rateLimitApiBurst: setting(
    'WEIR_RATE_LIMIT_API_BURST',
    'Maximum number of these requests at once. Default: the number of one second.',
    requestCount,
    undefined,
  ),
  rateLimitIngest: setting(
    'WEIR_RATE_LIMIT_INGEST',
    'Ingestion requests per second and credential, at each process; more get 429, and some senders then drop their lines. Default: no limit.',
    requestCount,
    undefined,
  ),
  rateLimitIngestBurst: setting(
    'WEIR_RATE_LIMIT_INGEST_BURST',
    'Maximum number of these requests at once. Default: the number of one second.',
    requestCount,
    undefined,
  ),
  maxExportLines: setting(
    'WEIR_MAX_EXPORT_LINES',
    'Maximum number of lines of one /v1/export, also without a requested size. Pages of /v2/export have up to 10000.',
    integer(1, 20_000),
    10_000,
  ),
  maxExportsPerAccount: setting(
    'WEIR_MAX_EXPORTS_PER_ACCOUNT',
    'Maximum number of simultaneous exports per account, at each process; more get 429. Default: no limit.',
    requestCount,
    undefined,
  ),
  maxTails: setting('WEIR_MAX_TAILS', 'Maximum number of live tails per process.', integer(0, 10_000), 200),
  maxTailsPerAccount: setting(
    'WEIR_MAX_TAILS_PER_ACCOUNT',
    'Maximum number of live tails per account, at each process.',
    integer(0, 10_000),
    20,
  ),
  maxTapsPerAccount: setting(
    'WEIR_MAX_TAPS_PER_ACCOUNT',
    'Maximum number of taps on pipelines per account, at each process.',
    integer(1, 10_000),
    10,
  ),
  suspensionTokenMinutes: setting(
    'WEIR_SUSPENSION_TOKEN_MINUTES',
    'Minutes for which the token that confirms a suspension of ingestion is valid.',
    integer(1, 24 * 60),
    15,
  ),
  partitions: setting(
    'WEIR_PARTITIONS',
    'Number of partitions of a new log; it cannot be changed later.',
    integer(1, 4096),
    4,
  ),
  logMaxBytes: setting(
    'WEIR_LOG_MAX_BYTES',
    'Maximum size of the log. Default: the smaller of 20 GiB and half of the free disk space.',
    byteSize,
    undefined,
  ),
  logRetentionHours: setting(
    'WEIR_LOG_RETENTION_HOURS',
    'Hours for which stored records stay on the log for preview and replay.',
    integer(1, 24 * 365),
    24,
  ),
  retentionDays: setting(
    'WEIR_RETENTION_DAYS',
    'Retention in days of the account that a first start creates; later "weir retention set" changes it. Default: 30.',
    integer(1, MAX_RETENTION_DAYS) as (value: string) => number | undefined,
    undefined,
  ),
  secretKey: setting(
    'WEIR_SECRET_KEY',
    'Key that encrypts stored secrets; 64 hexadecimal digits. Default: a new key in the data folder.',
    matching(/^[0-9a-f]{64}$/i, '64 hexadecimal digits'),
    undefined,
    { secret: true },
  ),
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
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    'Address of a ClickHouse server. Default: the embedded engine.',
    url,
    undefined,
  ),
  clickhouseUser: setting('CLICKHOUSE_USER', 'User name for the ClickHouse server.', text, 'default'),
  clickhousePassword: setting('CLICKHOUSE_PASSWORD', 'Password of the ClickHouse user.', text, '', {
    secret: true,
  }),
  clickhouseDatabase: setting(
    'CLICKHOUSE_DATABASE',
    'Database on the ClickHouse server.',
    databaseName,
    'weir',
  ),
  storeHost: setting('WEIR_STORE_HOST', 'Address on which "weir store" listens.', text, '127.0.0.1'),
  storePort: setting('WEIR_STORE_PORT', 'Port of "weir store"; 0 takes a free one.', port, 8123),
  logLevel: setting(
    'LOG_LEVEL',
    'Minimum severity of log messages.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ),
  serviceKeys: setting(
    'WEIR_SERVICE_KEYS',
    'Comma-separated account:key pairs; each start creates the missing service keys.',
    serviceKeys,
    [] as readonly GivenServiceKey[],
    { secret: true },
  ),
  bootstrapAccountId: setting(
    'WEIR_BOOTSTRAP_ACCOUNT_ID',
    'Short id of the account that a first start creates.',
    matching(/^[0-9a-f]{10}$/, 'ten lower-case hexadecimal digits'),
    undefined,
  ),
  bootstrapAccessToken: setting(
    'WEIR_BOOTSTRAP_ACCESS_TOKEN',
    'Access token that a first start creates.',
    token('sts'),
    undefined,
    { secret: true },
  ),
  bootstrapEnterpriseAccessToken: setting(
    'WEIR_BOOTSTRAP_ENTERPRISE_ACCESS_TOKEN',
    'Enterprise token that a first start creates.',
    token('ste'),
    undefined,
    { secret: true },
  ),
  bootstrapIngestionKey: setting(
    'WEIR_BOOTSTRAP_INGESTION_KEY',
    'Ingestion key that a first start creates.',
    key32,
    undefined,
    { secret: true },
  ),
  bootstrapServiceKey: setting(
    'WEIR_BOOTSTRAP_SERVICE_KEY',
    'Service key that a first start creates.',
    key32,
    undefined,
    { secret: true },
  ),
} as const

type Declarations = typeof DECLARATIONS

export type Settings = {
  readonly [Name in keyof Declarations]: Declarations[Name] extends Declaration<infer T> ? T : never
}

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of the command line, which the server ignores. */
const OTHERS_ALLOWED = new Set(['WEIR_URL', 'WEIR_INGEST_URL', 'WEIR_ACCESS_TOKEN', 'WEIR_INGESTION_KEY'])

/**
 * Service links: variables by which an orchestrator gives every container the addresses of other services. For a service
 * "weir" they are WEIR_SERVICE_HOST, WEIR_SERVICE_PORT(_<name>), WEIR_PORT_8080_TCP(_PROTO|_PORT|_ADDR) and
 * WEIR_PORT=tcp://10.0.0.1:8080, and for "weir-ingest" the same with WEIR_INGEST_.
 */
const SERVICE_LINK =
  /^WEIR_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/
/** A service link with the name of a setting is recognised by its value, which is not a port. */
const LINKED_PORT = /^WEIR_(?:\w+_)?PORT$/
const LINK = /^(?:tcp|udp|sctp):\/\//

/** Names of the variables that are service links of an orchestrator and not settings. */
export function serviceLinks(environment: Environment): string[] {
  return Object.keys(environment).filter(
    name => SERVICE_LINK.test(name) || (LINKED_PORT.test(name) && LINK.test(environment[name] ?? '')),
  )
}

/** @throws SettingsError with a sentence for every setting that cannot be used; service links are ignored */
export function readSettings(given: Environment): Settings {
  const links = new Set(serviceLinks(given))
  const environment = Object.fromEntries(Object.entries(given).filter(([name]) => !links.has(name)))
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [member, declaration] of Object.entries<Declaration<unknown>>(DECLARATIONS)) {
    settings[member] = readOne(declaration, environment, problems)
  }
  problems.push(...unknownSettings(environment))
  const read = settings as unknown as Settings
  if ((read.tlsCertificate === undefined) !== (read.tlsKey === undefined)) {
    problems.push('WEIR_TLS_CERT and WEIR_TLS_KEY must be set together')
  }
  if (read.kafkaBrokers.length > 0) problems.push(...kafkaProblems(read))
  problems.push(...registryProblems(read))
  for (const [name, rate, burst] of [
    ['WEIR_RATE_LIMIT_API', read.rateLimitApi, read.rateLimitApiBurst],
    ['WEIR_RATE_LIMIT_INGEST', read.rateLimitIngest, read.rateLimitIngestBurst],
  ] as const)
    if (rate === undefined && burst !== undefined)
      problems.push(`${name}_BURST has no effect unless ${name} is set`)
  if (read.ingestPort !== undefined && read.ingestPort === read.port && read.port !== 0) {
    problems.push('WEIR_INGEST_PORT must differ from WEIR_PORT')
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return read
}

/** Further settings that a shared log requires in addition to the brokers. */
function kafkaProblems(settings: Settings): string[] {
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

function registryProblems(settings: Settings): string[] {
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

function readOne(declaration: Declaration<unknown>, environment: Environment, problems: string[]): unknown {
  const { name, read, fallback } = declaration
  try {
    const value = settingText(name, environment)
    return value === undefined || value === '' ? fallback : read(value)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    problems.push(`${name} ${error.message}`)
    return fallback
  }
}

function settingText(name: string, environment: Environment): string | undefined {
  const path = environment[`${name}_FILE`]
  if (path === undefined || path === '') return environment[name]
  if (environment[name]) throw new Unreadable(`and ${name}_FILE are both set: remove one of them`)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new Unreadable(`cannot be read from ${name}_FILE: ${(cause as Error).message}`)
  }
}

function unknownSettings(environment: Environment): string[] {
  const known = new Set(Object.values<Declaration<unknown>>(DECLARATIONS).map(({ name }) => name))
  const problems: string[] = []
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('WEIR_') || OTHERS_ALLOWED.has(name)) continue
    if (!known.has(name) && !known.has(name.replace(/_FILE$/, '')))
      problems.push(`${name} is not a setting of Weir`)
  }
  return problems
}

/** Settings for the operator's guide. */
export function describeSettings(): readonly { name: string; summary: string; fallback: string }[] {
  return Object.values<Declaration<unknown>>(DECLARATIONS).map(({ name, summary, fallback }) => ({
    name,
    summary,
    fallback: fallback === undefined ? '' : String(fallback),
  }))
}
