import type { LineRow } from '../../lines/line-record.ts'
import type { LineFilters } from '../../query-language/line-filters.ts'
import type { Query } from '../../query-language/syntax-tree.ts'
import type { Statement } from '../store.ts'
import { compileCondition, EVERY_LINE, MAX_CONDITION_CHARACTERS } from './compile-sql.ts'
import { compilePrefilter, type Prefilter } from './prefilter.ts'
import { SqlConstants } from './sql-constants.ts'
import { equalsAnyCase } from './value-tests.ts'

/** Which lines are wanted, before a page is cut from them. */
export interface LineSelection {
  readonly account: string
  /** The line's own time, UNIX ms, both bounds inclusive. */
  readonly fromMs: number
  readonly toMs: number
  /** Lines whose retention has passed at this time, UNIX ms, are hidden. */
  readonly asOfMs: number
  readonly filters: LineFilters
  readonly query: Query
}

/** Where a line stands in the order of time and id. */
export type LinePosition = Pick<LineRow, 'ts' | 't' | 'topic' | 'partition' | 'offset' | 'row'>

export interface LinePage {
  /** Which end is kept: the oldest lines, or the newest. */
  readonly prefer: 'head' | 'tail'
  readonly limit: number
  /** Lines behind this one alone, looking away from the preferred end. */
  readonly behind?: LinePosition
}

/** A row of the answer. */
export interface SelectedLine extends LineRow {
  /** Lines in the whole answer, when the newest are preferred. */
  readonly found?: number
}

/** The last moment that a DateTime64(3) holds; and none of ours is before 1970. */
const MAX_TIME_MS = 10_413_791_999_999
/** Looked up in one go, before anything is read, the index takes half the time that it takes granule by granule. */
const INDEX_FIRST = '\nSETTINGS use_skip_indexes_on_data_read = 0'
/** Read two granules at a time, all the lines take less time than one at a time; with more there is little to gain. */
const LONG_BLOCKS = '\nSETTINGS max_block_size = 16384'
/** A longer page is given in blocks as short as those of any other answer. */
const MAX_LINES_IN_LONG_BLOCKS = 4096
const POSITION_COLUMNS = ['ts', 't', 'topic', 'partition', 'offset', 'row'] as const

/** How the lines of a selection are found, from the most that is left unread to the least. */
export type SearchAccess =
  /** The word index names the places where they may be. */
  | 'index'
  /** The order of the table alone: every line of the time asked for is one. */
  | 'order'
  /** Every line of the time asked for is looked at, until there are as many as are wanted. */
  | 'scan'

export interface LineSearch {
  readonly selection: LineSelection
  readonly page: LinePage
  readonly statement: Statement
  readonly access: SearchAccess
}

/**
 * The statement for one page, ascending by time and id. The account comes first, which the order of the table answers
 * together with times and positions: before anything is read, from the preferred end on, until the page is full. What
 * is left of times are the edges, so the rows are asked for theirs behind the prefilter; the exact condition is last.
 * 64-bit integers of the table are given as what LineRow says, whatever the connection makes of them.
 *
 * @throws QuerySyntaxError for a query with more terms than a statement can hold
 */
export function searchLines(selection: LineSelection, page: LinePage): LineSearch {
  const { exact, prefilter, constants } = compiled(selection.query)
  const names = filterConditions(selection.filters, constants)
  const first = [
    accountCondition(selection, constants),
    ...names,
    ...prefilter.conditions,
    ...timeConditions(selection, page, constants),
  ]
  const then = [hiddenCondition(selection, constants), exact, ...prefilter.indexed]
  const sql = pageSql(`PREWHERE ${first.join('\n  AND ')}\nWHERE ${then.join('\n  AND ')}`, page)
  const isIndexed = prefilter.indexed.length > 0
  const readsAll = exact === EVERY_LINE && names.length === 0
  const access = isIndexed ? 'index' : readsAll ? 'order' : 'scan'
  return {
    selection,
    page,
    statement: {
      sql: constants.withClause + sql + settings(access, page),
      parameters: constants.parameters,
    },
    access,
  }
}

function settings(access: SearchAccess, { limit }: LinePage): string {
  if (access === 'index') return INDEX_FIRST
  return access === 'scan' && limit <= MAX_LINES_IN_LONG_BLOCKS ? LONG_BLOCKS : ''
}

/** How many lines lie in a time, and when the first and the last of them, UNIX ms. */
export interface TimeOfLines {
  readonly lines: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Asks for the lines that a search has to look at, whatever its query. */
export function linesInTime(selection: LineSelection, page: LinePage): Statement {
  const constants = new SqlConstants()
  const conditions = [accountCondition(selection, constants), ...timeConditions(selection, page, constants)]
  const ms = (bound: string) => `toFloat64(toUnixTimestamp64Milli(${bound}(l.ts)))`
  const sql = `SELECT toFloat64(count()) AS lines, ${ms('min')} AS firstMs, ${ms('max')} AS lastMs FROM lines AS l WHERE ${conditions.join(' AND ')}`
  return { sql: constants.withClause + sql, parameters: constants.parameters }
}

interface CompiledQuery {
  readonly exact: string
  readonly prefilter: Prefilter
  readonly constants: SqlConstants
}

/** A query that leaves no room in the statement for what would only make it faster goes without. */
function compiled(query: Query): CompiledQuery {
  const constants = new SqlConstants()
  const exact = compileCondition(query, constants)
  const prefilter = compilePrefilter(query, constants)
  const characters = [exact, ...prefilter.conditions, ...prefilter.indexed].join('').length
  if (characters + constants.literalCharacters <= MAX_CONDITION_CHARACTERS)
    return { exact, prefilter, constants }
  const fewer = new SqlConstants()
  return {
    exact: compileCondition(query, fewer),
    prefilter: { conditions: [], indexed: [] },
    constants: fewer,
  }
}

/** The answer is ascending, so the newest are put in order when all are known. */
function pageSql(conditions: string, { prefer, limit }: LinePage): string {
  const order = (direction: string) => POSITION_COLUMNS.map(column => `l.${column} ${direction}`).join(', ')
  if (prefer === 'head')
    return `SELECT ${ANSWER_COLUMNS} FROM lines AS l ${conditions}\nORDER BY ${order('ASC')} LIMIT ${limit}`
  const newest = `SELECT l.* FROM lines AS l ${conditions}\nORDER BY ${order('DESC')} LIMIT ${limit}`
  return `SELECT ${ANSWER_COLUMNS}, toUInt32(count() OVER ()) AS found FROM (\n${newest}\n) AS l ORDER BY ${order('ASC')}`
}

const ANSWER_COLUMNS = [
  'l.account AS account',
  'toFloat64(toUnixTimestamp64Milli(l.t)) AS t',
  'toFloat64(toUnixTimestamp64Milli(l.ts)) AS ts',
  'l.topic AS topic, l.partition AS partition, toString(l.offset) AS offset, l.row AS row',
  'l.host AS host, l.app AS app, l.level AS level, l.file AS file, l.env AS env',
  'l.mac AS mac, l.ip AS ip, l.remote AS remote, l.tags AS tags',
  'l.line AS line, l.meta AS meta, l.extra AS extra, l.size AS size, l.retention AS retention',
].join(', ')

function accountCondition({ account }: LineSelection, constants: SqlConstants): string {
  return `l.account = ${constants.text(account)}`
}

function timeConditions(
  { fromMs, toMs }: LineSelection,
  { behind, prefer }: LinePage,
  constants: SqlConstants,
): string[] {
  return [
    `l.ts >= ${timeBound(fromMs, constants)}`,
    `l.ts <= ${timeBound(toMs, constants)}`,
    ...(behind === undefined ? [] : [behindCondition(behind, prefer, constants)]),
  ]
}

function hiddenCondition({ asOfMs }: LineSelection, constants: SqlConstants): string {
  return `l.t >= ${timeBound(asOfMs, constants)} - toIntervalDay(l.retention)`
}

function timeBound(ms: number, constants: SqlConstants): string {
  return `fromUnixTimestamp64Milli(${constants.integer(Math.min(Math.max(ms, 0), MAX_TIME_MS))}, 'UTC')`
}

function behindCondition(
  { ts, t, topic, partition, offset, row }: LinePosition,
  prefer: LinePage['prefer'],
  constants: SqlConstants,
): string {
  const columns = POSITION_COLUMNS.map(column => `l.${column}`).join(', ')
  const time = (ms: number) => `fromUnixTimestamp64Milli(${constants.integer(ms)}, 'UTC')`
  const sign = prefer === 'head' ? '>' : '<'
  const rest = [topic, partition, Number(offset), row].map(value => constants.integer(value)).join(', ')
  // The bound on the first column alone is one that the order of the table answers.
  return `l.ts ${sign}= ${time(ts)} AND (${columns}) ${sign} (${time(ts)}, ${time(t)}, ${rest})`
}

function filterConditions({ hosts, apps, levels, tags }: LineFilters, constants: SqlConstants): string[] {
  const conditions: string[] = []
  if (hosts.length > 0) conditions.push(`has(${constants.texts(hosts)}, l.host)`)
  if (apps.length > 0) conditions.push(`has(${constants.texts(apps)}, l.app)`)
  if (levels.length > 0) conditions.push(equalsAnyCase('l.level', levels, constants))
  if (tags.length > 0) conditions.push(`hasAny(${constants.texts(tags)}, l.tags)`)
  return conditions
}
