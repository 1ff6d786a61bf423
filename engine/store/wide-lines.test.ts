import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, RECEIVED_MS } from '../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../test/support/stored-lines.ts'
import { parseQuery } from '../query-language/parse-query.ts'
import type { StoreConnection } from './connection.ts'
import type { LinePage } from './search/line-selection.ts'
import type { Statement } from './statement.ts'

/** Lines of 16 KB: the newest of them are too large to be held until the oldest is known. */
const WIDE = 2_500
/** Wide rows that each streamed statement gave; places of lines are small. */
const given: number[] = []
let wide: StoredLines

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

const isWide = (row: unknown) => JSON.stringify(row).length > 8_000

function search(page: LinePage, query: string) {
  const selection = {
    account: ACCOUNT,
    fromMs: RECEIVED_MS,
    toMs: RECEIVED_MS + WIDE,
    asOfMs: RECEIVED_MS,
    filters: { hosts: [], apps: [], levels: [], tags: [] },
    query: parseQuery(query),
  }
  return wide.store.search(selection, page).rows(new AbortController().signal)
}

beforeAll(async () => {
  const recorded = (connection: StoreConnection): StoreConnection =>
    new Proxy(connection, {
      get(target, name) {
        if (name !== 'queryStream') {
          const member: unknown = Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        }
        return async function* (statement: Statement, signal?: AbortSignal) {
          const index = given.push(0) - 1
          for await (const rows of target.queryStream(statement, signal)) {
            given[index] = (given[index] as number) + rows.filter(isWide).length
            yield rows
          }
        }
      },
    })
  wide = await openStoredLines(recorded, ['lines', 'slotted_lines'])
  for (let part = 0; part < WIDE; part += 500)
    await wide.add(
      range(part, part + 500).map(index => ({
        line: `line ${index}${' '.repeat(16_000)}`,
        timestamp: RECEIVED_MS + Math.floor(index / 3),
      })),
    )
}, 60_000)
afterAll(() => wide.close())

test.each([
  ['the oldest', { prefer: 'head', limit: 2_400 }, '', range(0, 2_400)],
  ['the newest', { prefer: 'tail', limit: 2_400 }, '', range(100, WIDE)],
  ['the newest by a text', { prefer: 'tail', limit: 2_400 }, '-absent', range(100, WIDE)],
] as [string, LinePage, string, number[]][])(
  'each wide line is in the answer once and in order, and no statement has all of them: %s',
  async (_, page, query, expected) => {
    given.length = 0
    const found: number[] = []
    for await (const rows of search(page, query))
      for (const { line } of rows) found.push(Number(line.slice('line '.length)))
    expect(found).toEqual(expected)
    expect(given.length).toBeGreaterThan(3)
    expect(Math.max(...given)).toBeLessThanOrEqual(1_024)
  },
)
