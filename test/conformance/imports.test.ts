import { describe, expect, test } from 'vitest'
import {
  codeOf,
  importedPackage,
  importsOf,
  projectSources,
  type SourceFile,
} from '../support/source-files.ts'

/** Packages that only the implementation of a port has seen. */
const PACKAGE_PLACES: Readonly<Record<string, RegExp>> = {
  '@kafkajs/confluent-schema-registry': /^deploy\/cluster\/schema-registry\.ts$/,
  kafkajs: /^(engine\/log\/kafka\/|deploy\/outbound\/kafka-)/,
  chdb: /^engine\/store\/(embedded-connection|embedded-server\/engine-session|failed-writes\/configured-engine)\.ts$/,
  '@clickhouse/client':
    /^engine\/store\/(connection|embedded-connection|embedded-session|server-connection|clickhouse-store|exception-block)\.ts$/,
  fastify: /^(api|deploy)\//,
  commander: /^deploy\//,
  undici: /^deploy\/outbound\//,
  snappy: /^deploy\/outbound\//,
}

/** Expressions that bypass a port, with the only files that may contain them. */
const PLACES: readonly { readonly what: string; readonly pattern: RegExp; readonly allowed: RegExp }[] = [
  { what: 'reads the environment', pattern: /\bprocess\s*\.\s*env\b/, allowed: /^deploy\// },
  { what: 'ends the process', pattern: /\bprocess\s*\.\s*exit\b/, allowed: /^deploy\// },
  {
    what: 'reads the time past the clock',
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b/,
    allowed: /^engine\/clock\/system-clock\.ts$|^(deploy|console)\//,
  },
  {
    what: 'uses chance past the entropy port',
    pattern: /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    allowed: /^engine\/entropy\/system-entropy\.ts$|^deploy\/data-directory\.ts$/,
  },
  {
    what: 'sleeps past the clock',
    pattern: /\bsetTimeout\s*\(|\bsetInterval\s*\(/,
    allowed: /^engine\/clock\/system-clock\.ts$|^(deploy|console)\//,
  },
]

/** Modules that can connect to others, with the parts that do not. */
const CONNECTING: Readonly<Record<string, RegExp>> = {
  'node:net': /^(isIP|isIPv4|isIPv6|createServer|Server|BlockList)$/,
  'node:tls': /^(createSecureContext|createServer)$/,
  'node:http': /^(createServer|Server|STATUS_CODES)$/,
  'node:https': /^(createServer|Server)$/,
  'node:http2': /^(createServer|createSecureServer)$/,
  'node:dgram': /^$/,
  'node:dns': /^$/,
  'node:dns/promises': /^$/,
  undici: /^$/,
  ws: /^WebSocketServer$/,
}
const GLOBAL_CONNECTING = /(?<![.#\w])(?:fetch\s*\(|new\s+(?:WebSocket|EventSource)\b)/

/** Files that judge users' addresses. */
const OUTBOUND = /^deploy\/outbound\//
/** Files that connect to addresses of the operator, or that run on the user's own machine. */
const OPERATOR_SIDE = [
  /^engine\/log\/kafka\//, // KAFKA_BROKERS
  /^engine\/store\/external-data\.ts$/, // CLICKHOUSE_URL
  /^deploy\/cluster\/schema-registry\.ts$/, // SCHEMA_REGISTRY_URL
  /^deploy\/cli\//, // the command line, by WEIR_URL and the operator's socket
  /^console\//, // the page in the browser, which reaches its own origin alone
]

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/')
}

function wrongPackages(files: readonly SourceFile[]): string[] {
  return files.flatMap(file => {
    if (isTest(file.path)) return []
    return importsOf(file).flatMap(({ specifier }) => {
      const name = importedPackage(specifier)
      const place = name === undefined ? undefined : PACKAGE_PLACES[name]
      return place && !place.test(file.path) ? [`${file.path} imports ${name}`] : []
    })
  })
}

function waysAround(files: readonly SourceFile[]): string[] {
  return files.flatMap(file => {
    if (isTest(file.path)) return []
    const code = codeOf(file)
    return PLACES.filter(({ pattern, allowed }) => pattern.test(code) && !allowed.test(file.path)).map(
      ({ what }) => `${file.path} ${what}`,
    )
  })
}

/** Names of the values that a file takes of a module; `*` for all of them. */
function namesTaken(file: SourceFile, module: string): string[] {
  const taken = importsOf(file).filter(({ specifier }) => specifier === module)
  const isRequired = new RegExp(`require\\(\\s*['"\`]${module}['"\`]`).test(file.text)
  return [...taken.flatMap(({ names }) => names), ...(isRequired ? ['*'] : [])]
}

function waysOut(files: readonly SourceFile[]): string[] {
  return files.flatMap(file => {
    const { path } = file
    if (isTest(path) || OUTBOUND.test(path) || OPERATOR_SIDE.some(place => place.test(path))) return []
    const taken = Object.entries(CONNECTING).flatMap(([module, harmless]) =>
      namesTaken(file, module)
        .filter(name => !harmless.test(name))
        .map(name => `${path} takes ${name} of ${module}`),
    )
    return GLOBAL_CONNECTING.test(codeOf(file)) ? [...taken, `${path} connects by itself`] : taken
  })
}

describe('the project', () => {
  const files = projectSources()

  test('is found completely: an empty list of files would prove nothing', () => {
    const areas = new Set(files.map(file => file.path.split('/')[0]))
    expect([...areas].sort()).toEqual(['api', 'console', 'deploy', 'engine', 'schemas', 'test'])
    expect(files.flatMap(importsOf).length).toBeGreaterThan(files.length)
  })

  test('uses broker, database and web framework only in the allowed places', () => {
    expect(wrongPackages(files)).toEqual([])
  })

  test('reads time, chance and environment only through the ports', () => {
    expect(waysAround(files)).toEqual([])
  })

  test('opens connections in one place, and in places for addresses of the operator', () => {
    expect(waysOut(files)).toEqual([])
  })
})

describe('these checks find', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text })

  test.each([
    ['engine/log/segment-log.ts', "import { Kafka } from 'kafkajs'"],
    ['api/search/search.ts', "import { createClient } from '@clickhouse/client'"],
    ['engine/worker/engine.ts', "import { createChdbConnection } from 'chdb/connection'"],
    ['engine/worker/engine.ts', "import type { FastifyInstance } from 'fastify'"],
    ['engine/nodes/destinations/http/http.ts', "const { Agent } = await import('undici')"],
  ])('a package in a wrong place: %s', (path, text) => {
    expect(wrongPackages([file(path, text)])).toHaveLength(1)
  })

  test.each([
    'const a = process.env.HOME',
    'process.exit(1)',
    'const t = Date.now()',
    'const t = new Date( )',
    'const t = performance.now()',
    'const r = Math.random()',
    "import { randomUUID } from 'node:crypto'",
    'setTimeout(() => {}, 10)',
  ])('a way to bypass the ports: %s', text => {
    expect(waysAround([file('engine/event/event.ts', text)])).toHaveLength(1)
    expect(waysAround([file('api/event.ts', text)])).toHaveLength(1)
  })

  test.each([
    "import { connect } from 'node:net'",
    "import { isIP, type Server, createConnection as c } from 'node:net'",
    "import net from 'node:net'",
    "import * as tls from 'node:tls'",
    "import { Agent } from 'node:https'",
    "import { request } from 'node:http'",
    "import { lookup } from 'node:dns/promises'",
    "import { WebSocket } from 'ws'",
    "const net = await import('node:net')",
    'const net = await import(`node:net`)',
    "import {\n  connect, // the net's\n} from 'node:net'",
    'const answer = await fetch(url)',
    'const socket = new WebSocket(url)',
  ])('a way out beside the allowed place: %s', text => {
    expect(waysOut([file('api/configuration/reach.ts', text)])).toHaveLength(1)
    expect(waysOut([file('engine/nodes/destinations/http.ts', text)])).toHaveLength(1)
    expect(waysOut([file('deploy/outbound/tcp-outbound.ts', text)])).toEqual([])
  })

  test.each([
    "import { isIP } from 'node:net'",
    "import type { Socket } from 'node:net'",
    "import { createServer, type IncomingMessage } from 'node:http'",
    'const records = await broker.fetch(request)',
    'await this.#fetch(leader)',
    '// import { connect } is not done: fetch(',
  ])('no way out in: %s', text => {
    expect(waysOut([file('api/configuration/reach.ts', text)])).toEqual([])
  })

  test('no bypass in comments, in strings, or in given times', () => {
    const text =
      "// Date.now() is not used\nconst a = 'process.env'\nconst b = new Date(ms)\n/* Math.random */"
    expect(waysAround([file('engine/event/event.ts', text)])).toEqual([])
  })
})
