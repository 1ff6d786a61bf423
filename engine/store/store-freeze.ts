import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { LINE_TABLES } from '../../schemas/log/tables.ts'
import type { StoreConnection } from './connection.ts'

/** A file of the engine at a moment, and its place in the engine's folder. */
export interface FrozenFile {
  readonly path: string
  readonly place: string
  readonly bytes: number
}

interface Table {
  readonly name: string
  readonly data_paths: readonly string[]
  readonly metadata_path: string
}

/** Name of copies held by this and earlier processes, so that a start can release them. */
const NAME = 'weir_copy'
/**
 * Lines first, the newer form before the older one: rows about closed days, usage and owners, which are copied later, then only refer to lines that are held.
 */
const ORDER = [...LINE_TABLES.toReversed(), 'usage_days']

/**
 * Holds the present state of the tables of the embedded engine: each by hard links to its parts, made at one moment. The
 * links stay when the engine merges or removes a part.
 */
export async function freezeTables(connection: StoreConnection, folder: string): Promise<FrozenFile[]> {
  await releaseTables(folder)
  const tables = await connection.read<Table>(
    `SELECT name, data_paths, metadata_path FROM system.tables
WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree') AND NOT startsWith(name, 'usage_days_aside_')`,
  )
  for (const { name } of tables.toSorted((a, b) => rank(a.name) - rank(b.name)))
    await connection.command(`ALTER TABLE ${name} FREEZE WITH NAME '${NAME}'`)
  const shadow = join(folder, 'shadow', NAME)
  return [...(await filesBelow(shadow, shadow)), ...(await definitions(connection, folder, tables))]
}

/** Releases held files, also those of a killed process. */
export async function releaseTables(folder: string): Promise<void> {
  await rm(join(folder, 'shadow', NAME), { recursive: true, force: true })
}

function rank(table: string): number {
  return ORDER.includes(table) ? ORDER.indexOf(table) : ORDER.length
}

/** Definitions of tables; they do not change while the program runs. */
async function definitions(
  connection: StoreConnection,
  folder: string,
  tables: readonly Table[],
): Promise<FrozenFile[]> {
  const [row] = await connection.read<{ name: string }>('SELECT currentDatabase() AS name')
  const places = [
    join('metadata', `${row?.name}.sql`),
    ...tables.map(table => table.metadata_path),
    ...tables.flatMap(table => table.data_paths.map(path => join(dataPlace(path), 'format_version.txt'))),
  ]
  return Promise.all(places.map(place => frozenFile(folder, place)))
}

/** The engine returns whole paths, with any of the folder's names. */
function dataPlace(path: string): string {
  const root = '/store/'
  return join('store', path.slice(path.lastIndexOf(root) + root.length))
}

async function filesBelow(root: string, directory: string): Promise<FrozenFile[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const found = await Promise.all(
    entries.map(entry => {
      const path = join(directory, entry.name)
      return entry.isDirectory()
        ? filesBelow(root, path)
        : frozenFile(root, relative(root, path)).then(file => [file])
    }),
  )
  return found.flat()
}

async function frozenFile(root: string, place: string): Promise<FrozenFile> {
  const path = join(root, place)
  return { path, place, bytes: (await stat(path)).size }
}
