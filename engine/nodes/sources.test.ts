import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { CATALOGUE } from './catalogue.ts'
import { checkNode } from './contract/check-node.ts'

const AUTH = { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'a secret' }
const EVENT_HUB = { connection_string: 'c', namespace: 'n', group_id: 'g', topics: ['t'] }
const KAFKA = { brokers: [{ host: 'h', port: 9092 }], topics: ['t'], group_id: 'g' }
const KAFKA_DEFAULTS = { tls_enabled: true, sasl_enabled: false, decoding_codec: 'json' }
const SASL = { ...KAFKA, sasl_enabled: true, sasl_username: 'u', sasl_password: 'p' }
const S3 = { auth: AUTH, region: 'eu-central-1', sqs_queue_url: 'https:/' }
const SQS = { auth: AUTH, region: 'eu-central-1', queue_url: 'https:/' }

const text = (length: number) => 'x'.repeat(length)

function problemsOf(type: string, config: object): string[] {
  const checked = checkNode(CATALOGUE, 'source', type, config as JsonObject)
  if ('stored' in checked) return []
  return checked.problems.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function storedOf(type: string, config: object): JsonObject {
  const checked = checkNode(CATALOGUE, 'source', type, config as JsonObject)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checked.stored
}

test('the push sources are those that receive data over HTTP', () => {
  expect(
    CATALOGUE.sources
      .filter(({ entrance }) => entrance === 'gateway')
      .map(({ type }) => type)
      .sort(),
  ).toEqual([
    ...['datadog-agent', 'fluent', 'http', 'kinesis-firehose', 'log-agent', 'logstash'],
    ...['open-telemetry-logs', 'open-telemetry-metrics', 'open-telemetry-traces'],
    ...['prometheus-remote-write', 'splunk-hec', 'webhook'],
  ])
})

test('names that other clients use mean the same sources', () => {
  expect(CATALOGUE.sourceOf('mezmo-agent')).toBe(CATALOGUE.sourceOf('log-agent'))
  expect(CATALOGUE.sourceOf('mezmo-datadog-source')).toBe(CATALOGUE.sourceOf('datadog-agent'))
})

test.each(CATALOGUE.sources.filter(({ entrance }) => entrance === 'gateway').map(({ type }) => type))(
  '%s: capture_metadata is stored if it is sent, and absent otherwise',
  type => {
    expect(storedOf(type, {})).not.toHaveProperty('capture_metadata')
    for (const capture_metadata of [true, false])
      expect(storedOf(type, { capture_metadata })).toMatchObject({ capture_metadata })
    expect(problemsOf(type, { capture_metadata: 'true' })).toEqual([
      '/user_config/capture_metadata must be boolean',
    ])
  },
)

test.each(['demo-logs', 'azure-event-hub', 'kafka', 'log-analysis', 'log-analysis-ingestion', 's3', 'sqs'])(
  '%s does not receive data over HTTP and has no capture_metadata',
  type => {
    expect(problemsOf(type, { capture_metadata: true })).toContain(
      "/user_config must NOT have additional properties: 'capture_metadata'",
    )
  },
)

describe('choices', () => {
  test.each<[string, string, readonly string[], string | undefined, object]>([
    ['http', 'decoding', ['bytes', 'json', 'ndjson', 'auto'], 'auto', {}],
    ['fluent', 'decoding', ['bytes', 'json', 'ndjson'], 'json', {}],
    ['kinesis-firehose', 'format', ['text', 'json'], 'json', {}],
    ['logstash', 'format', ['json', 'text'], 'json', {}],
    [
      'demo-logs',
      'format',
      [
        ...['env_sensor', 'financial', 'nginx', 'json', 'apache_common', 'apache_error', 'bsd_syslog'],
        ...['syslog', 'http_metrics', 'generic_metrics'],
      ],
      undefined,
      {},
    ],
    ['azure-event-hub', 'decoding_codec', ['bytes', 'json'], 'bytes', EVENT_HUB],
    ['kafka', 'decoding_codec', ['bytes', 'json'], 'json', KAFKA],
    ['kafka', 'sasl_mechanism', ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], 'PLAIN', SASL],
    ['s3', 'compression', ['auto', 'gzip', 'none', 'zstd'], 'auto', S3],
  ])('%s: %s accepts %j, and the default is %s', (type, member, choices, otherwise, required) => {
    for (const choice of choices)
      expect(storedOf(type, { ...required, [member]: choice })).toMatchObject({ [member]: choice })
    if (otherwise === undefined)
      expect(problemsOf(type, required)).toEqual([`/user_config must have required property '${member}'`])
    else expect(storedOf(type, required)[member]).toBe(otherwise)
    for (const wrong of ['other', 5])
      expect(problemsOf(type, { ...required, [member]: wrong }).join()).toContain(
        `/user_config/${member} must be equal to one of the allowed values: ${choices.join(', ')}`,
      )
  })
})

describe('bounds, on both sides', () => {
  test.each<[string, object]>([
    ['azure-event-hub', { ...EVENT_HUB, connection_string: text(512) }],
    ['azure-event-hub', { ...EVENT_HUB, namespace: text(256), group_id: text(256) }],
    ['azure-event-hub', { ...EVENT_HUB, topics: ['t', text(256), 't'] }],
    ['kafka', { ...KAFKA, brokers: [{ host: text(255), port: 1 }] }],
    [
      'kafka',
      {
        ...KAFKA,
        brokers: [
          { host: 'h', port: 65_535 },
          { host: 'h', port: 65_534 },
        ],
      },
    ],
    ['kafka', { ...KAFKA, topics: ['t', text(256)] }],
    ['s3', { ...S3, auth: { access_key_id: 'a', secret_access_key: 's' }, region: 'r' }],
    ['s3', { ...S3, sqs_queue_url: text(1000) }],
    ['sqs', { ...SQS, queue_url: text(7) }],
    ['sqs', { ...SQS, queue_url: text(128) }],
  ])('%s accepts %j', (type, config) => {
    expect(problemsOf(type, config)).toEqual([])
  })

  test.each<[string, object, string[]]>([
    [
      'azure-event-hub',
      {},
      ['connection_string', 'namespace', 'group_id', 'topics'].map(
        member => ` must have required property '${member}'`,
      ),
    ],
    [
      'azure-event-hub',
      { connection_string: '', namespace: '', group_id: '', topics: [] },
      [
        '/connection_string must NOT have fewer than 1 characters',
        '/namespace must NOT have fewer than 1 characters',
        '/group_id must NOT have fewer than 1 characters',
        '/topics must NOT have fewer than 1 items',
      ],
    ],
    [
      'azure-event-hub',
      { connection_string: text(513), namespace: text(257), group_id: text(257), topics: ['', text(257), 5] },
      [
        '/connection_string must NOT have more than 512 characters',
        '/namespace must NOT have more than 256 characters',
        '/group_id must NOT have more than 256 characters',
        '/topics/0 must NOT have fewer than 1 characters',
        '/topics/1 must NOT have more than 256 characters',
        '/topics/2 must be string',
      ],
    ],
    [
      'kafka',
      {},
      ['brokers', 'topics', 'group_id'].map(member => ` must have required property '${member}'`),
    ],
    [
      'kafka',
      { brokers: [], topics: [], group_id: '' },
      [
        '/brokers must NOT have fewer than 1 items',
        '/topics must NOT have fewer than 1 items',
        '/group_id must NOT have fewer than 1 characters',
      ],
    ],
    [
      'kafka',
      {
        ...KAFKA,
        brokers: [
          { host: '', port: 0 },
          { host: text(256), port: 65_536 },
        ],
        topics: ['', text(257), 5],
      },
      [
        '/brokers/0/host must NOT have fewer than 1 characters',
        '/brokers/0/port must be >= 1',
        '/brokers/1/host must NOT have more than 255 characters',
        '/brokers/1/port must be <= 65535',
        '/topics/0 must NOT have fewer than 1 characters',
        '/topics/1 must NOT have more than 256 characters',
        '/topics/2 must be string',
      ],
    ],
    [
      'kafka',
      { ...KAFKA, topics: ['a', 'b', 'a'], brokers: [...KAFKA.brokers, ...KAFKA.brokers] },
      ['/brokers/1 must NOT have duplicate items', '/topics/2 must NOT have duplicate items'],
    ],
    [
      'kafka',
      { ...KAFKA, sasl_enabled: true },
      [" must have required property 'sasl_username'", " must have required property 'sasl_password'"],
    ],
    [
      'kafka',
      { ...SASL, sasl_username: '', sasl_password: '' },
      [
        '/sasl_username must NOT have fewer than 1 characters',
        '/sasl_password must NOT have fewer than 1 characters',
      ],
    ],
    [
      'kafka',
      { brokers: 'h:9092', topics: 't', group_id: 5, tls_enabled: 'true', sasl_enabled: 1 },
      [
        '/brokers must be array',
        '/topics must be array',
        '/group_id must be string',
        '/tls_enabled must be boolean',
        '/sasl_enabled must be boolean',
      ],
    ],
    ['s3', {}, ['auth', 'region', 'sqs_queue_url'].map(member => ` must have required property '${member}'`)],
    [
      's3',
      { auth: {}, region: '', sqs_queue_url: text(6) },
      [
        "/auth must have required property 'access_key_id'",
        "/auth must have required property 'secret_access_key'",
        '/region must NOT have fewer than 1 characters',
        '/sqs_queue_url must NOT have fewer than 7 characters',
      ],
    ],
    [
      's3',
      { ...S3, auth: { access_key_id: '', secret_access_key: '', session: 's' } },
      [
        "/auth must NOT have additional properties: 'session'",
        '/auth/access_key_id must NOT have fewer than 1 characters',
        '/auth/secret_access_key must NOT have fewer than 1 characters',
      ],
    ],
    ['sqs', {}, ['auth', 'region', 'queue_url'].map(member => ` must have required property '${member}'`)],
    ['sqs', { ...SQS, queue_url: text(6) }, ['/queue_url must NOT have fewer than 7 characters']],
    ['sqs', { ...SQS, queue_url: text(129) }, ['/queue_url must NOT have more than 128 characters']],
    ['sqs', { ...SQS, auth: 'AKIAEXAMPLE' }, ['/auth must be object']],
  ])('%s refuses %j', (type, config, problems) => {
    expect(problemsOf(type, config).sort()).toEqual(problems.map(problem => `/user_config${problem}`).sort())
  })
})

describe('kafka', () => {
  test('without SASL its members are absent, unless they were sent empty', () => {
    expect(storedOf('kafka', KAFKA)).toEqual({ ...KAFKA, ...KAFKA_DEFAULTS })
    const empty = { sasl_username: '', sasl_password: '', sasl_mechanism: '' }
    expect(storedOf('kafka', { ...KAFKA, ...empty })).toEqual({ ...KAFKA, ...KAFKA_DEFAULTS, ...empty })
  })

  test('with SASL all three members are texts, and an empty mechanism is the default', () => {
    const expected = { ...SASL, tls_enabled: true, decoding_codec: 'json', sasl_mechanism: 'PLAIN' }
    expect(storedOf('kafka', SASL)).toEqual(expected)
    expect(storedOf('kafka', { ...SASL, sasl_mechanism: '' })).toEqual(expected)
  })
})
