import type { IncomingMessage } from 'node:http'
import { jsonText } from '../../engine/json/json-text.ts'
import { orderedObject } from '../../engine/json/ordered-object.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'

/** Secrets, which must not become part of an event. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'apikey',
  'cookie',
  'x-amz-firehose-access-key',
  'proxy-authorization',
])
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['access_key', 'apikey', 'token'])

/** Facts of a request that become metadata of its events. */
export interface PushedRequest {
  readonly raw: Pick<IncomingMessage, 'url' | 'rawHeaders'>
  /** Address of the sender. */
  readonly ip: string
  /** Trusted part of the forwarding header; empty: it was not set. */
  readonly forwardedFor: string
  /** Rest of the path behind the id of the route; may be empty. */
  readonly suffix: string
}

/** JSON text of the metadata that a request adds to its events: components, section 6.1. */
export function requestMetadata(request: PushedRequest): string {
  return jsonText({ headers: headersOf(request), query: queryOf(request.raw.url ?? '') })
}

function headersOf({ raw, ip, forwardedFor, suffix }: PushedRequest): JsonObject {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.rawHeaders.length; at += 2) {
    const name = (raw.rawHeaders[at] as string).toLowerCase()
    if (SECRET_HEADERS.has(name)) continue
    const value = raw.rawHeaders[at + 1] as string
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  headers.set('x-forwarded-for', forwardedFor || ip)
  if (suffix !== '') headers.set('x-forwarded-path', suffix)
  return orderedObject([...headers])
}

function queryOf(url: string): JsonObject {
  const start = url.indexOf('?')
  const values = new Map<string, JsonValue>()
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
    if (SECRET_PARAMETERS.has(name.toLowerCase())) continue
    const before = values.get(name)
    if (before === undefined) values.set(name, value)
    else if (Array.isArray(before)) before.push(value)
    else values.set(name, [before, value])
  }
  return orderedObject([...values])
}
