import type { StoreConnection } from './connection.ts'

/** Fewer lines are read as fast as they are looked up. */
const MIN_ROWS = 100_000
/** Bytes that the bounds of positions, the other index, take of each granule before compression. */
const POSITIONS_BYTES = 22
/** A part has a mark behind its last granule. */
const HAS_NONE = `secondary_indices_uncompressed_bytes <= (marks - 1) * ${POSITIONS_BYTES}`

/**
 * Begins to build the word index (migrations/0003-word-marks.sql) for days whose lines have come to rest, and returns
 * at once. It takes more time than storing a line does, so neither inserts nor merges build it: where many lines come
 * in, a day gets it when they have ended. Until then its lines are read in full.
 *
 * @param restMs how old a part must be, and for how long few lines must have come in
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
