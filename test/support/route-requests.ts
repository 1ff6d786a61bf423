import { gzipSync } from 'node:zlib'
import type { Dice } from './dice.ts'

/** A request as it goes over the wire. */
export interface RouteRequest {
  readonly method: string
  readonly path: string
  readonly query: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** Facts about a route from which the generator derives the rest of a request. */
export interface DescribedRoute {
  readonly method: string
  /** Path with `:name` for parameters. */
  readonly url: string
  /** Names of the query parameters that it knows. */
  readonly query: readonly string[]
}

/** Texts that mean something to a database, a shell of one, or a program. */
export const INJECTIONS = [
  "'",
  '"',
  '\\',
  ';--',
  "' OR 1=1 --",
  "\\' UNION ALL SELECT 1 --",
  '{x:String}',
  '{account:String}',
  '\0',
  'a\0b',
  '`',
  '%s',
  '%',
  '_',
  '*/',
  '\u2028',
  '\ufeff',
]

/** Parts of a path, percent-encoded as they are sent. */
const SEGMENTS = [
  '%00',
  '%',
  '%zz',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%2e%2e%2f%2e%2e',
  '%ED%A0%80',
  '%C0%AF',
  '%FF',
  '%F0%9F%98%80',
  'x'.repeat(300),
  'x'.repeat(20_000),
  '0',
  '-1',
  '00',
  '1.5',
  '1e400',
  '9007199254740993',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  '*',
  ':id',
  '+',
  '%20',
  '00000000-0000-4000-8000-000000000000',
  '0a1b2c3d4e',
  'a@example.org',
  ...INJECTIONS.map(encodeURIComponent),
]

/** Values of query parameters, percent-encoded. */
const VALUES = [
  '',
  '0',
  '-0',
  '1',
  '-1',
  '100',
  '101',
  '1.5',
  '1e3',
  '1e400',
  'NaN',
  'Infinity',
  '9007199254740993',
  '99999999999999999999',
  '8640000000000001',
  '1700000000',
  '1700000000000',
  '2026-01-01T00:00:00Z',
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '-000001-01-01T00:00:00Z',
  'true',
  'false',
  'null',
  '[]',
  '{}',
  'a,b,,c',
  ',',
  ','.repeat(3_000),
  'x'.repeat(5_000),
  '('.repeat(500),
  'a%20'.repeat(1_000),
  '%00',
  '%',
  '%zz',
  '%ED%A0%80',
  '%FF',
  '__proto__',
  'app:%3Eb%20OR%20-%22c%22%20level:%3Derror',
  'status:%3E=1e400',
  '%22',
  '*',
  'a:(',
  '1:0:0:0',
  '0-0-0',
  ...INJECTIONS.map(encodeURIComponent),
]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE']

/** Mark in JSON text that is replaced by text which `JSON.stringify` cannot write. */
const RAW = 'RAW:'
const RAWS = ['1e400', '-1e400', '1e-400', '-0', '123456789012345678901234567890', '"\\ud800"', '"\\u0000"']

const deep = (levels: number) => JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`) as unknown

/** Values in the place of members of bodies. */
const MEMBERS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'x',
  '5',
  '.a',
  '\0',
  '__proto__',
  'x'.repeat(10_000),
  [],
  {},
  [null],
  [[]],
  [{}],
  ['x', 'x'],
  Array.from({ length: 500 }, () => 'x'),
  { length: 3 },
  { toString: 1 },
  deep(20),
  deep(40),
  ...RAWS.map(raw => RAW + raw),
  ...INJECTIONS,
]

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': '' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity, br' },
  { accept: 'text/html' },
  { 'x-request-id': 'mine-1' },
  { 'x-request-id': 'not valid!' },
  { 'x-delegate-account-id': '' },
  { 'idempotency-key': "'; DROP TABLE lines --" },
  { 'idempotency-key': 'k'.repeat(5_000) },
  { cookie: 'a=b' },
  { origin: 'https://example.org' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { 'x-forwarded-for': "'" },
  { 'x-http-method-override': 'DELETE' },
]

/** Changes a request in a few places. @param others parts of paths that belong to other objects */
export function spoiled(
  request: RouteRequest,
  route: DescribedRoute,
  dice: Dice,
  others: readonly string[],
): RouteRequest {
  let changed = request
  for (let changes = 1 + dice.below(3); changes > 0; changes--) {
    const sort = dice.below(20)
    if (sort < 5 && route.url.includes(':')) changed = withParameter(changed, route, dice, others)
    else if (sort < 10) changed = withQuery(changed, route, dice)
    else if (sort < 12) changed = { ...changed, headers: { ...changed.headers, ...dice.pick(HEADERS) } }
    else if (sort < 13) changed = { ...changed, method: dice.pick(METHODS) }
    else changed = { ...changed, body: spoiledBody(changed.body, dice) }
  }
  return changed
}

function withParameter(
  request: RouteRequest,
  { url }: DescribedRoute,
  dice: Dice,
  others: readonly string[],
): RouteRequest {
  const places = url.split('/').flatMap((part, at) => (part.startsWith(':') ? [at] : []))
  const parts = request.path.split('/')
  parts[dice.pick(places)] = dice.chance(0.4) && others.length > 0 ? dice.pick(others) : dice.pick(SEGMENTS)
  return { ...request, path: parts.join('/') }
}

function withQuery(request: RouteRequest, { query }: DescribedRoute, dice: Dice): RouteRequest {
  const name = dice.chance(0.9) && query.length > 0 ? dice.pick(query) : dice.pick(['x', '__proto__', 'a[b]'])
  const given = `${name}=${dice.pick(VALUES)}`
  const kept = dice.chance(0.7) ? request.query.filter(each => !each.startsWith(`${name}=`)) : request.query
  return { ...request, query: [...kept, given, ...(dice.chance(0.1) ? [given] : [])] }
}

function spoiledBody(body: Buffer | undefined, dice: Dice): Buffer {
  const text = body?.toString() ?? ''
  switch (dice.below(60)) {
    case 6:
      // The body exceeds every limit.
      return Buffer.alloc(2_097_153, ' ')
    case 7:
      return gzipSync(text)

    case 0:
      return Buffer.from(text.slice(0, dice.below(text.length + 1)))
    case 1:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])
    case 2:
      return Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])])
    case 3:
      return Buffer.from(text, 'utf16le')
    case 4:
      return Buffer.from(JSON.stringify(dice.pick(MEMBERS)))
    case 5:
      return Buffer.from('['.repeat(100_000))
    default:
      return spoiledJson(text, dice)
  }
}

function spoiledJson(text: string, dice: Dice): Buffer {
  let value: unknown
  try {
    value = JSON.parse(text === '' ? '{}' : text)
  } catch {
    return Buffer.from(`${text}}`)
  }
  for (let changes = 1 + dice.below(2); changes > 0; changes--) value = withChange(value, dice)
  const written = JSON.stringify(value).replace(/"RAW:((?:[^"\\]|\\.)*)"/g, (_, raw: string) =>
    JSON.parse(`"${raw}"`),
  )
  return Buffer.from(written)
}

/** Changes something at a random place. */
function withChange(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.1)) return dice.pick(MEMBERS)
  if (Array.isArray(value)) {
    const at = dice.below(value.length + 1)
    if (at === value.length) return [...value, dice.pick(MEMBERS)]
    return value.with(at, withChange(value[at], dice))
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || dice.chance(0.1)) {
    const name = dice.pick(['x', '__proto__', 'constructor', 'id', 'account', '', 'a.b', '\0'])
    return Object.fromEntries([...entries, [name, dice.pick(MEMBERS)]])
  }
  const [name] = dice.pick(entries)
  if (dice.chance(0.2)) return Object.fromEntries(entries.filter(([key]) => key !== name))
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === name ? withChange(member, dice) : member]),
  )
}
