import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { drawnLine, drawnQuery } from '../../../test/support/drawn-search.ts'
import { IS_LONG } from '../../../test/support/long-form.ts'
import { RECEIVED_MS, type SentLine } from '../../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../../test/support/stored-lines.ts'
import { recordOf, recordsOf, type StoredRecord } from '../../../test/support/tested-queries.ts'
import { FieldNames } from '../../lines/stored-line/field-names.ts'
import { evaluate } from '../../query-language/evaluate.ts'
import { parseQuery } from '../../query-language/parse-query.ts'
import { DAY_MS } from '../../times/duration.ts'
import { utcDay } from '../../times/utc-day.ts'
import { asksForField } from './full-field-days.ts'
import type { LinePage, LineSelection, SelectedLine } from './line-selection.ts'

const SEED = 20_261_127
const LINES = 80
const QUERIES = 10
const ACCOUNT = 'full000001'
const FULL_DAY = utcDay(RECEIVED_MS)
const NO_LISTS = { hosts: [], apps: [], levels: [], tags: [] }
/**
 * Forms of the table. The engine takes long to compile a search of slotted lines, so these get no drawn queries, and in
 * the short form one of three that are chosen.
 */
const FORMS: readonly {
  readonly drawn: number
  readonly chosenEvery: number
  readonly tables: LineTable[]
}[] = [
  { drawn: QUERIES, chosenEvery: 1, tables: ['lines'] },
  { drawn: 0, chosenEvery: IS_LONG ? 1 : 3, tables: ['lines', 'slotted_lines'] },
]
const { signal } = new AbortController()

/** Names of a day on which no further one is indexed. */
function fullNames(): FieldNames {
  const names = Array.from({ length: 500 }, (_, number) => `other${number}`)
  const day = Math.floor(RECEIVED_MS / DAY_MS)
  return FieldNames.restore(Buffer.from(JSON.stringify({ day, names, full: true })))
}

/** Objects with escapes and blanks, so that names and values are not in the text as they are searched for. */
const OBJECTS: readonly string[] = Array.from(
  { length: 24 },
  (_, number) =>
    [
      JSON.stringify({
        code: number % 7,
        traceId: `t${number}`,
        deep: { er: [true, 'x'], es: { cap: 'q"r' } },
      }),
      `{ "code" : ${number} , "e\\u0073c":"sch\\u00f6n", "tables":["users","orders"] }`,
      JSON.stringify({ a: { b: { c: { d: 'far' } } }, type: 'order', message: `paid ${number}` }),
    ][number % 3] as string,
)

const CHOSEN = [
  'code:3',
  '-code:3',
  'code:>3 -deep.er:x',
  'code:*',
  '-code:*',
  'deep.er:x',
  'deep:*',
  'deep.es.cap:q OR tables:orders',
  'esc:*',
  'esc:schön',
  'tables:(users -orders)',
  'a.b.c:far',
  'type:order 14',
  'traceId:t1',
  '-(traceId:t OR esc:*)',
  'status:404',
  '-status:404',
  'status:(-404)',
  'user.name:* -"a"',
  'a.b:x OR app:web',
  '-(a.b:* OR status:>100)',
  'message:x',
  'meta.a:1',
]

describe.each(FORMS)('on a full day, lines of $tables', ({ drawn, chosenEvery, tables }) => {
  let lines: StoredLines
  let records: readonly StoredRecord[]
  let queries: readonly string[]

  beforeAll(async () => {
    lines = await openStoredLines(undefined, tables)
    const [drawnLines] = fc.sample(fc.array(drawnLine, { minLength: LINES, maxLength: LINES }), {
      seed: SEED,
      numRuns: 1,
    })
    const sent = (drawnLines as SentLine[]).map((line, index) => ({
      timestamp: RECEIVED_MS - index * 1000,
      ...line,
    }))
    const objects = OBJECTS.map((line, index) => ({ line, timestamp: RECEIVED_MS - 500 - index * 1000 }))
    const [half, ofObjects] = [LINES / 2, OBJECTS.length * 0.75]
    await lines.add([...sent.slice(0, half), ...objects.slice(0, ofObjects)], {
      account: ACCOUNT,
      fieldNames: fullNames(),
    })
    await lines.add([...sent.slice(half), ...objects.slice(ofObjects)], {
      account: ACCOUNT,
      timeMs: RECEIVED_MS + DAY_MS,
    })
    records = await recordsOf(lines, ACCOUNT)
    expect(records).toHaveLength(LINES + OBJECTS.length)
    const sampled = fc.sample(drawnQuery, { seed: SEED, numRuns: 6 * QUERIES })
    const chosen = CHOSEN.filter((_, index) => index % chosenEvery === 0)
    queries = [...chosen, ...sampled.filter(query => asksForField(parseQuery(query))).slice(0, drawn)]
  })

  afterAll(() => lines.close())

  const selectionOf = (query: string, fullDays: readonly string[] = [FULL_DAY]): LineSelection => ({
    ...{ account: ACCOUNT, fromMs: 0, toMs: 1e14, asOfMs: RECEIVED_MS + DAY_MS },
    ...{ filters: NO_LISTS, query: parseQuery(query), fullDays },
  })

  async function found(selection: LineSelection, page: LinePage): Promise<SelectedLine[]> {
    const rows: SelectedLine[] = []
    for await (const some of lines.store.search(selection, page).rows(signal)) rows.push(...some)
    return rows
  }

  const ids = (rows: readonly SelectedLine[]) => rows.map(row => recordOf(row)._id)

  const evaluated = (query: string) => {
    const tree = parseQuery(query)
    return records.filter(({ record }) => evaluate(tree, record)).map(({ record }) => record._id)
  }

  test(`are found by fields that the store lacks (SEED=${SEED})`, async () => {
    let onlyByText = 0
    for (const query of queries) {
      const expected = evaluated(query)
      expect(ids(await found(selectionOf(query), { prefer: 'head', limit: 10_000 })), query).toEqual(expected)
      expect(ids(await found(selectionOf(query), { prefer: 'tail', limit: 10_000 })), query).toEqual(expected)
      const newest = await found(selectionOf(query), { prefer: 'tail', limit: 5 })
      expect(ids(newest), query).toEqual(expected.slice(-5))
      expect(newest.every(row => row.found === newest.length)).toBe(true)
      const stored = await found(selectionOf(query, []), { prefer: 'head', limit: 10_000 })
      if (JSON.stringify(ids(stored)) !== JSON.stringify(expected)) onlyByText++
    }
    expect(onlyByText).toBeGreaterThan(queries.length / 3)
  }, 240_000)

  test('are found page by page, in both directions', async () => {
    for (const prefer of ['head', 'tail'] as const) {
      const all: unknown[] = []
      let behind: SelectedLine | undefined
      for (;;) {
        const page = { prefer, limit: 17, ...(behind && { behind }) }
        const rows = await found(selectionOf('-status:404'), page)
        all.push(...ids(prefer === 'head' ? rows : rows.toReversed()))
        behind = prefer === 'head' ? rows.at(-1) : rows[0]
        if (rows.length < 17) break
      }
      const expected = evaluated('-status:404')
      expect(all).toEqual(prefer === 'head' ? expected : expected.toReversed())
    }
  })

  test('come as they are found', async () => {
    const parts: unknown[] = []
    const search = lines.store.search(selectionOf('-status:404'), { prefer: 'tail', limit: 10_000 })
    for await (const part of search.parts(signal))
      if ('rows' in part) parts.push(...ids(part.rows as SelectedLine[]))
    expect(parts).toEqual(evaluated('-status:404').toReversed())
  })
})
