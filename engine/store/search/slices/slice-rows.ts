import type { LineTable } from '../../../../schemas/log/tables.ts'
import type { Clock } from '../../../clock/clock.ts'
import type { Statement, StatementRunner } from '../../statement.ts'
import { streamedLines } from '../answer-row.ts'
import { decidedByText, decidedLines, isDecidedHere } from '../decided-lines.ts'
import type { FilteredLines } from '../filtered-segments.ts'
import type { LinePage, LineSelection, SearchAccess, SelectedLine } from '../line-selection.ts'
import { mergedLines } from '../merged-lines.ts'
import { rowsForReader } from '../rows-for-reader.ts'
import { ALL_LINES, searchStatement } from '../search-statement.ts'
import { SlotsInUse } from '../slots-in-use.ts'
import type { SoughtWords } from '../sought-words.ts'
import { FIRST_LINES } from './growing-slices.ts'
import { shapesInTime } from './lines-in-time.ts'
import type { Slice } from './segment-slices.ts'

/** Size of a line beside its texts, about: an export may have a million short lines. */
const UNITS_OF_ROW = 512
/** Lines of more shapes probably use most slots. */
const MAX_SHAPES = 256

/** A search that may read its lines in slices. */
export interface SlicedSearch {
  readonly runner: StatementRunner
  readonly tables: readonly LineTable[]
  readonly selection: LineSelection
  readonly page: LinePage
  /** One for each table. */
  readonly statements: readonly Statement[]
  readonly access: SearchAccess
  readonly seeksInSlots: boolean
  readonly words: SoughtWords | undefined
  readonly filtered: FilteredLines | undefined
  readonly clock: Clock
}

/** Size of a line in memory, about, in UTF-16 code units. */
export function unitsOf({ line, meta, extra }: SelectedLine): number {
  return UNITS_OF_ROW + line.length + meta.length + extra.length
}

/** The rows of a slice, from the preferred end on, at most so many. @param answer 'places': rows have only the members of a `LinePosition` */
export function rowsOfSlice(
  search: SlicedSearch,
  slice: Slice,
  limit: number,
  signal: AbortSignal,
  answer: 'lines' | 'places' = 'lines',
): AsyncIterable<SelectedLine[]> {
  const { tables, page } = search
  return mergedLines(
    tables.map(table => rowsOfTable(search, table, slice, { ...page, limit }, signal, answer)),
    page.prefer,
    limit,
  )
}

async function* rowsOfTable(
  search: SlicedSearch,
  table: LineTable,
  slice: Slice,
  page: LinePage,
  signal: AbortSignal,
  answer: 'lines' | 'places',
): AsyncGenerator<SelectedLine[]> {
  const { runner, clock } = search
  const { fromMs, toMs, within } = slice
  const selection = { ...search.selection, fromMs, toMs }
  const inUse = await usedSlots(search, table, slice, signal)
  if ((within !== undefined || seeksInSlots(search, table)) && isDecidedHere(selection, page))
    return yield* decidedLines(runner, { table, selection, page, within, inUse }, signal)
  yield* rowsForReader<SelectedLine>({
    clock,
    limit: page.limit,
    ...(answer === 'lines' && { bytesOf: unitsOf }),
    open: (most, last) => {
      const asked = { ...page, limit: most, ...(last && { behind: last }) }
      const isDecided = (selection.fullDays ?? []).length === 0
      const read = isDecided ? asked : { ...asked, limit: ALL_LINES }
      const { statement } = searchStatement(table, selection, read, { within, inUse, answer })
      const found = streamedLines(runner, statement, signal)
      return isDecided ? found : decidedByText(found, selection, most, signal)
    },
  })
}

function seeksInSlots(search: SlicedSearch, table: LineTable): boolean {
  return search.seeksInSlots && table === 'slotted_lines'
}

/** A scan of many lines does not read slots that cannot contain its text. */
async function usedSlots(
  search: SlicedSearch,
  table: LineTable,
  { fromMs, toMs, within, mostLines = Number.POSITIVE_INFINITY }: Slice,
  signal: AbortSignal,
): Promise<SlotsInUse | undefined> {
  const isShort = within !== undefined || mostLines <= FIRST_LINES
  if (isShort || !seeksInSlots(search, table)) return undefined
  const statement = shapesInTime({ ...search.selection, fromMs, toMs }, search.page, MAX_SHAPES + 1)
  const shapes = await search.runner.query<{ readonly shape: string }>(statement, signal)
  return shapes.length > MAX_SHAPES ? undefined : new SlotsInUse(shapes.map(({ shape }) => shape))
}
