import { LINE_TABLES, type LineTable } from '../../schemas/log/tables.ts'
import type { StoreConnection } from './connection.ts'

/** Projections of the tables of lines. */
const PROJECTIONS: Readonly<Record<LineTable, readonly string[]>> = {
  lines: ['usage'],
  slotted_lines: ['usage', 'minutes'],
}

/**
 * Begins to rebuild the projections of lines for days in which a part has lost them, and returns at once. The engine flushes
 * the lines of a part, but its projections only in a merge. A new part may therefore lack them after a power failure. Until
 * they are rebuilt, usage and other counts come from the lines, with the same result.
 */
export async function rebuildProjections(connection: StoreConnection): Promise<void> {
  for (const table of LINE_TABLES)
    for (const projection of PROJECTIONS[table]) await rebuildProjection(table, projection, connection)
}

async function rebuildProjection(
  table: LineTable,
  projection: string,
  connection: StoreConnection,
): Promise<void> {
  const days = await connection.read<{ day: string }>(
    `SELECT DISTINCT partition_id AS day FROM system.parts
WHERE database = currentDatabase() AND table = '${table}' AND active AND rows > 0
  AND (NOT has(projections, '${projection}') OR name IN (
    SELECT parent_name FROM system.projection_parts
    WHERE database = currentDatabase() AND table = '${table}' AND name = '${projection}' AND active AND is_broken))`,
  )
  for (const { day } of days)
    await connection.command(
      `ALTER TABLE ${table} MATERIALIZE PROJECTION ${projection} IN PARTITION ID '${day}' SETTINGS mutations_sync = 0`,
    )
}
