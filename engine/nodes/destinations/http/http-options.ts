import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { uriProblems } from '../../../conditions/uri.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import { Secret } from '../../contract/secret.ts'
import {
  credentialTextProblems,
  headerNameProblems,
  headerTextProblems,
  headerValueProblems,
} from '../../http/http-headers.ts'
import { authentication, authenticationProblems } from '../../options/authentication.ts'
import { ackEnabled, compression, encodingWithNdjson } from '../../options/delivery-options.ts'

/** Maximum of `timeout_secs`: a server that never answers must not occupy a node for longer. (Our choice.) */
export const MAX_TIMEOUT_SECS = 600

const STRATEGIES = ['none', 'basic', 'bearer'] as const
const METHODS = ['post', 'put', 'patch', 'delete', 'get', 'head', 'options', 'trace'] as const
const AFFIXES = ['payload_prefix', 'payload_suffix'] as const
const HEADER_MEMBERS = ['header_name', 'header_value'] as const
/** Servers ignore the body of such a request, or refuse it. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['get', 'head', 'options', 'trace'])

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

/** Options of the destination: components, section 7.4. */
export const HttpOptions = Type.Object(
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
              description: `Time for a request and its answer, in seconds, up to ${MAX_TIMEOUT_SECS}; 60 when left out`,
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
)

export type HttpConfig = Static<typeof HttpOptions>

/** Checks rules that the schema cannot express. */
export function httpProblems(sent: JsonObject): Problem[] {
  return [
    ...uriProblems('/uri', sent.uri),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...credentialTextProblems(sent.auth),
    ...headerProblems(sent.headers),
    ...affixProblems(sent),
  ]
}

function headerProblems(headers: JsonValue | undefined): Problem[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header, index) =>
    HEADER_MEMBERS.flatMap(member =>
      headerTextProblems(headerPointer(index, member), isJsonObject(header) ? header[member] : undefined),
    ),
  )
}

function headerPointer(index: number, member: string): string {
  return pointerTo(pointerTo('/headers', index), member)
}

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

/**
 * Checks rules that are not checked when options are saved: clients are known to save such options.
 *
 * @param config checked options
 */
export function httpPublishProblems(config: JsonObject): Problem[] {
  const { headers = [], advanced_options: advanced = {} } = config as unknown as HttpConfig
  const { method = 'post', payload_prefix: prefix = '', payload_suffix: suffix = '', proxy } = advanced
  const { timeout_secs: timeoutSecs = 0 } = advanced
  return [
    ...headers.flatMap(({ header_name: name, header_value: value }, index) => [
      ...headerNameProblems(headerPointer(index, 'header_name'), name),
      ...headerValueProblems(headerPointer(index, 'header_value'), value),
    ]),
    ...(WITHOUT_BODY.has(method)
      ? [{ instancePath: '/advanced_options/method', message: 'must be a method whose requests have a body' }]
      : []),
    ...(timeoutSecs > MAX_TIMEOUT_SECS
      ? [{ instancePath: '/advanced_options/timeout_secs', message: `must be <= ${MAX_TIMEOUT_SECS}` }]
      : []),
    ...(isJson(`${prefix}[]${suffix}`)
      ? []
      : [
          {
            instancePath: '/advanced_options/payload_prefix',
            message: 'must be JSON together with a list and payload_suffix',
          },
        ]),
    ...(proxy?.enabled === true && proxy.endpoint === undefined
      ? [{ instancePath: '/advanced_options/proxy', message: "must have required property 'endpoint'" }]
      : []),
    ...uriProblems('/advanced_options/proxy/endpoint', proxy?.endpoint),
  ]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
