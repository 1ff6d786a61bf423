import { setImmediate } from 'node:timers/promises'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { recordOf } from '../../lines/stored-line/line-record.ts'
import { evaluate } from '../../query-language/evaluate.ts'
import type { Query } from '../../query-language/syntax-tree.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { StatementRunner } from '../statement.ts'
import { type AnswerRow, selectedLine, streamedLines } from './answer-row.ts'
import { asksForField } from './full-field-days.ts'
import type { LinePage, LineSelection, SelectedLine } from './line-selection.ts'
import { candidateStatement, type KnownLines, searchStatement } from './search-statement.ts'

/** A longer page is decided by the engine, on all its cores. */
const MAX_LINES = 500
/** Candidates for each line of a page. Most are found: a condition on their texts has let them pass. */
const CANDIDATES_PER_LINE = 2
/** Texts between two turns of other work, in UTF-16 code units. */
const UNITS_IN_TURN = 64 * 1024

/** Part of a search whose page is short. */
export interface ShortPage extends KnownLines {
  readonly table: LineTable
  readonly selection: LineSelection
  readonly page: LinePage
}

/**
 * Whether `decidedLines` finds the same lines as the exact condition. Fields are tested as the store has them: it lacks some on
 * days with too many names.
 */
export function isDecidedHere({ query }: LineSelection, { limit }: LinePage): boolean {
  return limit <= MAX_LINES && !asksForField(query)
}

/**
 * Finds lines of a page without the exact condition, which takes longer to plan and compile than to test on few lines. The
 * engine answers candidates, and the program evaluates the query on each. Where that does not fill the page, the exact
 * condition finds the rest.
 *
 * @returns lines from the preferred end on
 */
export async function* decidedLines(
  runner: StatementRunner,
  { table, selection, page, ...known }: ShortPage,
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  const most = page.limit * CANDIDATES_PER_LINE
  const statement = candidateStatement(table, selection, { ...page, limit: most }, known)
  const candidates = (await runner.query<AnswerRow>(statement, signal)).map(selectedLine)
  const found = await passing(candidates, line => finds(selection.query, line), page.limit, signal)
  yield found
  const last = candidates.at(-1)
  if (last === undefined || candidates.length < most || found.length === page.limit) return
  const rest = { ...page, limit: page.limit - found.length, behind: last }
  yield* streamedLines(runner, searchStatement(table, selection, rest, known).statement, signal)
}

/**
 * The lines that the query finds, among those that it may find. Lines that came on other days than the full ones were
 * decided by their statement.
 *
 * @param lines in any order
 */
export async function* decidedByText(
  lines: AsyncIterable<SelectedLine[]>,
  { query, fullDays = [] }: LineSelection,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<SelectedLine[]> {
  const days = new Set(fullDays.map(day => Date.parse(day) / DAY_MS))
  let wanted = limit
  for await (const some of lines) {
    const found = await passing(
      some,
      line => !days.has(Math.floor(line.t / DAY_MS)) || finds(query, line),
      wanted,
      signal,
    )
    wanted -= found.length
    if (found.length > 0) yield found
    if (wanted <= 0) return
  }
}

/** The lines that pass a test, until there are enough; in turns with other work. */
async function passing(
  lines: readonly SelectedLine[],
  passes: (line: SelectedLine) => boolean,
  limit: number,
  signal: AbortSignal,
): Promise<SelectedLine[]> {
  const found: SelectedLine[] = []
  let units = 0
  for (const line of lines) {
    if (found.length === limit) break
    if (passes(line)) found.push(line)
    units += line.line.length + line.meta.length
    if (units < UNITS_IN_TURN) continue
    units = 0
    await setImmediate()
    signal.throwIfAborted()
  }
  return found
}

function finds(query: Query, line: SelectedLine): boolean {
  return evaluate(query, recordOf(line))
}
