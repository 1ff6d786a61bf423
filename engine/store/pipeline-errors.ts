import { HOUR_MS, MINUTE_MS } from '../times/duration.ts'
import type { StatementRunner } from './statement.ts'

/**
 * A row contains the equal errors of one minute of log time; the time of its last error decides whether it counts. Its `t` is the time
 * of the first, or the start of the minute where only that was recorded.
 */
export interface PipelineErrorsQuery {
  /** Short account id. */
  readonly account: string
  /** Ids of pipelines. */
  readonly pipelines: readonly string[]
  readonly node?: string | undefined
  readonly code?: string | undefined
  readonly fromMs: number
  /** Exclusive; absent: without end, since the log's clock may be ahead of the reader's. */
  readonly toMs?: number | undefined
  readonly limit: number
}

/** Errors of one node with the same code and field, whatever their sentences (components, section 4.1). */
export interface PipelineErrorEntry {
  readonly pipeline: string
  readonly node: string
  readonly nodeKind: string
  readonly code: string
  readonly field: string | null
  /** Sentence of the first row. */
  readonly message: string
  /** Event captured in the first row. */
  readonly captured: string
  readonly count: number
  /** Numbers of errors by UTC hour, ascending; hours without any are left out. */
  readonly hours: readonly HourCount[]
  /** Start of the minute where the first row contains several errors of a behaviour before the twelfth. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Number of the errors of one node with one code. */
export interface CountOfErrors {
  readonly pipeline: string
  readonly node: string
  readonly code: string
  readonly count: number
}

/** Errors of one hour. */
export interface HourCount {
  /** Start of the hour, UNIX ms. */
  readonly startMs: number
  readonly count: number
}

/** Place of a row on the log, which is unique. */
const PLACE = "concat(toString(topic), ' ', toString(partition), ' ', toString(offset), ' ', toString(row))"

/** Order of rows: the least is the first. */
const FIRST = '(time, topic, partition, offset, row)'

interface EntryRow {
  readonly pipeline: string
  readonly node: string
  readonly kind: string
  readonly code: string
  readonly field: string
  readonly message: string
  readonly first_ms: string
  readonly last_ms: string
  readonly errors: string
  /** Numbers of hours since 1970, and the errors of each. */
  readonly hours: readonly [readonly (number | string)[], readonly (number | string)[]]
  readonly place: string
}

/** Errors of pipelines: `StoreSearches.pipelineErrors`. */
export async function pipelineErrors(
  runner: StatementRunner,
  query: PipelineErrorsQuery,
  signal?: AbortSignal,
): Promise<PipelineErrorEntry[]> {
  const { where, parameters } = rowsOf(query)
  const found = {
    sql: `SELECT pipeline, node, node_kind AS kind, code, field, argMin(pipeline_errors.message, ${FIRST}) AS message,
  toUnixTimestamp64Milli(min(if(count = 1, time, t))) AS first_ms, toUnixTimestamp64Milli(max(time)) AS last_ms,
  sum(count) AS errors, sumMap([intDiv(toUnixTimestamp64Milli(time), 3600000)], [toUInt64(count)]) AS hours, argMin(${PLACE}, ${FIRST}) AS place
${where}
GROUP BY pipeline, node, kind, code, field
ORDER BY last_ms DESC, pipeline, node, code, field, kind LIMIT {limit:UInt64}`,
    parameters: { ...parameters, limit: query.limit },
  }
  const rows = await runner.query<EntryRow>(found, signal)
  // Captured events are large: only those of the entries in the answer are read.
  const events = {
    sql: `SELECT ${PLACE} AS place, captured ${where} AND has({places:Array(String)}, place)`,
    parameters: { ...parameters, places: rows.map(({ place }) => place) },
  }
  const captured = await runner.query<{ place: string; captured: string }>(events, signal)
  const capturedAt = new Map(captured.map(row => [row.place, row.captured]))
  return rows.map(row => ({
    pipeline: row.pipeline,
    node: row.node,
    nodeKind: row.kind,
    code: row.code,
    field: row.field === '' ? null : row.field,
    message: row.message,
    captured: capturedAt.get(row.place) ?? '',
    count: Number(row.errors),
    hours: row.hours[0].map((hour, index) => ({
      startMs: Number(hour) * HOUR_MS,
      count: Number(row.hours[1][index]),
    })),
    firstMs: Number(row.first_ms),
    lastMs: Number(row.last_ms),
  }))
}

/** Numbers of errors by pipeline, node and code, the largest first: `StoreSearches.pipelineErrorCounts`. */
export async function pipelineErrorCounts(
  runner: StatementRunner,
  query: PipelineErrorsQuery,
  signal?: AbortSignal,
): Promise<CountOfErrors[]> {
  const { where, parameters } = rowsOf(query)
  const counted = {
    sql: `SELECT pipeline, node, code, sum(count) AS errors
${where}
GROUP BY pipeline, node, code
ORDER BY errors DESC, pipeline, node, code LIMIT {limit:UInt64}`,
    parameters: { ...parameters, limit: query.limit },
  }
  const rows = await runner.query<Pick<EntryRow, 'pipeline' | 'node' | 'code' | 'errors'>>(counted, signal)
  return rows.map(({ errors, ...names }) => ({ ...names, count: Number(errors) }))
}

/** The part of a statement that selects rows, and the values of its parameters. */
function rowsOf({ account, pipelines, node, code, fromMs, toMs }: PipelineErrorsQuery) {
  const conditions = [
    'account = {account:String} AND pipeline IN {pipelines:Array(String)}',
    ...(node === undefined ? [] : ['node = {node:String}']),
    ...(code === undefined ? [] : ['code = {code:String}']),
    // The first condition states the same for `t`, by which rows are ordered: their start is less than a minute earlier.
    `t > ${moment('since')} AND time >= ${moment('from')}`,
    ...(toMs === undefined ? [] : [`time < ${moment('to')}`]),
  ]
  const parameters = {
    ...{ account, pipelines: [...pipelines], since: fromMs - MINUTE_MS, from: fromMs },
    ...(node !== undefined && { node }),
    ...(code !== undefined && { code }),
    ...(toMs !== undefined && { to: toMs }),
  }
  return { where: `FROM pipeline_errors WHERE ${conditions.join(' AND ')}`, parameters }
}

function moment(parameter: string): string {
  return `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`
}
