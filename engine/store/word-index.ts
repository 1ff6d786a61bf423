import type { StoreConnection } from './connection.ts'

/** Fewer lines are read as fast as they are looked up. */
const MIN_ROWS = 100_000
/** Bytes per granule, before compression, that the other indexes (bounds of positions, of `filtered`) take. */
const OTHER_BYTES = 24
/** Whether a part lacks the index: an index has a mark behind the last granule. */
const HAS_NONE = `secondary_indices_uncompressed_bytes <= (marks - 1) * ${OTHER_BYTES}`

/**
 * Begins to build the word index (migrations/0003-word-marks.sql) for days whose lines have had a quiet time, and returns
 * at once. Building takes longer than storing, so neither inserts nor merges do it. A busy day gets its index when its
 * lines have ended. Until then its lines are read in full. Days on which every line has a filter need no index.
 *
 * @param restMs minimum age of a part, and minimum quiet time before words are indexed
 */
export async function indexWords(connection: StoreConnection, restMs: number): Promise<void> {
  const [busy] = await connection.read<{ mutations: string }>(
    `SELECT count() AS mutations FROM system.mutations
WHERE database = currentDatabase() AND table = 'lines' AND NOT is_done`,
  )
  if (busy?.mutations !== '0') return
  const rested = `now() - toIntervalMillisecond(${restMs})`
  const days = await connection.read<{ day: string }>(
    `SELECT partition_id AS day FROM system.parts
WHERE database = currentDatabase() AND table = 'lines' AND active
  AND day IN (SELECT DISTINCT toString(toYYYYMMDD(t)) FROM lines WHERE filtered = 0)
GROUP BY day
HAVING sumIf(rows, modification_time <= ${rested} AND ${HAS_NONE}) >= ${MIN_ROWS}
  AND sumIf(rows, level = 0 AND modification_time > ${rested}) < ${MIN_ROWS}
ORDER BY day DESC LIMIT 1`,
  )
  for (const { day } of days)
    await connection.command(
      `ALTER TABLE lines MATERIALIZE INDEX marked_words IN PARTITION ID '${day}' SETTINGS mutations_sync = 0`,
    )
}
