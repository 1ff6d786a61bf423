import { expect, test } from 'vitest'
import type { Selection } from '../api/searches.ts'
import { partsOf } from './empty-parts.ts'

const TIME = { fromMs: 5, toMs: 9 }
const NO_LISTS = { hosts: [], apps: [], levels: [], tags: [] }
const search = (query: string, lists: Partial<Selection> = {}): Selection => ({
  ...{ query, ...NO_LISTS, ...TIME },
  ...lists,
})

test('conditions that must hold together are parts, with the search for each and without it', () => {
  expect(partsOf(search('timeout app:web (a OR "b c")', { levels: ['ERROR', 'WARN'] }))).toEqual([
    { text: 'timeout', alone: search('timeout'), without: { q: 'app:web AND (a OR "b c")' } },
    { text: 'app:web', alone: search('app:web'), without: { q: 'timeout AND (a OR "b c")' } },
    { text: 'a OR "b c"', alone: search('a OR "b c"'), without: { q: 'timeout AND app:web' } },
    {
      text: 'levels: ERROR, WARN',
      alone: search('', { levels: ['ERROR', 'WARN'] }),
      without: { levels: undefined },
    },
  ])
})

test('a query that cannot be divided is one part beside the lists', () => {
  const [query, apps] = partsOf(search(' a OR b ', { apps: ['web'] }))
  expect([query?.text, query?.without, apps?.text]).toEqual(['a OR b', { q: '' }, 'apps: web'])
})

test('a single condition, no condition and a query with an error have no parts', () => {
  for (const query of ['', '  ', 'timeout', 'a OR b', '-(a b)', 'level:(error'])
    expect(partsOf(search(query))).toEqual([])
  expect(partsOf(search('', { hosts: ['a', 'b'] }))).toEqual([])
})
