import { LINE_TABLES, type LineTable } from '../../schemas/log/tables.ts'
import { OUTBOX_TOPIC, topicNumber } from '../../schemas/log/topics.ts'
import { DAY_MS } from '../times/duration.ts'
import { utcDay } from '../times/utc-day.ts'
import type { StoreConnection } from './connection.ts'
import { textLiteral } from './sql-text.ts'
import type { SettledPartition } from './store.ts'
import { DAYS_WITH_LINES } from './usage/usage-days.ts'

interface ExpiredDay {
  readonly day: string
  readonly expired: string
  readonly all: string
}

/**
 * Removes lines that have expired. Searches hide each line at its own time. This function removes a line when its whole
 * day has expired, so a day is rewritten at most once per retention in use. The day must be closed, because until then
 * its usage is counted from the lines. The line must be below its partition's checkpoint, because settling reads from
 * there on.
 *
 * @returns number of lines removed
 */
export async function removeExpired(
  connection: StoreConnection,
  nowMs: number,
  settled: readonly SettledPartition[],
): Promise<number> {
  let removed = 0
  for (const day of await closedDaysWithLines(connection)) {
    const past = expiredRetention(day, nowMs)
    if (past < 0 || settled.length === 0) continue
    const condition = `retention <= ${past} AND ${belowCheckpoint(settled)}`
    for (const table of LINE_TABLES) removed += await removeOfDay(connection, table, day, condition)
  }
  await dropFiltersWithoutLines(connection)
  return removed
}

/** The longest retention, in days, that is over for a whole day; negative without one. */
export function expiredRetention(day: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(day) - DAY_MS) / DAY_MS)
}

const OUTBOX = topicNumber(OUTBOX_TOPIC)

/**
 * Days that tables beside `lines` are kept. Errors: components, section 4.1. Counts of nodes: our choice. Full days: as
 * long as any line can be kept.
 */
const KEPT_DAYS = { pipeline_errors: 10, node_metrics: 90, full_field_days: 3660 } as const
/** Log time before which whole days of such a table can be removed, UNIX ms. */
export function droppedBefore(table: keyof typeof KEPT_DAYS, nowMs: number): number {
  const newestDropped = Math.floor((nowMs - (KEPT_DAYS[table] + 1) * DAY_MS) / DAY_MS)
  return (newestDropped + 1) * DAY_MS
}

/**
 * Removes whole days of counts and errors of nodes once they are old and below every checkpoint. Old errors of deliveries go in any
 * case: a start that finds none of them stores the last ones again, and the next removal takes these.
 */
export async function dropOldActivity(
  connection: StoreConnection,
  nowMs: number,
  settled: readonly SettledPartition[],
): Promise<void> {
  if (settled.length === 0) return
  for (const table of ['pipeline_errors', 'node_metrics', 'full_field_days'] as const) {
    const keptFrom = utcDay(droppedBefore(table, nowMs))
    // A partition of full days is a month, since these are few and kept for years.
    const isMonthly = table === 'full_field_days'
    const key = isMonthly ? 'toYYYYMM(t)' : 'toYYYYMMDD(t)'
    const before = isMonthly ? `toStartOfMonth(toDate('${keptFrom}'))` : `'${keptFrom}'`
    const rows = await connection.read<{ part: string }>(
      `SELECT toString(${key}) AS part FROM ${table} WHERE toDate(t) < ${before} ` +
        `GROUP BY part HAVING countIf(topic != ${OUTBOX} AND NOT (${belowCheckpoint(settled)})) = 0`,
    )
    for (const { part } of rows) await connection.command(`ALTER TABLE ${table} DROP PARTITION ${part}`)
  }
}

async function removeOfDay(
  connection: StoreConnection,
  table: LineTable,
  day: string,
  condition: string,
): Promise<number> {
  const partition = day.replaceAll('-', '')
  const [row] = await connection.read<ExpiredDay>(
    `SELECT countIf(${condition}) AS expired, count() AS all FROM ${table} WHERE toYYYYMMDD(t) = ${partition}`,
  )
  if (row === undefined || row.expired === '0') return 0
  if (row.expired === row.all) await connection.command(`ALTER TABLE ${table} DROP PARTITION ${partition}`)
  else
    await connection.command(
      `ALTER TABLE ${table} DELETE IN PARTITION ${partition} WHERE ${condition} SETTINGS mutations_sync = 2`,
    )
  return Number(row.expired)
}

/** Removes the filters of closed days without lines. A closed day gets no more lines. */
async function dropFiltersWithoutLines(connection: StoreConnection): Promise<void> {
  const days = await connection.read<{ part: string }>(
    `SELECT DISTINCT partition AS part FROM system.parts
WHERE database = currentDatabase() AND table = 'word_filters' AND active
  AND part NOT IN (SELECT partition FROM system.parts WHERE database = currentDatabase() AND table IN (${LINE_TABLES.map(textLiteral).join(', ')}) AND active)
  AND part IN (SELECT toString(toYYYYMMDD(day)) FROM usage_days)`,
  )
  for (const { part } of days) await connection.command(`ALTER TABLE word_filters DROP PARTITION ${part}`)
}

async function closedDaysWithLines(connection: StoreConnection): Promise<string[]> {
  const rows = await connection.read<{ day: string }>(
    `SELECT day FROM (${DAYS_WITH_LINES}) WHERE day IN (SELECT DISTINCT day FROM usage_days) ORDER BY day`,
  )
  return rows.map(({ day }) => day)
}

/** Lines of other partitions stay: it is unknown whether they are settled. */
function belowCheckpoint(settled: readonly SettledPartition[]): string {
  const keys = settled.map(({ topic, partition }) => topicNumber(topic) * 0x10000 + partition)
  const offsets = settled.map(({ checkpointOffset }) => `toUInt64(${checkpointOffset})`)
  return `offset < transform(toUInt32(topic) * 65536 + partition, [${keys.join(', ')}], [${offsets.join(', ')}], toUInt64(0))`
}
