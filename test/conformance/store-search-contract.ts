import { describe, expect, test } from 'vitest'
import { pipelineErrorsBlock } from '../../engine/fold/tables/pipeline-errors-block.ts'
import type { StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import type { Buckets } from '../../engine/store/search/line-counts.ts'
import type { LinePage, LineSelection, SelectedLine } from '../../engine/store/search/line-selection.ts'
import type { Epoch, Store } from '../../engine/store/store.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { blockOf, newStoredLine } from '../support/line-blocks.ts'

const ACCOUNT = '507f1f77bc'
const DAY = Date.UTC(2026, 0, 2)
const PARTITION = { topic: 'weir.ingest', partition: 3 } as const
const NO_FILTERS: LineFilters = { hosts: [], apps: [], levels: [], tags: [] }
const HEAD: LinePage = { prefer: 'head', limit: 100 }

/** An open store whose partition 3 belongs to this epoch. */
export interface SearchedStore {
  readonly store: Store
  readonly epoch: Epoch
}

/** Times go up and down, so that the order of an answer is not that of the log. */
const LINES: readonly StoredLine[] = [
  lineOf('the first error', { timestampMs: DAY + 5, app: 'web', host: 'a' }),
  lineOf('second: ERROR-42', { timestampMs: DAY + 1, app: 'web', host: 'b', level: 'Warn', tags: ['red'] }),
  lineOf('third', { timestampMs: DAY + 9, app: 'db', host: 'a', tags: ['red', 'blue'], poolDays: 7 }),
  lineOf('{"status":404,"user":{"name":"Ann"}}', { timestampMs: DAY + 5, app: 'db', host: 'b' }),
  lineOf('of somebody else: error', { timestampMs: DAY + 5, account: '0000000000' }),
  lineOf('kept for a day: error', { timestampMs: DAY + 6, retentionDays: 1 }),
]

/** Searches that every implementation of the store port answers alike. */
export function searchContract(opened: () => Promise<SearchedStore> | SearchedStore): void {
  async function filled(): Promise<Store> {
    const { store, epoch } = await opened()
    await store.insert({
      ...PARTITION,
      table: 'lines',
      epoch,
      block: blockOf(41n, LINES),
      rows: LINES.length,
    })
    return store
  }

  async function found(
    store: Store,
    query: string,
    { page = HEAD, ...more }: Partial<LineSelection> & { readonly page?: LinePage } = {},
  ): Promise<SelectedLine[]> {
    const selection = { account: ACCOUNT, fromMs: DAY, toMs: DAY + 9, asOfMs: DAY + 10, filters: NO_FILTERS }
    const search = store.search({ ...selection, query: parseQuery(query), ...more }, page)
    const rows: SelectedLine[] = []
    for await (const some of search.rows(new AbortController().signal)) rows.push(...some)
    return rows
  }
  const placesOf = (rows: readonly SelectedLine[]) => rows.map(({ row }) => row)

  describe('a search', () => {
    test.each([
      ['', [1, 0, 3, 5, 2]],
      ['error', [1, 0, 5]],
      ['==error -first', [1, 5]],
      ['app:db', [3, 2]],
      ['status:>400 user.name:ann', [3]],
      ['tag:red OR level:warn', [1, 2]],
      ['nothing', []],
    ])('for "%s" finds the lines of its account, ascending by time and place', async (query, places) => {
      expect(placesOf(await found(await filled(), query))).toEqual(places)
    })

    test('returns everything that a record shows', async () => {
      const [row] = await found(await filled(), '==42')
      expect(row).toEqual({
        account: ACCOUNT,
        t: DAY,
        ts: DAY + 1,
        topic: 0,
        partition: 3,
        offset: '41',
        row: 1,
        host: 'b',
        app: 'web',
        level: 'Warn',
        file: '',
        env: '',
        mac: '',
        ip: '',
        remote: '',
        tags: ['red'],
        line: 'second: ERROR-42',
        meta: '',
        extra: '',
        size: 16,
        retention: 30,
      })
    })

    test('includes both ends of its period, and only lines that match the lists', async () => {
      const store = await filled()
      expect(placesOf(await found(store, '', { fromMs: DAY + 5, toMs: DAY + 6 }))).toEqual([0, 3, 5])
      for (const [filters, places] of [
        [{ hosts: ['a'] }, [0, 2]],
        [{ apps: ['db', 'none'], hosts: ['b'] }, [3]],
        [{ levels: ['WARN'] }, [1]],
        [{ tags: ['blue', 'green'] }, [2]],
      ] as const)
        expect(placesOf(await found(store, '', { filters: { ...NO_FILTERS, ...filters } }))).toEqual(places)
    })

    test('hides a line once its retention is over, and not a millisecond earlier', async () => {
      const store = await filled()
      expect(placesOf(await found(store, 'kept', { asOfMs: DAY + DAY_MS }))).toEqual([5])
      expect(placesOf(await found(store, 'kept', { asOfMs: DAY + DAY_MS + 1 }))).toEqual([])
    })

    test.each(['head', 'tail'] as const)('from the %s continues behind each page', async prefer => {
      const store = await filled()
      const pages: number[][] = []
      let behind: SelectedLine | undefined
      for (;;) {
        const page = { prefer, limit: 2, ...(behind && { behind }) }
        const rows = await found(store, '', { page })
        if (rows.length === 0) break
        pages.push(placesOf(rows))
        if (prefer === 'tail') expect(rows[0]?.found).toBe(rows.length)
        behind = prefer === 'head' ? rows.at(-1) : rows[0]
      }
      expect(pages).toEqual(prefer === 'head' ? [[1, 0], [3, 5], [2]] : [[5, 2], [0, 3], [1]])
    })

    test.each(['head', 'tail'] as const)(
      'gives its lines as they are found, from the %s on, and goes on behind each page',
      async prefer => {
        const store = await filled()
        const selection = {
          ...{ account: ACCOUNT, fromMs: DAY, toMs: DAY + 9, asOfMs: DAY + 10 },
          ...{ filters: NO_FILTERS, query: parseQuery('') },
        }
        const places: number[] = []
        let behind: SelectedLine | undefined
        for (;;) {
          const page = { prefer, limit: 2, ...(behind && { behind }) }
          const before = places.length
          for await (const part of store.search(selection, page).parts(new AbortController().signal)) {
            if (!('rows' in part)) continue
            places.push(...placesOf(part.rows))
            behind = part.rows.at(-1)
          }
          if (places.length < before + 2) break
        }
        expect(places).toEqual(prefer === 'head' ? [1, 0, 3, 5, 2] : [2, 5, 3, 0, 1])
      },
    )

    test('with more terms than fit is refused before anything is read', async () => {
      const store = await filled()
      const words = Array.from({ length: 900 }, (_, index) => `w${index}`).join(' ')
      const selection = { account: ACCOUNT, fromMs: DAY, toMs: DAY, asOfMs: DAY, filters: NO_FILTERS }
      expect(() => store.search({ ...selection, query: parseQuery(words) }, HEAD)).toThrow('too many terms')
    })
  })

  describe('counts of lines', () => {
    const selection = { account: ACCOUNT, fromMs: DAY, toMs: DAY + 9, asOfMs: DAY + 10, filters: NO_FILTERS }
    const { signal } = new AbortController()

    test.each([
      ['app', '', 5, 0, { db: 2, web: 2, nginx: 1 }],
      ['level', '', 5, 0, { INFO: 4, Warn: 1 }],
      ['file', '', 5, 5, {}],
      ['tag', '', 5, 3, { red: 2, blue: 1 }],
      ['status', '', 5, 4, { 404: 1 }],
      ['user.name', 'app:db', 2, 1, { Ann: 1 }],
      ['nothing', 'app:db', 2, 2, {}],
      ['host', 'nothing', 0, 0, {}],
    ] as const)(
      'by %s of "%s" have each value, most lines first',
      async (field, query, lines, absent, of) => {
        const store = await filled()
        const slices = await slicesOf(
          store.countByValue({ ...selection, query: parseQuery(query) }, field, signal),
        )
        const values = Object.entries(of)
        const valueLines = values.reduce((sum, [, ofValue]) => sum + ofValue, 0)
        const counts = { lines, absent, values, distinct: values.length, valueLines }
        expect(slices).toEqual([{ fromMs: DAY, toMs: DAY + 9, counts }])
      },
    )

    test('by time and value are those of the lines of each bucket', async () => {
      const store = await filled()
      const starts = [DAY - 5, DAY + 5, DAY + 7]
      const counted = async (by?: Buckets['by']) => {
        const buckets = { starts, ...(by && { by }) }
        const query = parseQuery('')
        const [slice] = await slicesOf(store.countByTime({ ...selection, query }, buckets, signal))
        const rows = slice?.counts.buckets.map(({ startMs, value, lines }) => [startMs - DAY, value, lines])
        return { lines: slice?.counts.lines, rows: rows?.sort() }
      }
      const whole = [
        [-5, -1, 1],
        [5, -1, 3],
        [7, -1, 1],
      ]
      expect(await counted()).toEqual({ lines: 5, rows: whole })
      const apps = [
        [-5, 0, 1],
        [5, -1, 1],
        [5, 0, 1],
        [5, 1, 1],
        [7, 1, 1],
      ]
      expect(await counted({ field: 'app', values: ['web', 'db'] })).toEqual({ lines: 5, rows: apps })
      // The line with two tags counts for both.
      const tags = [
        [-5, 0, 1],
        [5, -1, 3],
        [7, 0, 1],
        [7, 1, 1],
      ]
      expect(await counted({ field: 'tag', values: ['red', 'blue'] })).toEqual({ lines: 5, rows: tags })
    })
  })

  test('usage is counted by name and by pool', async () => {
    const store = await filled()
    const period = { account: ACCOUNT, fromMs: DAY, toMs: DAY + 999 }
    const bytes = (row: number) => (LINES[row] as StoredLine).sizeBytes
    expect(await store.usageByKind({ ...period, kind: 'tags', order: 'lines' })).toEqual([
      { name: 'red', lines: 2, bytes: bytes(1) + bytes(2) },
      { name: 'blue', lines: 1, bytes: bytes(2) },
    ])
    const streamed: unknown[] = []
    const query = { ...period, kind: 'hosts', name: 'b' } as const
    for await (const some of store.usageByKindStream(query, new AbortController().signal))
      streamed.push(...some)
    expect(streamed).toEqual([{ name: 'b', lines: 2, bytes: bytes(1) + bytes(3) }])
    expect((await store.usageTotals(period)).map(({ poolDays, lines }) => [poolDays, lines])).toEqual([
      [0, 4],
      [7, 1],
    ])
  })

  test('usage over time is that of some names and of all others', async () => {
    const store = await filled()
    const period = { account: ACCOUNT, fromMs: DAY, toMs: DAY + 999 }
    const starts = [DAY - DAY_MS, DAY, DAY + DAY_MS]
    const query = { ...period, kind: 'tags', names: ['blue', 'none'], starts, isUtcDays: true } as const
    const bytes = (row: number) => (LINES[row] as StoredLine).sizeBytes
    expect((await store.usageSeries(query)).toSorted((a, b) => a.lines - b.lines)).toEqual([
      { bucket: 1, name: 'blue', lines: 1, bytes: bytes(2) },
      { bucket: 1, name: null, lines: 2, bytes: bytes(1) + bytes(2) },
    ])
    const pools = await store.usageSeries({ ...query, kind: 'pools', names: ['7'], isUtcDays: false })
    const byLines = pools.toSorted((a, b) => a.lines - b.lines)
    expect(byLines.map(({ bucket, name, lines }) => [bucket, name, lines])).toEqual([
      [1, '7', 1],
      [1, null, 4],
    ])
  })

  test('errors of a node with one code and field are one entry, with the sentence of the first', async () => {
    const { store, epoch } = await opened()
    const error = { account: 'a', pipeline: 'p', node: 'n', nodeKind: 'transform', code: 'E', message: 'm' }
    const rows = [
      { ...error, field: null, captured: 'first', count: 2, lastMs: DAY + 9 },
      { ...error, field: '.b', captured: 'b', count: 3, firstMs: DAY + 5, lastMs: DAY + 8 },
      { ...error, field: '.a', captured: 'later', count: 1, lastMs: DAY + 80, message: 'found: object' },
      { ...error, field: '.a', captured: 'other', count: 1, lastMs: DAY + 70 },
      { ...error, field: null, pipeline: 'q', captured: '', count: 1, lastMs: DAY + 1 },
    ]
    const block = pipelineErrorsBlock({ offset: 41n, minuteMs: DAY }, rows)
    await store.insert({ ...PARTITION, table: 'pipeline_errors', epoch, block, rows: rows.length })
    const query = { account: 'a', pipelines: ['p'], fromMs: DAY, limit: 9 }
    const shared = { pipeline: 'p', node: 'n', nodeKind: 'transform', code: 'E', message: 'm' }
    const hours = (count: number) => [{ startMs: DAY, count }]
    expect(await store.pipelineErrors(query)).toEqual([
      {
        ...shared,
        field: '.a',
        captured: 'other',
        count: 2,
        hours: hours(2),
        firstMs: DAY + 70,
        lastMs: DAY + 80,
      },
      { ...shared, field: null, captured: 'first', count: 2, hours: hours(2), firstMs: DAY, lastMs: DAY + 9 },
      { ...shared, field: '.b', captured: 'b', count: 3, hours: hours(3), firstMs: DAY + 5, lastMs: DAY + 8 },
    ])
    expect(await store.pipelineErrors({ ...query, toMs: DAY + 70 })).toHaveLength(2)
    expect(await store.pipelineErrors({ ...query, limit: 1 })).toHaveLength(1)
    const both = await store.pipelineErrors({ ...query, pipelines: ['p', 'q', 'other'] })
    expect(both.map(({ pipeline }) => pipeline)).toEqual(['p', 'p', 'p', 'q'])
  })

  test('errors are selected by node and code, and counted by both, the largest number first', async () => {
    const { store, epoch } = await opened()
    const error = { account: 'a', pipeline: 'p', nodeKind: 'transform', message: 'm', captured: '' }
    const rows = [
      { ...error, node: 'n', code: 'E', field: '.a', count: 2, lastMs: DAY + 1 },
      { ...error, node: 'n', code: 'E', field: '.b', count: 3, lastMs: DAY + 2 },
      { ...error, node: 'n', code: 'F', field: null, count: 4, lastMs: DAY + 3 },
      { ...error, node: 'o', code: 'E', field: null, count: 4, lastMs: DAY + 70 },
      { ...error, node: 'o', code: 'F', field: null, pipeline: 'q', count: 9, lastMs: DAY + 4 },
    ]
    const block = pipelineErrorsBlock({ offset: 42n, minuteMs: DAY }, rows)
    await store.insert({ ...PARTITION, table: 'pipeline_errors', epoch, block, rows: rows.length })
    const query = { account: 'a', pipelines: ['p'], fromMs: DAY, limit: 9 }
    const found = async (given: object) =>
      (await store.pipelineErrors({ ...query, ...given })).map(({ node, code, count }) => [node, code, count])
    expect(await found({ code: 'F' })).toEqual([['n', 'F', 4]])
    expect(await found({ node: 'n', code: 'E' })).toEqual([
      ['n', 'E', 3],
      ['n', 'E', 2],
    ])
    expect(await found({ node: 'o', code: 'F' })).toEqual([])
    const counted = (node: string, code: string, count: number) => ({ pipeline: 'p', node, code, count })
    expect(await store.pipelineErrorCounts(query)).toEqual([
      counted('n', 'E', 5),
      counted('n', 'F', 4),
      counted('o', 'E', 4),
    ])
    expect(await store.pipelineErrorCounts({ ...query, toMs: DAY + 3, limit: 1 })).toEqual([
      counted('n', 'E', 5),
    ])
    expect(await store.pipelineErrorCounts({ ...query, account: 'b' })).toEqual([])
  })
}

async function slicesOf<Slice>(slices: AsyncIterable<Slice>): Promise<Slice[]> {
  const found: Slice[] = []
  for await (const slice of slices) found.push(slice)
  return found
}

function lineOf(text: string, given: Partial<StoredLine>): StoredLine {
  const textBytes = Buffer.from(text)
  const isJson = text.startsWith('{')
  return newStoredLine({
    account: ACCOUNT,
    timeMs: DAY,
    textBytes,
    textStart: 0,
    textEnd: textBytes.length,
    sizeBytes: textBytes.length,
    retentionDays: 30,
    textFieldNames: isJson ? ['user.name'] : [],
    textFieldValues: isJson ? ['Ann'] : [],
    textFieldCount: isJson ? 1 : 0,
    numberFieldNames: isJson ? ['status'] : [],
    numberFieldValues: isJson ? [404] : [],
    numberFieldCount: isJson ? 1 : 0,
    ...given,
  })
}
