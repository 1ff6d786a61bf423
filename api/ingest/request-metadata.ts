import type { IncomingMessage } from 'node:http'
import { jsonText } from '../../engine/json/json-text.ts'
import { orderedObject } from '../../engine/json/ordered-object.ts'
import type { PushHead, RequestValues } from '../../engine/nodes/contract/define-push-source.ts'
import type { KeyPlace } from '../../engine/nodes/contract/key-place.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'

/** Secrets of any request, which must not become part of an event. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'apikey',
  'cookie',
  'x-amz-firehose-access-key',
  'proxy-authorization',
])
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['access_key', 'apikey', 'token'])

/** Facts of a request that its source, and the metadata of its events, may contain in part. */
export interface PushedRequest {
  readonly raw: Pick<IncomingMessage, 'url' | 'rawHeaders'>
  /** Places of the access key. */
  readonly keys: readonly KeyPlace[]
  /** Address of the sender; empty: unknown. */
  readonly remoteAddress: string
  /** Trusted part of the forwarding header; empty: it was not set. */
  readonly forwardedFor: string
  /** Rest of the path behind the id of the route; may be empty. */
  readonly suffix: string
}

/** JSON text of the metadata that a request adds to its events: components, section 6.1. */
export function requestMetadata(request: PushedRequest): string {
  const { remoteAddress, forwardedFor, suffix } = request
  const headers = openHeaders(request)
  headers.set('x-forwarded-for', forwardedFor || remoteAddress)
  if (suffix !== '') headers.set('x-forwarded-path', suffix)
  return jsonText({ headers: orderedObject([...headers]), query: openQuery(request) })
}

/** Request as its source sees it. Its parts are made when the source asks for them. */
export class OpenHead implements PushHead {
  readonly receivedAtMs: number
  readonly #request: Omit<PushedRequest, 'remoteAddress' | 'forwardedFor'>

  constructor(request: Omit<PushedRequest, 'remoteAddress' | 'forwardedFor'>, receivedAtMs: number) {
    this.#request = request
    this.receivedAtMs = receivedAtMs
  }

  get path(): string {
    return this.#request.suffix
  }

  get headers(): RequestValues {
    return Object.fromEntries(openHeaders(this.#request))
  }

  get query(): RequestValues {
    return openQuery(this.#request) as RequestValues
  }
}

/** Headers without secrets. Names are in lower case, and repeated ones are joined. */
function openHeaders({ raw, keys }: Pick<PushedRequest, 'raw' | 'keys'>): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.rawHeaders.length; at += 2) {
    const name = (raw.rawHeaders[at] as string).toLowerCase()
    if (SECRET_HEADERS.has(name) || keys.some(place => 'header' in place && place.header === name)) continue
    const value = raw.rawHeaders[at + 1] as string
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return headers
}

/** Parameters without secrets. */
function openQuery({ raw, keys }: Pick<PushedRequest, 'raw' | 'keys'>): JsonObject {
  const values = new Map<string, JsonValue>()
  for (const [name, value] of queryOf(raw)) {
    if (SECRET_PARAMETERS.has(name.toLowerCase())) continue
    if (keys.some(place => 'parameter' in place && place.parameter === name)) continue
    const before = values.get(name)
    if (before === undefined) values.set(name, value)
    else if (Array.isArray(before)) before.push(value)
    else values.set(name, [before, value])
  }
  return orderedObject([...values])
}

/** Parameters of a request as they were sent. */
export function queryOf({ url = '' }: Pick<IncomingMessage, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}
