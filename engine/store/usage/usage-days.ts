import { LINE_TABLES, type LineTable } from '../../../schemas/log/tables.ts'
import type { StoreConnection } from '../connection.ts'
import { textLiteral } from '../sql-text.ts'
import { StoreError } from '../store.ts'

const MAX_REPLACEMENTS = 10
const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Copies a closed day from the projection of the lines' tables to `usage_days`, once. The copy is built separately and moved into
 * place in one step, so a kill leaves the day open or closed, never half. Two processes may close the same day: each
 * builds its own copy, and checks again before it moves the copy. No line of an open day is removed, so both copies are
 * complete.
 */
export async function closeDay(connection: StoreConnection, day: string): Promise<void> {
  if (!DAY.test(day)) throw new StoreError('STATEMENT_FAILED', `not a day: ${day}`)
  if ((await isClosed(connection, day)) || !(await hasLines(connection, day))) return
  const [row] = await connection.read<{ uuid: string }>('SELECT toString(generateUUIDv4()) AS uuid')
  const aside = `usage_days_aside_${row?.uuid.replaceAll('-', '')}`
  await dropLeftovers(connection)
  await connection.command(`CREATE TABLE ${aside} AS usage_days`)
  try {
    await connection.command(
      `INSERT INTO ${aside} SETTINGS async_insert = 0, max_partitions_per_insert_block = 0
SELECT toDate('${day}') AS day, account, app, host, tags, pool, sum(b) AS bytes, sum(l) AS lines
FROM (${LINE_TABLES.map(table => usageOfDay(table, day)).join(' UNION ALL ')}) GROUP BY account, app, host, tags, pool`,
    )
    if (!(await isClosed(connection, day))) await putInPlace(connection, day, aside)
  } finally {
    await connection.command(`DROP TABLE IF EXISTS ${aside} SYNC`)
  }
}

/**
 * Two simultaneous replacements do not remove each other's new part, so both stay. Each process therefore checks the
 * result, and replaces it again until there is one copy.
 */
async function putInPlace(connection: StoreConnection, day: string, aside: string): Promise<void> {
  for (let attempt = 1; attempt <= MAX_REPLACEMENTS; attempt++) {
    await connection.command(
      `ALTER TABLE usage_days REPLACE PARTITION ${day.replaceAll('-', '')} FROM ${aside}`,
    )
    const [copied] = await connection.read<{ rows: string }>(`SELECT count() AS rows FROM ${aside}`)
    if ((await closedRows(connection, day)) === copied?.rows) return
  }
  throw new StoreError('STATEMENT_FAILED', `several processes close ${day} at once; it is tried again`)
}

/** UTC days with lines that are not closed, oldest first. */
export async function openDays(connection: StoreConnection): Promise<string[]> {
  const rows = await connection.read<{ day: string }>(
    `SELECT day FROM (${DAYS_WITH_LINES}) WHERE day NOT IN (SELECT DISTINCT day FROM usage_days) ORDER BY day`,
  )
  return rows.map(({ day }) => day)
}

/** Days from the list of parts; no lines are read. */
export const DAYS_WITH_LINES = `SELECT DISTINCT toDate(parseDateTime(partition, '%Y%m%d', 'UTC')) AS day
FROM system.parts WHERE database = currentDatabase() AND table IN (${LINE_TABLES.map(textLiteral).join(', ')}) AND active AND rows > 0`

function usageOfDay(table: LineTable, day: string): string {
  return `SELECT account, app, host, tags, pool, sum(size) AS b, count() AS l
FROM ${table} WHERE ${secondsOfDay(day)} GROUP BY account, app, host, tags, pool`
}

/** Condition in terms of the projection, so that the engine uses it. */
function secondsOfDay(day: string): string {
  return `toDateTime(t) >= toDateTime('${day} 00:00:00', 'UTC') AND toDateTime(t) <= toDateTime('${day} 23:59:59', 'UTC')`
}

async function isClosed(connection: StoreConnection, day: string): Promise<boolean> {
  return (await closedRows(connection, day)) !== '0'
}

async function closedRows(connection: StoreConnection, day: string): Promise<string | undefined> {
  const [row] = await connection.read<{ rows: string }>(
    `SELECT count() AS rows FROM usage_days WHERE day = toDate('${day}')`,
  )
  return row?.rows
}

async function hasLines(connection: StoreConnection, day: string): Promise<boolean> {
  const rows = await connection.read(`SELECT day FROM (${DAYS_WITH_LINES}) WHERE day = toDate('${day}')`)
  return rows.length > 0
}

/** Removes copies of processes that were killed; one that is younger than a day may still be under construction. */
async function dropLeftovers(connection: StoreConnection): Promise<void> {
  const leftovers = await connection.read<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase()
AND startsWith(name, 'usage_days_aside_') AND metadata_modification_time < now() - INTERVAL 1 DAY`,
  )
  for (const { name } of leftovers) await connection.command(`DROP TABLE IF EXISTS \`${name}\` SYNC`)
}
