import { type LineTable, SLOTS } from '../../../schemas/log/tables.ts'
import type { LineFilters } from '../../query-language/line-filters.ts'
import type { Query } from '../../query-language/syntax-tree.ts'
import type { Statement } from '../statement.ts'
import {
  ALWAYS,
  anyOf,
  COST,
  type Condition,
  column,
  costOf,
  type Expression,
  sql,
  textOf,
} from './condition.ts'
import { exactCondition, MAX_CONDITION_CHARACTERS } from './exact-condition.ts'
import type { LineTimes } from './filtered-segments.ts'
import type { LinePage, LinePosition, LineSelection, SearchAccess } from './line-selection.ts'
import { possibleCondition } from './possible-condition.ts'
import { compilePrefilter, NO_PREFILTER, type Prefilter } from './prefilter.ts'
import type { SlotsInUse } from './slots-in-use.ts'
import type { SoughtWords } from './sought-words.ts'
import { SqlConstants } from './sql-constants.ts'
import { nearestStoredTime } from './stored-times.ts'
import { ValueTests } from './value-tests.ts'

/** Looked up at once, before anything is read, the index takes half the time of a look-up per granule. */
const INDEX_FIRST = '\nSETTINGS use_skip_indexes_on_data_read = 0'
/** Reading all lines two granules at a time takes less time than one at a time; larger blocks gain little. */
const LONG_BLOCKS = '\nSETTINGS max_block_size = 16384'
/**
 * Setting that follows others. A rare text is in none of the columns, so each of them is searched anyway. Without testing before
 * each column which rows are left, a scan takes 7 % less time. Conditions on fields are too expensive for that.
 */
const ALL_TEXTS_AT_ONCE = ", short_circuit_function_evaluation = 'disable'"
/** A longer page is returned in blocks as short as those of other answers. */
const MAX_LINES_IN_LONG_BLOCKS = 4096
/** A statement that reads no more lines does not wait for scans, and no other statement waits long for it. */
const FEW_LINES = 300_000
const POSITION_COLUMNS = ['ts', 't', 'topic', 'partition', 'offset', 'row'] as const

/** Limit of a page that has all lines; only those of order `found`. */
export const ALL_LINES = Number.POSITIVE_INFINITY

/** A statement for one page of lines. */
export interface SearchStatement {
  readonly statement: Statement
  readonly access: SearchAccess
  /** Words that the filters are asked for. */
  readonly words: SoughtWords | undefined
  /** Whether words are sought in slots, as in `Prefilter`. */
  readonly seeksInSlots: boolean
}

/** Facts about the lines that a statement reads. */
export interface KnownLines {
  /** Times of all of them; the word index is not asked then. */
  readonly within?: readonly LineTimes[] | undefined
  /** Slots that they use; absent: any. */
  readonly inUse?: SlotsInUse | undefined
}

/**
 * The statement for the lines of one page as they are found: from the preferred end on. The order of the table answers
 * account, times and positions: the engine reads from the preferred end on, until the page is full. Rows are read only at
 * the edges of a period, so times are tested behind the prefilter. The exact condition is last. 64-bit integers of the
 * table come in the form of LineRow on every connection.
 *
 * @param answer whole lines, or only their places
 * @throws QuerySyntaxError for a query with more terms than a statement can contain
 */
export function searchStatement(
  table: LineTable,
  selection: LineSelection,
  page: LinePage,
  { answer = 'lines', ...known }: KnownLines & { readonly answer?: keyof typeof ANSWERS } = {},
): SearchStatement {
  const { conditions, constants, access, scanOf, words, seeksInSlots } = selectionConditions(
    table,
    selection,
    page,
    known,
  )
  return {
    statement: {
      sql: constants.withClause + pageSql(table, conditions, page, answer) + settings(access, page),
      parameters: constants.parameters,
      ...(scanOf === undefined ? {} : { scanOf }),
      ...(page.limit === ALL_LINES ? {} : { atMostRows: page.limit }),
    },
    access,
    words,
    seeksInSlots,
  }
}

/**
 * The statement for lines that may be on a page: its exact condition is left out. Lines come as they are found, from the
 * preferred end on.
 */
export function candidateStatement(
  table: LineTable,
  selection: LineSelection,
  page: LinePage,
  { within, inUse }: KnownLines,
): Statement {
  const { constants, ...query } = compiled(table, selection, () => ALWAYS, inUse)
  const { first, hidden, scanOf } = conditionsOf(selection, page, within, { ...query, constants })
  const conditions = `PREWHERE ${joined(first, '\n  AND ')}\nWHERE ${joined(hidden, '\n  AND ')}`
  return {
    sql:
      constants.withClause +
      pageSql(table, conditions, page, 'lines') +
      settings('scan', page) +
      (table === 'slotted_lines' && selection.query.kind === 'text' ? ALL_TEXTS_AT_ONCE : ''),
    parameters: constants.parameters,
    ...(scanOf === undefined ? {} : { scanOf }),
    atMostRows: page.limit,
  }
}

/** The lines of a selection, as the conditions of a statement. */
interface SelectionConditions {
  /** PREWHERE and WHERE, for a statement on a table of lines `AS l`. */
  readonly conditions: string
  readonly constants: SqlConstants
  readonly access: SearchAccess
  readonly words: SoughtWords | undefined
  readonly seeksInSlots: boolean
  /** Account whose texts are read; undefined when columns of words decide. */
  readonly scanOf: string | undefined
}

/**
 * The order of the table answers account, times and positions. Rows are read only at the edges of a period, so times are
 * tested behind the prefilter. The exact condition is last.
 *
 * @param page absent: all lines
 * @throws QuerySyntaxError for a query with more terms than a statement can contain
 */
export function selectionConditions(
  table: LineTable,
  selection: LineSelection,
  page: Pick<LinePage, 'prefer' | 'behind'> = { prefer: 'tail' },
  { within, inUse }: KnownLines = {},
): SelectionConditions {
  const query = compiled(table, selection, exactCondition, inUse)
  const { names, first, hidden, scanOf } = conditionsOf(selection, page, within, query)
  const { exact, prefilter, constants } = query
  const indexed = within === undefined ? prefilter.indexed : []
  const then = [...hidden, ...restOf(exact, first), ...indexed]
  const isIndexed = indexed.length > 0
  const readsAll = exact.kind === 'always' && names.length === 0
  const access = isIndexed ? 'index' : readsAll ? 'order' : 'scan'
  const conditions = `PREWHERE ${joined(first, '\n  AND ')}\nWHERE ${joined(then, '\n  AND ')}`
  const { words, seeksInSlots } = prefilter
  return { conditions, constants, access, words, seeksInSlots, scanOf }
}

/** Conditions of a selection without the exact one, in the order in which they are tested. */
function conditionsOf(
  selection: LineSelection,
  page: Pick<LinePage, 'prefer' | 'behind'>,
  within: readonly LineTimes[] | undefined,
  { exact, prefilter, constants }: CompiledQuery,
) {
  const names = filterConditions(selection.filters, constants)
  const first = [
    accountCondition(selection, constants),
    ...(within === undefined ? [] : [withinCondition(within, constants)]),
    ...names,
    ...prefilter.conditions,
    ...timeConditions(selection, page, constants),
  ]
  const readsFew =
    [exact, ...names, ...prefilter.conditions].every(condition => costOf(condition) === COST.words) ||
    (within !== undefined && sumOfLines(within) <= FEW_LINES)
  const hidden = [hiddenCondition(selection, constants), ...exceptConditions(selection, constants)]
  return { names, first, hidden, scanOf: readsFew ? undefined : selection.account }
}

function joined(conditions: readonly Condition[], separator: string): string {
  return conditions.map(textOf).join(separator)
}

function settings(access: SearchAccess, { limit }: LinePage): string {
  if (access === 'index') return INDEX_FIRST
  const isLong = limit <= MAX_LINES_IN_LONG_BLOCKS || limit === ALL_LINES
  return access === 'scan' && isLong ? LONG_BLOCKS : ''
}

/** Prefixes of constants. One statement may count the lines of both tables. */
const PREFIX: Readonly<Record<LineTable, string>> = { lines: 'c', slotted_lines: 'd' }

interface CompiledQuery {
  readonly exact: Condition
  readonly prefilter: Prefilter
  readonly constants: SqlConstants
}

/** Drops the prefilter, which only makes a search faster, if it does not fit into the statement. */
function compiled(
  table: LineTable,
  { query, fullDays = [] }: LineSelection,
  exactOf: (query: Query, constants: SqlConstants, table: LineTable) => Condition,
  inUse?: SlotsInUse,
): CompiledQuery {
  const constants = new SqlConstants(PREFIX[table])
  const exact = exactOf(query, constants, table)
  const prefilter = compilePrefilter(query, constants, table, inUse)
  if (fullDays.length > 0) {
    const possible = possibleCondition(query, constants, table)
    const isOfFullDay = sql`has(${constants.texts(fullDays)}, toString(toDate(${column.t})))`
    const found = sql`if(${isOfFullDay}, ${possible}, ${exact})`
    return { exact: found, prefilter: NO_PREFILTER, constants }
  }
  const characters = joined([exact, ...prefilter.conditions, ...prefilter.indexed], '').length
  if (characters + constants.literalCharacters <= MAX_CONDITION_CHARACTERS)
    return { exact, prefilter, constants }
  const fewer = new SqlConstants(PREFIX[table])
  return {
    exact: exactOf(query, fewer, table),
    prefilter: { ...NO_PREFILTER, words: prefilter.words },
    constants: fewer,
  }
}

function pageSql(
  table: LineTable,
  conditions: string,
  { prefer, limit }: LinePage,
  answer: keyof typeof ANSWERS,
): string {
  const direction = prefer === 'head' ? 'ASC' : 'DESC'
  const order = POSITION_COLUMNS.map(column => `l.${column} ${direction}`).join(', ')
  return `SELECT ${ANSWERS[answer][table]} FROM ${table} AS l ${conditions}\nORDER BY ${order}${limit === ALL_LINES ? '' : ` LIMIT ${limit}`}`
}

/** Parts of a condition that were not tested before. */
function restOf(condition: Condition, tested: readonly Condition[]): readonly Condition[] {
  const texts = new Set(tested.map(textOf))
  const parts = condition.kind === 'all' ? condition.operands : [condition]
  return parts.filter(part => part.kind !== 'always' && !texts.has(textOf(part)))
}

const PLACE_COLUMNS = [
  'l.account AS account',
  'toFloat64(toUnixTimestamp64Milli(l.t)) AS t',
  'toFloat64(toUnixTimestamp64Milli(l.ts)) AS ts',
  'l.topic AS topic, l.partition AS partition, toString(l.offset) AS offset, l.row AS row',
]

/** The program puts the text of a slotted line together: the engine would take as long to plan that as to find the lines. */
const ANSWER_COLUMNS: Readonly<Record<LineTable, string>> = {
  lines: [
    ...PLACE_COLUMNS,
    'l.host AS host, l.app AS app, l.level AS level, l.file AS file, l.env AS env',
    'l.mac AS mac, l.ip AS ip, l.remote AS remote, l.tags AS tags',
    'l.line AS line, l.meta AS meta, l.extra AS extra, l.size AS size, l.retention AS retention',
  ].join(', '),
  slotted_lines: [
    ...PLACE_COLUMNS,
    'l.host AS host, l.app AS app, l.level AS level, l.tag_list AS tag_list, l.facts AS facts',
    'l.shape AS shape',
    ...Array.from({ length: SLOTS }, (_, slot) => `l.s${slot} AS s${slot}`),
    'l.whole_line AS whole_line',
    'l.meta AS meta, l.extra AS extra, l.size AS size, l.retention AS retention',
  ].join(', '),
}

const PLACES = PLACE_COLUMNS.join(', ')
const ANSWERS = { lines: ANSWER_COLUMNS, places: { lines: PLACES, slotted_lines: PLACES } } as const

export function accountCondition({ account }: LineSelection, constants: SqlConstants): Condition {
  return sql`${column.account} = ${constants.text(account)}`
}

function withinCondition(within: readonly LineTimes[], constants: SqlConstants): Condition {
  return anyOf(
    within.map(
      ({ fromMs, toMs }) =>
        sql`${column.ts} BETWEEN ${timeBound(fromMs, constants)} AND ${timeBound(toMs, constants)}`,
    ),
  )
}

function sumOfLines(times: readonly LineTimes[]): number {
  return times.reduce((sum, { lines }) => sum + lines, 0)
}

export function timeConditions(
  { fromMs, toMs }: LineSelection,
  { behind, prefer }: Pick<LinePage, 'behind' | 'prefer'>,
  constants: SqlConstants,
): Condition[] {
  return [
    sql`${column.ts} >= ${timeBound(fromMs, constants)}`,
    sql`${column.ts} <= ${timeBound(toMs, constants)}`,
    ...(behind === undefined ? [] : [behindCondition(behind, prefer, constants)]),
  ]
}

function hiddenCondition({ asOfMs }: LineSelection, constants: SqlConstants): Condition {
  return sql`${column.t} >= ${timeBound(asOfMs, constants)} - toIntervalDay(${column.retention})`
}

function exceptConditions({ exceptDays = [] }: LineSelection, constants: SqlConstants): Condition[] {
  if (exceptDays.length === 0) return []
  return [sql`NOT has(${constants.texts(exceptDays)}, toString(toDate(${column.t})))`]
}

function timeBound(ms: number, constants: SqlConstants): Expression {
  return moment(nearestStoredTime(ms), constants)
}

function moment(ms: number, constants: SqlConstants): Expression {
  return sql`fromUnixTimestamp64Milli(${constants.integer(ms)}, 'UTC')`
}

function behindCondition(
  { ts, t, topic, partition, offset, row }: LinePosition,
  prefer: LinePage['prefer'],
  constants: SqlConstants,
): Condition {
  const { ts: time, t: received } = column
  const place = sql`(${time}, ${received}, ${column.topic}, ${column.partition}, ${column.offset}, ${column.row})`
  const numbers = [topic, partition, Number(offset), row].map(value => constants.integer(value))
  const [ofTopic, ofPartition, ofOffset, ofRow] = numbers as [Expression, Expression, Expression, Expression]
  const bound = moment(ts, constants)
  const last = sql`(${bound}, ${moment(t, constants)}, ${ofTopic}, ${ofPartition}, ${ofOffset}, ${ofRow})`
  // The order of the table answers the bound on the first column alone.
  return prefer === 'head'
    ? sql`${time} >= ${bound} AND ${place} > ${last}`
    : sql`${time} <= ${bound} AND ${place} < ${last}`
}

/** The lists of a search. */
export function filterConditions(
  { hosts, apps, levels, tags }: LineFilters,
  constants: SqlConstants,
): Condition[] {
  const conditions: Condition[] = []
  if (hosts.length > 0) conditions.push(sql`has(${constants.texts(hosts)}, ${column.host})`)
  if (apps.length > 0) conditions.push(sql`has(${constants.texts(apps)}, ${column.app})`)
  if (levels.length > 0) conditions.push(new ValueTests(constants).equalsAnyCase(column.level, levels))
  if (tags.length > 0) conditions.push(sql`hasAny(${constants.texts(tags)}, ${column.tags})`)
  return conditions
}
