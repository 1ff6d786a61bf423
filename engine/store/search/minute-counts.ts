import type { LineTable } from '../../../schemas/log/tables.ts'
import { DAY_MS, MINUTE_MS } from '../../times/duration.ts'
import {
  allOf,
  type Condition,
  column,
  columnsOf,
  type Expression,
  numeral,
  sql,
  textOf,
} from './condition.ts'
import { exactCondition } from './exact-condition.ts'
import type { LineSelection } from './line-selection.ts'
import { accountCondition, filterConditions } from './search-statement.ts'
import type { Slice } from './slices/segment-slices.ts'
import { SqlConstants } from './sql-constants.ts'

/**
 * Lines are counted in the projection `minutes` of the table where its keys decide which lines count: the minute of a line,
 * its app, level and retention, and the day on which it came.
 */
export const MINUTES_TABLE: LineTable = 'slotted_lines'

/** Columns that are keys of the projection. */
const KEYS: ReadonlySet<string> = new Set(['app', 'level'])

/** A period without the minutes at its ends that it does not have as a whole. */
export interface WholeMinutes {
  readonly minutes: Slice
  /** The rest before the minutes; absent if the period begins with one. */
  readonly before?: Slice
  /** The rest behind them; absent if the period ends with one. */
  readonly behind?: Slice
}

/**
 * The minutes of a selection that can be counted by their keys.
 *
 * @param words words by which lines are counted
 * @returns undefined if lines must be read
 */
export function minutesOf(
  tables: readonly LineTable[],
  selection: LineSelection,
  words: readonly Expression[],
): WholeMinutes | undefined {
  if (tables.some(table => table !== MINUTES_TABLE)) return undefined
  if ((selection.exceptDays ?? []).length > 0) return undefined
  const read = [decidingCondition(selection, new SqlConstants()), ...words].flatMap(columnsOf)
  if (!read.every(name => KEYS.has(name))) return undefined
  const { fromMs, toMs } = selection
  const firstMs = Math.ceil(fromMs / MINUTE_MS) * MINUTE_MS
  const endMs = Math.floor((toMs + 1) / MINUTE_MS) * MINUTE_MS
  if (firstMs >= endMs) return undefined
  return {
    minutes: { fromMs: firstMs, toMs: endMs - 1 },
    ...(fromMs < firstMs && { before: { fromMs, toMs: firstMs - 1 } }),
    ...(endMs <= toMs && { behind: { fromMs: endMs, toMs } }),
  }
}

/**
 * Statement for `lines` per `minute`, in minutes since 1970, and `word`. A row that `isMixed` is of a day on which the
 * retention of some of its lines is over and that of others is not: such lines must be read.
 *
 * @param selection of whole minutes, for which `minutesOf` is not undefined
 * @param word word by which lines are counted
 */
export function countedMinutes(
  selection: LineSelection,
  constants: SqlConstants,
  word: Expression = sql`''`,
): string {
  const [fromMinute, endMinute] = [selection.fromMs, selection.toMs + 1].map(ms => ms / MINUTE_MS)
  const asOf = constants.integer(selection.asOfMs)
  const minute = sql`intDiv(toUnixTimestamp64Milli(${column.ts}), ${numeral(MINUTE_MS)})`
  const dayMs = numeral(DAY_MS)
  const lastDay = sql`intDiv(toUnixTimestamp64Milli(${column.t}), ${dayMs}) + ${column.retention}`
  const conditions = [
    accountCondition(selection, constants),
    sql`${minute} >= ${constants.integer(fromMinute as number)}`,
    sql`${minute} < ${constants.integer(endMinute as number)}`,
    // Some lines of the day are not hidden yet.
    sql`(${lastDay} + 1) * ${dayMs} > ${asOf}`,
    decidingCondition(selection, constants),
  ]
  return `SELECT ${textOf(minute)} AS minute, ${textOf(word)} AS word, ${textOf(sql`(${lastDay}) * ${dayMs} < ${asOf}`)} AS isMixed, count() AS lines
  FROM ${MINUTES_TABLE} AS l WHERE ${conditions.map(textOf).join(' AND ')} GROUP BY minute, word, isMixed`
}

/** Query and lists, without account, times and retention. */
function decidingCondition({ query, filters }: LineSelection, constants: SqlConstants): Condition {
  const exact = exactCondition(query, constants, MINUTES_TABLE)
  return allOf([exact, ...filterConditions(filters, constants)])
}
