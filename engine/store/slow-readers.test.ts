import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, RECEIVED_MS } from '../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../test/support/stored-lines.ts'
import { parseQuery } from '../query-language/parse-query.ts'
import type { LinePage, SelectedLine } from './search/line-selection.ts'
import type { NamedUsage } from './usage/usage.ts'

const LINES = 12_000
let lines: StoredLines

beforeAll(async () => {
  lines = await openStoredLines()
  await lines.add(
    Array.from({ length: LINES }, (_, index) => ({
      line: `line ${index}`,
      timestamp: RECEIVED_MS + Math.floor(index / 10),
      app: `app ${String(index % 6000)}`,
    })),
  )
})

afterAll(() => lines.close())

function search(page: LinePage, query: string) {
  const selection = {
    account: ACCOUNT,
    fromMs: RECEIVED_MS,
    toMs: RECEIVED_MS + LINES,
    asOfMs: RECEIVED_MS,
    filters: { hosts: [], apps: [], levels: [], tags: [] },
    query: parseQuery(query),
  }
  return lines.store.search(selection, page).rows(new AbortController().signal)[Symbol.asyncIterator]()
}

async function numbersOf(
  rows: AsyncIterator<SelectedLine[]>,
  taken: readonly SelectedLine[],
): Promise<number[]> {
  const all = [...taken]
  for (let next = await rows.next(); !next.done; next = await rows.next()) all.push(...next.value)
  return all.map(({ line }) => Number(line.slice('line '.length)))
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

test.each([
  ['the oldest lines', { prefer: 'head', limit: 11_000 }, '', range(0, 11_000)],
  ['the newest lines', { prefer: 'tail', limit: 11_000 }, '', range(1_000, LINES)],
  ['lines that are read for a text', { prefer: 'head', limit: 11_000 }, '-absent', range(0, 11_000)],
] as [string, LinePage, string, number[]][])(
  'readers that take nothing do not block other searches, and get every line later: %s',
  async (_, page, query, expected) => {
    const readers = [search(page, query), search(page, query), search(page, query)]
    const first = readers.map(reader => reader.next())
    const taken = await Promise.all(first)
    const quick = search({ prefer: 'head', limit: 10 }, query)
    expect((await quick.next()).value).toHaveLength(10)
    await quick.return?.()
    for (const [index, reader] of readers.entries())
      expect(await numbersOf(reader, taken[index]?.value as SelectedLine[])).toEqual(expected)
  },
)

test('so do readers of usage', async () => {
  const query = { account: ACCOUNT, kind: 'apps', fromMs: 0, toMs: RECEIVED_MS + 86_400_000 } as const
  const open = () =>
    lines.store.usageByKindStream(query, new AbortController().signal)[Symbol.asyncIterator]()
  const readers = [open(), open(), open()]
  const taken = await Promise.all(readers.map(reader => reader.next()))
  expect(await lines.store.query({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
  const whole = await lines.store.usageByKind(query)
  for (const [index, reader] of readers.entries()) {
    const all: NamedUsage[] = (taken[index] as IteratorResult<NamedUsage[]>).value.slice()
    for (let next = await reader.next(); !next.done; next = await reader.next()) all.push(...next.value)
    expect(all).toEqual(whole)
  }
})
