import type { LineRow } from '../../engine/line-record.ts'
import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type { Statement } from '../../engine/store/store.ts'
import { compileCondition, equalsAnyCase } from './compile-sql.ts'
import { SqlConstants } from './sql-constants.ts'

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
  /** Lines in the whole answer. */
  readonly found: number
}

/** The last moment that a DateTime64(3) holds; and none of ours is before 1970. */
const MAX_TIME_MS = 10_413_791_999_999
const POSITION_COLUMNS = ['ts', 't', 'topic', 'partition', 'offset', 'row'] as const

/**
 * The statement for one page, ascending by time and id. Times and positions are in the order of the table, so
 * the engine reads from the preferred end and stops early. 64-bit integers of the table are given as what
 * LineRow says, whatever the connection makes of them.
 *
 * @throws QuerySyntaxError for a query with more terms than a statement can hold
 */
export function selectLines(selection: LineSelection, { prefer, limit, behind }: LinePage): Statement {
  const constants = new SqlConstants()
  const conditions = [
    ...boundConditions(selection, constants),
    ...(behind === undefined ? [] : [behindCondition(behind, prefer, constants)]),
    ...filterConditions(selection.filters, constants),
    compileCondition(selection.query, constants),
  ]
  const direction = prefer === 'head' ? 'ASC' : 'DESC'
  const order = POSITION_COLUMNS.map(column => `l.${column} ${direction}`).join(', ')
  const page = `SELECT l.* FROM lines AS l WHERE ${conditions.join('\n  AND ')}\nORDER BY ${order} LIMIT ${limit}`
  const sql = `${constants.withClause}SELECT ${ANSWER_COLUMNS} FROM (\n${page}\n) AS p ORDER BY ${POSITION_COLUMNS.map(column => `p.${column}`).join(', ')}`
  return { sql, parameters: constants.parameters }
}

const ANSWER_COLUMNS = [
  'p.account AS account',
  'toFloat64(toUnixTimestamp64Milli(p.t)) AS t',
  'toFloat64(toUnixTimestamp64Milli(p.ts)) AS ts',
  'p.topic AS topic, p.partition AS partition, toString(p.offset) AS offset, p.row AS row',
  'p.host AS host, p.app AS app, p.level AS level, p.file AS file, p.env AS env',
  'p.mac AS mac, p.ip AS ip, p.remote AS remote, p.tags AS tags',
  'p.line AS line, p.meta AS meta, p.extra AS extra, p.size AS size, p.retention AS retention',
  'toUInt32(count() OVER ()) AS found',
].join(', ')

/** What the order of the table answers comes first. */
function boundConditions(selection: LineSelection, constants: SqlConstants): string[] {
  const { account, fromMs, toMs, asOfMs } = selection
  const time = (ms: number) =>
    `fromUnixTimestamp64Milli(${constants.integer(Math.min(Math.max(ms, 0), MAX_TIME_MS))}, 'UTC')`
  return [
    `l.account = ${constants.text(account)}`,
    `l.ts >= ${time(fromMs)}`,
    `l.ts <= ${time(toMs)}`,
    `l.t >= ${time(asOfMs)} - toIntervalDay(l.retention)`,
  ]
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
