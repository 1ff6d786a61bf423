import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../query-language/parse-query.ts'
import { MAX_CONDITION_CHARACTERS } from './exact-condition.ts'
import type { LinePage, LineSelection } from './line-selection.ts'
import { searchStatement } from './search-statement.ts'

const TAIL: LinePage = { prefer: 'tail', limit: 100 }
const BEHIND = { ts: 5, t: 5, topic: 0, partition: 0, offset: '7', row: 1 }
const QUERIES = ['', 'word', '==word', '-word', 'a:>5', 'a OR -b', '_logtype:json', 'host:x word a:>5']

function search(query: string, page = TAIL, apps: readonly string[] = []) {
  const filters = { hosts: [], apps, levels: [], tags: [] }
  const selection: LineSelection = {
    account: 'a',
    fromMs: 1,
    toMs: 9,
    asOfMs: 9,
    filters,
    query: parseQuery(query),
  }
  return searchStatement('lines', selection, page)
}

/** The conditions of the statement that come before any other. */
function prewhere(query: string, page = TAIL, apps: readonly string[] = []): string {
  return /PREWHERE ([\s\S]*)\nWHERE/.exec(search(query, page, apps).statement.sql)?.[1] ?? ''
}

describe('the first conditions of a search', () => {
  test.each(QUERIES)('of %j use the order of the table', query => {
    for (const page of [TAIL, { ...TAIL, prefer: 'head' as const }, { ...TAIL, behind: BEHIND }]) {
      expect(prewhere(query, page, ['nginx'])).toMatch(/^l\.account = c\d+\n/)
      expect(prewhere(query, page)).toMatch(/l\.ts >= .*\n.*l\.ts <= /)
    }
  })

  test('continue with names, and texts are last', () => {
    const [, names, fields, texts] = prewhere('word a:>5', TAIL, ['nginx']).split('\n  AND ')
    expect(names).toContain('l.app')
    expect(fields).toContain('l.number_fields')
    expect(texts).toContain('l.line')
  })

  test('never read the texts of fields', () => {
    for (const query of QUERIES) expect(prewhere(query)).not.toContain('text_fields.values')
  })
})

test('only a short page that is sought line by line is read in long blocks', () => {
  const isLong = (query: string, limit: number) =>
    search(query, { ...TAIL, limit }).statement.sql.includes('max_block_size')
  expect(isLong('word', 4096)).toBe(true)
  expect(isLong('word', 4097)).toBe(false)
  expect(isLong('==word', 100)).toBe(false)
  expect(isLong('', 100)).toBe(false)
})

test.each([
  ['order', '', []],
  ['order', '*', []],
  ['index', '==word', []],
  ['index', 'other ==word', ['nginx']],
  ['scan', '', ['nginx']],
  ['scan', 'word', []],
  ['scan', '-==word', []],
  ['scan', '==word OR other', []],
] as const)('lines are found by %s for %j of apps %j', (access, query, apps) => {
  expect(search(query, TAIL, apps).access).toBe(access)
})

test('a query that fills its statement runs without faster conditions', () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')
  let most = 100
  while (prewhere(words(most + 1)).includes('l.line')) most++
  expect(search(words(most)).statement.sql.length).toBeGreaterThan(0.8 * MAX_CONDITION_CHARACTERS)
  expect(search(words(most + 1)).statement.sql.length).toBeLessThan(0.6 * MAX_CONDITION_CHARACTERS)
})
