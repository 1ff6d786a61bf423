import type { HttpConnection, HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import type { Batch, Batching, EncodedRequest, RequestPace } from '../../contract/define-destination.ts'
import { BODY_FORMS, type BodyForm } from '../../http/body-form.ts'
import { authorizationOf, targetOf } from '../../http/http-headers.ts'
import { type ItemFrame, itemBytes, itemRequests, roomForItems } from '../../http/item-requests.ts'
import { type HttpConfig, MAX_TIMEOUT_SECS } from './http-options.ts'

/** Size of a request: components, section 7.4. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000

/** The two headers of a request that users cannot replace. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'host'])

/** Options that decide about bodies. */
type BodyConfig = Pick<HttpConfig, 'encoding' | 'advanced_options'>

export const httpBatching: Batching<BodyConfig> = {
  bounds: config => ({
    bytes: roomForItems(config.advanced_options?.max_bytes ?? MAX_BYTES, frameOf(config)),
    ...{ events: MAX_EVENTS, ageMs: SECOND_MS },
  }),
  sizeOf: (event, config) => itemBytes(formOf(config).textOf(event), frameOf(config)),
}

/** Requests of a batch. */
export function httpRequests(
  { id, events }: Batch,
  config: HttpConfig,
): Iterable<EncodedRequest<HttpRequest>> {
  const { contentType, textOf } = formOf(config)
  const { uri, auth, compression, advanced_options: { method = 'post' } = {} } = config
  const { url, headers } = targetOf(uri)
  const connection = connectionOf(config)
  return itemRequests(
    events.map(textOf),
    frameOf(config),
    httpBatching.bounds(config),
    index => ({
      ...{ method: method.toUpperCase(), url },
      headers: {
        'content-type': contentType,
        'idempotency-key': index === 0 ? id : `${id}.${index + 1}`,
        ...headers,
        ...authorizationOf(auth),
        ...ownHeaders(config),
      },
      ...(Object.keys(connection).length > 0 && { connection }),
    }),
    compression,
  )
}

/** Rate of requests by the option `rate_limiting`. */
export function httpPace({ advanced_options: options = {} }: HttpConfig): RequestPace | undefined {
  const { request_limit: requests, duration_secs: durationSecs = 1 } = options.rate_limiting ?? {}
  return requests === undefined ? undefined : { requests, perMs: durationSecs * SECOND_MS }
}

function ownHeaders({ headers = [] }: HttpConfig): Record<string, string> {
  return Object.fromEntries(
    headers
      .map(({ header_name: name, header_value: value }) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OWN_HEADERS.has(name)),
  )
}

function connectionOf({ advanced_options: options = {} }: HttpConfig): HttpConnection {
  const { timeout_secs: timeoutSecs, tls_protocols: protocols, proxy } = options
  return {
    // Revisions that were published earlier may have more.
    ...(timeoutSecs !== undefined && { timeoutMs: Math.min(timeoutSecs, MAX_TIMEOUT_SECS) * SECOND_MS }),
    ...(protocols !== undefined && { protocols }),
    ...(proxy?.enabled === true &&
      proxy.endpoint !== undefined && {
        proxy: { endpoint: proxy.endpoint, bypass: proxy.hosts_bypass_proxy ?? [] },
      }),
  }
}

function formOf({ encoding = 'text' }: BodyConfig): BodyForm {
  return BODY_FORMS[encoding]
}

/** Prefix and suffix stand around the list. */
function frameOf(config: BodyConfig): ItemFrame {
  const { frame } = formOf(config)
  const { payload_prefix: prefix = '', payload_suffix: suffix = '' } = config.advanced_options ?? {}
  return { ...frame, begin: `${prefix}${frame.begin}`, end: `${frame.end}${suffix}` }
}
