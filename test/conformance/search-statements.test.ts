import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { LinePage, LineSelection } from '../../engine/store/search/line-selection.ts'
import type { Store } from '../../engine/store/store.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { LineTable } from '../../schemas/log/tables.ts'
import { drawnQuery } from '../support/drawn-search.ts'
import { type AskedStatement, RecordingConnection } from '../support/recording-connection.ts'

/**
 * Statements that the store sends for a search, byte for byte. They are written by running this test with
 * SEARCH_STATEMENTS=new, which is right only when a statement changes on purpose.
 */

const FILE = new URL('../data/golden/search-statements.json', import.meta.url)
const IS_NEW = process.env.SEARCH_STATEMENTS === 'new'
const DRAWN = 1500
/** Statements of slotted lines take longer to compile. */
const DRAWN_OF_SLOTTED = 300
const MAX_CHARACTERS = 20_000

interface Golden {
  /** Whole statements, or the refusal, by the title of the search. */
  readonly whole: Readonly<Record<string, readonly AskedStatement[] | string>>
  /** Digest of the statements of each drawn query. */
  readonly drawn: Readonly<Record<string, string>>
  /** Digest of the statements of each search, and of each drawn query, on slotted lines. */
  readonly slotted: Readonly<Record<string, string>>
  readonly drawnOfSlotted: Readonly<Record<string, string>>
}

const NO_FILTERS = { hosts: [], apps: [], levels: [], tags: [] }
const DAY = Date.UTC(2026, 2, 4)
const SELECTION = { account: '507f1f77bc', fromMs: DAY, toMs: DAY + 3_599_999, asOfMs: DAY + 3_600_000 }
const TAIL: LinePage = { prefer: 'tail', limit: 100 }
const HEAD: LinePage = { prefer: 'head', limit: 10_000 }
const BEHIND = { ts: DAY + 5, t: DAY + 7, topic: 1, partition: 3, offset: '9007199254740991', row: 12 }
/** Answer to each question: the period of a search is cut into three slices, and none of them fills the page. */
const ROWS = [
  {
    lines: 2_500_000,
    firstMs: DAY,
    lastMs: DAY + 3_599_999,
    line: '',
    meta: '',
    extra: '',
    day: '2026-03-01',
    hours: [[], []],
  },
]

/** Answer to each question about slotted lines. As a row of a line, it is one that the program can read. */
const ROWS_OF_SLOTTED = ROWS.map(row => ({
  ...row,
  ...{ account: SELECTION.account, t: DAY, ts: DAY, topic: 1, partition: 3, offset: '7', row: 0 },
  ...{ host: 'h', app: 'a', level: 'INFO', tag_list: '', facts: '', shape: '', whole_line: '' },
  ...{ size: 0, retention: 7 },
}))

type Ask = (store: Store) => Promise<unknown>

function search(query: string, page: LinePage = TAIL, more: Partial<LineSelection> = {}): Ask {
  return async store => {
    const selection = { ...SELECTION, filters: NO_FILTERS, query: parseQuery(query), ...more }
    for await (const _ of store.search(selection, page).rows(new AbortController().signal));
  }
}

/** Queries of the page that explains the language. */
function explainedQueries(): string[] {
  const page = readFileSync(new URL('../../docs/query-language.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| `((?:[^`|]|\\\|)*)` +\| `.*` +\| (?:yes|no) +\|$/gm)
  return [...new Set([...rows].map(([, query]) => (query as string).replaceAll('\\|', '|').trim()))]
}

const QUERIES = [
  ...['', '*', '""', '"{}"', '==checkout', '===Checkout', '==Σας', '=Ok', 'ſucceſs', '%a%', '10.0.0.1'],
  ...['error OR failed OR app:nginx', '==checkout OR ==payments', '==checkout OR payments', 'a ==checkout'],
  ...['a OR b c OR -d', '-(a b) NOT ==c', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '"a checkout b"', '1000'],
  ...[
    'host:web',
    'source:==web-1',
    'app:[nginx,mailer]',
    'level:=ERROR',
    'level:*',
    'env:*',
    'file:/var/log',
  ],
  ...['tag:red', 'tags:[red,blue]', '-tags:*', '_mac:*', 'ip:==10.0.0.1', '_ipremote:192', '_account:5'],
  ...['line:==word', 'message:word', '-message:=Word', 'line:*', '_meta:x', 'meta:==x', 'meta.user.id:7'],
  ...['label.app:web', 'label.app.kubernetes.io/name:*', '_logtype:json', '-_logtype:==line'],
  ...['_timestamp:*', '_truncated:true', '_drift:<-5000', 'drift:"-6000"', '_mezmo_line_size:>100', '_ts:>5'],
  ...['status:404', 'status:==404', 'status:(>=400 <500 -404)', 'status:-[200,201]', 'status:4.04e2'],
  ...['a:>5 OR a:>3', 'a:<=[1,2]', 'a:>abc', 'a:1e400', 'a:9007199254740993', 'a:[9007199254740993,7,x]'],
  ...['a:12345678901234567890123', 'a:==-9007199254740993', 'a.b.c:(x OR =y -z)', 'a:*', '-a:*', 'A:1 a:2'],
  ...['trace:==4bf92f3577b3', 'trace:[f81d-7dec-11,f81d-7ded-11]', 'error duration:>=500 app:nginx'],
  ...['_id:0123456789abcdef0123456789', '_id:==0', "x:'; DROP TABLE lines; --", '"\\\\\' OR 1=1"', 'c0'],
]
/** Its prefilter does not fit into the statement; one word more is refused at last. */
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')

const PAGED = ['', 'word', '==word', 'a:>5 word', '-word']
const USAGE = { account: SELECTION.account, fromMs: DAY - 5000, toMs: DAY + 3 * DAY_MS }
const ERRORS = { account: SELECTION.account, pipelines: ['p'], fromMs: DAY, limit: 100 }

const SEARCHES: ReadonlyMap<string, Ask> = new Map([
  ...[...new Set([...explainedQueries(), ...QUERIES])].map(
    query => [`tail ${query}`, search(query)] as const,
  ),
  ...PAGED.flatMap(query => [
    [`head ${query}`, search(query, HEAD)] as const,
    [`short head ${query}`, search(query, { ...HEAD, limit: 4096 })] as const,
    [`long tail ${query}`, search(query, { ...TAIL, limit: 4097 })] as const,
    [`head behind ${query}`, search(query, { ...HEAD, behind: BEHIND })] as const,
    [`tail behind ${query}`, search(query, { ...TAIL, behind: BEHIND })] as const,
    [`hosts ${query}`, search(query, TAIL, { filters: { ...NO_FILTERS, hosts: ['web-1', "'"] } })] as const,
    [
      `all lists ${query}`,
      search(query, HEAD, {
        filters: { hosts: ['a'], apps: ['b', 'c'], levels: ['Warn', 'é'], tags: ['d', 'c0'] },
      }),
    ] as const,
    [`all time ${query}`, search(query, TAIL, { fromMs: -5, toMs: 1e15 })] as const,
  ]),
  ...[120, 260, 320, 900].map(count => [`${count} words`, search(words(count))] as const),
  ...['word', 'a:1', '-a.b:*', 'host:a', '_meta:x OR meta.x:y'].map(
    query =>
      [
        `full days ${query}`,
        (store: Store) =>
          store.fullFieldDays({ ...SELECTION, filters: NO_FILTERS, query: parseQuery(query) }),
      ] as const,
  ),
  ...(['apps', 'hosts', 'tags'] as const).flatMap(kind => [
    [`usage of ${kind}`, (store: Store) => store.usageByKind({ ...USAGE, kind })] as const,
    [
      `usage of one of ${kind}`,
      (store: Store) =>
        store.usageByKind({ ...USAGE, kind, name: 'x', poolDays: 7, limit: 5, order: 'lines' }),
    ] as const,
  ]),
  ['usage', store => store.usageTotals(USAGE)],
  ['usage of an hour', store => store.usageTotals({ ...USAGE, toMs: DAY - 1 })],
  ['errors', store => store.pipelineErrors(ERRORS)],
  ['errors of a node', store => store.pipelineErrors({ ...ERRORS, node: 'n', toMs: DAY + 1 })],
  ['errors of a code', store => store.pipelineErrors({ ...ERRORS, code: 'E' })],
  ['counts of errors', store => store.pipelineErrorCounts(ERRORS)],
])

async function statementsOf(
  ask: Ask,
  table: LineTable = 'lines',
): Promise<readonly AskedStatement[] | string> {
  const connection = new RecordingConnection(table === 'lines' ? ROWS : ROWS_OF_SLOTTED, table)
  const store = openClickHouseStore(connection)
  await store.open('0b9e0d6e-6f3c-4a57-9d52-30763604df9b')
  try {
    await ask(store)
  } catch (error) {
    return (error as Error).message
  }
  return (JSON.parse(JSON.stringify(connection.take())) as AskedStatement[]).map(shortened)
}

/** A statement too long to be read has its digest in the place of its text. */
function shortened(statement: AskedStatement): AskedStatement {
  const text = JSON.stringify(statement)
  return text.length < MAX_CHARACTERS ? statement : { sql: `sha256 ${sha256(text)}` }
}

/** Statements from the preferred end, which has one, and from the other end, which may have several. */
async function digestOf(query: string, table: LineTable = 'lines'): Promise<string> {
  const pages = [TAIL, HEAD].map(page => statementsOf(search(query, page), table))
  return shortDigest(await Promise.all(pages))
}

async function slottedDigestOf(ask: Ask): Promise<string> {
  return shortDigest(await statementsOf(ask, 'slotted_lines'))
}

function shortDigest(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 16)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

async function newGolden(): Promise<Golden> {
  const whole = await Promise.all(
    [...SEARCHES].map(async ([title, ask]) => [title, await statementsOf(ask)] as const),
  )
  const queries = [...new Set(fc.sample(drawnQuery, { seed: 20_261_123, numRuns: DRAWN }))]
  const drawn = await Promise.all(queries.map(async query => [query, await digestOf(query)] as const))
  const slotted = await Promise.all(
    [...SEARCHES].map(async ([title, ask]) => [title, await slottedDigestOf(ask)] as const),
  )
  const drawnOfSlotted = await Promise.all(
    queries
      .slice(0, DRAWN_OF_SLOTTED)
      .map(async query => [query, await digestOf(query, 'slotted_lines')] as const),
  )
  return {
    whole: Object.fromEntries(whole),
    drawn: Object.fromEntries(drawn),
    slotted: Object.fromEntries(slotted),
    drawnOfSlotted: Object.fromEntries(drawnOfSlotted),
  }
}

if (IS_NEW) writeFileSync(FILE, `${JSON.stringify(await newGolden(), null, 1)}\n`)
const golden = JSON.parse(readFileSync(FILE, 'utf8')) as Golden

test('each search has stored statements, and there are no others', () => {
  expect([...SEARCHES.keys()].sort()).toEqual(Object.keys(golden.whole).sort())
  expect([...SEARCHES.keys()].sort()).toEqual(Object.keys(golden.slotted).sort())
  expect(SEARCHES.size).toBeGreaterThan(150)
  expect(Object.keys(golden.drawn).length).toBeGreaterThan(0.9 * DRAWN)
})

test.each([...SEARCHES])('the statements of "%s" do not change', async (title, ask) => {
  expect(await statementsOf(ask)).toEqual(golden.whole[title])
  expect(await slottedDigestOf(ask)).toBe(golden.slotted[title])
})

// Each of 1,500 queries has several forms, which take minutes together on a busy machine.
test('the statements of random queries do not change', async () => {
  for (const [query, digest] of Object.entries(golden.drawn))
    expect(await digestOf(query), query).toBe(digest)
  for (const [query, digest] of Object.entries(golden.drawnOfSlotted))
    expect(await digestOf(query, 'slotted_lines'), query).toBe(digest)
}, 300_000)
