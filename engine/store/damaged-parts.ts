import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { foldersLike } from './definition-folders.ts'
import { textLiteral } from './sql-text.ts'
import type { Statement } from './statement.ts'
import { StoreError } from './store.ts'
import { type DamagedPart, type DamageRecord, essentialSentence, type SparePart } from './store-damage.ts'

/** Tables without which the state of the store is unknown. */
const ESSENTIAL_TABLES = new Set(['migrations', 'logs', 'end_marks'])

/** Runs a statement, and throws its failures as StoreError. */
type Query = <Row>(statement: Statement) => Promise<Row[]>

/** Asks the engine which parts it has set aside, and which unreadable parts are still in use. */
export async function findDamagedParts(query: Query, damage: DamageRecord): Promise<readonly DamagedPart[]> {
  const rows = await query<PartRow>({ sql: partsOfInterest(damage.unreadable) }).catch(withoutRight)
  // A user without access to the list knows only the damage that statements have met.
  if (rows === undefined) return damage.known.parts
  const inUse = new Set(rows.flatMap(({ table, name, active }) => (active === 1 ? [`${table}/${name}`] : [])))
  // A damaged part that the engine did not name may be anywhere.
  damage.keepUnreadable(({ table, part }) => part === '' || table === '' || inUse.has(`${table}/${part}`))
  damage.setAside(setAsideParts(rows))
  return damage.known.parts
}

/**
 * Refuses a store that the engine started without a part of an essential table.
 *
 * @throws StoreError STORE_DAMAGED
 */
export async function assertEssentialParts(query: Query, damage: DamageRecord): Promise<void> {
  const rows = await query<PartRow>({ sql: partsOfInterest([]) }).catch(withoutRight)
  const setAside = setAsideParts(rows ?? [])
  damage.setAside(setAside)
  const essential = setAside.find(({ table }) => ESSENTIAL_TABLES.has(table))
  if (essential !== undefined)
    throw new StoreError('STORE_DAMAGED', essentialSentence(essential), { damaged: essential })
}

interface PartRow {
  readonly table: string
  readonly name: string
  readonly active: 0 | 1
}

/** Parts that were set aside because they are broken, and those of the given ones that are in use. */
function partsOfInterest(unreadable: readonly DamagedPart[]): string {
  const names = unreadable.map(({ part }) => textLiteral(part))
  return `SELECT table, name, toUInt8(0) AS active FROM system.detached_parts
WHERE database = currentDatabase() AND startsWith(ifNull(reason, ''), 'broken')
UNION ALL
SELECT table, name, toUInt8(1) AS active FROM system.parts
WHERE database = currentDatabase() AND active AND name IN (${["''", ...names].join(', ')})`
}

/** Rights on a database need not reach the tables of the system. */
function withoutRight(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.code !== 'STATEMENT_FAILED') throw error
  return undefined
}

function setAsideParts(rows: readonly PartRow[]): readonly DamagedPart[] {
  return rows.flatMap(({ table, name, active }) =>
    active === 1 ? [] : [{ table, part: name, state: 'set aside' as const }],
  )
}

/** Folders into which the embedded engine sets parts aside. */
const SET_ASIDE_FOLDERS = ['store', '*', '*', 'detached', '*']
/** Damaged parts that were set aside, and whose blocks of rows are all in parts in use, which do not overlap. */
const COVERED_PARTS = `SELECT aside.table AS table, aside.name AS name, any(aside.path) AS path
FROM (SELECT * FROM system.detached_parts WHERE startsWith(ifNull(reason, ''), 'broken-on-start')) AS aside
JOIN (SELECT * FROM system.parts WHERE active) AS used
  ON used.database = aside.database AND used.table = aside.table AND used.partition_id = aside.partition_id
WHERE used.max_block_number >= aside.min_block_number AND used.min_block_number <= aside.max_block_number
GROUP BY aside.database, aside.table, aside.name, aside.min_block_number, aside.max_block_number
HAVING sum(least(used.max_block_number, aside.max_block_number) - greatest(used.min_block_number, aside.min_block_number) + 1)
  = aside.max_block_number - aside.min_block_number + 1`
/** Prefix by which the engine itself names parts that were set aside and are not needed. */
const IGNORED = 'ignored_'

/** Parts that earlier starts of the embedded engine have set aside. */
export async function setAsideBefore(folder: string): Promise<ReadonlySet<string>> {
  return new Set((await foldersLike(folder, SET_ASIDE_FOLDERS)).map(placeOf))
}

/**
 * Renames damaged parts that this start of the embedded engine has set aside although parts in use contain all of their
 * rows. An example is the result of a merge whose sources still exist. Only a start can tell: later, the engine gives the
 * numbers of the blocks in such a part again if no part in use has higher ones.
 *
 * @param before the result of `setAsideBefore`; nothing was inserted since
 */
export async function ignoreSpareParts(
  before: ReadonlySet<string>,
  read: (sql: string) => Promise<readonly CoveredPart[]>,
): Promise<readonly SparePart[]> {
  const spare: SparePart[] = []
  for (const { table, name, path } of await read(COVERED_PARTS)) {
    const folder = resolve(path)
    if (before.has(placeOf(folder))) continue
    const ignoredAs = `${IGNORED}${name.replace(/^broken-on-start_/, '')}`
    const ignored = join(folder, '..', ignoredAs)
    try {
      await rm(ignored, { recursive: true, force: true })
      await rename(folder, ignored)
      spare.push({ table, part: name, ignoredAs })
    } catch {
      // A start does not depend on it. The rows of the part are then reported as missing.
    }
  }
  return spare
}

export interface CoveredPart {
  readonly table: string
  readonly name: string
  /** Folder of the part. */
  readonly path: string
}

/** Folder of the table, `detached` and name of a part: the engine may resolve links in the rest of the path. */
function placeOf(path: string): string {
  return path.split('/').slice(-3).join('/')
}
