import type { LineTable } from '../../../schemas/log/tables.ts'
import type { Clock } from '../../clock/clock.ts'
import { DAY_MS, DAY_S } from '../../times/duration.ts'
import { utcDay } from '../../times/utc-day.ts'
import { rowsForReader } from '../search/rows-for-reader.ts'
import type { Statement, StatementRunner } from '../statement.ts'

export type UsageKind = 'apps' | 'hosts' | 'tags'

/**
 * Period with inclusive bounds in whole seconds: `fromMs` is rounded down to the start of its second, `toMs` up to the
 * end.
 */
export interface UsagePeriod {
  /** Short account id. */
  readonly account: string
  readonly fromMs: number
  readonly toMs: number
}

export interface UsageByKindQuery extends UsagePeriod {
  readonly kind: UsageKind
  /** Exact name of the app, host or tag to which usage is limited; absent: all names. */
  readonly name?: string
  /** Days of the variable-retention pool to which usage is limited; absent: all pools. */
  readonly poolDays?: number
  readonly limit?: number
  /** Figure by which names are sorted, the largest first, and equal ones by name. Absent: bytes. */
  readonly order?: 'bytes' | 'lines'
}

export interface Usage {
  readonly bytes: number
  readonly lines: number
}

export interface NamedUsage extends Usage {
  readonly name: string
}

export interface PoolUsage extends Usage {
  /** Days of the variable-retention pool; 0: the plan's. */
  readonly poolDays: number
}

/** A page adds up all entries again, so it has many. */
const USAGE_PAGE_ROWS = 20_000

export const COLUMN_OF: Readonly<Record<UsageKind, string>> = { apps: 'app', hosts: 'host', tags: 'tags' }

/**
 * Usage per app, host or tag: `StoreSearches.usageByKind`.
 *
 * Closed days that are whole are answered only from `usage_days`, everything else only from the lines. A period that does
 * not begin or end at midnight includes parts of closed days. There, only lines that retention has left are counted.
 */
export async function usageByKind(
  runner: StatementRunner,
  tables: readonly LineTable[],
  query: UsageByKindQuery,
  signal?: AbortSignal,
): Promise<NamedUsage[]> {
  const rows = await runner.query<UsageRow>(usageByKindStatement(query, tables), signal)
  return rows.map(namedUsage)
}

/**
 * Like `usageByKind`, in parts: there may be a million entries. A slow reader gets later parts from later statements.
 * Entries that overtook the last one in the meantime are then missing; no entry comes twice.
 */
export async function* usageByKindStream(
  runner: StatementRunner,
  tables: readonly LineTable[],
  query: UsageByKindQuery,
  signal: AbortSignal,
  clock: Clock,
): AsyncGenerator<NamedUsage[]> {
  const rows = rowsForReader<UsageRow>({
    clock,
    limit: query.limit ?? Number.POSITIVE_INFINITY,
    pageRows: USAGE_PAGE_ROWS,
    open: (limit, behind) => {
      const page = { ...(limit < Number.POSITIVE_INFINITY && { limit }), ...(behind && { behind }) }
      return runner.queryStream(usageByKindStatement({ ...query, ...page }, tables), signal)
    },
  })
  for await (const some of rows) yield some.map(namedUsage)
}

interface UsageRow {
  readonly name: string
  readonly bytes: string
  readonly lines: string
}

function namedUsage({ name, bytes, lines }: UsageRow): NamedUsage {
  return { name, bytes: Number(bytes), lines: Number(lines) }
}

/** Usage per pool: `StoreSearches.usageTotals`. */
export async function usageTotals(
  runner: StatementRunner,
  tables: readonly LineTable[],
  period: UsagePeriod,
  signal?: AbortSignal,
): Promise<PoolUsage[]> {
  const rows = await runner.query<{ pool: number; bytes: string; lines: string }>(
    usageTotalsStatement(period, tables),
    signal,
  )
  return rows.map(({ pool, bytes, lines }) => ({
    poolDays: Number(pool),
    bytes: Number(bytes),
    lines: Number(lines),
  }))
}

/**
 * @param query  with `behind`, the last entry before those of the answer
 * @param tables those that may have lines
 */
export function usageByKindStatement(
  query: UsageByKindQuery & { readonly behind?: UsageRow },
  tables: readonly LineTable[],
): Statement {
  const { kind, name, poolDays, limit, behind, order = 'bytes' } = query
  const column = COLUMN_OF[kind]
  // Lines are grouped by all their tags first: the projection cannot be used for a statement that divides them.
  const names = kind === 'tags' ? 'arrayJoin(arrayDistinct(grouped))' : 'grouped'
  const conditions = [
    ...(name === undefined
      ? []
      : [kind === 'tags' ? 'has(tags, {name:String})' : `${column} = {name:String}`]),
    ...(poolDays === undefined ? [] : ['pool = {pool:Float64}']),
  ]
  return {
    sql: `SELECT ${names} AS name, sum(b) AS bytes, sum(l) AS lines FROM (
${sources(tables, column, conditions, query)}
)${name === undefined ? '' : ' WHERE name = {name:String}'}
GROUP BY name${behind === undefined ? '' : ` HAVING (${order}, {last_name:String}) < ({last:UInt64}, name)`} ORDER BY ${order} DESC, name${limit === undefined ? '' : ' LIMIT {limit:UInt64}'}`,
    parameters: {
      ...periodParameters(query),
      ...(name === undefined ? {} : { name }),
      ...(poolDays === undefined ? {} : { pool: poolDays }),
      ...(limit === undefined ? {} : { limit }),
      ...(behind === undefined ? {} : { last_name: behind.name, last: behind[order] }),
    },
  }
}

export function usageTotalsStatement(period: UsagePeriod, tables: readonly LineTable[]): Statement {
  return {
    sql: `SELECT grouped AS pool, sum(b) AS bytes, sum(l) AS lines FROM (
${sources(tables, 'pool', [], period)}
) GROUP BY grouped ORDER BY grouped`,
    parameters: periodParameters(period),
  }
}

/**
 * A single statement, so that both branches see the same closed days. The branch of lines uses the expressions of the
 * projection, which then answers it without reading a line. If the period contains no whole day, only lines are counted.
 *
 * @param tables those that may have lines
 * @param bucket expressions by which lines and closed days are also grouped; without one for days, only lines are counted
 */
export function sources(
  tables: readonly LineTable[],
  column: string,
  conditions: readonly string[],
  period: UsagePeriod,
  bucket?: { readonly ofLine: string; readonly ofDay: string | undefined },
): string {
  const bucketOf = (expression: string | undefined) =>
    expression === undefined ? '' : `${expression} AS bucket, `
  const groups = bucket === undefined ? 'grouped' : 'bucket, grouped'
  const also = conditions.map(condition => ` AND ${condition}`).join('')
  const wholeDays = `day >= toDate({first_day:String}) AND day <= toDate({last_day:String})`
  const ofLines = (days: string) =>
    tables
      .map(
        table => `SELECT ${bucketOf(bucket?.ofLine)}${column} AS grouped, sum(size) AS b, count() AS l FROM ${table}
WHERE account = {account:String}
  AND toDateTime(t) >= toDateTime({from:UInt32}, 'UTC') AND toDateTime(t) <= toDateTime({to:UInt32}, 'UTC')${days}${also} GROUP BY ${groups}`,
      )
      .join('\nUNION ALL\n')
  const { first, last } = wholeDaysOf(period)
  if (first > last || (bucket !== undefined && bucket.ofDay === undefined)) return ofLines('')
  return `SELECT ${bucketOf(bucket?.ofDay)}${column} AS grouped, sum(bytes) AS b, sum(lines) AS l FROM usage_days
WHERE account = {account:String} AND ${wholeDays}${also} GROUP BY ${groups}
UNION ALL
${ofLines(`
  AND toDate(toDateTime(t)) NOT IN (SELECT day FROM usage_days WHERE ${wholeDays})`)}`
}

export function periodParameters(period: UsagePeriod): Record<string, unknown> {
  const { from, to } = secondsOf(period)
  const { first, last } = wholeDaysOf(period)
  return {
    account: period.account,
    from,
    to,
    ...(first > last ? {} : { first_day: utcDay(first * DAY_MS), last_day: utcDay(last * DAY_MS) }),
  }
}

/** Numbers of the whole days in the period; the last is before the first without any. */
function wholeDaysOf(period: UsagePeriod): { readonly first: number; readonly last: number } {
  const { from, to } = secondsOf(period)
  return { first: Math.ceil(from / DAY_S), last: Math.floor((to + 1) / DAY_S) - 1 }
}

function secondsOf({ fromMs, toMs }: UsagePeriod): { readonly from: number; readonly to: number } {
  return { from: clampSeconds(fromMs), to: clampSeconds(toMs) }
}

/** Limits seconds to the range of the engine's DateTime: 1970 to 2106. */
function clampSeconds(ms: number): number {
  return Math.min(Math.max(Math.floor(ms / 1000), 0), 2 ** 32 - 1)
}
