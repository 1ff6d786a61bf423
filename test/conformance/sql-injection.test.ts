import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreConnection } from '../../engine/store/connection.ts'
import type { Statement } from '../../engine/store/statement.ts'
import { lineId } from '../../schemas/log/position.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { IS_LONG } from '../support/long-form.ts'
import { RECEIVED_MS } from '../support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../support/stored-lines.ts'
import { type TestInstallation, testInstallation } from '../support/test-installation.ts'

/** Text from outside never becomes SQL: each parameter of each endpoint that asks the store gets texts that would. */

/** Mark in every hostile text; it must not occur in a statement. */
const MARK = 'zqxwv'

const HOSTILE = [
  `${MARK}' OR 1=1 --`,
  `${MARK}'; DROP TABLE lines; --`,
  `${MARK}\\' OR 1=1 OR '\\`,
  `${MARK}') OR (1=1`,
  `\\x27 OR ${MARK}=1 --`,
  `' UNION ALL SELECT '${MARK}' FROM lines --`,
  `${MARK}\n\nDROP TABLE lines`,
  `{${MARK}:String}`,
  `{c0:Identifier} ${MARK}`,
  `/* ${MARK} */ 1 /*`,
  `\`${MARK}\``,
  `"${MARK}" OR 1`,
  `${MARK}" OR "1"="1`,
  `\0${MARK}' OR '1`,
  `${MARK} -- `,
  `${MARK}', 'String') OR CAST('1`,
  `%' OR line LIKE '%${MARK}`,
  `toString(${MARK})`,
  `l.${MARK}`,
  `${MARK}\u2019 OR 1=1`,
]

/** In the short form each of so many parameters gets other texts, so that the endpoint gets all of them. */
const TEXTS_SPREAD_OVER = IS_LONG ? 1 : 8

/** Id of the account's own line. */
const LINE_ID = lineId({ timeMs: RECEIVED_MS, topic: INGEST_TOPIC, partition: 0, offset: 1n, row: 0 })
const PERIOD = { from: '1772600000', to: '1772700000' }
const DAYS = { from: '2026-03-01T00:00:00Z', to: '2026-03-31T00:00:00Z' }

interface Endpoint {
  readonly path: (name: string) => string
  /** Parameters that make the request valid. */
  readonly valid: Readonly<Record<string, string>>
  readonly parameters: readonly string[]
  /** A part of the path is a name. */
  readonly named?: true
  /** Index of the kind of usage in KINDS; absent for other endpoints. */
  readonly kind?: number
}

/** Names that usage is counted by. One code answers for all of them. */
const KINDS = ['apps', 'hosts', 'tags']

const SEARCH = ['from', 'to', 'size', 'hosts', 'apps', 'levels', 'tags', 'query', 'q', 'prefer']

const SELECTED = ['from', 'to', 'hosts', 'apps', 'levels', 'tags', 'query', 'q']

const COUNTED = [...SELECTED, 'budget_ms']

const ENDPOINTS: readonly Endpoint[] = [
  { path: () => '/v1/export', valid: PERIOD, parameters: [...SEARCH, 'email', 'emailSubject'] },
  { path: () => '/v2/export', valid: PERIOD, parameters: [...SEARCH, 'pagination_id'] },
  ...KINDS.flatMap((kind, index) =>
    usageEndpoints(kind).map((endpoint): Endpoint => ({ ...endpoint, kind: index })),
  ),
  {
    path: () => '/v3/search',
    valid: PERIOD,
    parameters: [...SELECTED, 'order', 'limit', 'after'],
  },
  {
    path: () => '/v3/search/context',
    valid: { line_id: LINE_ID },
    parameters: ['line_id', 'before', 'after', 'hosts', 'apps'],
  },
  {
    path: () => '/v3/search/histogram',
    valid: PERIOD,
    parameters: [...COUNTED, 'by', 'buckets', 'zone'],
  },
  {
    path: () => '/v3/search/facet',
    valid: { ...PERIOD, fields: 'app' },
    parameters: [...COUNTED, 'fields', 'limit'],
  },
  { path: () => '/v3/search/field', valid: PERIOD, parameters: [...COUNTED, 'prefix', 'limit'] },
  {
    path: () => '/v3/search/value',
    valid: { ...PERIOD, field: 'app' },
    parameters: [...COUNTED, 'field', 'prefix', 'limit'],
  },
  { path: () => '/v2/usage', valid: DAYS, parameters: ['from', 'to'] },
  { path: () => '/v3/pipeline/metrics', valid: PERIOD, parameters: ['from', 'to'] },
  {
    path: () => '/v3/pipeline/error',
    valid: DAYS,
    parameters: ['pipeline_id', 'node_id', 'code', 'from', 'to', 'limit'],
  },
  { path: () => '/v3/pipeline/error/count', valid: DAYS, parameters: ['pipeline_id', 'from', 'to'] },
]

function usageEndpoints(kind: string): Endpoint[] {
  return [
    { path: () => `/v1/usage/${kind}`, valid: PERIOD, parameters: ['from', 'to', 'limit'] },
    { path: name => `/v1/usage/${kind}/${name}`, valid: PERIOD, parameters: ['from', 'to'], named: true },
    { path: () => `/v2/usage/${kind}`, valid: DAYS, parameters: ['from', 'to', 'limit', 'retention'] },
    {
      path: name => `/v2/usage/${kind}/${name}`,
      valid: DAYS,
      parameters: ['from', 'to', 'retention'],
      named: true,
    },
  ]
}

/** Texts that an endpoint gets. In the short form each kind of usage gets a third of them, and together they get all. */
function textsFor({ kind }: Endpoint): readonly string[] {
  return IS_LONG || kind === undefined
    ? HOSTILE
    : HOSTILE.filter((_, number) => number % KINDS.length === kind)
}

/** Forms of the query language in which a text comes to different places of a statement. */
const QUERY_FORMS: readonly ((text: string) => string)[] = [
  text => text,
  quoted,
  text => `==${quoted(text)}`,
  text => `===${quoted(text)} OR -${quoted(text)}`,
  text => `line:==${quoted(text)}`,
  text => `other:(${quoted(text)} OR =${quoted(text)})`,
  text => `host:[${text.replaceAll(/[\],]/g, '')},b]`,
  text => `${text.replaceAll(/[\s()":]/g, '')}:*`,
  text => `${text.replaceAll(/[\s()":]/g, '')}:>=5`,
  text => `meta.${text.replaceAll(/[\s()":]/g, '')}:==5`,
  text => `_id:==${quoted(text)}`,
]

let lines: StoredLines
let weir: TestInstallation
let asked: Statement[]

beforeAll(async () => {
  lines = await openStoredLines(listened)
  weir = await testInstallation({ store: lines.store })
  weir.clock.setWall(RECEIVED_MS)
  const account = weir.credentials.accountId
  await lines.add([{ line: 'own', timestamp: RECEIVED_MS }], { account, timeMs: RECEIVED_MS })
  await lines.add([{ line: 'of somebody else', timestamp: RECEIVED_MS }], { account: '0000000000' })
})

afterAll(async () => {
  await weir.app.close()
  await lines.close()
})

/** Wraps a connection so that it notes the statements of searches. */
function listened(connection: StoreConnection): StoreConnection {
  asked = []
  return new Proxy(connection, {
    get(target, name: keyof StoreConnection) {
      const method = target[name] as (...given: unknown[]) => unknown
      return (...given: unknown[]) => {
        if (name === 'query' || name === 'queryStream') asked.push(given[0] as Statement)
        return method.apply(target, given)
      }
    },
  })
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&')}"`
}

async function call(endpoint: Endpoint, name: string, parameters: Readonly<Record<string, string>>) {
  const url = `${endpoint.path(encodeURIComponent(name))}?${new URLSearchParams({ ...endpoint.valid, ...parameters })}`
  const { statusCode, body } = await weir.call({ url })
  expect([200, 400], `${url}: ${body}`).toContain(statusCode)
  expect(body, url).not.toContain('of somebody else')
  const statements = asked.splice(0)
  // Otherwise the test would check nothing.
  if (statusCode === 200) expect(statements, url).not.toEqual([])
  for (const { sql } of statements) expect(sql.toLowerCase(), url).not.toContain(MARK)
  return statusCode
}

test.each(ENDPOINTS.map(endpoint => [endpoint.path('{name}'), endpoint] as const))(
  'no parameter of %s becomes SQL',
  async (_title, endpoint) => {
    const over = Math.min(TEXTS_SPREAD_OVER, endpoint.parameters.length)
    for (const [number, text] of textsFor(endpoint).entries()) {
      for (const [index, parameter] of endpoint.parameters.entries())
        if ((number + index) % over === 0) await call(endpoint, 'x', { [parameter]: text })
      if (endpoint.named) await call(endpoint, text, {})
    }
    await bothLinesAreThere()
  },
)

test('no form of a text in a query becomes SQL', async () => {
  const endpoint = ENDPOINTS[0] as Endpoint
  let [sent, answered] = [0, 0]
  for (const [number, text] of HOSTILE.entries())
    for (const [index, form] of QUERY_FORMS.entries()) {
      if (!IS_LONG && (number + index) % 4 > 0) continue
      sent++
      if ((await call(endpoint, '', { query: form(text) })) === 200) answered++
    }
  expect(answered).toBeGreaterThan(sent / 2)
  await bothLinesAreThere()
})

async function bothLinesAreThere(): Promise<void> {
  const [row] = await lines.store.query<{ rows: string }>({ sql: 'SELECT count() AS rows FROM lines' })
  expect(row?.rows).toBe('2')
}
