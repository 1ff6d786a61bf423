import { LINE_TABLES } from '../../schemas/log/tables.ts'
import { textLiteral } from './sql-text.ts'
import type { StatementRunner } from './statement.ts'
import { StoreError } from './store-error.ts'

/** Size of a store, for operators. */
export interface StoreSize {
  /** Size on disk, in bytes. */
  readonly bytes: number
  /** Stored lines. */
  readonly rows: number
  /** UTC day (YYYY-MM-DD) of the oldest lines; null without lines. */
  readonly oldestDay: string | null
  /** Free space of the fullest disk, in bytes; null if a server does not say it. */
  readonly diskFreeBytes: number | null
  /** Lines without a filter of their words, which searches for words read as a whole. */
  readonly uncoveredRows: number
}

interface PartsRow {
  readonly bytes: string
  readonly rows: string
  /** Name of the oldest partition, YYYYMMDD. */
  readonly oldest: string | null
}

/** @throws StoreError as the searches do */
export async function storeSize(runner: StatementRunner, signal?: AbortSignal): Promise<StoreSize> {
  const ofLines = `table IN (${LINE_TABLES.map(textLiteral).join(', ')})`
  const parts = `SELECT sum(bytes_on_disk) AS bytes, sumIf(p.rows, ${ofLines}) AS rows,
  minOrNullIf(partition, ${ofLines} AND p.rows > 0) AS oldest
FROM system.parts AS p WHERE database = currentDatabase() AND active`
  const uncovered = LINE_TABLES.map(table => `(SELECT count() FROM ${table} WHERE filtered = 0)`).join(' + ')
  const [[found], [lines], [disk]] = await Promise.all([
    runner.query<PartsRow>({ sql: parts }, signal),
    runner.query<{ rows: string }>({ sql: `SELECT ${uncovered} AS rows` }, signal),
    runner
      .query<{ free: string | null }>(
        { sql: 'SELECT minOrNull(free_space) AS free FROM system.disks' },
        signal,
      )
      .catch(withoutRight),
  ])
  return {
    bytes: Number(found?.bytes ?? 0),
    rows: Number(found?.rows ?? 0),
    oldestDay: found?.oldest == null ? null : found.oldest.replace(/^(\d{4})(\d\d)/, '$1-$2-'),
    diskFreeBytes: disk?.free == null ? null : Number(disk.free),
    uncoveredRows: Number(lines?.rows ?? 0),
  }
}

/** A user of a server may lack access to the list of disks. */
function withoutRight(error: unknown): [] {
  if (!(error instanceof StoreError) || error.code !== 'STATEMENT_FAILED') throw error
  return []
}
