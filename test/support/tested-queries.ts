import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { renderRecord } from '../../engine/lines/stored-line/line-record.ts'
import { evaluate } from '../../engine/query-language/evaluate.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { textOf } from '../../engine/store/search/condition.ts'
import { isCountable } from '../../engine/store/search/counted-field.ts'
import { exactCondition } from '../../engine/store/search/exact-condition.ts'
import { timesOfWords } from '../../engine/store/search/filtered-segments.ts'
import type { LineSelection, SelectedLine } from '../../engine/store/search/line-selection.ts'
import { compilePrefilter } from '../../engine/store/search/prefilter.ts'
import { SlotsInUse } from '../../engine/store/search/slots-in-use.ts'
import { SqlConstants } from '../../engine/store/search/sql-constants.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { LineTable } from '../../schemas/log/tables.ts'
import { valueCounts } from './counted-records.ts'
import { drawnLine, drawnQuery } from './drawn-search.ts'
import { RECEIVED_MS, type SentLine } from './sent-lines.ts'
import type { StoredLines } from './stored-lines.ts'

const EVERYTHING = { hosts: [], apps: [], levels: [], tags: [] }
const ACCOUNT = 'drawn00001'
const LINES = 250
/** Conditions of one statement; further ones do not fit into the engine's limit. */
const AT_ONCE = 15
const SIGNAL = new AbortController().signal

/** Short enough for the program to decide which of few candidates are found. */
export const SHORT_PAGE = 40
const LONG_PAGE = 10_000

/** Lines that a whole search finds, oldest first, page by page. */
export async function findLines(
  { store }: StoredLines,
  account: string,
  query: string,
  limit = LONG_PAGE,
): Promise<SelectedLine[]> {
  const selection = selectionOf(account, query)
  const found: SelectedLine[] = []
  for (let before = -limit; found.length - before >= limit; ) {
    before = found.length
    const behind = found.at(-1)
    const page = { prefer: 'head' as const, limit, ...(behind === undefined ? {} : { behind }) }
    for await (const some of store.search(selection, page).rows(SIGNAL)) found.push(...some)
  }
  return found
}

/** Rows for which all conditions of each query hold: many queries take one statement, and a whole search takes one each. */
export async function rowsByConditions(
  { store, tables }: StoredLines,
  account: string,
  queries: readonly string[],
): Promise<number[][]> {
  const ofTables = await Promise.all(tables.map(table => rowsOfTable(store, table, account, queries)))
  return queries.map((_, index) => ofTables.flatMap(rows => rows[index] ?? []).sort((a, b) => a - b))
}

async function rowsOfTable(
  store: StoredLines['store'],
  table: LineTable,
  account: string,
  queries: readonly string[],
): Promise<number[][]> {
  const known = table === 'slotted_lines' ? await knownSlots(store, account) : [undefined]
  const rows: number[][] = []
  for (let at = 0; at < queries.length; at += AT_ONCE) {
    const constants = new SqlConstants()
    const columns = queries.slice(at, at + AT_ONCE).map((text, index) => {
      const query = parseQuery(text)
      const inUse = known[(at + index) % known.length]
      const { conditions, indexed } = compilePrefilter(query, constants, table, inUse)
      const all = [...conditions, exactCondition(query, constants, table), ...indexed]
        .map(textOf)
        .join(' AND ')
      return `groupArraySortedIf(1000)(l.row, ${all})`
    })
    const [answer] = await store.query<{ found: number[][] }>({
      sql: `${constants.withClause}SELECT [${columns.join(',\n')}] AS found FROM ${table} AS l WHERE l.account = {account:String}`,
      parameters: { ...constants.parameters, account },
    })
    rows.push(...(answer?.found ?? []))
  }
  return rows
}

/** Knowledge of the slots in use, from none at all to all of it. Searches find the same lines with each. */
async function knownSlots(
  store: StoredLines['store'],
  account: string,
): Promise<readonly (SlotsInUse | undefined)[]> {
  const rows = await store.query<{ shape: string }>({
    sql: 'SELECT DISTINCT shape FROM slotted_lines WHERE account = {account:String} ORDER BY shape',
    parameters: { account },
  })
  const shapes = rows.map(({ shape }) => shape)
  const some = [shapes, shapes.filter((_, index) => index % 2 === 0), shapes.slice(0, 2), []]
  return [undefined, ...some.map(each => new SlotsInUse(each))]
}

function selectionOf(account: string, query: string): LineSelection {
  const period = { fromMs: 0, toMs: 1e14, asOfMs: RECEIVED_MS }
  return { account, ...period, filters: EVERYTHING, query: parseQuery(query) }
}

function usesWordIndex(query: string): boolean {
  return compilePrefilter(parseQuery(query), new SqlConstants(), 'lines').indexed.length > 0
}

export interface StoredRecord {
  readonly row: number
  readonly record: JsonObject
}

/** The record that an export gives of a line. */
export function recordOf(row: SelectedLine): JsonObject {
  return parseExactJson(renderRecord(row)) as JsonObject
}

/** All records of an account, as an export gives them. */
export async function recordsOf(lines: StoredLines, account: string): Promise<StoredRecord[]> {
  const rows = await findLines(lines, account, '')
  return rows.map(row => ({ row: row.row, record: recordOf(row) }))
}

/**
 * Tests that drawn queries find on the engine what their evaluation finds on the records.
 *
 * @param lines open when the tests run
 * @param sizes number of queries; every tenth is also a whole search, which takes longer than its conditions alone
 */
export function testDrawnQueries(
  lines: () => StoredLines,
  sizes: { readonly seed: number; readonly queries: number },
): void {
  const { seed } = sizes
  const searches = Math.ceil(sizes.queries / 10)
  const timeoutMs = 180_000 + sizes.queries * 60

  describe('drawn queries on drawn lines', () => {
    let queries: readonly string[]
    let records: readonly StoredRecord[]

    beforeAll(async () => {
      const options = { seed, numRuns: 1 }
      const [sent] = fc.sample(fc.array(drawnLine, { minLength: LINES, maxLength: LINES }), options)
      queries = fc.sample(drawnQuery, { seed, numRuns: sizes.queries })
      const inTime = (sent as SentLine[]).map((line, index) => ({
        timestamp: RECEIVED_MS - index * 1000,
        ...line,
      }))
      await lines().add(inTime, { account: ACCOUNT })
      records = await recordsOf(lines(), ACCOUNT)
      expect(records).toHaveLength(LINES)
    })

    test(
      `the conditions hold for exactly the lines that the evaluation finds (SEED=${seed})`,
      async () => {
        let matches = 0
        const found = await rowsByConditions(lines(), ACCOUNT, queries)
        for (const [index, query] of queries.entries()) {
          const evaluated = evaluatedRows(query)
          expect(found[index], query).toEqual(evaluated.toSorted((a, b) => a - b))
          matches += evaluated.length
        }
        // Otherwise the drawn words would be too many to say much.
        expect(matches / queries.length).toBeGreaterThan(5)
      },
      timeoutMs,
    )

    test(
      `whole searches find them in merged parts, where indexes are used (SEED=${seed})`,
      async () => {
        await lines().merge()
        if (lines().tables.includes('lines')) expect(await bytesOfWordIndex()).toBeGreaterThan(0)
        const indexed = queries.filter(usesWordIndex)
        const others = queries.filter(query => !usesWordIndex(query))
        expect(indexed.length).toBeGreaterThan(0)
        for (const query of [...indexed.slice(0, searches / 2), ...others.slice(0, searches / 2)]) {
          for (const limit of [LONG_PAGE, SHORT_PAGE]) {
            const found = await findLines(lines(), ACCOUNT, query, limit)
            const rows = found.map(({ row }) => row)
            expect(rows, `${query}, pages of ${limit}`).toEqual(evaluatedRows(query))
          }
        }
      },
      timeoutMs,
    )

    test(
      `filters of words list the times of all lines that the evaluation finds (SEED=${seed})`,
      async () => {
        let [asked, excluded] = [0, 0]
        for (const query of queries) {
          const { words } = compilePrefilter(parseQuery(query), new SqlConstants(), 'lines')
          if (words === undefined) continue
          const selection = selectionOf(ACCOUNT, query)
          const listed = await timesOfWords(
            lines().store,
            lines().tables,
            selection,
            { prefer: 'tail' },
            words,
            'some',
            SIGNAL,
          )
          if (listed === undefined) continue
          const { times } = listed
          asked++
          const evaluated = new Set(evaluatedRows(query))
          for (const { row, record } of records) {
            const isListed = times.some(
              ({ fromMs, toMs }) => fromMs <= timeOf(record) && timeOf(record) <= toMs,
            )
            if (evaluated.has(row)) expect(isListed, `${query}: ${row}`).toBe(true)
            if (!isListed) excluded++
          }
        }
        expect(asked).toBeGreaterThan(queries.length / 20)
        // Most lines have none of the words.
        expect(excluded / asked).toBeGreaterThan(LINES / 3)
      },
      timeoutMs,
    )

    test(
      `lines are counted by the values that their records have (SEED=${seed})`,
      async () => {
        const names = new Set(records.flatMap(({ record }) => Object.keys(record)))
        const fields = [...names, 'app', 'tag', 'user.name', 'a.b', 'status'].filter(isCountable)
        let values = 0
        for (const [index, query] of queries.slice(0, searches).entries()) {
          const field = fields[index % fields.length] as string
          const tree = parseQuery(query)
          const expected = valueCounts(
            records.map(({ record }) => record).filter(record => evaluate(tree, record)),
            field,
          )
          const selection = {
            account: ACCOUNT,
            fromMs: 0,
            toMs: 1e14,
            asOfMs: RECEIVED_MS,
            filters: EVERYTHING,
          }
          const counted = lines().store.countByValue(
            { ...selection, query: tree },
            field,
            new AbortController().signal,
          )
          for await (const { counts } of counted) expect(counts, `${field} of ${query}`).toEqual(expected)
          values += expected.distinct
        }
        expect(values / searches).toBeGreaterThan(1)
      },
      timeoutMs,
    )

    async function bytesOfWordIndex(): Promise<number> {
      const [index] = await lines().store.query<{ bytes: number }>({
        sql: `SELECT toFloat64(sum(data_uncompressed_bytes)) AS bytes FROM system.data_skipping_indices
WHERE database = currentDatabase() AND table = 'lines' AND name = 'marked_words'`,
      })
      return index?.bytes ?? 0
    }

    function evaluatedRows(query: string): number[] {
      const tree = parseQuery(query)
      return records.filter(({ record }) => evaluate(tree, record)).map(({ row }) => row)
    }
  })
}

function timeOf(record: JsonObject): number {
  return Number(record._ts)
}
