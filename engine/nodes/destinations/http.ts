import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { uriProblems } from '../../conditions/uri.ts'
import type { Problem } from '../../event/problem.ts'
import { declareDestination } from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { authentication, authenticationProblems } from '../options/authentication.ts'
import { ackEnabled, compression, encodingWithNdjson } from '../options/delivery-options.ts'

const STRATEGIES = ['none', 'basic', 'bearer'] as const
const METHODS = ['post', 'put', 'patch', 'delete', 'get', 'head', 'options', 'trace'] as const
const AFFIXES = ['payload_prefix', 'payload_suffix'] as const

const proxy = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Send through the proxy' })),
    endpoint: Type.Optional(Secret({ minLength: 1, description: 'Address of the proxy' })),
    hosts_bypass_proxy: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Hosts that are reached directly: names, .suffixes, address blocks, or * for all',
      }),
    ),
  },
  { additionalProperties: false, description: 'Proxy between this installation and the server' },
)

const rateLimiting = Type.Object(
  {
    request_limit: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Requests within one span; unlimited when left out' }),
    ),
    duration_secs: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Length of the span, in seconds; 1 when left out' }),
    ),
  },
  { additionalProperties: false, description: 'Bound on requests: more of them wait' },
)

/**
 * Requests to any server: components, section 7.4. It is not checked whether prefix and suffix make JSON of the list
 * between them: clients are known to save pairs that do not.
 */
export const http = declareDestination({
  type: 'http',
  summary: 'Send events to a server of your choice by HTTP.',
  config: Type.Object(
    {
      ack_enabled: ackEnabled,
      uri: Secret({ minLength: 1, description: 'Address that requests go to' }),
      encoding: encodingWithNdjson,
      compression,
      auth: Type.Optional(authentication(STRATEGIES, { default: { strategy: 'none' } })),
      headers: Type.Optional(
        Type.Array(
          Type.Object(
            {
              header_name: Type.String({ minLength: 1, description: 'Name of the header' }),
              header_value: Secret({ minLength: 1, description: 'Value of the header' }),
            },
            { additionalProperties: false },
          ),
          { description: 'Headers of every request' },
        ),
      ),
      advanced_options: Type.Optional(
        Type.Object(
          {
            max_bytes: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: 2_097_152,
                description: 'Size of a request before compression, in bytes; 1000000 when left out',
              }),
            ),
            timeout_secs: Type.Optional(
              Type.Integer({
                minimum: 5,
                description: 'Time for a request and its answer, in seconds; 60 when left out',
              }),
            ),
            method: Type.Optional(
              Type.Enum([...METHODS], { description: 'Method of requests; post when left out' }),
            ),
            payload_prefix: Type.Optional(
              Type.String({ minLength: 1, description: 'Text before the JSON array; json encoding only' }),
            ),
            payload_suffix: Type.Optional(
              Type.String({ minLength: 1, description: 'Text behind the JSON array; json encoding only' }),
            ),
            tls_protocols: Type.Optional(
              Type.Array(Type.String({ minLength: 1 }), {
                description: 'Protocols to agree on with the server (ALPN), the preferred one first',
              }),
            ),
            proxy: Type.Optional(proxy),
            rate_limiting: Type.Optional(rateLimiting),
          },
          { additionalProperties: false, default: {}, description: 'Options that most servers do not need' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: sent => [
    ...uriProblems('/uri', sent.uri),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...affixProblems(sent),
  ],
  configs: [
    {
      sent: { uri: 'https://events.example.com/in' },
      defaults: {
        ack_enabled: true,
        encoding: 'text',
        compression: 'none',
        auth: { strategy: 'none' },
        advanced_options: {},
      },
    },
    {
      sent: {
        ack_enabled: false,
        uri: 'https://events.example.com/in',
        encoding: 'json',
        compression: 'gzip',
        auth: { strategy: 'basic', user: 'weir', password: 'secret', token: '' },
        headers: [{ header_name: 'x-team', header_value: 'platform' }],
        advanced_options: {
          max_bytes: 500_000,
          timeout_secs: 30,
          method: 'put',
          payload_prefix: '{"rows":',
          payload_suffix: '}',
          tls_protocols: ['h2', 'http/1.1'],
          proxy: { endpoint: 'http://proxy.example.com:3128', hosts_bypass_proxy: ['.internal'] },
          rate_limiting: { request_limit: 100, duration_secs: 60 },
        },
      },
      defaults: { advanced_options: { proxy: { enabled: false } } },
    },
    {
      sent: {
        uri: 'http://127.0.0.1:9000/',
        encoding: 'ndjson',
        auth: { strategy: 'bearer', token: 'secret' },
        advanced_options: { proxy: { enabled: true } },
      },
      defaults: { ack_enabled: true, compression: 'none' },
    },
  ],
})

/** Prefix and suffix belong together, and only a JSON array can be between them. */
function affixProblems({ encoding, advanced_options: options }: JsonObject): Problem[] {
  if (!isJsonObject(options)) return []
  const sent = AFFIXES.filter(member => options[member] !== undefined)
  if (sent.length === 0) return []
  const missing = AFFIXES.filter(member => options[member] === undefined)
  return [
    ...missing.map(member => ({
      instancePath: '/advanced_options',
      message: `must have required property '${member}'`,
    })),
    ...(encoding === 'json' ? [] : sent).map(member => ({
      instancePath: `/advanced_options/${member}`,
      message: 'must NOT be sent unless encoding is "json"',
    })),
  ]
}
