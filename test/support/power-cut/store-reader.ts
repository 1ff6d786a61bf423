import { openClickHouseStore } from '../../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../../engine/store/embedded-connection.ts'
import { endMarkTable } from '../../../engine/store/end-mark-table.ts'
import { DAY_MS } from '../../../engine/times/duration.ts'
import { isLineTable, LINE_TABLES } from '../../../schemas/log/tables.ts'
import { eventually } from '../exported-lines.ts'
import { DAY, LOG_ID, OFFSETS, PARTITION, type Promised, ROWS, seal } from './promised.ts'

/**
 * Opens a store as the program does after a power cut, and prints a line for each promised thing that it lacks.
 *
 * usage: node store-reader.ts FOLDER PROMISED PROMISED is JSON.
 */
const [folder = '', json = ''] = process.argv.slice(2)
const promised = JSON.parse(json) as Promised
const connection = await openEmbeddedConnection({ path: folder })
const store = openClickHouseStore(connection)
await store.open(LOG_ID, true).catch(error => {
  console.log(`the store does not open: ${(error as Error).message}`)
  process.exit()
})

for (const table of [...LINE_TABLES, 'node_metrics', 'pipeline_errors', 'full_field_days']) {
  const found = await store.query<{ offset: string; rows: string; places: string }>({
    sql: `SELECT offset, count() AS rows, count(DISTINCT row) AS places FROM ${table} GROUP BY offset`,
  })
  const rowsOf = new Map(
    found.map(({ offset, rows, places }) => [Number(offset), [Number(rows), Number(places)]]),
  )
  for (let offset = 0; offset < OFFSETS; offset++) {
    const [rows = 0, places = 0] = rowsOf.get(offset) ?? []
    const mayBeGone = offset >= promised.stored || (isLineTable(table) && offset === 0 && promised.isExpired)
    if (rows === places && (rows === ROWS || (mayBeGone && rows === 0))) continue
    console.log(`${table} has ${rows} rows at ${places} places of offset ${offset}`)
  }
}

const claimed = Number((await store.query<{ n: string }>({ sql: 'SELECT count() AS n FROM owners' }))[0]?.n)
if (claimed < promised.epochs) console.log(`owners has ${claimed} of ${promised.epochs} epochs`)

const { mark } = await store.standing(PARTITION)
if (Number(mark?.storedTo ?? 0) < promised.stored) console.log(`stored_marks ends at ${mark?.storedTo}`)

const end = await endMarkTable({ connection, seal, isOpen: () => true }).read()
if (Number(end?.next ?? 0) < promised.stored) console.log(`end_marks ends at ${end?.next}`)

const closed = 'SELECT sum(lines) AS n, count() AS rows FROM usage_days'
const [usage] = await store.query<{ n: string; rows: string }>({ sql: closed })
if (Number(usage?.n) < promised.closedLines) console.log(`usage_days counts ${usage?.n} lines`)

// The usage of a closed day stays; an open day is counted from its lines, by the projection where it is whole.
const [lines] = await store.query<{ n: string }>({
  sql: `SELECT sum(n) AS n FROM (${LINE_TABLES.map(table => `SELECT count() AS n FROM ${table}`).join(' UNION ALL ')})`,
})
const counted = (
  await store.usageTotals({ account: '507f1f77bc', fromMs: DAY, toMs: DAY + DAY_MS - 1 })
).reduce((sum, total) => sum + total.lines, 0)
const expected = usage?.rows === '0' ? Number(lines?.n) : OFFSETS * ROWS * LINE_TABLES.length
if (counted !== expected) console.log(`usage counts ${counted} lines instead of ${expected}`)

// Opening has begun to build the projection again where the cut has taken it.
const broken = await eventually(
  () =>
    connection.read<{ name: string }>(
      `SELECT parent_name AS name FROM system.projection_parts
WHERE database = currentDatabase() AND active AND is_broken`,
    ),
  ({ length }) => length === 0,
)
for (const { name } of broken) console.log(`${name} is without its sums for usage`)
await store.close()
