import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { storedOptions } from '../../test/support/stored-options.ts'
import { CATALOGUE } from './catalogue.ts'
import { checkOptions } from './contract/node-declaration.ts'

function check(type: string, config: JsonObject) {
  const destination = CATALOGUE.declarationOf('sink', type)
  if (destination === undefined) throw new RangeError(type)
  return checkOptions(destination, config, { typeAsSent: type, previous: undefined, settings: {} })
}

/** The first worked example of a type: its required members. */
function required(type: string): JsonObject {
  return CATALOGUE.declarationOf('sink', type)?.configs[0]?.sent ?? {}
}

function found(type: string, config: JsonObject): string[] {
  const checked = check(type, config)
  if (!('problems' in checked)) throw new Error(`nothing was found: ${JSON.stringify(config)}`)
  return checked.problems.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Changes of the required members, with the findings that they cause; undefined removes a member. */
type Refusal = readonly [change: Readonly<Record<string, JsonValue | undefined>>, found: readonly string[]]
type Refusals = readonly Refusal[]

const TOO_SHORT = 'must NOT have fewer than 1 characters'
const NO_URI = 'Must be a valid URI that begins with http:// or https://'
const NO_PATH = 'Must be a valid data access syntax'
const NO_TEMPLATE = 'must be a valid template: "{{" without a matching "}}"'
const ENCODINGS = 'must be equal to one of the allowed values: json, text'
const NEAR_JSON = `${ENCODINGS}; did you mean "json"?`
const ENCODINGS_OR_LINES = 'must be equal to one of the allowed values: json, ndjson, text'
const COMPRESSIONS = 'must be equal to one of the allowed values: gzip, none'

const missing = (member: string): Refusal => [
  { [member]: undefined },
  [` must have required property '${member}'`],
]
const empty = (member: string): Refusal => [{ [member]: '' }, [`/${member} ${TOO_SHORT}`]]
const requiredTexts = (...members: string[]) =>
  members.flatMap(
    (member): Refusals => [missing(member), empty(member), [{ [member]: 5 }, [`/${member} must be string`]]],
  )

const BREAKS_HEADERS = 'must NOT contain line breaks or NUL: it becomes part of a header'
/** Texts that would end a header and begin another. */
const inHeader = (member: string): Refusals =>
  ['a\r\nb: c', 'a\n', '\r', 'a\u0000'].map(
    (text): Refusal => [{ [member]: text }, [`/${member} ${BREAKS_HEADERS}`]],
  )

const BATCH_TIMEOUTS: Refusals = [
  [{ batch_timeout_secs: 0 }, ['/batch_timeout_secs must be >= 1']],
  [{ batch_timeout_secs: 86_401 }, ['/batch_timeout_secs must be <= 86400']],
  [{ batch_timeout_secs: 1.5 }, ['/batch_timeout_secs must be integer']],
  [{ batch_timeout_secs: '300' }, ['/batch_timeout_secs must be integer']],
]

const consolidation = (change: JsonObject, ...problems: string[]): Refusal => [
  { file_consolidation: change },
  problems.map(problem => `/file_consolidation${problem}`),
]
const CONSOLIDATIONS: Refusals = [
  [{ file_consolidation: null }, ['/file_consolidation must be object']],
  consolidation({ enabled: 'true' }, '/enabled must be boolean'),
  consolidation({ process_every_seconds: 299 }, '/process_every_seconds must be >= 300'),
  consolidation({ process_every_seconds: 3601 }, '/process_every_seconds must be <= 3600'),
  consolidation({ requested_size_bytes: 49_999_999 }, '/requested_size_bytes must be >= 50000000'),
  consolidation({ requested_size_bytes: 10_000_000_001 }, '/requested_size_bytes must be <= 10000000000'),
  consolidation({ base_path: 'x'.repeat(513) }, '/base_path must NOT have more than 512 characters'),
  consolidation({ size: 1 }, " must NOT have additional properties: 'size'"),
  [
    { encoding: 'json', file_consolidation: { enabled: true } },
    ['/file_consolidation/enabled must be false when encoding is "json"'],
  ],
]

const CREDENTIALS: Refusals = [
  ...requiredTexts('credentials_json'),
  [{ credentials_json: '{' }, ['/credentials_json must be the text of a JSON object']],
  [{ credentials_json: '[]' }, ['/credentials_json must be the text of a JSON object']],
  [{ credentials_json: 'null' }, ['/credentials_json must be the text of a JSON object']],
]

const RESOURCES: Refusals = [
  ...requiredTexts('project_id', 'resource_type'),
  [{ resource_labels: {} }, ['/resource_labels must be array']],
  [
    { resource_labels: [{ label_name: '', label_value: '' }] },
    [`/resource_labels/0/label_name ${TOO_SHORT}`, `/resource_labels/0/label_value ${TOO_SHORT}`],
  ],
  [
    { resource_labels: [{ label_name: 'a' }] },
    ["/resource_labels/0 must have required property 'label_value'"],
  ],
  [
    {
      resource_labels: [
        { label_name: 'a', label_value: 'x' },
        { label_name: 'a', label_value: 'y' },
      ],
    },
    ['/resource_labels/1 must NOT have duplicate items'],
  ],
]

const SITES: Refusals = [
  ...requiredTexts('api_key'),
  missing('site'),
  [{ site: 'us2' }, ['/site must be equal to one of the allowed values: us1, us3, us5, eu1']],
]

const auth = (change: JsonValue, ...problems: string[]): Refusal => [
  { auth: change },
  problems.map(problem => `/auth${problem}`),
]
const BASIC: Refusals = [
  auth(null, ' must be object'),
  auth({}, " must have required property 'strategy'"),
  auth(
    { strategy: 'basic' },
    " must have required property 'user'",
    " must have required property 'password'",
  ),
  auth({ strategy: 'basic', user: '', password: '' }, `/user ${TOO_SHORT}`, `/password ${TOO_SHORT}`),
  auth({ strategy: 'basic', user: 5, password: 'p' }, '/user must be string'),
  auth(
    { strategy: 'basic', user: 'u', password: 'p', realm: 'r' },
    " must NOT have additional properties: 'realm'",
  ),
]
const bearer = (strategies: string): Refusals => [
  auth({ strategy: 'bearer' }, " must have required property 'token'"),
  auth({ strategy: 'bearer', token: '' }, `/token ${TOO_SHORT}`),
  auth({ strategy: 'bearer', token: 'a\r\nb: c' }, `/token ${BREAKS_HEADERS}`),
  auth({ strategy: 'bearer', token: 't', user: 'u' }, '/user must NOT be sent when strategy is "bearer"'),
  auth(
    { strategy: 'basic', user: 'u', password: 'p', token: 't' },
    '/token must NOT be sent when strategy is "basic"',
  ),
  auth({ strategy: 'none', token: 't' }, '/token must NOT be sent when strategy is "none"'),
  auth(
    { strategy: 'aws', token: 't' },
    `/strategy must be equal to one of the allowed values: ${strategies}`,
  ),
]

const advanced = (change: JsonObject, ...problems: string[]): Refusal => [
  { encoding: 'json', advanced_options: change },
  problems.map(problem => `/advanced_options${problem}`),
]

const REFUSALS: Readonly<Record<string, Refusals>> = {
  'azure-blob-storage': [
    ...requiredTexts('container_name', 'connection_string'),
    empty('prefix'),
    [{ prefix: '{{.app' }, [`/prefix ${NO_TEMPLATE}`]],
    [{ prefix: '{{app}}' }, [`/prefix ${NO_PATH}: "app"`]],
    [{ encoding: 'ndjson' }, [`/encoding ${NEAR_JSON}`]],
    [{ compression: 'zstd' }, [`/compression ${COMPRESSIONS}`]],
    ...BATCH_TIMEOUTS,
    ...CONSOLIDATIONS,
  ],
  s3: [
    missing('auth'),
    auth(
      { access_key_id: '', secret_access_key: '' },
      `/access_key_id ${TOO_SHORT}`,
      `/secret_access_key ${TOO_SHORT}`,
    ),
    auth({ access_key_id: 'a' }, " must have required property 'secret_access_key'"),
    auth({ secret_access_key: 'a' }, " must have required property 'access_key_id'"),
    auth(
      { access_key_id: 'a', secret_access_key: 'b', region: '' },
      " must NOT have additional properties: 'region'",
    ),
    ...requiredTexts('region', 'bucket'),
    empty('prefix'),
    [{ prefix: '{{ .app' }, [`/prefix ${NO_TEMPLATE}`]],
    [{ encoding: 'bytes' }, [`/encoding ${ENCODINGS_OR_LINES}`]],
    [{ compression: 'auto' }, [`/compression ${COMPRESSIONS}`]],
    [{ tags: [{ name: '', value: '' }] }, [`/tags/0/name ${TOO_SHORT}`]],
    empty('endpoint'),
    [{ endpoint: 'objects.example.com' }, [`/endpoint ${NO_URI}`]],
    ...BATCH_TIMEOUTS,
    ...CONSOLIDATIONS,
  ],
  'gcp-cloud-storage': [
    ...requiredTexts('bucket'),
    ...CREDENTIALS,
    empty('bucket_prefix'),
    [{ bucket_prefix: '{{x}}' }, [`/bucket_prefix ${NO_PATH}: "x"`]],
    [{ encoding: 'ndjson' }, [`/encoding ${NEAR_JSON}`]],
    [{ compression: 'lz4' }, [`/compression ${COMPRESSIONS}`]],
    [{ file_consolidation: {} }, [" must NOT have additional properties: 'file_consolidation'"]],
    ...BATCH_TIMEOUTS,
  ],
  'gcp-cloud-pubsub': [
    ...requiredTexts('project_id', 'topic'),
    ...CREDENTIALS,
    [{ encoding: 'ndjson' }, [`/encoding ${NEAR_JSON}`]],
  ],
  'gcp-cloud-operations': [...requiredTexts('log_id'), ...RESOURCES, ...CREDENTIALS],
  'gcp-cloud-monitoring': [
    ...RESOURCES,
    ...CREDENTIALS,
    [{ log_id: 'x' }, [" must NOT have additional properties: 'log_id'"]],
  ],
  'datadog-logs': [
    ...SITES,
    ...inHeader('api_key'),
    missing('compression'),
    [{ compression: 'zstd' }, ['/compression must be equal to one of the allowed values: none, gzip']],
  ],
  'datadog-metrics': [
    ...SITES,
    ...inHeader('api_key'),
    [{ compression: 'none' }, [" must NOT have additional properties: 'compression'"]],
  ],
  'honeycomb-logs': [...requiredTexts('api_key', 'dataset'), ...inHeader('api_key')],
  'new-relic': [
    ...requiredTexts('account_id', 'license_key'),
    ...inHeader('license_key'),
    [{ api: 'traces' }, ['/api must be equal to one of the allowed values: logs, metrics, events']],
  ],
  elasticsearch: [
    missing('endpoints'),
    missing('auth'),
    [{ endpoints: [] }, ['/endpoints must NOT have fewer than 1 items']],
    [{ endpoints: [''] }, [`/endpoints/0 ${TOO_SHORT}`]],
    [{ endpoints: ['https://a.example', 'b.example:9200'] }, [`/endpoints/1 ${NO_URI}`]],
    ...BASIC,
    auth(
      { strategy: 'aws' },
      " must have required property 'access_key_id'",
      " must have required property 'secret_access_key'",
      " must have required property 'region'",
    ),
    auth(
      { strategy: 'aws', access_key_id: '', secret_access_key: '', region: '' },
      `/access_key_id ${TOO_SHORT}`,
      `/secret_access_key ${TOO_SHORT}`,
      `/region ${TOO_SHORT}`,
    ),
    auth(
      { strategy: 'aws', access_key_id: 'a', secret_access_key: 'b', region: 'c', user: 'd' },
      '/user must NOT be sent when strategy is "aws"',
    ),
    auth({ strategy: 'none' }, '/strategy must be equal to one of the allowed values: basic, aws'),
    [{ compression: 'zstd' }, [`/compression ${COMPRESSIONS}`]],
    empty('index'),
    [{ index: '{{ .app' }, [`/index ${NO_TEMPLATE}`]],
    empty('pipeline'),
  ],
  kafka: [
    missing('brokers'),
    ...requiredTexts('topic'),
    [{ encoding: 'ndjson' }, [`/encoding ${NEAR_JSON}`]],
    [
      { compression: 'brotli' },
      ['/compression must be equal to one of the allowed values: gzip, lz4, snappy, zstd, none'],
    ],
    empty('event_key_field'),
    empty('tls_ca_certificate'),
    [
      { brokers: [], sasl_enabled: true, sasl_username: '', sasl_password: 'p' },
      ['/brokers must NOT have fewer than 1 items', `/sasl_username ${TOO_SHORT}`],
    ],
  ],
  loki: [
    ...requiredTexts('endpoint'),
    [{ endpoint: 'not a valid url' }, [`/endpoint ${NO_URI}`]],
    empty('path'),
    missing('encoding'),
    [{ encoding: 'json' }, ['/encoding must be object']],
    [{ encoding: {} }, ["/encoding must have required property 'codec'"]],
    [{ encoding: { codec: 'ndjson' } }, [`/encoding/codec ${NEAR_JSON}`]],
    missing('auth'),
    ...BASIC,
    ...bearer('basic, bearer, none'),
    missing('labels'),
    [{ labels: [] }, ['/labels must NOT have fewer than 1 items']],
    [
      { labels: [{ label_name: '', label_value: '' }] },
      [`/labels/0/label_name ${TOO_SHORT}`, `/labels/0/label_value ${TOO_SHORT}`],
    ],
    [
      { labels: [{ label_name: '{{', label_value: '{{ app }}' }] },
      [`/labels/0/label_name ${NO_TEMPLATE}`, `/labels/0/label_value ${NO_PATH}: "app"`],
    ],
  ],
  'prometheus-remote-write': [
    ...requiredTexts('endpoint'),
    [{ endpoint: 'not a valid url' }, [`/endpoint ${NO_URI}`]],
    ...BASIC,
    ...bearer('none, basic, bearer'),
  ],
  'splunk-hec-logs': [
    ...requiredTexts('url', 'token'),
    ...inHeader('token'),
    [{ url: 'splunk.example.com' }, [`/url ${NO_URI}`]],
    [{ tls_verify_certificate: 'false' }, ['/tls_verify_certificate must be boolean']],
    [{ compression: 'zstd' }, [`/compression ${COMPRESSIONS}`]],
    [{ host_field: 'host' }, [`/host_field ${NO_PATH}`]],
    [{ timestamp_field: '' }, [`/timestamp_field ${NO_PATH}`]],
    ...['source', 'sourcetype', 'index'].flatMap(
      (option): Refusals => [
        [{ [option]: {} }, [`/${option} must have required property 'value_type'`]],
        [
          { [option]: { value_type: 'path', value: '.a' } },
          [`/${option}/value_type must be equal to one of the allowed values: none, field, value`],
        ],
        [{ [option]: { value_type: 'field' } }, [`/${option} must have required property 'value'`]],
        [{ [option]: { value_type: 'value' } }, [`/${option} must have required property 'value'`]],
        [{ [option]: { value_type: 'field', value: '' } }, [`/${option}/value ${TOO_SHORT}`]],
        [{ [option]: { value_type: 'value', value: '' } }, [`/${option}/value ${TOO_SHORT}`]],
        [{ [option]: { value_type: 'field', value: 'a' } }, [`/${option}/value ${NO_PATH}`]],
        [
          { [option]: { value_type: 'none', value: 'a' } },
          [`/${option}/value must NOT be sent when value_type is "none"`],
        ],
      ],
    ),
  ],
  http: [
    ...requiredTexts('uri'),
    [{ uri: 'not a valid url' }, [`/uri ${NO_URI}`]],
    [{ encoding: 'bytes' }, [`/encoding ${ENCODINGS_OR_LINES}`]],
    [{ compression: 'zstd' }, [`/compression ${COMPRESSIONS}`]],
    ...BASIC,
    ...bearer('none, basic, bearer'),
    [{ headers: {} }, ['/headers must be array']],
    [
      {
        headers: [
          { header_name: 'a', header_value: 'b' },
          { header_name: 'a\r\nb', header_value: 'c\nd' },
        ],
      },
      [`/headers/1/header_name ${BREAKS_HEADERS}`, `/headers/1/header_value ${BREAKS_HEADERS}`],
    ],
    [
      { headers: [{ header_name: '', header_value: '' }] },
      [`/headers/0/header_name ${TOO_SHORT}`, `/headers/0/header_value ${TOO_SHORT}`],
    ],
    [{ advanced_options: null }, ['/advanced_options must be object']],
    advanced({ max_bytes: 0 }, '/max_bytes must be >= 1'),
    advanced({ max_bytes: 2_097_153 }, '/max_bytes must be <= 2097152'),
    advanced({ timeout_secs: 4 }, '/timeout_secs must be >= 5'),
    advanced(
      { method: 'POST' },
      '/method must be equal to one of the allowed values: post, put, patch, delete, get, head, options, trace; did you mean "post"?',
    ),
    advanced({ payload_prefix: '{' }, " must have required property 'payload_suffix'"),
    advanced({ payload_suffix: '}' }, " must have required property 'payload_prefix'"),
    advanced(
      { payload_prefix: '', payload_suffix: '' },
      `/payload_prefix ${TOO_SHORT}`,
      `/payload_suffix ${TOO_SHORT}`,
    ),
    [
      { advanced_options: { payload_prefix: '{"a":', payload_suffix: '}' } },
      [
        '/advanced_options/payload_prefix must NOT be sent unless encoding is "json"',
        '/advanced_options/payload_suffix must NOT be sent unless encoding is "json"',
      ],
    ],
    advanced({ tls_protocols: ['h2', ''] }, `/tls_protocols/1 ${TOO_SHORT}`),
    advanced({ proxy: { enabled: 1 } }, '/proxy/enabled must be boolean'),
    advanced({ proxy: { endpoint: '' } }, `/proxy/endpoint ${TOO_SHORT}`),
    advanced({ proxy: { hosts_bypass_proxy: [''] } }, `/proxy/hosts_bypass_proxy/0 ${TOO_SHORT}`),
    advanced({ proxy: { user: 'u' } }, "/proxy must NOT have additional properties: 'user'"),
    advanced({ rate_limiting: { request_limit: 0 } }, '/rate_limiting/request_limit must be >= 1'),
    advanced({ rate_limiting: { duration_secs: 0 } }, '/rate_limiting/duration_secs must be >= 1'),
    advanced({ retries: 1 }, " must NOT have additional properties: 'retries'"),
  ],
}

describe.each(Object.entries(REFUSALS))('%s', (type, refusals) => {
  test.each(refusals)('with %j is refused', (change, expected) => {
    const config = { ...required(type), ...change } as JsonObject
    for (const [member, value] of Object.entries(change)) if (value === undefined) delete config[member]
    expect(found(type, config)).toEqual(expected)
  })
})

/** Changes of the required members that are stored unchanged: the inner side of every bound. */
const ACCEPTED: readonly (readonly [type: string, change: JsonObject])[] = [
  ['azure-blob-storage', { connection_string: 'foo', container_name: 'b', prefix: 'p' }],
  ['azure-blob-storage', { batch_timeout_secs: 1 }],
  ['s3', { batch_timeout_secs: 86_400, prefix: '/abc/', encoding: 'json', compression: 'gzip' }],
  ['s3', { tags: [], endpoint: 'http://127.0.0.1:9000' }],
  ...['s3', 'azure-blob-storage'].flatMap(type =>
    [
      [true, 300, 50_000_000, ''],
      [false, 3600, 10_000_000_000, 'x'.repeat(512)],
    ].map(([enabled, seconds, bytes, basePath]): [string, JsonObject] => [
      type,
      {
        file_consolidation: {
          enabled: enabled as boolean,
          process_every_seconds: seconds as number,
          requested_size_bytes: bytes as number,
          base_path: basePath as string,
        },
      },
    ]),
  ),
  ['gcp-cloud-storage', { credentials_json: ' {} ', bucket_prefix: 'p', batch_timeout_secs: 30 }],
  ['gcp-cloud-pubsub', { topic: 't', encoding: 'json' }],
  ['gcp-cloud-operations', { resource_labels: [] }],
  [
    'gcp-cloud-monitoring',
    {
      resource_labels: [
        { label_name: 'b', label_value: 'x' },
        { label_name: 'a', label_value: 'x' },
      ],
    },
  ],
  ...['us1', 'us3', 'us5', 'eu1'].flatMap((site): [string, JsonObject][] => [
    ['datadog-logs', { site, compression: 'none' }],
    ['datadog-metrics', { site }],
  ]),
  ['new-relic', { api: 'events' }],
  [
    'elasticsearch',
    {
      auth: {
        strategy: 'basic',
        user: 'u',
        password: 'p',
        access_key_id: '',
        secret_access_key: '',
        region: '',
      },
      index: 'mezmo-%Y.%m.%d',
    },
  ],
  ['kafka', { event_key_field: 'my_key', compression: 'snappy' }],
  ['kafka', { compression: 'lz4', encoding: 'json' }],
  ['loki', { path: 'loki/api/v1/push', auth: { strategy: 'none' } }],
  ['loki', { labels: [{ label_name: '{{ .a }}', label_value: 'x' }] }],
  ['prometheus-remote-write', { auth: { strategy: 'none' } }],
  ['prometheus-remote-write', { auth: { strategy: 'none', user: '', password: '', token: '' } }],
  ['splunk-hec-logs', { source: { value_type: 'none', value: '' } }],
  ['splunk-hec-logs', { index: { value_type: 'value', value: 'not.a/path' } }],
  // A pair of texts that an existing client saves, and that does not make JSON.
  [
    'http',
    {
      encoding: 'json',
      advanced_options: { payload_prefix: '{"extra_prop": true', payload_suffix: '"extra_prop": true }' },
    },
  ],
  ['http', { auth: { strategy: 'bearer', token: 't', user: '', password: '' } }],
  ['http', { advanced_options: { max_bytes: 1, timeout_secs: 5, rate_limiting: {} } }],
  [
    'http',
    {
      advanced_options: {
        max_bytes: 2_097_152,
        rate_limiting: { request_limit: 1, duration_secs: 1 },
        proxy: { enabled: false },
      },
    },
  ],
  ['http', { advanced_options: { tls_protocols: [], proxy: { enabled: true, hosts_bypass_proxy: [] } } }],
  ...['post', 'put', 'patch', 'delete', 'get', 'head', 'options', 'trace'].map(
    (method): [string, JsonObject] => ['http', { advanced_options: { method } }],
  ),
]

test.each(ACCEPTED)('%s with %j keeps it unchanged', (type, change) => {
  const checked = check(type, { ...required(type), ...change })
  if (!('stored' in checked)) throw new Error(JSON.stringify(checked.problems))
  for (const [member, value] of Object.entries(change)) expect(checked.stored[member]).toEqual(value)
})

test.each(['s3', 'azure-blob-storage'])(
  'file consolidation of %s is absent when not sent, and complete when sent empty',
  type => {
    const checked = check(type, required(type))
    if (!('stored' in checked)) throw new Error(JSON.stringify(checked.problems))
    expect(checked.stored).not.toHaveProperty('file_consolidation')
    expect(check(type, { ...required(type), file_consolidation: {} })).toMatchObject({
      stored: {
        file_consolidation: {
          enabled: false,
          process_every_seconds: 600,
          requested_size_bytes: 500_000_000,
          base_path: '',
        },
      },
    })
  },
)

test('all findings are reported at once, those of the schema and the others', () => {
  expect(
    found('http', {
      uri: 'x',
      nope: 1,
      auth: { strategy: 'basic' },
      advanced_options: { payload_prefix: 'p', timeout_secs: 1 },
    }),
  ).toHaveLength(7)
})

test('a list as long as a request can be is compared in one pass', () => {
  const brokers = Array.from({ length: 60_000 }, (_, index) => ({ host: String(index), port: 9092 }))
  expect(check('kafka', { ...required('kafka'), brokers })).toHaveProperty('stored')
})

describe.each(CATALOGUE.declarations.sink.map(destination => [destination.type, destination] as const))(
  'the reference of %s',
  (_type, { config, configs }) => {
    test('describes every option', () => {
      for (const [pointer, schema] of options(config)) expect(schema, pointer).toHaveProperty('description')
    })

    test('shows every option in an example', () => {
      const shown = new Set(configs.flatMap(example => pointersIn(storedOptions(example))))
      expect([...options(config)].map(([pointer]) => pointer).filter(pointer => !shown.has(pointer))).toEqual(
        [],
      )
    })
  },
)

/** Options with their schemas, including those of inner objects; `*` means any item of a list. */
function* options(schema: TSchema, pointer = ''): Generator<[pointer: string, schema: TSchema]> {
  const { properties = {}, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  for (const [member, option] of Object.entries(properties)) {
    yield [`${pointer}/${member}`, option]
    yield* options(option, `${pointer}/${member}`)
  }
  if (items !== undefined) yield* options(items, `${pointer}/*`)
}

function pointersIn(value: JsonValue, pointer = ''): string[] {
  if (Array.isArray(value)) return value.flatMap(item => pointersIn(item, `${pointer}/*`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([member, inner]) => [
    `${pointer}/${member}`,
    ...pointersIn(inner, `${pointer}/${member}`),
  ])
}
