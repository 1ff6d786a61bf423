import type { StoreConnection } from './connection.ts'

interface UncoveredOffsets {
  readonly topic: number
  readonly partition: number
  readonly first: string
  readonly last: string
}

/**
 * Finds days on which the filter of a line is lost, such as with a damaged part of `word_filters`, and removes the mark of
 * their lines, so that searches read them. The filter of a batch is stored before its lines, so lines that are being stored
 * are not affected.
 *
 * @returns the days (YYYYMMDD)
 */
export async function unmarkLinesWithoutFilter(connection: StoreConnection): Promise<string[]> {
  const days = await connection.read<{ day: string }>(
    `SELECT toString(day) AS day FROM (
  SELECT toYYYYMMDD(t) AS day, toInt64(count()) AS marked, toInt64(0) AS covered FROM lines WHERE filtered = 1 GROUP BY day
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
    const uncovered = await uncoveredOffsets(connection, day)
    if (uncovered.length === 0) continue
    // A line that was stored between the reads of both tables has its filter by now.
    const again = await uncoveredOffsets(connection, day)
    if (
      !again.some(lost =>
        uncovered.some(before => isSamePartition(lost, before) && BigInt(lost.first) <= BigInt(before.last)),
      )
    )
      continue
    await connection.command(
      `ALTER TABLE lines UPDATE filtered = 0 IN PARTITION ID '${day}' WHERE filtered = 1 SETTINGS mutations_sync = 2`,
    )
    found.push(day)
  }
  return found
}

/** Offsets of a day's marked lines that are in no batch with a filter. A batch has whole records of the log. */
function uncoveredOffsets(connection: StoreConnection, day: string): Promise<UncoveredOffsets[]> {
  return connection.read<UncoveredOffsets>(
    `SELECT l.topic AS topic, l.partition AS partition, toString(min(l.offset)) AS first, toString(max(l.offset)) AS last
FROM (SELECT topic, partition, offset FROM lines WHERE toYYYYMMDD(t) = ${day} AND filtered = 1) AS l
ASOF LEFT JOIN (
  SELECT DISTINCT topic, partition, first_offset, last_offset FROM word_filters WHERE toYYYYMMDD(t) = ${day}
) AS f ON l.topic = f.topic AND l.partition = f.partition AND l.offset >= f.first_offset
WHERE f.last_offset < l.offset OR f.first_offset = 0 AND f.last_offset = 0
GROUP BY topic, partition`,
  )
}

function isSamePartition(one: UncoveredOffsets, other: UncoveredOffsets): boolean {
  return one.topic === other.topic && one.partition === other.partition
}
