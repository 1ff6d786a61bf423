import { LINE_TABLES } from '../../schemas/log/tables.ts'
import type { StoreConnection } from './connection.ts'

/** Lines of one day and partition that are marked as filtered, and that no filter covers. */
export interface UncoveredLines {
  readonly topic: number
  readonly partition: number
  readonly lines: number
  /** Lowest and highest offset of these lines. */
  readonly first: string
  readonly last: string
}

/**
 * Finds days on which the filter of a line is lost, such as with a damaged part of `word_filters`. Removes the mark of
 * their lines, so that searches read them. The filter of a batch is stored before its lines, so lines that are being
 * stored are not affected.
 *
 * @returns the days (YYYYMMDD)
 */
export async function unmarkLinesWithoutFilter(connection: StoreConnection): Promise<string[]> {
  const days = await connection.read<{ day: string }>(
    `SELECT toString(day) AS day FROM (
  ${LINE_TABLES.map(table => `SELECT toYYYYMMDD(t) AS day, toInt64(count()) AS marked, toInt64(0) AS covered FROM ${table} WHERE filtered = 1 GROUP BY day`).join('\n  UNION ALL\n  ')}
  UNION ALL
  SELECT toYYYYMMDD(t) AS day, toInt64(0) AS marked, toInt64(sum(lines)) AS covered
  FROM (SELECT DISTINCT t, topic, partition, first_offset, first_row, segment, lines FROM word_filters WHERE slice IN (0, 65535))
  GROUP BY day
)
GROUP BY day
HAVING sum(marked) > 0 AND sum(marked) != sum(covered)
ORDER BY day`,
  )
  const found: string[] = []
  for (const { day } of days) {
    if (!(await hasUncovered(connection, day))) continue
    for (const table of LINE_TABLES)
      await connection.command(
        `ALTER TABLE ${table} UPDATE filtered = 0 IN PARTITION ID '${day}' WHERE filtered = 1 SETTINGS mutations_sync = 2`,
      )
    found.push(day)
  }
  return found
}

/** Whether every line has the mark that it has a filter. */
export async function allAreFiltered(connection: StoreConnection): Promise<boolean> {
  const others = LINE_TABLES.map(table => `(SELECT 1 FROM ${table} WHERE filtered = 0 LIMIT 1)`)
  return (await connection.read(others.join(' UNION ALL '))).length === 0
}

/** A line that was stored between the reads of both tables has its filter at the second look. */
async function hasUncovered(connection: StoreConnection, day: string): Promise<boolean> {
  const before = await connection.read<UncoveredLines>(uncoveredLines(day))
  if (before.length === 0) return false
  const after = await connection.read<UncoveredLines>(uncoveredLines(day))
  return after.some(({ topic, partition, first }) =>
    before.some(
      known => known.topic === topic && known.partition === partition && BigInt(first) <= BigInt(known.last),
    ),
  )
}

/**
 * Statement for the lines of a day that no filter covers. The filter of a batch covers whole records of the log.
 *
 * @param day YYYYMMDD
 */
export function uncoveredLines(day: string): string {
  return `SELECT l.topic AS topic, l.partition AS partition, toUInt32(count()) AS lines, toString(min(l.offset)) AS first,
  toString(max(l.offset)) AS last
FROM (${LINE_TABLES.map(table => `SELECT topic, partition, offset FROM ${table} WHERE toYYYYMMDD(t) = ${day} AND filtered = 1`).join(' UNION ALL ')}) AS l
ASOF LEFT JOIN (
  SELECT topic, partition, first_offset, max(last_offset) OVER (PARTITION BY topic, partition ORDER BY first_offset) AS reached
  FROM word_filters WHERE toYYYYMMDD(t) = ${day}
) AS f ON l.topic = f.topic AND l.partition = f.partition AND l.offset >= f.first_offset
WHERE f.reached IS NULL OR f.reached < l.offset
GROUP BY topic, partition
ORDER BY topic, partition
SETTINGS join_use_nulls = 1`
}
