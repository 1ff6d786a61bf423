import { expect, test } from 'vitest'
import { parseQuery } from '../../query-language/parse-query.ts'
import type { Statement, StatementRunner } from '../statement.ts'
import type { LinePage, LineSelection } from './line-selection.ts'
import type { TimeOfLines } from './search-statement.ts'
import { searchLines } from './sliced-search.ts'

const NO_FILTERS = { hosts: [], apps: [], levels: [], tags: [] }
const SELECTION: LineSelection = {
  account: 'a',
  fromMs: 1000,
  toMs: 9000,
  asOfMs: 9000,
  filters: NO_FILTERS,
  query: parseQuery('word'),
}
const HEAD: LinePage = { prefer: 'head', limit: 100 }
const TAIL: LinePage = { prefer: 'tail', limit: 100 }
/** Three slices of a second each. */
const THREE: TimeOfLines = { lines: 2_500_000, firstMs: 4000, lastMs: 6999 }

/** A store with so many rows in each statement; the times that were asked for, and whose scans the statements were. */
function storeWith(time: TimeOfLines, rowsEach: number, line = '') {
  const asked: number[][] = []
  const scans: (string | undefined)[] = []
  const store = {
    query: async () => [time],
    async *queryStream({ sql, parameters = {}, scanOf }: Statement) {
      scans.push(scanOf)
      const [, from, to] = /l\.ts >= \w+\((c\d+).*\n.*l\.ts <= \w+\((c\d+)/.exec(sql) as unknown as string[]
      asked.push([from, to].map(name => Number(parameters[name as string])))
      const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1])
      yield Array.from({ length: Math.min(rowsEach, limit) }, () => ({
        ts: Number(parameters[from as string]),
        line,
        meta: '',
      }))
    },
  }
  return { store: store as unknown as StatementRunner, asked, scans }
}

function rows(store: StatementRunner, selection = SELECTION, page = HEAD) {
  return searchLines(store, ['lines'], selection, page, undefined).rows(new AbortController().signal)
}

test('lines of the first slice are returned before the second is read', async () => {
  const { store, asked } = storeWith(THREE, 5)
  const iterator = rows(store)[Symbol.asyncIterator]()
  expect((await iterator.next()).value).toHaveLength(5)
  expect(asked).toEqual([[1000, 4999]])
  for (let next = await iterator.next(); !next.done; next = await iterator.next());
  expect(asked).toEqual([
    [1000, 4999],
    [5000, 5999],
    [6000, 9000],
  ])
})

test('the search ends when it has the wanted number of lines', async () => {
  const { store, asked } = storeWith(THREE, 60)
  let found = 0
  for await (const some of rows(store)) found += some.length
  expect(found).toBe(100)
  expect(asked).toHaveLength(2)
})

test.each([
  ['few lines', { ...THREE, lines: 1000 }, SELECTION, HEAD],
  ['no lines', { lines: 0, firstMs: 0, lastMs: 0 }, SELECTION, HEAD],
  ['a level, even the newest lines', THREE, { ...SELECTION, query: parseQuery('level:error') }, TAIL],
  ['every line', THREE, { ...SELECTION, query: parseQuery('') }, HEAD],
  ['what is indexed', THREE, { ...SELECTION, query: parseQuery('==words') }, HEAD],
])('a single statement is used for %s', async (_title, time, selection, page) => {
  const { store, asked } = storeWith(time, 5)
  for await (const _ of rows(store, selection, page));
  expect(asked).toEqual([[1000, 9000]])
})

test('a search for the newest lines begins with the newest slice, and answers oldest first with their number', async () => {
  const { store, asked } = storeWith(THREE, 5)
  const found = []
  for await (const some of rows(store, SELECTION, TAIL)) found.push(...some)
  expect(asked).toEqual([
    [6000, 9000],
    [5000, 5999],
    [1000, 4999],
  ])
  expect(found.map(({ ts }) => ts)).toEqual([1000, 5000, 6000].flatMap(ts => Array(5).fill(ts)))
  expect(new Set(found.map(row => row.found))).toEqual(new Set([15]))
})

test('a search for the newest lines ends when it has the requested number', async () => {
  const { store, asked } = storeWith(THREE, 60)
  const found = []
  for await (const some of rows(store, SELECTION, TAIL)) found.push(...some)
  expect(found.map(({ ts }) => ts)).toEqual([...Array(40).fill(5000), ...Array(60).fill(6000)])
  expect(new Set(found.map(row => row.found))).toEqual(new Set([100]))
  expect(asked).toHaveLength(2)
})

test('newest lines that are too large to be held are found again by one statement', async () => {
  const { store, asked } = storeWith(THREE, 5, 'x'.repeat(4 * 1024 * 1024))
  const found = []
  for await (const some of rows(store, SELECTION, TAIL)) found.push(...some)
  expect(asked).toEqual([
    [6000, 9000],
    [5000, 5999],
    [1000, 9000],
  ])
  expect(found).toHaveLength(5)
})

test('a million short lines are not held either, and are found once more by one statement', async () => {
  const { store, asked } = storeWith(THREE, 300_000)
  let found = 0
  for await (const some of rows(store, SELECTION, { ...TAIL, limit: 1_000_000 })) found += some.length
  expect(asked).toEqual([
    [6000, 9000],
    [1000, 9000],
  ])
  expect(found).toBe(300_000)
})

test.each([
  ['', undefined],
  ['level:error app:web', undefined],
  ['-host:web', undefined],
  ['word', 'a'],
  ['==words', 'a'],
  ['status:>300', 'a'],
])('a search for "%s" reads the lines of account %s in large numbers', async (query, scanOf) => {
  const { store, scans } = storeWith(THREE, 1)
  for await (const _ of rows(store, { ...SELECTION, query: parseQuery(query) }, TAIL));
  expect(new Set(scans)).toEqual(new Set([scanOf]))
})
