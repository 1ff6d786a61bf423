import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { type SearchStatement, searchStatement } from '../../engine/store/search/search-statement.ts'
import type { Statement, StatementRunner } from '../../engine/store/statement.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import type { Report } from './figure.ts'
import { type FilledStore, openFilledStore } from './filled-store.ts'
import { SAMPLE_START_MS } from './load/bodies.ts'

const LINES = 1_000_000
const ROUNDS = 5
const PAGE_LINES = 100
const NO_FILTERS: LineFilters = { hosts: [], apps: [], levels: [], tags: [] }

/** A search: terms differ from round to round, because the engine remembers where a condition was true. */
interface Search {
  readonly name: string
  readonly query: (round: number) => string
  /** The least that any statement takes that answers it. */
  readonly floor: { readonly name: string; readonly statement: (round: number) => Statement }
  /** Lines that the answer must have. */
  readonly finds: (lines: number) => boolean
}

export const summary =
  'one search after another through the statement that the service makes of it, on JSON lines with nine members whose words are indexed, files in the page cache, nothing else coming in. Floors: a statement that reads nothing; one plain search for the word in the texts alone; one comparison of the field in all lines. Parts of the table and granules, of at most 8,192 lines, are what the engine selects before it reads; a search that finds enough ends earlier.'

export async function run(report: Report, { lines = LINES, directory }: BenchmarkOptions): Promise<void> {
  const filled = await openFilledStore(lines, directory)
  try {
    for (const search of searches(filled)) await measure(search, filled, report)
    await measureUsage(filled, report)
    await reportSize(filled, report)
  } finally {
    await filled.close()
  }
}

const COMMON_WORDS = ['checkout', 'payments', 'catalog', 'cart', 'search', 'auth'] as const

function searches({ rareWords }: FilledStore): readonly Search[] {
  const rare = (round: number) => rareWords[(round * 11) % rareWords.length] as string
  const onlyPage = (lines: number) => lines === PAGE_LINES
  const onlyOne = (lines: number) => lines === 1
  const inTexts: Search['floor'] = {
    name: 'search in the texts alone',
    // Half of the word, so that the engine does not remember one by the other.
    statement: round => ({
      sql: 'SELECT count() FROM lines AS l WHERE position(l.line, {word:String}) > 0',
      parameters: { word: rare(round).slice(0, 9) },
    }),
  }
  const inFields: Search['floor'] = {
    name: 'one field of all lines',
    statement: round => ({
      sql: "SELECT count() FROM lines AS l WHERE l.number_fields['dur_ms'] >= {bound:Float64}",
      parameters: { bound: 1990.5 + round },
    }),
  }
  return [
    { name: 'newest 100', query: () => '', floor: NOTHING, finds: onlyPage },
    {
      name: 'newest 100 with a common word',
      query: round => COMMON_WORDS[round] as string,
      floor: NOTHING,
      finds: onlyPage,
    },
    {
      name: 'newest 100 with a common whole word',
      query: round => `==${COMMON_WORDS[round]}`,
      floor: NOTHING,
      finds: onlyPage,
    },
    {
      name: 'newest 100 in a common range of a field',
      query: round => `dur_ms:>=${1500 + round}`,
      floor: NOTHING,
      finds: onlyPage,
    },
    {
      name: 'a whole word that is in one line',
      query: round => `==${rare(round)}`,
      floor: NOTHING,
      finds: onlyOne,
    },
    {
      name: 'a field that equals it',
      query: round => `trace_id:==${rare(round)}`,
      floor: NOTHING,
      finds: onlyOne,
    },
    { name: 'the beginning of a word that is in one line', query: rare, floor: inTexts, finds: onlyOne },
    {
      name: 'a range of a field that no line is in',
      query: round => `dur_ms:>=${2000 + round}`,
      floor: inFields,
      finds: lines => lines === 0,
    },
    {
      name: 'ranges of two fields that few lines are in',
      query: round => `dur_ms:>=1999 status:>=${500 - round}`,
      floor: inFields,
      finds: lines => lines <= PAGE_LINES,
    },
  ]
}

const NOTHING: Search['floor'] = {
  name: 'a statement that reads nothing',
  statement: round => ({ sql: `SELECT ${round} AS round` }),
}

async function measure(search: Search, filled: FilledStore, report: Report): Promise<void> {
  const values: number[] = []
  const floors: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const floorMs = await timed(() => filled.store.query(search.floor.statement(round)))
    const ms = await timed(async () => {
      const found = await find(search.query(round), round, filled)
      if (!search.finds(found)) throw new Error(`${search.name}: ${found} lines were found`)
    })
    if (round === 0) continue // It has brought the files into the page cache.
    values.push(ms)
    floors.push(floorMs)
  }
  report({
    name: `${filled.lines.toLocaleString('en')} lines: ${search.name}`,
    unit: 'ms',
    values,
    floor: { name: search.floor.name, values: floors },
    reads: await readsOf(searchFor(search.query(1), 1, filled), filled.store),
  })
}

/** Rows that the engine selects by the order of the table and then by its indexes, in its own words, shortened. */
async function readsOf({ statement, access }: SearchStatement, store: StatementRunner): Promise<string> {
  const rows = await store.query<{ explain: string }>({
    ...statement,
    sql: `EXPLAIN indexes = 1 ${statement.sql}`,
  })
  let index = ''
  const counts = new Map<string, string>()
  for (const { explain } of rows) {
    index = /(?:^|\s)(PrimaryKey|Name: marked_words)$/.exec(explain.trimEnd())?.[1] ?? index
    const [, unit, count] = /(Parts|Granules): (\d+\/\d+)$/.exec(explain) ?? []
    if (unit !== undefined && index !== '') counts.set(`${index} ${unit}`, count as string)
  }
  const selected = (name: string, title: string) =>
    counts.has(`${name} Granules`)
      ? [`${title} ${counts.get(`${name} Parts`)} parts, ${counts.get(`${name} Granules`)} granules`]
      : []
  return [access, ...selected('PrimaryKey', 'order:'), ...selected('Name: marked_words', 'words:')].join('; ')
}

function searchFor(query: string, round: number, { account, lastMs }: FilledStore): SearchStatement {
  const selection = {
    account,
    fromMs: SAMPLE_START_MS,
    toMs: lastMs,
    asOfMs: lastMs + round,
    filters: NO_FILTERS,
    query: parseQuery(query),
  }
  return searchStatement('lines', selection, { prefer: 'tail', limit: PAGE_LINES })
}

/** @returns how many lines the answer has */
async function find(query: string, round: number, filled: FilledStore): Promise<number> {
  const { statement } = searchFor(query, round, filled)
  let found = 0
  for await (const rows of filled.store.queryStream(statement)) found += rows.length
  return found
}

/** Requests the usage of an account, each time from another second on, so that no answer is cached. */
async function measureUsage({ store, account, lines, lastMs }: FilledStore, report: Report): Promise<void> {
  const period = (round: number) => ({
    account,
    fromMs: SAMPLE_START_MS - round * 1000,
    toMs: lastMs + 1000,
  })
  const counted = {
    'lines and bytes by app': (round: number) =>
      store.usageByKind({ ...period(round), kind: 'apps', order: 'lines' }),
    'lines and bytes of the account': (round: number) => store.usageTotals(period(round)),
  }
  for (const [name, count] of Object.entries(counted)) {
    const values: number[] = []
    const floors: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const floorMs = await timed(() => store.query(NOTHING.statement(round)))
      const ms = await timed(async () => {
        const sum = (await count(round)).reduce((total, usage) => total + usage.lines, 0)
        if (sum !== lines) throw new Error(`${sum} of ${lines} lines were counted`)
      })
      if (round === 0) continue
      values.push(ms)
      floors.push(floorMs)
    }
    report({
      name: `${lines.toLocaleString('en')} lines: ${name}`,
      unit: 'ms',
      values,
      floor: { name: NOTHING.name, values: floors },
    })
  }
}

async function reportSize({ store, lines, textBytes }: FilledStore, report: Report): Promise<void> {
  const [row] = await store.query<{ bytes: string }>({
    sql: "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = currentDatabase() AND table = 'lines'",
  })
  report({
    name: `${lines.toLocaleString('en')} lines: on the disk`,
    unit: 'B a line',
    values: [Number(row?.bytes) / lines],
    floor: { name: 'text of the line', values: [textBytes / lines] },
  })
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await task()
  return performance.now() - startMs
}
