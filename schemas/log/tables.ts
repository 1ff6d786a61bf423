/** Tables that partition workers fill. */
export type StoreTable = 'lines' | 'node_metrics' | 'pipeline_errors' | 'full_field_days'

/** Name and ClickHouse type of a column. */
export type Column = readonly [name: string, type: string]

const WORD = 'LowCardinality(String)'
const TIME_MS = "DateTime64(3, 'UTC')"

/** Columns for the origin of a row on the log. `topic` is its number (schemas/log/topics.ts). */
const POSITION: readonly Column[] = [
  ['topic', 'UInt8'],
  ['partition', 'UInt16'],
  ['offset', 'UInt64'],
  ['row', 'UInt32'],
]

/**
 * Columns, in order, of the tables that partition workers fill. The newest migration creates exactly these: a test compares them.
 */
export const TABLE_COLUMNS: Readonly<Record<StoreTable, readonly Column[]>> = {
  lines: [
    ['account', WORD],
    ['t', TIME_MS],
    ['ts', TIME_MS],
    ...POSITION,
    ['host', WORD],
    ['app', WORD],
    ['level', WORD],
    ['file', WORD],
    ['env', WORD],
    ['mac', WORD],
    ['ip', WORD],
    ['remote', WORD],
    ['tags', `Array(${WORD})`],
    ['line', 'String'],
    ['meta', 'String'],
    ['extra', 'String'],
    ['size', 'UInt32'],
    ['retention', 'UInt16'],
    ['pool', 'UInt16'],
    ['text_fields', `Map(${WORD}, String)`],
    ['number_fields', `Map(${WORD}, Float64)`],
  ],
  node_metrics: [
    ['t', TIME_MS],
    ...POSITION,
    ['account', WORD],
    ['pipeline', WORD],
    ['node', WORD],
    ['events_in', 'UInt64'],
    ['bytes_in', 'UInt64'],
    ['events_out', 'UInt64'],
    ['bytes_out', 'UInt64'],
    ['copied', 'UInt64'],
    ['created', 'UInt64'],
    ['dropped', 'UInt64'],
    ['dropped_bytes', 'UInt64'],
    ['failed', 'UInt64'],
    ['merged', 'UInt64'],
    // Signed: the number of events that a node holds can fall within a minute.
    ['held', 'Int64'],
  ],
  pipeline_errors: [
    ['t', TIME_MS],
    ...POSITION,
    ['account', WORD],
    ['pipeline', WORD],
    ['node', WORD],
    ['node_kind', WORD],
    ['code', WORD],
    ['field', WORD],
    ['message', 'String'],
    ['captured', 'String'],
    ['time', TIME_MS],
    ['count', 'UInt64'],
  ],
  full_field_days: [['t', TIME_MS], ...POSITION, ['account', WORD]],
}

/** All tables that partition workers fill. */
export const STORE_TABLES = Object.keys(TABLE_COLUMNS) as readonly StoreTable[]

/** Columns that the insert statement sets for all rows of a batch, so blocks leave them out. */
const NAMED_BY_INSERT = new Set(['topic', 'partition'])

/** The columns of a block of this table, in their order. */
export function blockColumns(table: StoreTable): readonly Column[] {
  return TABLE_COLUMNS[table].filter(([name]) => !NAMED_BY_INSERT.has(name))
}

/** Columns of a block as the structure argument of the table functions file() and input(). */
export function blockStructure(table: StoreTable): string {
  return blockColumns(table)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}
