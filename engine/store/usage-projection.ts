import { LINE_TABLES, type LineTable } from '../../schemas/log/tables.ts'
import type { StoreConnection } from './connection.ts'

/**
 * Begins to rebuild the projection `usage` for days in which a part has lost it, and returns at once. The engine flushes
 * the lines of a part, but its projection only in a merge. A new part may therefore lack it after a power failure. Until
 * it is rebuilt, usage is counted from the lines, with the same result.
 */
export async function rebuildUsageProjection(connection: StoreConnection): Promise<void> {
  for (const table of LINE_TABLES) await rebuildProjectionOf(table, connection)
}

async function rebuildProjectionOf(table: LineTable, connection: StoreConnection): Promise<void> {
  const days = await connection.read<{ day: string }>(
    `SELECT DISTINCT partition_id AS day FROM system.parts
WHERE database = currentDatabase() AND table = '${table}' AND active AND rows > 0
  AND (NOT has(projections, 'usage') OR name IN (
    SELECT parent_name FROM system.projection_parts
    WHERE database = currentDatabase() AND table = '${table}' AND active AND is_broken))`,
  )
  for (const { day } of days)
    await connection.command(
      `ALTER TABLE ${table} MATERIALIZE PROJECTION usage IN PARTITION ID '${day}' SETTINGS mutations_sync = 0`,
    )
}
