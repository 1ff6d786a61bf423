import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import type { FilteredLines } from '../../engine/store/search/filtered-segments.ts'
import { fullFieldDays } from '../../engine/store/search/full-field-days.ts'
import { type Buckets, countByTime, countByValue } from '../../engine/store/search/line-counts.ts'
import type { LinePage, LineSelection, SelectedLine } from '../../engine/store/search/line-selection.ts'
import { searchLines } from '../../engine/store/search/slices/sliced-search.ts'
import { LINE_TABLES, type LineTable } from '../../schemas/log/tables.ts'
import type { AskedStatement } from '../support/recording-connection.ts'
import { type Answers, ScriptedRunner } from '../support/scripted-runner.ts'

/**
 * Statements of the ways that a search may take: filters of words, few candidates that the program decides, slices, counts
 * by time and by value, and days with names of fields beyond the limit. Statements are compared as texts, without an
 * engine. SEARCH_WAYS=lines writes those on table `lines` again, and SEARCH_WAYS=slotted those that name table
 * `slotted_lines`: each is right only when a statement changes on purpose.
 */

const WRITTEN = process.env.SEARCH_WAYS
const DAY = Date.UTC(2026, 2, 4)
const MINUTE_MS = 60_000
const NO_FILTERS = { hosts: [], apps: [], levels: [], tags: [] }
const SELECTION = {
  account: '507f1f77bc',
  fromMs: DAY,
  toMs: DAY + 3_599_999,
  asOfMs: DAY + 3_600_000,
  filters: NO_FILTERS,
}
const TAIL: LinePage = { prefer: 'tail', limit: 100 }
const HEAD: LinePage = { prefer: 'head', limit: 10_000 }
const BEHIND = {
  ts: DAY + 5 * MINUTE_MS,
  t: DAY + 7,
  topic: 1,
  partition: 3,
  offset: '9007199254740991',
  row: 12,
}

/** Statements of one way, with the access that was announced and the places of the lines that were found. */
interface Asked {
  readonly statements: readonly AskedStatement[]
  readonly access?: string
  readonly found?: readonly string[]
}

/** A search, as it runs on tables of lines. */
type Ask = (tables: readonly LineTable[]) => Promise<Asked>

const selected = (query: string, more: Partial<LineSelection> = {}): LineSelection => ({
  ...SELECTION,
  query: parseQuery(query),
  ...more,
})
const never = () => new AbortController().signal

interface Searching {
  readonly page?: LinePage
  readonly filtered?: FilteredLines
  readonly answers?: Answers
  /** Whether lines are asked for as they are found. */
  readonly inParts?: boolean
  readonly more?: Partial<LineSelection>
}

function search(query: string, { page = TAIL, filtered, answers = {}, inParts, more }: Searching = {}): Ask {
  return async tables => {
    const runner = new ScriptedRunner(answers)
    const found = searchLines(runner, tables, selected(query, more), page, filtered, manualClock())
    const places: string[] = []
    const note = (rows: readonly SelectedLine[]) => places.push(...rows.map(({ offset }) => offset))
    if (inParts === true) {
      for await (const part of found.parts(never()))
        if ('rows' in part) note(part.rows)
        else places.push(`to ${part.progress.coveredToMs - DAY}: ${part.progress.linesRead}`)
    } else for await (const rows of found.rows(never())) note(rows)
    return { statements: runner.asked, access: found.access, found: places }
  }
}

function counted(
  count: (runner: ScriptedRunner, tables: readonly LineTable[]) => AsyncIterable<unknown>,
): Ask {
  return async tables => {
    const runner = new ScriptedRunner({ time: TWO_SLICES })
    for await (const _ of count(runner, tables));
    return { statements: runner.asked }
  }
}

const byValue = (query: string, name: string, more: Partial<LineSelection> = {}) =>
  counted((runner, tables) => countByValue(runner, tables, selected(query, more), name, never()))
const STARTS = [DAY, DAY + 20 * MINUTE_MS, DAY + 40 * MINUTE_MS]
const byTime = (query: string, by?: Buckets['by'], more: Partial<LineSelection> = {}) =>
  counted((runner, tables) =>
    countByTime(runner, tables, selected(query, more), { starts: STARTS, ...(by && { by }) }, never()),
  )

/** Two slices of the hour. */
const TWO_SLICES = { lines: 1_500_000, firstMs: DAY, lastMs: DAY + 3_599_999 }

/** A line of the minute. */
function line(minute: number, text: string): SelectedLine {
  const ms = DAY + minute * MINUTE_MS
  return {
    ...{ account: SELECTION.account, t: ms, ts: ms, topic: 1, partition: 0, offset: String(minute), row: 0 },
    ...{ host: 'web-1', app: 'nginx', level: 'INFO', file: '', env: '', mac: '', ip: '', remote: '' },
    ...{ tags: [], line: text, meta: '', extra: '', size: text.length, retention: 30 },
  }
}

const segment = (
  fromMinute: number,
  toMinute: number,
  lines: number,
  held: readonly (0 | 1)[] = [1, 1, 1, 1],
) => ({
  fromMs: DAY + fromMinute * MINUTE_MS,
  toMs: DAY + toMinute * MINUTE_MS,
  lines,
  held,
})
/** More segments than the first slice has. */
const MANY = Array.from({ length: 12 }, (_, number) => segment(number * 4, number * 4 + 1, 8_192))
const SOME = [
  segment(2, 4, 8_192),
  segment(9, 12, 8_192, [1, 0, 0, 0]),
  segment(20, 21, 100),
  segment(21, 30, 400_000),
  segment(41, 44, 5_000, []),
]

const WORDS = [
  'checkout',
  '==checkout',
  'checkout failed',
  'checkout OR payments',
  'path:checkout',
  'checkout -failed',
]
const wordFilters = WORDS.flatMap(query =>
  (['some', 'all'] as const).flatMap(filtered => [
    [`filters of ${filtered} lines: tail ${query}`, search(query, { filtered, answers: { segments: SOME } })],
    [
      `filters of ${filtered} lines: head ${query}`,
      search(query, { filtered, page: HEAD, answers: { segments: SOME } }),
    ],
  ]),
) as [string, Ask][]

/** Candidates for a page of three lines, newest first; those with `yes` are found. */
const candidates = (texts: string) =>
  [...texts].map((text, number) => line(30 - number, text === 'y' ? 'the checkout' : 'checkouts'))
const three = { prefer: 'tail', limit: 3 } as const

const WAYS: readonly (readonly [string, Ask])[] = [
  ...wordFilters,
  ['filters name many segments: tail', search('checkout', { filtered: 'all', answers: { segments: MANY } })],
  [
    'filters name many segments: head',
    search('checkout', { filtered: 'all', page: { ...HEAD, limit: 5 }, answers: { segments: MANY } }),
  ],
  [
    'filters name many segments: parts',
    search('checkout', { filtered: 'all', inParts: true, answers: { segments: MANY } }),
  ],
  ['filters name no segment', search('checkout', { filtered: 'all' })],
  [
    'filters, behind a line: tail',
    search('checkout', { filtered: 'some', page: { ...TAIL, behind: BEHIND }, answers: { segments: SOME } }),
  ],
  [
    'filters, behind a line: head',
    search('checkout', { filtered: 'some', page: { ...HEAD, behind: BEHIND }, answers: { segments: SOME } }),
  ],
  ['filters cannot help', search('abc -checkout', { filtered: 'all' })],
  [
    'filters are not asked for more words than a statement has',
    search(Array.from({ length: 30 }, (_, word) => `word${word}${word}`).join(' '), { filtered: 'all' }),
  ],
  [
    'filters with lists and days that are left out',
    search('checkout', {
      filtered: 'some',
      answers: { segments: SOME },
      more: {
        filters: { hosts: ['web-1'], apps: ['a', 'b'], levels: ['warn'], tags: ['x'] },
        exceptDays: ['2026-03-03'],
      },
    }),
  ],
  ...(
    [
      ['fill the page', 'yyyyyy'],
      ['leave room on the page', 'ynnnyn'],
      ['do not belong on the page', 'nnnnnn'],
      ['are all that there are', 'yn'],
    ] as const
  ).flatMap(([title, texts]) =>
    (['tail', 'head'] as const).map(
      prefer =>
        [
          `candidates ${title}: ${prefer}`,
          search('==checkout', {
            filtered: 'all',
            page: { ...three, prefer },
            answers: {
              segments: [segment(2, 4, 8_192)],
              lines: [candidates(texts), [line(1, 'the checkout')]],
            },
          }),
        ] as const,
    ),
  ),
  [
    'candidates of the longest page that the program decides',
    search('==checkout', { filtered: 'all', page: { ...TAIL, limit: 500 }, answers: { segments: SOME } }),
  ],
  [
    'a page that the engine decides',
    search('==checkout', { filtered: 'all', page: { ...TAIL, limit: 501 }, answers: { segments: SOME } }),
  ],
  ['slices: tail', search('word', { answers: { time: TWO_SLICES } })],
  ['slices: head', search('word', { page: HEAD, answers: { time: TWO_SLICES } })],
  ['slices of a long page: tail', search('word', { page: { ...TAIL, limit: 4_097 } })],
  ...(['word', 'a:>5', ''] as const).flatMap(query =>
    (['tail', 'head'] as const).map(
      prefer =>
        [
          `parts: ${prefer} ${query}`,
          search(query, {
            inParts: true,
            page: { ...TAIL, prefer },
            answers: {
              nth: [DAY + 40 * MINUTE_MS, DAY + 20 * MINUTE_MS],
              lines: [[], [line(30, 'word')], []],
            },
          }),
        ] as const,
    ),
  ),
  ...[
    'app',
    'host',
    'level',
    'file',
    'env',
    'tag',
    'status',
    'user.name',
    'meta.region',
    'label.app',
  ].flatMap(
    name =>
      [
        [`facet of ${name}`, byValue('', name)],
        [`histogram by ${name}`, byTime('', { field: name, values: ['a', "it's", '200'] })],
      ] as const,
  ),
  ['facet of found lines', byValue('checkout a:>5 -level:debug', 'status')],
  [
    'facet of lists, without some days',
    byValue('word', 'app', {
      filters: { ...NO_FILTERS, apps: ['b'], tags: ['t'] },
      exceptDays: ['2026-03-04'],
    }),
  ],
  ['presence behind a value', search('meta.name:x meta.message:*')],
  ['presence before words', search('status:* app:x')],
  ['histogram', byTime('')],
  ['histogram of found lines', byTime('checkout a:>5 -level:debug')],
  ['histogram of found lines by no value', byTime('checkout', { field: 'status', values: [] })],
  [
    'histogram of lists, without some days',
    byTime('word', undefined, {
      filters: { ...NO_FILTERS, hosts: ['h'], levels: ['Warn'] },
      exceptDays: ['2026-03-03', '2026-03-04'],
    }),
  ],
  ...['status:5', 'word', 'app:x', '-a.b:*'].map(
    query =>
      [
        `full days of ${query}`,
        async (tables: readonly LineTable[]) => {
          const runner = new ScriptedRunner({ days: [['2026-01-01', '2026-03-04'], ['2026-01-01']] })
          const found = await fullFieldDays(runner, tables, selected(query), { fields: ['label.app'] })
          return { statements: runner.asked, found }
        },
      ] as const,
  ),
  ...(['tail', 'head'] as const).map(
    prefer =>
      [
        `days that are left out: ${prefer}`,
        search('status:5', { page: { ...TAIL, prefer }, more: { exceptDays: ['2026-03-03', "2026'"] } }),
      ] as const,
  ),
  ...[
    "n'q",
    'a-b',
    'é',
    'a\\b',
    'A.B',
    '_id.x',
    'meta.a.b.c.d',
    'label.x/y',
    '__proto__',
    'n'.repeat(513),
  ].flatMap(
    name =>
      [
        [`field ${name.slice(0, 20)}`, search(`${name}:x`)],
        [`presence of field ${name.slice(0, 20)}`, search(`${name}:*`)],
      ] as const,
  ),
]

/** Ways whose statements on several tables show how their answers become one. */
const MERGED = [
  /^filters of some lines: (tail|head) (checkout|path:checkout)$/,
  /^candidates leave room on the page/,
  /^slices: /,
  /^parts: tail word$/,
  /^slices of a long page/,
  /^facet of (app|tag|status|found lines)$/,
  /^histogram( by (app|status)| of found lines)?$/,
  /^full days of status/,
  /^field A.B/,
]
const merged = WAYS.filter(([title]) => MERGED.some(pattern => pattern.test(title)))

const FILES = {
  lines: {
    file: 'search-ways',
    ways: WAYS.map(([title, ask]) => [title, () => ask(['lines'])] as const),
  },
  slotted: {
    file: 'search-ways-slotted',
    ways: [
      ...merged.map(([title, ask]) => [`both tables, ${title}`, () => ask(LINE_TABLES)] as const),
      ...merged.map(([title, ask]) => [`slotted lines, ${title}`, () => ask(['slotted_lines'])] as const),
    ],
  },
}

async function goldenOf(name: keyof typeof FILES): Promise<Readonly<Record<string, Asked>>> {
  const { file, ways } = FILES[name]
  const url = new URL(`../data/golden/${file}.json`, import.meta.url)
  if (WRITTEN === name) {
    const all = await Promise.all(ways.map(async ([title, ask]) => [title, await ask()] as const))
    writeFileSync(url, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`)
  }
  return JSON.parse(readFileSync(url, 'utf8')) as Readonly<Record<string, Asked>>
}

const GOLDEN = { slotted: await goldenOf('slotted'), lines: await goldenOf('lines') }

describe.each(['lines', 'slotted'] as const)('ways of a search: %s', name => {
  const golden = GOLDEN[name]
  const { ways } = FILES[name]

  test('each way has stored statements, and there are no others', () => {
    expect(ways.map(([title]) => title).sort()).toEqual(Object.keys(golden).sort())
    expect(new Set(ways.map(([title]) => title)).size).toBe(ways.length)
  })

  test.each([...ways])('the statements of "%s" do not change', async (title, ask) => {
    expect(JSON.parse(JSON.stringify(await ask()))).toEqual(golden[title])
  })
})
