/**
 * The forms of lines, each with a table of its own. `lines` has those of behaviours before the eleventh, with all of their
 * fields in maps. `slotted_lines` has those since: each field of a line is stored once (engine/lines/slots).
 */
export const LINE_TABLES = ['lines', 'slotted_lines'] as const
export type LineTable = (typeof LINE_TABLES)[number]

/** Tables that partition workers fill. */
export type StoreTable = LineTable | 'node_metrics' | 'pipeline_errors' | 'full_field_days'

export function isLineTable(table: string): table is LineTable {
  return (LINE_TABLES as readonly string[]).includes(table)
}

/** Columns for parts of a slotted line; those beyond them share the last one. */
export const SLOTS = 16

/** Names of these columns, in their order. */
export const SLOT_NAMES: readonly string[] = Array.from({ length: SLOTS }, (_, slot) => `s${slot}`)

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
    // 1: the words of the line are in a filter.
    ['filtered', 'UInt8'],
  ],
  slotted_lines: [
    ['account', WORD],
    ['t', TIME_MS],
    ['ts', TIME_MS],
    ...POSITION,
    ['host', WORD],
    ['app', WORD],
    ['level', WORD],
    // Tags, each with a separator behind it.
    ['tag_list', WORD],
    // File, env, mac, ip and remote, with separators between them.
    ['facts', WORD],
    // All of the text that is in no slot; empty: the text is `whole_line`.
    ['shape', WORD],
    ...SLOT_NAMES.map((name): Column => [name, 'String']),
    ['whole_line', 'String'],
    ['meta', 'String'],
    ['extra', 'String'],
    ['size', 'UInt32'],
    ['retention', 'UInt16'],
    ['pool', 'UInt16'],
    // Fields whose values are in no slot.
    ['text_names', 'Array(String)'],
    ['text_values', 'Array(String)'],
    ['number_names', 'Array(String)'],
    ['number_values', 'Array(Float64)'],
    ['filtered', 'UInt8'],
  ],
  node_metrics: [
    ['t', TIME_MS],
    ...POSITION,
    ['account', WORD],
    ['pipeline', WORD],
    ['node', WORD],
    // Name of an output; empty: the node apart from its outputs with names. Counts of a node are sums over its outputs.
    ['output', WORD],
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

/**
 * Table beside `lines`: for some thousand lines of an account each, the words that they have. A batch of lines comes with
 * its rows, which are stored first. A repeated insert may store them again.
 */
export type SideTable = 'word_filters'

const SIDE_TABLE_COLUMNS: Readonly<Record<SideTable, readonly Column[]>> = {
  word_filters: [
    ['account', WORD],
    // Section of the filter: 0 to 63, or 65535 for a row with all of them.
    ['slice', 'UInt16'],
    // Times of the first and last line of the segment.
    ['ts_min', TIME_MS],
    ['ts_max', TIME_MS],
    ['t', TIME_MS],
    ['topic', 'UInt8'],
    ['partition', 'UInt16'],
    // First and last row of the batch.
    ['first_offset', 'UInt64'],
    ['first_row', 'UInt32'],
    ['last_offset', 'UInt64'],
    ['last_row', 'UInt32'],
    // Number of the segment within the batch, and its lines.
    ['segment', 'UInt32'],
    ['lines', 'UInt32'],
    ['filter', 'String'],
  ],
}

/** All tables that partition workers fill. */
export const STORE_TABLES: readonly StoreTable[] = [
  ...LINE_TABLES,
  ...(Object.keys(TABLE_COLUMNS) as StoreTable[]).filter(table => !isLineTable(table)),
]

/** Columns that the insert statement sets for all rows of a batch, so blocks leave them out. */
const NAMED_BY_INSERT = new Set(['topic', 'partition', 'filtered'])

/** The columns of a block of this table, in their order. */
export function blockColumns(table: StoreTable | SideTable): readonly Column[] {
  return { ...TABLE_COLUMNS, ...SIDE_TABLE_COLUMNS }[table].filter(([name]) => !NAMED_BY_INSERT.has(name))
}

/** Columns of a block as the structure argument of the table functions file() and input(). */
export function blockStructure(table: StoreTable | SideTable): string {
  return blockColumns(table)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}
