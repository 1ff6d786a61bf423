import type { StatementRunner } from '../statement.ts'
import { StoreError } from '../store-error.ts'
import { decidedLines, isDecidedHere } from './decided-lines.ts'
import { type FilteredLines, timesOfWords } from './filtered-segments.ts'
import type { LinePage, LineSearch, LineSelection, SelectedLine } from './line-selection.ts'
import { linesInTime, type SearchStatement, searchStatement, type TimeOfLines } from './search-statement.ts'
import { type Slice, segmentSlices } from './segment-slices.ts'

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
 * @param filtered lines with filters; undefined: some that have the mark may lack theirs
 * @throws QuerySyntaxError for a query with more terms than a statement can contain
 */
export function searchLines(
  runner: StatementRunner,
  selection: LineSelection,
  page: LinePage,
  filtered: FilteredLines | undefined,
): LineSearch {
  const { words, ...found } = searchStatement(selection, page)
  const search = { runner, selection, page, ...found, words: filtered && words, filtered }
  const access = search.words === undefined ? search.access : 'index'
  return { access, rows: signal => foundLines(search, signal) }
}

interface SlicedSearch extends SearchStatement {
  readonly runner: StatementRunner
  readonly selection: LineSelection
  readonly page: LinePage
  readonly filtered: FilteredLines | undefined
}

async function* foundLines(search: SlicedSearch, signal: AbortSignal): AsyncGenerator<SelectedLine[]> {
  const { runner, selection, page, statement, words, filtered } = search
  const listed =
    words &&
    filtered &&
    (await timesOfWords(runner, selection, page, words, filtered, signal).catch(withoutDamaged))
  if (listed?.times.length === 0) return
  const slices = listed && segmentSlices(selection, listed.times, page.prefer)
  if (page.prefer === 'tail')
    yield* newestLines(search, slices ?? (await scannedSlices(search, signal)), signal)
  else if (slices !== undefined || isSliced(search))
    yield* oldestOfSlices(search, slices ?? (await scannedSlices(search, signal)), signal)
  else yield* runner.queryStream<SelectedLine>(statement, signal)
}

/** Filters that cannot be read are not needed: lines are read instead. */
function withoutDamaged(error: unknown): undefined {
  if (!(error instanceof StoreError && error.code === 'STORE_DAMAGED')) throw error
}

function isSliced({ access, statement }: SlicedSearch): boolean {
  return access === 'scan' && statement.scanOf !== undefined
}

async function scannedSlices(search: SlicedSearch, signal: AbortSignal): Promise<readonly Slice[]> {
  const { runner, selection, page } = search
  return isSliced(search) ? slicesOf(runner, selection, page, signal) : [selection]
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
  const { runner, statement, page } = search
  const [only] = slices
  if (slices.length === 1 && only?.within === undefined && page.limit > MAX_HELD_LINES)
    return yield* runner.queryStream<SelectedLine>(statement, signal)
  const held: SelectedLine[][] = []
  let found = 0
  let heldUnits = 0
  for (const slice of slices.toReversed()) {
    for await (const rows of rowsOfSlice(search, slice, page.limit - found, signal)) {
      held.push(rows)
      found += rows.length
      for (const row of rows) heldUnits += UNITS_OF_ROW + row.line.length + row.meta.length
      if (heldUnits > MAX_HELD_UNITS) return yield* runner.queryStream<SelectedLine>(statement, signal)
    }
    if (found >= page.limit) break
  }
  for (const rows of held.toReversed())
    if (rows.length > 0) yield rows.toReversed().map(row => ({ ...row, found }))
}

function rowsOfSlice(
  { runner, selection, page }: SlicedSearch,
  { fromMs, toMs, within }: Slice,
  limit: number,
  signal: AbortSignal,
): AsyncIterable<SelectedLine[]> {
  const inSlice = { ...selection, fromMs, toMs }
  const ofSlice = { ...page, limit }
  if (within !== undefined && isDecidedHere(inSlice, ofSlice))
    return decidedLines(runner, { selection: inSlice, page: ofSlice, within }, signal)
  const { statement } = searchStatement(inSlice, ofSlice, 'found', within)
  return runner.queryStream<SelectedLine>(statement, signal)
}

/** Slices, both ends included, which together are the time of the selection, oldest first. */
export async function slicesOf(
  runner: StatementRunner,
  selection: LineSelection,
  page: LinePage,
  signal: AbortSignal,
): Promise<readonly Slice[]> {
  const [time] = await runner.query<TimeOfLines>(linesInTime(selection, page), signal)
  const { lines, firstMs, lastMs } = time ?? { lines: 0, firstMs: 0, lastMs: 0 }
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
