import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import { cleanTags, cutCharacters, HOST_LIMIT_CHARACTERS } from '../../engine/lines/line-limits.ts'
import { numberToMs } from '../../engine/times/sent-time.ts'
import { badRequest, type ValidationDetail } from '../http/errors.ts'

const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}$/i
/** Largest time that a date can have, in milliseconds. */
const LATEST_DATE_MS = 8.64e15

/** Query parameters of ingestion, section 1.1, decoded but not checked. Empty: absent. */
export interface RequestQuery {
  readonly hostname: string
  readonly mac: string
  readonly ip: string
  readonly now: string
  readonly tags: readonly string[]
  readonly apikey: string
}

/**
 * Reads the query of a request's target. Clients do not always encode it: bytes beyond ASCII, and a percent sign that
 * encodes nothing, are used as they are. The first of a repeated parameter counts; `tags` add up.
 */
export function readQuery(url: string): RequestQuery {
  const query = { hostname: '', mac: '', ip: '', now: '', apikey: '' }
  const tags: string[] = []
  const start = url.indexOf('?')
  if (start >= 0) {
    for (const parameter of url.slice(start + 1).split('&')) {
      const equals = parameter.indexOf('=')
      if (equals < 0) continue
      const name = decode(parameter.slice(0, equals))
      const value = decode(parameter.slice(equals + 1)).trim()
      if (name === 'tags') tags.push(...value.split(','))
      else if (isScalar(query, name) && query[name] === '') query[name] = value
    }
  }
  return {
    ...query,
    hostname: cutCharacters(query.hostname, HOST_LIMIT_CHARACTERS),
    tags: cleanTags(tags),
  }
}

/**
 * Checks the statements of a request about its host; every failure is reported, and the first one is the message.
 *
 * @throws ApiError 400
 */
export function assertHost({ hostname, mac, ip }: Pick<RequestQuery, 'hostname' | 'mac' | 'ip'>): void {
  const details: ValidationDetail[] = []
  if (hostname === '') details.push({ message: '"hostname" is required', key: 'hostname' })
  if (mac !== '' && !MAC.test(mac)) details.push({ message: '"mac" must be a valid MAC address', key: 'mac' })
  if (ip !== '' && isIP(ip) === 0) details.push({ message: '"ip" must be a valid ip address', key: 'ip' })
  if (details.length > 0) throw badRequest(details)
}

/** Time of reception minus the sender's clock, both UNIX ms; null when `now` is not a time. */
export function driftOf(now: string, receivedAtMs: number): number | null {
  const sentAtMs = numberToMs(now)
  return sentAtMs === undefined || sentAtMs > LATEST_DATE_MS ? null : receivedAtMs - sentAtMs
}

function isScalar<Query extends object>(query: Query, name: string): name is keyof Query & string {
  return Object.hasOwn(query, name)
}

const PLAIN = /^[!-$&-*,-~]*$/

function decode(text: string): string {
  return PLAIN.test(text) ? text : decodeBytes(text)
}

function decodeBytes(text: string): string {
  // A request's target has one character per byte.
  const source = Buffer.from(text, 'latin1')
  const bytes = Buffer.alloc(source.length)
  let length = 0
  for (let at = 0; at < source.length; at++) {
    const hex = source.toString('latin1', at + 1, at + 3)
    if (source[at] === 0x2b) bytes[length++] = 0x20
    else if (source[at] === 0x25 && /^[0-9a-f]{2}$/i.test(hex)) {
      bytes[length++] = Number.parseInt(hex, 16)
      at += 2
    } else bytes[length++] = source[at] as number
  }
  const decoded = bytes.subarray(0, length)
  return decoded.toString(isUtf8(decoded) ? 'utf8' : 'latin1')
}
