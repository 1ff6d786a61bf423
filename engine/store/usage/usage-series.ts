import type { LineTable } from '../../../schemas/log/tables.ts'
import type { StatementRunner } from '../statement.ts'
import {
  COLUMN_OF,
  periodParameters,
  sources,
  type Usage,
  type UsageKind,
  type UsagePeriod,
} from './usage.ts'

export interface UsageSeriesQuery extends UsagePeriod {
  readonly kind: UsageKind | 'pools'
  /** Names with usage of their own; those of pools are numbers of days, '0' for the plan's. */
  readonly names: readonly string[]
  /** Start of each interval in whole seconds, UNIX ms, ascending; the first is at or before `fromMs`. */
  readonly starts: readonly number[]
  /**
   * Whether intervals are UTC days. Only then closed days count as they were when they were closed; otherwise lines that
   * retention has removed are missing.
   */
  readonly isUtcDays: boolean
}

export interface UsageInBucket extends Usage {
  /** Index into `starts`. */
  readonly bucket: number
  /** One of the names; null: all others. */
  readonly name: string | null
}

interface SeriesRow {
  readonly bucket: number
  readonly which: number
  readonly bytes: string
  readonly lines: string
}

/** `StoreSearches.usageSeries`. */
export async function usageSeries(
  runner: StatementRunner,
  tables: readonly LineTable[],
  query: UsageSeriesQuery,
  signal?: AbortSignal,
): Promise<UsageInBucket[]> {
  const { kind, names, starts, isUtcDays } = query
  const column = kind === 'pools' ? 'toString(pool)' : COLUMN_OF[kind]
  const bucketOf = (seconds: string) => `roundDown(toUInt32(${seconds}), {starts:Array(UInt32)})`
  const bucket = {
    ofLine: bucketOf('toDateTime(t)'),
    ofDay: isUtcDays ? bucketOf("toDateTime(day, 'UTC')") : undefined,
  }
  const named = kind === 'tags' ? 'arrayJoin(arrayDistinct(grouped))' : 'grouped'
  const sql = `SELECT indexOf({starts:Array(UInt32)}, bucket) - 1 AS bucket, indexOf({names:Array(String)}, name) AS which,
  sum(b) AS bytes, sum(l) AS lines
FROM (SELECT bucket, ${named} AS name, b, l FROM (
${sources(tables, column, [], query, bucket)}
))
GROUP BY bucket, which ORDER BY bucket, which`
  const parameters = {
    ...periodParameters(query),
    starts: starts.map(startMs => Math.max(0, startMs / 1000)),
    names: [...names],
  }
  const rows = await runner.query<SeriesRow>({ sql, parameters }, signal)
  return rows.map(({ bucket: index, which, bytes, lines }) => ({
    bucket: Number(index),
    name: names[Number(which) - 1] ?? null,
    bytes: Number(bytes),
    lines: Number(lines),
  }))
}
