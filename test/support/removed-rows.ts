import type { StoreConnection } from '../../engine/store/connection.ts'

/**
 * Removes all rows except those of the migrations, so that the next test finds the tables as in a new store. Creating
 * tables for each test takes longer than most tests.
 */
export async function removeRows(connection: StoreConnection): Promise<void> {
  const tables = await connection.read<{ name: string }>(
    "SELECT DISTINCT table AS name FROM system.parts WHERE database = currentDatabase() AND active AND table != 'migrations'",
  )
  for (const { name } of tables) await connection.command(`TRUNCATE TABLE ${name}`)
}
