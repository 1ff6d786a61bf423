import type { LineTable } from '../../../../schemas/log/tables.ts'
import type { StatementRunner } from '../../statement.ts'
import type { LinePage, LineSelection } from '../line-selection.ts'
import { nthTime } from './lines-in-time.ts'
import type { Slice } from './segment-slices.ts'

/** Lines of the first slice. A scan reads their texts in some 40 ms. */
export const FIRST_LINES = 65_536
const GROWTH = 4
/** Lines of a long slice: searches of other accounts wait that long for their turn. */
const MOST_LINES = 1_048_576

/** Slice whose lines were counted. */
export interface CountedSlice extends Slice {
  /** Lines at its times, at least; undefined for the last slice. */
  readonly lines: number | undefined
}

/**
 * Divides a period into slices, from the preferred end on. Each has four times as many lines as the one before, so that
 * lines of the first slices come soon, and a long search has few statements. A slice is as of the call that returns it.
 */
export async function* growingSlices(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  page: Pick<LinePage, 'prefer' | 'behind'>,
  signal: AbortSignal,
): AsyncGenerator<CountedSlice> {
  let { fromMs, toMs } = selection
  for (let lines = FIRST_LINES; fromMs <= toMs; lines = Math.min(lines * GROWTH, MOST_LINES)) {
    const bounds = await Promise.all(
      tables.map(table => {
        const statement = nthTime(table, { ...selection, fromMs, toMs }, page, lines)
        return runner.query<{ readonly ms: number }>(statement, signal)
      }),
    )
    const times = bounds.flat().map(({ ms }) => ms)
    if (times.length === 0) {
      yield { fromMs, toMs, lines: undefined, mostLines: lines }
      return
    }
    const isTail = page.prefer === 'tail'
    // A slice has the lines of one table at least.
    const bound = isTail ? Math.max(...times) : Math.min(...times)
    yield { fromMs: isTail ? bound : fromMs, toMs: isTail ? toMs : bound, lines, mostLines: lines }
    if (isTail) toMs = bound - 1
    else fromMs = bound + 1
  }
}
