import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { StoreConnection } from './connection.ts'

/** A file of the engine as it was, and its place in the engine's folder. */
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

/** What this and earlier processes held; a start can let go of it. */
const NAME = 'weir_copy'
/** Lines first: what is closed, counted or owned later only tells of lines that they have. */
const ORDER = ['lines', 'usage_days']

/**
 * Holds the tables of the embedded engine as they are: each by hard links to its parts, taken at one moment. The links
 * stay when the engine merges or removes a part.
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

/** Lets go of what was held, also by a process that was killed. */
export async function releaseTables(folder: string): Promise<void> {
  await rm(join(folder, 'shadow', NAME), { recursive: true, force: true })
}

function rank(table: string): number {
  return ORDER.includes(table) ? ORDER.indexOf(table) : ORDER.length
}

/** What tables are; nothing of it changes while a program runs. */
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

/** The engine tells whole paths, by whichever name of the folder it knows. */
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
