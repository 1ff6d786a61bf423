import { readFileSync } from 'node:fs'
import type { StoreConnection } from './connection.ts'
import { textLiteral } from './sql-text.ts'
import { StoreError } from './store.ts'

/** Migrations in their order, each applied once; never edited once released. */
const MIGRATIONS = [
  '0001-tables',
  '0002-word-index',
  '0003-word-marks',
  '0004-synced-merges',
  '0005-end-marks',
  '0006-full-field-days',
  '0007-stored-marks',
  '0008-word-filters',
  '0009-slotted-lines',
  '0010-node-outputs',
  '0011-compact-parts',
] as const

const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS migrations (number UInt32, name String)
ENGINE = MergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1`

/**
 * Minimum version of the engine: it has the settings `exclude_materialize_skip_indexes_on_merge` and
 * `use_skip_indexes_on_data_read`.
 */
const MIN_VERSION = [25, 10] as const

/**
 * Brings the tables to the newest migration. Each statement can be repeated. A process that is killed between a migration
 * and its entry, or two that start together, therefore leave the same tables.
 *
 * @throws StoreError STORE_NEWER when a newer program has changed the tables; ENGINE_TOO_OLD
 */
export async function migrate(connection: StoreConnection): Promise<void> {
  await checkVersion(connection)
  await connection.command(BOOKKEEPING)
  const [row] = await connection.read<{ newest: number }>('SELECT max(number) AS newest FROM migrations')
  const applied = row?.newest ?? 0
  if (applied > MIGRATIONS.length)
    throw new StoreError(
      'STORE_NEWER',
      `the store is at migration ${applied}, this program knows ${MIGRATIONS.length}: start the newer program`,
    )
  for (let number = applied + 1; number <= MIGRATIONS.length; number++) {
    const name = MIGRATIONS[number - 1] as string
    for (const statement of statementsOf(name)) await connection.command(statement)
    // Runs before the entry, which is durable at once: a migration with an entry is not repeated.
    await connection.syncDefinitions()
    await connection.command(`INSERT INTO migrations VALUES (${number}, ${textLiteral(name)})`)
  }
}

async function checkVersion(connection: StoreConnection): Promise<void> {
  const [row] = await connection.read<{ version: string }>('SELECT version() AS version')
  const version = row?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor, minMinor] = MIN_VERSION
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return
  throw new StoreError(
    'ENGINE_TOO_OLD',
    `the ClickHouse server is of version ${version}, ${MIN_VERSION.join('.')} or newer is needed: upgrade it`,
  )
}

/** A statement ends with a semicolon at the end of a line. */
function statementsOf(name: string): string[] {
  const text = readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), 'utf8')
  return text.split(/;[ \t]*(?:\n|$)/).filter(statement => /^(?!--)\S/m.test(statement))
}
