import { textLiteral } from './sql-text.ts'
import type { Statement } from './statement.ts'
import { StoreError } from './store.ts'
import { type DamagedPart, type DamageRecord, essentialSentence } from './store-damage.ts'

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
