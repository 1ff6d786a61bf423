import { resolve } from 'node:path'
import { compile as compileProxies } from '@fastify/proxy-addr'
import { type CidrBlock, parseBlock } from '../../engine/addresses/cidr.ts'
import { DATABASE_NAME } from '../../engine/store/connection.ts'

/** Readers for the texts of settings. */

/** Problem with a value, as a text that follows the name of its setting. */
export class Unreadable extends Error {}

export const text = (value: string) => value
export const optionalText = text as (value: string) => string | undefined

export function matching(pattern: RegExp, what: string): (value: string) => string | undefined {
  return value => {
    if (!pattern.test(value)) throw new Unreadable(`must be ${what}`)
    return value
  }
}

export function integer(least: number, most: number): (value: string) => number {
  return value => {
    // Number reads other notations, too: 1e3, 0x10, and a blank as 0.
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
    if (!Number.isSafeInteger(number) || number < least || number > most) {
      throw new Unreadable(`must be a whole number from ${least} to ${most}`)
    }
    return number
  }
}

export const port = integer(0, 65_535)
export const optionalPort = port as (value: string) => number | undefined

export const requestCount = integer(1, 1_000_000) as (value: string) => number | undefined

/** A smaller log would be filled by its own segments, without space for lines. */
const MIN_LOG_BYTES = 8 * 1024 ** 2
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 }

export function byteSize(value: string): number | undefined {
  const [, digits, unit] = /^(\d+)\s*([kmgt]?)i?b?$/i.exec(value) ?? []
  const bytes = Number(digits) * (UNITS[(unit ?? '').toLowerCase()] as number)
  if (digits === undefined || !Number.isSafeInteger(bytes) || bytes < 1) {
    throw new Unreadable('must be a number of bytes, such as 2097152, 512MB or 20GB')
  }
  if (bytes < MIN_LOG_BYTES) throw new Unreadable('must be at least 8MB')
  return bytes
}

function webAddress(value: string, example: string): URL {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Unreadable(`must be an http or https address, such as ${example}`)
  return new URL(value)
}

export function registryUrl(value: string): string | undefined {
  const { username, password, search, hash } = webAddress(value, 'http://127.0.0.1:8081')
  if ([username, password, search, hash].some(part => part !== ''))
    throw new Unreadable(
      'must consist only of scheme, host, port and path: use SCHEMA_REGISTRY_USER and SCHEMA_REGISTRY_PASSWORD for credentials',
    )
  return value.replace(/\/+$/, '')
}

export function url(value: string): string | undefined {
  const { username, password, pathname, search, hash } = webAddress(value, 'http://127.0.0.1:8123')
  if ([username, password, pathname.replace(/^\/$/, ''), search, hash].some(part => part !== ''))
    throw new Unreadable(
      'must consist only of scheme, host and port, such as http://127.0.0.1:8123: use CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and CLICKHOUSE_DATABASE for the rest',
    )
  return value
}

/** Methods by which a process authenticates to Kafka. */
export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512'

export function brokerList(value: string): readonly string[] {
  const brokers = list(value)
  if (
    brokers.length === 0 ||
    // The client cuts IPv6 addresses at their first colon, so such brokers need a name.
    !brokers.every(broker => /^[^\s,:/[\]]+:\d{1,5}$/.test(broker))
  )
    throw new Unreadable(
      'must be host:port, or several of them separated by commas, such as kafka-1:9092,kafka-2:9092',
    )
  return brokers
}

export function databaseName(value: string): string {
  if (!DATABASE_NAME.test(value))
    throw new Unreadable(
      'must be a name of letters, digits and underscores, at most 64, that does not begin with a digit',
    )
  return value
}

export function regularExpression(value: string): RegExp | undefined {
  try {
    return new RegExp(value)
  } catch {
    throw new Unreadable('must be a regular expression')
  }
}

export function list(value: string): readonly string[] {
  return value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

/** An origin as browsers send it: scheme, host and port, or "null" for pages without one, such as files. */
const ORIGIN = /^(?:null|\*|[a-z][a-z\d+.-]*:\/\/(?:\[[\da-f:.]+\]|[^\s/?#@:*[\]]+)(?::\d{1,5})?)$/i

export function origins(value: string): readonly string[] {
  return list(value).map(origin => {
    if (!ORIGIN.test(origin))
      throw new Unreadable(
        `must be * or origins separated by commas, such as https://app.example.org,http://127.0.0.1:3000; "${origin}" is neither`,
      )
    return origin
  })
}

/** Path of a folder. Its files belong to this service alone, so it must not be the root of the file system. */
export function folder(value: string): string {
  if (resolve(value) === '/')
    throw new Unreadable('must be a folder of its own, not the root of the file system')
  return value
}

/** Addresses and networks of proxies, and the server's names for some of them (`loopback`). */
export function proxyList(value: string): readonly string[] {
  const proxies = list(value)
  try {
    // The server compiles the list as well, but gives no readable error.
    if (proxies.length > 0) compileProxies([...proxies])
  } catch {
    throw new Unreadable(
      'must be an address or a network, or several of them separated by commas, such as 10.0.0.0/8,192.0.2.7',
    )
  }
  return proxies
}

export function networks(value: string): readonly CidrBlock[] {
  return list(value).map(entry => {
    const block = parseBlock(entry)
    if (block === undefined)
      throw new Unreadable(
        `must be addresses or networks separated by commas, such as 10.1.0.0/16,fd12::/16; "${entry}" is neither`,
      )
    return block
  })
}

export function oneOf<const Choice extends string>(...choices: Choice[]): (value: string) => Choice {
  return value => {
    const choice = choices.find(each => each === value)
    if (choice === undefined) throw new Unreadable(`must be one of ${choices.join(', ')}`)
    return choice
  }
}

export const key32 = matching(/^[0-9a-f]{32}$/, '32 lower-case hexadecimal digits')
export const token = (prefix: string) =>
  matching(new RegExp(`^${prefix}_[0-9a-f]{40}$`), `${prefix}_ followed by 40 lower-case hexadecimal digits`)

export interface GivenServiceKey {
  readonly account: string
  readonly key: string
}

export function serviceKeys(value: string): readonly GivenServiceKey[] {
  return list(value).map(entry => {
    const [, account, key] = /^([0-9a-f]{10}):([0-9a-f]{32})$/.exec(entry) ?? []
    // The entry may contain a secret, so the message does not repeat it.
    if (account === undefined || key === undefined)
      throw new Unreadable(
        'must be account:key, or several of them separated by commas; the account has ten lower-case hexadecimal digits, the key 32',
      )
    return { account, key }
  })
}
