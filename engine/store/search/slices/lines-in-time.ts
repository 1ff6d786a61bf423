import type { LineTable } from '../../../../schemas/log/tables.ts'
import type { Statement } from '../../statement.ts'
import { textOf } from '../condition.ts'
import type { LinePage, LineSelection } from '../line-selection.ts'
import { accountCondition, timeConditions } from '../search-statement.ts'
import { SqlConstants } from '../sql-constants.ts'

/** Preferred end of a page, and the line behind which it begins. Statements here do not depend on the query of a search. */
type PagePlace = Pick<LinePage, 'prefer' | 'behind'>

/** Number of lines in a period, and the times of the first and the last of them, UNIX ms. */
export interface TimeOfLines {
  readonly lines: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Statement for the times of the lines, a `TimeOfLines`. */
export function linesInTime(table: LineTable, selection: LineSelection, page: PagePlace): Statement {
  const ms = (bound: string) => `toFloat64(toUnixTimestamp64Milli(${bound}(l.ts)))`
  return statementOf(table, selection, page, {
    answer: `toFloat64(count()) AS lines, ${ms('min')} AS firstMs, ${ms('max')} AS lastMs`,
  })
}

/** Statement for the time, as `ms`, of the n-th line from the preferred end on; no row if there are fewer lines. */
export function nthTime(table: LineTable, selection: LineSelection, page: PagePlace, n: number): Statement {
  return {
    ...statementOf(table, selection, page, {
      answer: 'toFloat64(toUnixTimestamp64Milli(l.ts)) AS ms',
      end: `\nORDER BY l.ts ${page.prefer === 'head' ? 'ASC' : 'DESC'} LIMIT 1 OFFSET ${n - 1}`,
    }),
    atMostRows: 1,
  }
}

/** Statement for the shapes of slotted lines, as `shape`, at most so many. */
export function shapesInTime(selection: LineSelection, page: PagePlace, most: number): Statement {
  return {
    ...statementOf('slotted_lines', selection, page, {
      answer: 'DISTINCT l.shape AS shape',
      end: ` LIMIT ${most}`,
    }),
    atMostRows: most,
  }
}

function statementOf(
  table: LineTable,
  selection: LineSelection,
  page: PagePlace,
  { answer, end = '' }: { readonly answer: string; readonly end?: string },
): Statement {
  const constants = new SqlConstants()
  const conditions = [accountCondition(selection, constants), ...timeConditions(selection, page, constants)]
  const where = conditions.map(textOf).join(' AND ')
  const sql = `${constants.withClause}SELECT ${answer} FROM ${table} AS l WHERE ${where}${end}`
  return { sql, parameters: constants.parameters }
}
