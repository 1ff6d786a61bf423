import type { StoreConnection } from './connection.ts'

/**
 * Begins to rebuild the projection `usage` for days in which a part has lost it, and returns at once. The engine flushes
 * the lines of a part, but its projection only in a merge. A new part may therefore lack it after a power failure. Until
 * it is rebuilt, usage is counted from the lines, with the same result.
 */
export async function rebuildUsageProjection(connection: StoreConnection): Promise<void> {
  const days = await connection.read<{ day: string }>(
    `SELECT DISTINCT partition_id AS day FROM system.parts
WHERE database = currentDatabase() AND table = 'lines' AND active AND rows > 0
  AND (NOT has(projections, 'usage') OR name IN (
    SELECT parent_name FROM system.projection_parts
    WHERE database = currentDatabase() AND table = 'lines' AND active AND is_broken))`,
  )
  for (const { day } of days)
    await connection.command(
      `ALTER TABLE lines MATERIALIZE PROJECTION usage IN PARTITION ID '${day}' SETTINGS mutations_sync = 0`,
    )
}
