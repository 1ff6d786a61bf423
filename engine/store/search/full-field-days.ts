import type { LineTable } from '../../../schemas/log/tables.ts'
import { fieldPaths } from '../../query-language/field-paths.ts'
import type { Query } from '../../query-language/syntax-tree.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { StatementRunner } from '../statement.ts'
import type { LineSelection } from './line-selection.ts'
import { isParsedField } from './stored-field.ts'
import { MAX_TIME_MS, nearestStoredTime } from './stored-times.ts'

export interface FullFieldDaysOptions {
  /** Names of the fields by whose values the lines are counted. */
  readonly fields?: readonly string[]
  readonly signal?: AbortSignal
}

/**
 * Days of `full_field_days` on which lines of a search came, oldest first; none if neither the query nor the counted
 * fields are found by parsed names. Lines can be much older or newer than the day on which they came. Only an account with
 * such days is asked for its lines.
 */
export async function fullFieldDays(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  { fields = [], signal }: FullFieldDaysOptions = {},
): Promise<string[]> {
  const { account, query } = selection
  if (!asksForField(query) && !fields.some(isParsedName)) return []
  const all = await runner.query<DayRow>(
    {
      sql: `SELECT DISTINCT toString(toDate(t)) AS day FROM full_field_days
WHERE account = {account:String} AND toUnixTimestamp64Milli(t) BETWEEN {from:Int64} AND {to:Int64} ORDER BY day`,
      parameters: { account, from: 0, to: MAX_TIME_MS },
    },
    signal,
  )
  const others = all.filter(row => !isWithin(row, selection))
  if (others.length === 0) return all.map(({ day }) => day)
  const late = new Set((await daysOfArrival(runner, tables, selection, others, signal)).map(({ day }) => day))
  return all.filter(row => isWithin(row, selection) || late.has(row.day)).map(({ day }) => day)
}

interface DayRow {
  readonly day: string
}

/** Whether lines of the present of that day belong to the period of a search. */
function isWithin({ day }: DayRow, { fromMs, toMs }: LineSelection): boolean {
  const dayMs = Date.parse(day)
  return dayMs > fromMs - DAY_MS && dayMs <= toMs
}

/** Days of `days` on which lines of the period came. */
function daysOfArrival(
  runner: StatementRunner,
  tables: readonly LineTable[],
  { account, fromMs, toMs }: LineSelection,
  days: readonly DayRow[],
  signal: AbortSignal | undefined,
): Promise<DayRow[]> {
  return runner.query<DayRow>(
    {
      sql: tables
        .map(
          table => `SELECT DISTINCT toString(toDate(t)) AS day FROM ${table}
WHERE account = {account:String} AND toYYYYMMDD(t) IN {days:Array(UInt32)}
  AND ts BETWEEN fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND fromUnixTimestamp64Milli({to:Int64}, 'UTC')`,
        )
        .join('\nUNION ALL\n'),
      parameters: {
        account,
        days: days.map(({ day }) => Number(day.replaceAll('-', ''))),
        from: nearestStoredTime(fromMs),
        to: nearestStoredTime(toMs),
      },
      scanOf: account,
    },
    signal,
  )
}

/** Whether a query names a field that is found by its parsed name. */
export function asksForField(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.some(asksForField)
    case 'not':
      return asksForField(query.operand)
    case 'field':
      return isParsedName(query.name)
    default:
      return false
  }
}

/** Whether a field of the query language is found by a parsed name. */
export function isParsedName(name: string): boolean {
  return fieldPaths(name).some(isParsedField)
}
