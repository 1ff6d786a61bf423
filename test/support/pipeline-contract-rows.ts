import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { Problem } from './pipeline-client.ts'

export const CONDITIONAL = { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] }
const STORED_CONDITIONAL = {
  expressions: [{ field: '.level', str_operator: 'equal', value: 'debug', negate: false }],
  logical_operation: 'AND',
}
const BAD_PATH = 'Must be a valid data access syntax'
const BROKERS = [{ host: 'kafka.example.com', port: 9093 }]
const KEY_PAIR = { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'clear text' }

type Echo = readonly [about: string, kind: NodeKind, type: string, sent: JsonObject, read: JsonObject]

const sliding = { window: { type: 'sliding', interval: 10, window_min: 0 }, evaluate: { operation: 'SUM' } }
export const tumbling = { window: { type: 'tumbling', interval: 3600 }, evaluate: { operation: 'SUM' } }
const metric = { metric_name: 'm', value: { value_type: 'value', value: 1 } }
export const parsing = (parser: string, options?: JsonObject): JsonObject => ({
  field: '.line',
  parser,
  ...(options === undefined ? {} : { options }),
})
export const sampling = (operator: string, members: JsonObject = {}): JsonObject => ({
  always_include: { field: '.a', str_operator: operator, ...members },
})
const blob = { container_name: 'logs', connection_string: 'foo' }
const bucket = { auth: KEY_PAIR, region: 'eu-central-1', bucket: 'logs' }
const queue = { auth: KEY_PAIR, region: 'eu-central-1', queue_url: 'https://sqs.example.com/q' }
const consolidation = {
  enabled: false,
  process_every_seconds: 600,
  requested_size_bytes: 500_000_000,
  base_path: '',
}
export const elastic = (auth: JsonObject): JsonObject => ({ endpoints: ['https://search.example.com'], auth })
export const sixMembers = (members: JsonObject): JsonObject => ({
  strategy: 'basic',
  user: '',
  password: '',
  access_key_id: '',
  secret_access_key: '',
  region: '',
  ...members,
})
const topic = { brokers: BROKERS, topics: ['logs'], group_id: 'weir' }
export const apache = { format: 'combined' }
const prometheus = { endpoint: 'https://metrics.example.com/write' }
const loki = {
  endpoint: 'https://loki.example.com',
  encoding: { codec: 'json' },
  auth: { strategy: 'basic', user: 'u', password: 'p' },
  labels: [
    { label_name: 'z', label_value: '1' },
    { label_name: 'a', label_value: '2' },
  ],
}
const lines = (members: JsonObject = {}): JsonObject => ({
  mezmo_host: 'logs.example.com',
  query: {},
  ...members,
})
const linesStored = {
  ack_enabled: true,
  mezmo_host: 'logs.example.com',
  use_ingestion_key: false,
  query: { hostname: 'mezmo' },
  message: { scheme: 'Explicit field selection' },
}
const httpStored = { encoding: 'text', compression: 'none', advanced_options: {}, ack_enabled: true }
const bucketSource = { auth: KEY_PAIR, region: 'eu-central-1', sqs_queue_url: 'https://sqs.example.com/q' }
const compacted = { fields: ['.a'], options: { compact_array: true, compact_object: true } }
const deliveryDefaults = { ack_enabled: true, encoding: 'text', compression: 'none' }
const profile = {
  app_fields: ['.app'],
  host_fields: ['.host'],
  level_fields: ['.level'],
  line_fields: ['.line'],
}

/**
 * Rows of the pipeline API, sections 2 to 6, whose echo clients depend on: the sent values, and the values read
 * afterwards.
 */
export const ECHOES: readonly Echo[] = [
  ['secrets in clear', 'source', 's3', bucketSource, { ...bucketSource, compression: 'auto' }],
  ['a key pair alone', 'source', 'sqs', queue, queue],
  [
    'an empty mechanism',
    'source',
    'kafka',
    { ...topic, sasl_enabled: true, sasl_username: 'u', sasl_password: 'p', sasl_mechanism: '' },
    {
      ...{ ...topic, sasl_enabled: true, sasl_username: 'u', sasl_password: 'p', sasl_mechanism: 'PLAIN' },
      ...{ tls_enabled: true, decoding_codec: 'json' },
    },
  ],
  [
    'no SASL',
    'source',
    'kafka',
    topic,
    { ...topic, sasl_enabled: false, tls_enabled: true, decoding_codec: 'json' },
  ],
  [
    'an older member',
    'source',
    'http',
    { capture_metadata: false },
    { capture_metadata: false, decoding: 'auto' },
  ],
  ['options that are missing', 'transform', 'compact-fields', { fields: ['.a'] }, compacted],
  [
    'the whole event',
    'transform',
    'flatten-fields',
    { fields: [] },
    { fields: [], options: { delimiter: '_' } },
  ],
  [
    'members of mappings',
    'transform',
    'map-fields',
    { mappings: [{ source_field: '.b', target_field: '.a' }] },
    { mappings: [{ source_field: '.b', target_field: '.a', drop_source: false, overwrite_target: false }] },
  ],
  [
    'no key_field and no exclude',
    'transform',
    'throttle',
    { threshold: 1, window_ms: 1000 },
    { threshold: 1, window_ms: 1000 },
  ],
  [
    'a custom format',
    'transform',
    'set-timestamp',
    { parsers: [{ field: '.t', options: { format: 'Custom', custom_format: '%s' } }] },
    { parsers: [{ field: '.t', options: { format: 'Custom', custom_format: '%s' } }] },
  ],
  ['sliding, as a whole', 'transform', 'aggregate', sliding, { ...sliding, event_timestamp: 'timestamp' }],
  [
    'tumbling, with window_min',
    'transform',
    'aggregate',
    tumbling,
    { ...tumbling, window: { ...tumbling.window, window_min: 5 }, event_timestamp: 'timestamp' },
  ],
  ['its older name', 'transform', 'aggregate-v2', sliding, { ...sliding, event_timestamp: 'timestamp' }],
  ...(['absolute', 'incremental'] as const).flatMap(metric_kind =>
    (['counter', 'gauge'] as const).map((metric_type): Echo => {
      const sent = { ...metric, metric_kind, metric_type }
      const about = `an ${metric_kind} ${metric_type}`
      return [about, 'transform', 'event-to-metric', sent, { ...sent, namespace: { value_type: 'none' } }]
    }),
  ),
  ['no lists', 'transform', 'reduce', {}, { duration_ms: 30_000 }],
  [
    'contains',
    'transform',
    'sample',
    sampling('contains', { value: 'x' }),
    { rate: 10, ...sampling('contains', { value: 'x', negate: false, case_sensitive: true }) },
  ],
  [
    'equal, case_sensitive off',
    'transform',
    'sample',
    sampling('equal', { value: 'x', case_sensitive: false }),
    { rate: 10, ...sampling('equal', { value: 'x', case_sensitive: false, negate: false }) },
  ],
  [
    'no operand',
    'transform',
    'sample',
    sampling('exists'),
    { rate: 10, ...sampling('exists', { negate: false }) },
  ],
  [
    'the empty text for an operator without operand',
    'transform',
    'filter',
    { action: 'drop', conditional: { expressions: [{ field: '.a', str_operator: 'exists', value: '' }] } },
    {
      action: 'drop',
      conditional: {
        expressions: [{ field: '.a', str_operator: 'exists', value: '', negate: false }],
        logical_operation: 'AND',
      },
    },
  ],
  [
    'no options',
    'transform',
    'parse',
    parsing('parse_syslog'),
    { ...parsing('parse_syslog'), target_field: '' },
  ],
  [
    'the time of Apache',
    'transform',
    'parse',
    parsing('parse_apache_log', apache),
    {
      ...parsing('parse_apache_log', { ...apache, timestamp_format: '%d/%b/%Y:%T %z' }),
      target_field: '',
    },
  ],
  [
    'the time of nginx errors',
    'transform',
    'parse',
    parsing('parse_nginx_log', { format: 'error' }),
    {
      ...parsing('parse_nginx_log', { format: 'error', timestamp_format: '%Y/%m/%d %H:%M:%S' }),
      target_field: '',
    },
  ],
  [
    'switches of expressions',
    'transform',
    'parse',
    parsing('parse_regex', { pattern: 'a' }),
    {
      ...parsing('parse_regex', {
        pattern: 'a',
        case_sensitive: true,
        multiline: false,
        match_newline: false,
        crlf_newline: false,
      }),
      target_field: '',
    },
  ],
  ...['key_value_delimiter', 'field_delimiter'].map((member): Echo => {
    const sent = parsing('parse_key_value', { [member]: ':' })
    return [`${member} alone`, 'transform', 'parse', sent, { ...sent, target_field: '' }]
  }),
  [
    'head',
    'transform',
    'trace-sampling',
    { sample_type: 'head' },
    { sample_type: 'head', rate: 10, trace_id_field: '.trace_id' },
  ],
  [
    'a name of the client',
    'transform',
    'trace-sampling',
    { sample_type: 'tail', conditionals: [{ rate: 1, conditional: CONDITIONAL, _output_name: 'mine' }] },
    {
      sample_type: 'tail',
      trace_id_field: '.trace_id',
      parent_span_id_field: '.parent_span_id',
      conditionals: [{ rate: 1, conditional: STORED_CONDITIONAL, _output_name: 'mine' }],
    },
  ],
  [
    'a text that is none',
    'sink',
    'azure-blob-storage',
    blob,
    { ...blob, ...deliveryDefaults, batch_timeout_secs: 300 },
  ],
  [
    'empty consolidation',
    'sink',
    'azure-blob-storage',
    { ...blob, file_consolidation: {} },
    { ...blob, ...deliveryDefaults, batch_timeout_secs: 300, file_consolidation: consolidation },
  ],
  [
    'part of consolidation',
    'sink',
    's3',
    { ...bucket, file_consolidation: { enabled: true, base_path: '', requested_size_bytes: 10_000_000_000 } },
    {
      ...bucket,
      ...deliveryDefaults,
      prefix: '/',
      batch_timeout_secs: 300,
      file_consolidation: { ...consolidation, enabled: true, requested_size_bytes: 10_000_000_000 },
    },
  ],
  [
    'no consolidation',
    'sink',
    's3',
    bucket,
    { ...bucket, ...deliveryDefaults, prefix: '/', batch_timeout_secs: 300 },
  ],
  [
    'empty credentials',
    'sink',
    'gcp-cloud-storage',
    { bucket: 'logs', credentials_json: '{}' },
    { bucket: 'logs', credentials_json: '{}', ...deliveryDefaults, batch_timeout_secs: 300 },
  ],
  ...[
    sixMembers({ user: 'u', password: 'p' }),
    sixMembers({ strategy: 'aws', ...KEY_PAIR, region: 'eu-central-1' }),
  ].map((auth): Echo => {
    const defaults = { ack_enabled: true, compression: 'none', index: 'logs-%Y.%m.%d' }
    const about = `six members of auth, ${auth.strategy}`
    return [about, 'sink', 'elasticsearch', elastic(auth), { ...elastic(auth), ...defaults }]
  }),
  [
    'a key field that is no path',
    'sink',
    'kafka',
    { brokers: BROKERS, topic: 'logs', event_key_field: 'my_key' },
    {
      ...{
        brokers: BROKERS,
        topic: 'logs',
        event_key_field: 'my_key',
        tls_enabled: true,
        sasl_enabled: false,
      },
      ...deliveryDefaults,
    },
  ],
  [
    'a path without a slash, and labels as they came',
    'sink',
    'loki',
    { ...loki, path: 'push' },
    { ...loki, path: 'push', ack_enabled: true },
  ],
  [
    'four members of auth',
    'sink',
    'prometheus-remote-write',
    { ...prometheus, auth: { strategy: 'bearer', user: '', password: '', token: 'clear text' } },
    {
      ...prometheus,
      auth: { strategy: 'bearer', user: '', password: '', token: 'clear text' },
      ack_enabled: true,
    },
  ],
  [
    'no auth',
    'sink',
    'prometheus-remote-write',
    prometheus,
    { ...prometheus, auth: { strategy: 'none' }, ack_enabled: true },
  ],
  ['a host and nothing', 'sink', 'mezmo', lines(), linesStored],
  [
    'its neutral name',
    'sink',
    'log-analysis',
    { host: 'logs.example.com', query: {} },
    {
      ack_enabled: true,
      host: 'logs.example.com',
      use_ingestion_key: false,
      query: { hostname: 'log-analysis' },
      message: { scheme: 'Explicit field selection' },
    },
  ],
  [
    'a key without its flag',
    'sink',
    'mezmo',
    lines({ ingestion_key: 'clear text' }),
    { ...linesStored, ingestion_key: 'clear text', use_ingestion_key: true },
  ],
  [
    'a path outside the body',
    'sink',
    'mezmo',
    lines({ message: { scheme: 'Explicit field selection', meta_field: 'metadata._meta' } }),
    { ...linesStored, message: { scheme: 'Explicit field selection', meta_field: 'metadata._meta' } },
  ],
  [
    'unused members of auth, and options without defaults',
    'sink',
    'http',
    {
      uri: 'https://example.com',
      auth: { strategy: 'basic', user: 'u', password: 'p', token: '' },
      advanced_options: {},
    },
    {
      ...httpStored,
      uri: 'https://example.com',
      auth: { strategy: 'basic', user: 'u', password: 'p', token: '' },
    },
  ],
  [
    'no auth',
    'sink',
    'http',
    { uri: 'https://example.com', advanced_options: { timeout_secs: 5 } },
    {
      ...httpStored,
      uri: 'https://example.com',
      auth: { strategy: 'none' },
      advanced_options: { timeout_secs: 5 },
    },
  ],
]

/**
 * Input that must be refused, with its place and the text that clients look for in the message (pipeline API, section
 * 1.3).
 */
export const REFUSALS: readonly (readonly [
  about: string,
  kind: NodeKind,
  type: string,
  sent: JsonObject,
  problem: Problem,
])[] = [
  ...(
    [
      ['drop-fields', { fields: ['.ok', 'not-a-valid-field'] }, '/fields/1'],
      ['compact-fields', { fields: ['10'] }, '/fields/0'],
      ['flatten-fields', { fields: ['invalid'] }, '/fields/0'],
      ['unroll', { field: 'invalid' }, '/field'],
      ['dedupe', { fields: ['invalid'] }, '/fields/0'],
      [
        'map-fields',
        { mappings: [{ source_field: 'invalid', target_field: '.a' }] },
        '/mappings/0/source_field',
      ],
      ['throttle', { threshold: 1, window_ms: 1000, key_field: 'invalid' }, '/key_field'],
      ...['app_fields', 'host_fields', 'level_fields', 'line_fields', 'label_fields'].map(
        member => ['data-profiler', { ...profile, [member]: ['invalid'] }, `/${member}/0`] as const,
      ),
      ['parse', { ...parsing('parse_json'), field: 'invalid' }, '/field'],
      ['aggregate', { ...sliding, event_timestamp: 'invalid' }, '/event_timestamp'],
    ] as const
  ).map(
    ([type, sent, at]) =>
      [
        'a path that is none',
        'transform',
        type,
        sent as unknown as JsonObject,
        { instancePath: `/user_config${at}`, message: BAD_PATH },
      ] as const,
  ),
  [
    'an interval out of range',
    'transform',
    'aggregate',
    { ...sliding, window: { type: 'sliding', interval: 305_325_235_325 } },
    { instancePath: '/user_config/window/interval', message: '' },
  ],
  ...(['encrypt-fields', 'decrypt-fields'] as const).flatMap(type =>
    ([256, 192, 128] as const).map(
      bits =>
        [
          `a key that is too short for ${bits} bits`,
          'transform',
          type,
          { field: '.a', iv_field: '.iv', algorithm: `AES-${bits}-CFB`, key: 'k'.repeat(bits / 8 - 1) },
          {
            instancePath: '/user_config/key',
            message: `must NOT have fewer than ${bits / 8} characters`,
          },
        ] as const,
    ),
  ),
  [
    'no custom format',
    'transform',
    'parse',
    parsing('parse_apache_log', { ...apache, timestamp_format: 'Custom' }),
    {
      instancePath: '/user_config/options',
      message: "must have required property 'custom_timestamp_format'",
    },
  ],
  [
    'no custom format',
    'transform',
    'parse-sequentially',
    {
      field: '.line',
      parsers: [
        { parser: 'parse_json' },
        { parser: 'parse_nginx_log', options: { format: 'error', timestamp_format: 'Custom' } },
      ],
    },
    {
      instancePath: '/user_config/parsers/1/options',
      message: "must have required property 'custom_timestamp_format'",
    },
  ],
  [
    'a parser twice',
    'transform',
    'parse-sequentially',
    {
      field: '.line',
      parsers: [{ parser: 'parse_json' }, { parser: 'parse_json', label: 'x', options: {} }],
    },
    {
      instancePath: '/user_config/parsers/1',
      message: 'parser parse_json cannot be defined more than once with the same options.',
    },
  ],
  [
    'a text for a number',
    'transform',
    'sample',
    sampling('greater', { value: 'many' }),
    { instancePath: '/user_config/always_include/value', message: 'Value must be a number' },
  ],
  [
    'a script that does not compile',
    'transform',
    'js-script',
    { script: 'function process( {' },
    { instancePath: '/user_config/script', message: 'script is not valid JavaScript' },
  ],
  [
    'an address that is none',
    'sink',
    'prometheus-remote-write',
    { endpoint: 'not a valid url' },
    { instancePath: '/user_config/endpoint', message: 'Must be a valid URI' },
  ],
  [
    'an address that is none',
    'sink',
    'loki',
    { ...loki, endpoint: 'not a valid url' },
    { instancePath: '/user_config/endpoint', message: 'Must be a valid URI' },
  ],
  ...(
    [
      ['mezmo', 'mezmo_host'],
      ['log-analysis', 'host'],
    ] as const
  ).map(
    ([type, member]) =>
      [
        'a host that is not allowed',
        'sink',
        type,
        { [member]: 'elsewhere.example.com' },
        { instancePath: `/user_config/${member}`, message: 'must match pattern "' },
      ] as const,
  ),
  [
    'both spellings of a member',
    'sink',
    'mezmo',
    { host: 'logs.example.com', mezmo_host: 'logs.example.com' },
    { instancePath: '/user_config/mezmo_host', message: 'must NOT be sent together with host' },
  ],
  [
    'a change operator',
    'transform',
    'filter',
    {
      action: 'drop',
      conditional: { expressions: [{ field: '.a', str_operator: 'value_change_less', value: 1 }] },
    },
    { instancePath: '/user_config/conditional/expressions/0/str_operator', message: 'must be' },
  ],
  [
    'a member of the other way',
    'transform',
    'trace-sampling',
    { sample_type: 'tail', rate: 10, conditionals: [{ rate: 1, conditional: CONDITIONAL }] },
    { instancePath: '/user_config/rate', message: '' },
  ],
]
