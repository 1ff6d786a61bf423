import type { StoreConnection } from '../../engine/store/connection.ts'
import { eventually } from './exported-lines.ts'

/** Waits until as many statements with a text run as given. @throws an error with the number that runs instead */
export async function untilRunning(connection: StoreConnection, text: string, count: number): Promise<void> {
  const sql = `SELECT count() AS running FROM system.processes WHERE position(query, '${text}') > 0 AND position(query, 'processes') = 0`
  const found = async () => Number((await connection.read<{ running: string }>(sql))[0]?.running)
  const last = await eventually(found, value => value === count)
  if (last !== count) throw new Error(`${last} statements with ${text} run, not ${count}`)
}
