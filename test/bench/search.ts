import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import type { LineSearch } from '../../engine/store/search/line-selection.ts'
import type { Statement } from '../../engine/store/statement.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import type { Report } from './figure.ts'
import { type FilledStore, openFilledStore } from './filled-store.ts'
import { LINE_TABLE } from './line-blocks.ts'
import { SAMPLE_START_MS } from './load/bodies.ts'

const LINES = 1_000_000
const ROUNDS = 5
const PAGE_LINES = 100
const SIGNAL = new AbortController().signal
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
  'The benchmark runs one search after another as the service does, on JSON lines with nine members whose words are in filters. The files are in the page cache, and nothing else comes in. The floors are a statement that reads nothing, one plain search for the word in the column of the texts that have it, and one comparison of the column of the field. A search is named by its way: order, index (filters name times), or scan.'

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
    name: 'search in one column',
    // Half of the word, so that the engine does not remember one by the other.
    statement: round => ({
      sql: `SELECT count() FROM ${LINE_TABLE} AS l WHERE position(l.s5, {word:String}) > 0`,
      parameters: { word: rare(round).slice(0, 9) },
    }),
  }
  const inFields: Search['floor'] = {
    name: 'comparison of one column',
    statement: round => ({
      sql: `SELECT count() FROM ${LINE_TABLE} AS l WHERE toFloat64OrZero(l.s4) >= {bound:Float64}`,
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
    reads: searchFor(search.query(1), 1, filled).access,
  })
}

function searchFor(query: string, round: number, { store, account, lastMs }: FilledStore): LineSearch {
  const selection = {
    account,
    fromMs: SAMPLE_START_MS,
    toMs: lastMs,
    asOfMs: lastMs + round,
    filters: NO_FILTERS,
    query: parseQuery(query),
  }
  return store.search(selection, { prefer: 'tail', limit: PAGE_LINES })
}

/** @returns how many lines the answer has */
async function find(query: string, round: number, filled: FilledStore): Promise<number> {
  let found = 0
  for await (const rows of searchFor(query, round, filled).rows(SIGNAL)) found += rows.length
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
    sql: `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = currentDatabase() AND table IN ('${LINE_TABLE}', 'word_filters')`,
  })
  report({
    name: `${lines.toLocaleString('en')} lines: on the disk, with filters`,
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
