import type { LineTable } from '../../../../schemas/log/tables.ts'
import type { Clock } from '../../../clock/clock.ts'
import type { StatementRunner } from '../../statement.ts'
import { StoreError } from '../../store-error.ts'
import { type FilteredLines, timesOfWords } from '../filtered-segments.ts'
import type {
  LinePage,
  LineSearch,
  LineSelection,
  SearchAccess,
  SearchedPart,
  SelectedLine,
} from '../line-selection.ts'
import { ALL_LINES, searchStatement } from '../search-statement.ts'
import { type CountedSlice, growingSlices } from './growing-slices.ts'
import { linesInTime, type TimeOfLines } from './lines-in-time.ts'
import { linesOf, type Slice, segmentSlices } from './segment-slices.ts'
import { rowsOfSlice, type SlicedSearch, unitsOf } from './slice-rows.ts'

/** Lines of one slice of a search. */
const LINES_OF_SLICE = 1_000_000
/** Each slice has a statement of its own. */
const MAX_SLICES = 32
/** Maximum size of the lines of an answer that are held until its oldest are known, in UTF-16 code units. */
const MAX_HELD_UNITS = 32 * 1024 * 1024

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
    seeksInSlots: found.some(statement => statement.seeksInSlots),
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

async function* foundLines(search: SlicedSearch, signal: AbortSignal): AsyncGenerator<SelectedLine[]> {
  const slices = (await listedSlices(search, signal)) ?? (await scannedSlices(search, signal))
  if (search.page.prefer === 'tail') yield* newestLines(search, slices, signal)
  else yield* oldestOfSlices(search, slices, signal)
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
 * The answer begins with the oldest line, which is found last, so lines are held until then. If they are too large to be
 * held, only their places are, and then they are found again.
 */
async function* newestLines(
  search: SlicedSearch,
  slices: readonly Slice[],
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  const held = await heldLines(search, slices, signal)
  if (held === undefined) return yield* foundAgain(search, slices, signal)
  const found = held.reduce((sum, { length }) => sum + length, 0)
  for (const rows of held.toReversed())
    if (rows.length > 0) yield rows.toReversed().map(row => ({ ...row, found }))
}

/** @returns the newest lines, newest first; undefined if they are too large */
async function heldLines(
  search: SlicedSearch,
  slices: readonly Slice[],
  signal: AbortSignal,
): Promise<SelectedLine[][] | undefined> {
  const held: SelectedLine[][] = []
  let units = 0
  for await (const rows of newestOfSlices(search, slices, 'lines', signal)) {
    held.push(rows)
    for (const row of rows) units += unitsOf(row)
    if (units > MAX_HELD_UNITS) return undefined
  }
  return held
}

/** The newest lines, oldest first, found in two steps. Lines that came in between do not belong to them. */
async function* foundAgain(
  search: SlicedSearch,
  slices: readonly Slice[],
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  const places = new Set<string>()
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for await (const rows of newestOfSlices(search, slices, readsFullDays(search) ? 'lines' : 'places', signal))
    for (const row of rows) {
      places.add(placeOf(row))
      fromMs = Math.min(fromMs, row.ts)
      toMs = Math.max(toMs, row.ts)
    }
  const found = places.size
  const page: LinePage = { prefer: 'head', limit: ALL_LINES }
  const others = { ...search, page, selection: { ...search.selection, fromMs, toMs } }
  for await (const rows of oldestOfSlices(others, await scannedSlices(others, signal), signal)) {
    const some = rows.filter(row => places.delete(placeOf(row)))
    if (some.length > 0) yield some.map(row => ({ ...row, found }))
    if (places.size === 0) return
  }
}

function placeOf({ topic, partition, offset, row }: SelectedLine): string {
  return `${topic} ${partition} ${offset} ${row}`
}

/** Whether the program decides which lines are found, by their texts. */
function readsFullDays({ selection }: SlicedSearch): boolean {
  return (selection.fullDays ?? []).length > 0
}

/** @param answer 'places': rows have only the members of a `LinePosition` */
async function* newestOfSlices(
  search: SlicedSearch,
  slices: readonly Slice[],
  answer: 'lines' | 'places',
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  let wanted = search.page.limit
  for (const slice of slices.toReversed()) {
    for await (const rows of rowsOfSlice(search, slice, wanted, signal, answer)) {
      wanted -= rows.length
      yield rows
    }
    if (wanted <= 0) return
  }
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
  if (lines === 0) return [{ fromMs: selection.fromMs, toMs: selection.toMs, mostLines: 0 }]
  const { fromMs, toMs } = selection
  const count = Math.min(MAX_SLICES, Math.max(1, Math.ceil(lines / LINES_OF_SLICE)))
  const lengthMs = Math.ceil((lastMs + 1 - firstMs) / count)
  const starts = Array.from({ length: count - 1 }, (_, index) => firstMs + (index + 1) * lengthMs)
  const within = starts.filter(startMs => startMs > fromMs && startMs <= toMs)
  return [fromMs, ...within].map((startMs, index) => ({
    fromMs: startMs,
    toMs: (within[index] ?? toMs + 1) - 1,
    mostLines: Math.ceil(lines / count),
  }))
}
