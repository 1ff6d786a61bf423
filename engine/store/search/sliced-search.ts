import type { LineTable } from '../../../schemas/log/tables.ts'
import type { Clock } from '../../clock/clock.ts'

import type { Statement, StatementRunner } from '../statement.ts'

import { StoreError } from '../store-error.ts'
import { streamedLines } from './answer-row.ts'
import { decidedByText, decidedLines, isDecidedHere } from './decided-lines.ts'
import { type FilteredLines, timesOfWords } from './filtered-segments.ts'
import { type CountedSlice, growingSlices } from './growing-slices.ts'
import type {
  LinePage,
  LineSearch,
  LineSelection,
  SearchAccess,
  SearchedPart,
  SelectedLine,
} from './line-selection.ts'
import { mergedLines, newestLinesOf } from './merged-lines.ts'
import { rowsForReader } from './rows-for-reader.ts'
import { ALL_LINES, linesInTime, searchStatement, type TimeOfLines } from './search-statement.ts'
import { linesOf, type Slice, segmentSlices } from './segment-slices.ts'
import type { SoughtWords } from './sought-words.ts'

/** Lines of one slice of a search. */
const LINES_OF_SLICE = 1_000_000
/** Each slice has a statement of its own. */
const MAX_SLICES = 32
/** Maximum size of the lines of an answer that are held until its oldest are known, in UTF-16 code units. */
const MAX_HELD_UNITS = 32 * 1024 * 1024
/** Size of a line beside its texts, about: an export may have a million short lines. */
const UNITS_OF_ROW = 512
/** Lines of an answer that are held although one statement finds all of them. */
const MAX_HELD_LINES = 4_096

/**
 * Finds one page of lines. A search that has to read every line runs in slices of its period, from the preferred end on.
 * Searches of other accounts get their turn in between.
 *
 * @param tables those that may have lines
 * @param filtered lines with filters; undefined: some that have the mark may lack theirs
 * @throws QuerySyntaxError for a query with more terms than a statement can contain
 */
export function searchLines(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  page: LinePage,
  filtered: FilteredLines | undefined,
  clock: Clock,
): LineSearch {
  const found = tables.map(table => searchStatement(table, selection, page))
  const access = ACCESSES.findLast(each => found.some(statement => statement.access === each)) ?? 'order'
  const search = {
    runner,
    tables,
    selection,
    page,
    statements: found.map(({ statement }) => statement),
    access,
    words: filtered && found[0]?.words,
    filtered,
    clock,
  }
  return {
    access: search.words === undefined ? access : 'index',
    rows: signal => foundLines(search, signal),
    parts: signal => foundParts(search, signal),
  }
}

const ACCESSES: readonly SearchAccess[] = ['order', 'index', 'scan']

interface SlicedSearch {
  readonly runner: StatementRunner
  readonly tables: readonly LineTable[]
  readonly selection: LineSelection
  readonly page: LinePage
  /** One for each table. */
  readonly statements: readonly Statement[]
  readonly access: SearchAccess
  readonly words: SoughtWords | undefined
  readonly filtered: FilteredLines | undefined
  readonly clock: Clock
}

async function* foundLines(search: SlicedSearch, signal: AbortSignal): AsyncGenerator<SelectedLine[]> {
  const { page } = search
  const slices = await listedSlices(search, signal)
  if (slices?.length === 0) return
  if (page.prefer === 'tail')
    yield* newestLines(search, slices ?? (await scannedSlices(search, signal)), signal)
  else if (slices !== undefined || isSliced(search))
    yield* oldestOfSlices(search, slices ?? (await scannedSlices(search, signal)), signal)
  else yield* wholePage(search, signal)
}

/** The page without slices. */
function wholePage(
  { runner, tables, selection, statements, page, clock }: SlicedSearch,
  signal: AbortSignal,
): AsyncIterable<SelectedLine[]> {
  const each = tables.map((table, index) =>
    rowsForReader<SelectedLine>({
      clock,
      limit: first => first?.found ?? page.limit,
      open: () => streamedLines(runner, statements[index] as Statement, signal),
      // The answer is a stretch of lines without gaps, so the number of lines that are left is its other end.
      openBehind: (behind, limit) => {
        const rest = searchStatement(table, selection, { prefer: 'head', limit, behind })
        return streamedLines(runner, rest.statement, signal)
      },
    }),
  )
  return page.prefer === 'head' ? mergedLines(each, 'head', page.limit) : newestLinesOf(each, page.limit)
}

/** Slices that the filters of words name, oldest first; undefined: they exclude too little, or there are none. */
async function listedSlices(
  { runner, tables, selection, page, words, filtered }: SlicedSearch,
  signal: AbortSignal,
): Promise<readonly Slice[] | undefined> {
  if (words === undefined || filtered === undefined) return undefined
  const listed = await timesOfWords(runner, tables, selection, page, words, filtered, signal).catch(
    withoutDamaged,
  )
  return listed && segmentSlices(selection, listed.times, page.prefer)
}

async function* foundParts(search: SlicedSearch, signal: AbortSignal): AsyncGenerator<SearchedPart> {
  const { prefer, limit } = search.page
  let wanted = limit
  let linesRead = 0
  for await (const slice of slicesInOrder(search, signal)) {
    for await (const rows of rowsOfSlice(search, slice, wanted, signal)) {
      wanted -= rows.length
      if (rows.length > 0) yield { rows }
    }
    if (wanted <= 0 || slice.lines === undefined) return
    linesRead += slice.lines
    yield { progress: { coveredToMs: prefer === 'head' ? slice.toMs : slice.fromMs, linesRead } }
  }
}

/** Slices from the preferred end on. */
async function* slicesInOrder(search: SlicedSearch, signal: AbortSignal): AsyncGenerator<CountedSlice> {
  const { runner, tables, selection, page } = search
  const listed = await listedSlices(search, signal)
  if (listed !== undefined) {
    const inOrder = page.prefer === 'head' ? listed : listed.toReversed()
    for (const slice of inOrder)
      yield { ...slice, lines: slice === inOrder.at(-1) ? undefined : linesOf(slice) }
  } else if (isSliced(search)) yield* growingSlices(runner, tables, selection, page, signal)
  else yield { fromMs: selection.fromMs, toMs: selection.toMs, lines: undefined }
}

/** Filters that cannot be read are not needed: lines are read instead. */
function withoutDamaged(error: unknown): undefined {
  if (!(error instanceof StoreError && error.code === 'STORE_DAMAGED')) throw error
}

function isSliced({ access, statements }: SlicedSearch): boolean {
  return access === 'scan' && statements.some(({ scanOf }) => scanOf !== undefined)
}

async function scannedSlices(search: SlicedSearch, signal: AbortSignal): Promise<readonly Slice[]> {
  const { runner, tables, selection, page } = search
  return isSliced(search) ? slicesOf(runner, tables, selection, page, signal) : [selection]
}

async function* oldestOfSlices(
  search: SlicedSearch,
  slices: readonly Slice[],
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  let wanted = search.page.limit
  for (const slice of slices) {
    for await (const rows of rowsOfSlice(search, slice, wanted, signal)) {
      wanted -= rows.length
      yield rows
    }
    if (wanted <= 0) return
  }
}

/**
 * The answer begins with the oldest line, which is found last, so lines are held until then. That takes less time than a
 * statement that sorts them again. If they are too large to be held, such a statement finds all of them.
 */
async function* newestLines(
  search: SlicedSearch,
  slices: readonly Slice[],
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  const { page } = search
  const [only] = slices
  const isWhole = slices.length === 1 && only?.within === undefined && page.limit > MAX_HELD_LINES
  if (isWhole && !readsFullDays(search)) return yield* wholePage(search, signal)
  let held: SelectedLine[][] = []
  let found = 0
  let heldUnits = 0
  for (const slice of slices.toReversed()) {
    for await (const rows of rowsOfSlice(search, slice, page.limit - found, signal)) {
      held.push(rows)
      found += rows.length
      for (const row of rows) heldUnits += UNITS_OF_ROW + row.line.length + row.meta.length
      if (heldUnits <= MAX_HELD_UNITS) continue
      if (!readsFullDays(search)) return yield* wholePage(search, signal)
      held = [rows]
    }
    if (found >= page.limit) break
  }
  if (heldUnits > MAX_HELD_UNITS) return yield* foundAgain(search, held.at(-1)?.at(-1), found, signal)
  for (const rows of held.toReversed())
    if (rows.length > 0) yield rows.toReversed().map(row => ({ ...row, found }))
}

/** Whether the program decides which lines are found, so that no statement knows how many there are. */
function readsFullDays({ selection }: SlicedSearch): boolean {
  return (selection.fullDays ?? []).length > 0
}

/** The newest lines once more, oldest first. @param oldest the first of them, which is known */
async function* foundAgain(
  search: SlicedSearch,
  oldest: SelectedLine | undefined,
  found: number,
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  if (oldest === undefined) return
  yield [{ ...oldest, found }]
  if (found === 1) return
  const page: LinePage = { prefer: 'head', limit: found - 1, behind: oldest }
  const selection = { ...search.selection, fromMs: oldest.ts }
  const others = { ...search, selection, page }
  const slices = await scannedSlices(others, signal)
  for await (const rows of oldestOfSlices(others, slices, signal)) yield rows.map(row => ({ ...row, found }))
}

function rowsOfSlice(
  { runner, tables, selection, page, clock }: SlicedSearch,
  { fromMs, toMs, within }: Slice,
  limit: number,
  signal: AbortSignal,
): AsyncIterable<SelectedLine[]> {
  const inSlice = { ...selection, fromMs, toMs }
  const ofSlice = { ...page, limit }
  const ofTable = (table: LineTable) => {
    if (within !== undefined && isDecidedHere(inSlice, ofSlice))
      return decidedLines(runner, { table, selection: inSlice, page: ofSlice, within }, signal)
    const opened = (asked: LinePage) => {
      const isDecided = (selection.fullDays ?? []).length === 0
      const read = isDecided ? asked : { ...asked, limit: ALL_LINES }
      const { statement } = searchStatement(table, inSlice, read, 'found', within)
      const found = streamedLines(runner, statement, signal)
      return isDecided ? found : decidedByText(found, selection, asked.limit, signal)
    }
    return rowsForReader<SelectedLine>({
      clock,
      limit: () => limit,
      open: () => opened(ofSlice),
      openBehind: (behind, most) => opened({ ...ofSlice, limit: most, behind }),
    })
  }
  return mergedLines(tables.map(ofTable), page.prefer, limit)
}

/** Slices, both ends included, which together are the time of the selection, oldest first. */
export async function slicesOf(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  page: LinePage,
  signal: AbortSignal,
): Promise<readonly Slice[]> {
  const each = await Promise.all(
    tables.map(table => runner.query<TimeOfLines>(linesInTime(table, selection, page), signal)),
  )
  const times = each.flat().filter(time => time.lines > 0)
  const lines = times.reduce((sum, time) => sum + time.lines, 0)
  const firstMs = Math.min(...times.map(time => time.firstMs))
  const lastMs = Math.max(...times.map(time => time.lastMs))
  if (lines === 0) return [{ fromMs: selection.fromMs, toMs: selection.toMs }]
  const { fromMs, toMs } = selection
  const count = Math.min(MAX_SLICES, Math.max(1, Math.ceil(lines / LINES_OF_SLICE)))
  const lengthMs = Math.ceil((lastMs + 1 - firstMs) / count)
  const starts = Array.from({ length: count - 1 }, (_, index) => firstMs + (index + 1) * lengthMs)
  const within = starts.filter(startMs => startMs > fromMs && startMs <= toMs)
  return [fromMs, ...within].map((startMs, index) => ({
    fromMs: startMs,
    toMs: (within[index] ?? toMs + 1) - 1,
  }))
}
