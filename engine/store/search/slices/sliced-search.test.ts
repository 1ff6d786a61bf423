import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../clock/manual-clock.ts'
import { parseQuery } from '../../../query-language/parse-query.ts'
import type { Statement, StatementRunner } from '../../statement.ts'
import type { LinePage, LineSelection } from '../line-selection.ts'
import type { TimeOfLines } from './lines-in-time.ts'
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

/**
 * A store with so many rows in each statement; the times that were asked for, and whose scans the statements were. What is
 * asked for the oldest lines first finds a line more, which has come in meanwhile.
 */
function storeWith(time: TimeOfLines, rowsEach: number, line = '') {
  const asked: (number | string)[][] = []
  const scans: (string | undefined)[] = []
  const store = {
    query: async () => [time],
    async *queryStream({ sql, parameters = {}, scanOf }: Statement) {
      scans.push(scanOf)
      const [, from, to] = /l\.ts >= \w+\((c\d+).*\n.*l\.ts <= \w+\((c\d+)/.exec(sql) as unknown as string[]
      const times = [from, to].map(name => Number(parameters[name as string]))
      if (sql.includes('(l.ts, l.t, l.topic')) return
      const hasLines = sql.includes('l.line AS line')
      asked.push(hasLines ? times : [...times, 'places'])
      const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1])
      const late = line !== '' && sql.includes('ASC') ? 1 : 0
      yield Array.from({ length: Math.min(rowsEach, limit) + late }, (_, index) => ({
        ...{ ts: times[0], topic: 1, partition: 0, offset: `${times[0]} ${index}`, row: 0 },
        ...(hasLines && { line, meta: '', extra: '' }),
      }))
    },
  }
  return { store: store as unknown as StatementRunner, asked, scans }
}

function rows(store: StatementRunner, selection = SELECTION, page = HEAD) {
  return searchLines(store, ['lines'], selection, page, undefined, manualClock()).rows(
    new AbortController().signal,
  )
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

test('newest lines that are too large to be held are found again: first their places, and then the lines', async () => {
  const { store, asked } = storeWith(THREE, 5, 'x'.repeat(4 * 1024 * 1024))
  const found = []
  for await (const some of rows(store, SELECTION, { ...TAIL, limit: 12 })) found.push(...some)
  expect(asked).toEqual([
    [6000, 9000],
    [5000, 5999],
    [6000, 9000, 'places'],
    [5000, 5999, 'places'],
    [1000, 4999, 'places'],
    [1000, 4999],
    [5000, 5999],
    [6000, 6000],
  ])
  // Lines that came in between the two steps do not belong to the answer.
  expect(found.map(({ ts }) => ts)).toEqual([1000, 1000, ...Array(5).fill(5000), ...Array(5).fill(6000)])
  expect(new Set(found.map(row => row.found))).toEqual(new Set([12]))
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

describe('parts of an answer', () => {
  const ORDERED = { ...SELECTION, fromMs: 0, toMs: 4_999_999 }

  /** A line in each millisecond of a period; every so many of them are found. Statements, and the lines that they read. */
  function storeOfLines(everyMs: number) {
    const read: [number, number][] = []
    const store = {
      query: async ({ sql, parameters = {} }: Statement) => {
        const [fromMs, toMs] = boundsOf(sql, parameters)
        const n = Number(/OFFSET (\d+)/.exec(sql)?.[1])
        const ms = sql.includes('DESC') ? toMs - n : fromMs + n
        return ms < fromMs || ms > toMs ? [] : [{ ms }]
      },
      async *queryStream({ sql, parameters = {} }: Statement) {
        const [fromMs, toMs] = boundsOf(sql, parameters)
        read.push([fromMs, toMs])
        const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1])
        const found = []
        for (let ts = Math.ceil(fromMs / everyMs) * everyMs; ts <= toMs; ts += everyMs)
          found.push({ ts, line: '', meta: '', extra: '' })
        const inOrder = sql.includes('DESC') ? found.reverse() : found
        if (found.length > 0) yield inOrder.slice(0, limit)
      },
    }
    return { store: store as unknown as StatementRunner, read }
  }

  function boundsOf(sql: string, parameters: NonNullable<Statement['parameters']>): [number, number] {
    const [, from, to] = /l\.ts >= \w+\((c\d+)[\s\S]*?l\.ts <= \w+\((c\d+)/.exec(sql) as unknown as string[]
    return [Number(parameters[from as string]), Number(parameters[to as string])]
  }

  function parts(store: StatementRunner, page: LinePage, signal = new AbortController().signal) {
    return searchLines(store, ['lines'], ORDERED, page, undefined, manualClock()).parts(signal)
  }

  test.each([HEAD, TAIL])(
    'come slice by slice, short ones first, from the preferred end: $prefer',
    async page => {
      const { store, read } = storeOfLines(1_000_000)
      const found: (number | string)[] = []
      for await (const part of parts(store, page))
        if ('rows' in part) found.push(...part.rows.map(({ ts }) => ts))
        else found.push(`to ${part.progress.coveredToMs} after ${part.progress.linesRead}`)
      const lines = [65_536, 262_144, 1_048_576, 1_048_576, 1_048_576, 1_048_576]
      expect(read.slice(0, 6).map(([from, to]) => to - from + 1)).toEqual(lines)
      expect(read).toHaveLength(7)
      const inOrder = page.prefer === 'head' ? read : read.toReversed()
      for (const [index, [from]] of inOrder.entries()) expect(from).toBe((inOrder[index - 1]?.[1] ?? -1) + 1)
      const times = found.filter(entry => typeof entry === 'number')
      const all = [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000]
      expect(times).toEqual(page.prefer === 'head' ? all : all.toReversed())
      // The line at 0 is in the first slice from the head, and in the last one from the tail.
      expect(found.slice(0, 3)).toEqual(
        page.prefer === 'head'
          ? [0, 'to 65535 after 65536', 'to 327679 after 327680']
          : ['to 4934464 after 65536', 'to 4672320 after 327680', 4_000_000],
      )
      expect(found.at(-1)).toBe(page.prefer === 'head' ? 'to 4521983 after 4521984' : 0)
    },
  )

  test('a page that is full ends the search', async () => {
    const { store, read } = storeOfLines(10)
    let found = 0
    for await (const part of parts(store, TAIL)) if ('rows' in part) found += part.rows.length
    expect([found, read.length]).toEqual([100, 1])
  })

  test('a search that is left reads no further slice', async () => {
    const { store, read } = storeOfLines(1_000_000)
    for await (const part of parts(store, TAIL)) if ('progress' in part) break
    expect(read).toHaveLength(1)
  })
})

describe('slots in use', () => {
  const SHAPE = '\x02ta\x02na\x02\x00{"a":"\x01","b":\x01}'

  /** Statements of a search of slotted lines, of which there are so many in the period. */
  async function statementsOf(query: string, lines: number, shapes: readonly string[]) {
    const asked: string[] = []
    const store = {
      query: async ({ sql }: Statement) => {
        asked.push(sql)
        if (sql.includes('DISTINCT')) return shapes.map(shape => ({ shape }))
        return sql.includes('PREWHERE') ? [] : [{ ...THREE, lines }]
      },
      async *queryStream({ sql }: Statement) {
        asked.push(sql)
        yield []
      },
    } as unknown as StatementRunner
    const selection = { ...SELECTION, query: parseQuery(query) }
    const found = searchLines(store, ['slotted_lines'], selection, HEAD, undefined, manualClock())
    for await (const _ of found.rows(new AbortController().signal));
    return asked
  }

  const shapeStatements = (asked: readonly string[]) => asked.filter(sql => sql.includes('DISTINCT'))

  test('are asked for in each slice of many lines, and no others are searched', async () => {
    const asked = await statementsOf('word', 2_500_000, [SHAPE])
    expect(shapeStatements(asked)).toHaveLength(3)
    const scans = asked.filter(sql => sql.includes('PREWHERE'))
    expect(scans).toHaveLength(3)
    for (const sql of scans) {
      expect(sql).toContain('position(lower(l.s0)')
      for (const other of ['s1', 's2', 's15', 'whole_line']) expect(sql).not.toContain(`lower(l.${other})`)
    }
  })

  test.each([
    ['few lines', 'word', 65_536],
    ['a query that reads no slots', 'a:* level:error', 2_500_000],
    ['a negation', '-word', 2_500_000],
  ])('are not asked for with %s', async (_title, query, lines) => {
    const asked = await statementsOf(query, lines, [SHAPE])
    expect(shapeStatements(asked)).toEqual([])
  })

  test('of a field are the only ones that a range of it reads before the exact condition', async () => {
    const asked = await statementsOf('a:>5', 100_000, [SHAPE])
    const [, prewhere] = /PREWHERE ([\s\S]*)\nWHERE/.exec(asked.at(-1) as string) as RegExpExecArray
    expect([...new Set(prewhere?.match(/\bl\.s\d+/g))]).toEqual(['l.s1'])
  })

  test('are all slots if there are too many shapes', async () => {
    const shapes = Array.from({ length: 257 }, (_, index) => SHAPE.replace('ta', `t${index}`))
    for (const sql of (await statementsOf('word', 100_000, shapes)).filter(text => text.includes('PREWHERE')))
      expect(sql).toContain('position(lower(l.s15)')
  })
})
