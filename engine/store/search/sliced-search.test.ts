import { expect, test } from 'vitest'
import { EMPTY_STORE } from '../../../test/support/test-installation.ts'
import { parseQuery } from '../../query-language/parse-query.ts'
import type { Statement, Store } from '../store.ts'
import { type LinePage, type LineSelection, searchLines, type TimeOfLines } from './line-selection.ts'
import { rowsOf } from './sliced-search.ts'

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
/** Three slices of a second each. */
const THREE: TimeOfLines = { lines: 2_500_000, firstMs: 4000, lastMs: 6999 }

/** A store with so many rows in each statement; the times that were asked for. */
function storeWith(time: TimeOfLines, rowsEach: number): { store: Store; asked: number[][] } {
  const asked: number[][] = []
  const store = {
    ...EMPTY_STORE,
    query: async () => [time],
    async *queryStream({ sql, parameters = {} }: Statement) {
      const [, from, to] = /l\.ts >= \w+\((c\d+).*\n.*l\.ts <= \w+\((c\d+)/.exec(sql) as unknown as string[]
      asked.push([from, to].map(name => Number(parameters[name as string])))
      const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1])
      yield Array.from({ length: Math.min(rowsEach, limit) }, () => ({}))
    },
  }
  return { store: store as unknown as Store, asked }
}

function rows(store: Store, selection = SELECTION, page = HEAD) {
  return rowsOf(store, searchLines(selection, page), new AbortController().signal)
}

test('what is found in the first slice is given before the second is looked at', async () => {
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

test('the search ends when it has as many lines as are wanted', async () => {
  const { store, asked } = storeWith(THREE, 60)
  let found = 0
  for await (const some of rows(store)) found += some.length
  expect(found).toBe(100)
  expect(asked).toHaveLength(2)
})

test.each([
  ['few lines', { ...THREE, lines: 1000 }, SELECTION, HEAD],
  ['no lines', { lines: 0, firstMs: 0, lastMs: 0 }, SELECTION, HEAD],
  ['the newest lines', THREE, SELECTION, { ...HEAD, prefer: 'tail' as const }],
  ['every line', THREE, { ...SELECTION, query: parseQuery('') }, HEAD],
  ['what is indexed', THREE, { ...SELECTION, query: parseQuery('==words') }, HEAD],
])('one statement asks for %s', async (_title, time, selection, page) => {
  const { store, asked } = storeWith(time, 5)
  for await (const _ of rows(store, selection, page));
  expect(asked).toEqual([[1000, 9000]])
})
