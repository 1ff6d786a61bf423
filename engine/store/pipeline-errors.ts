import { MINUTE_MS } from '../times/duration.ts'
import type { StatementRunner } from './statement.ts'

/** A row contains the equal errors of one minute of log time; the time of its last error decides whether it counts. */
export interface PipelineErrorsQuery {
  /** Short account id. */
  readonly account: string
  readonly pipeline: string
  readonly node?: string | undefined
  readonly fromMs: number
  /** Exclusive; absent: without end, since the log's clock may be ahead of the reader's. */
  readonly toMs?: number | undefined
  readonly limit: number
}

/** Equal errors of one node. */
export interface PipelineErrorEntry {
  readonly node: string
  readonly nodeKind: string
  readonly code: string
  readonly field: string | null
  readonly message: string
  /** Event captured in the first row: components, section 4.1. */
  readonly captured: string
  readonly count: number
  /** Rounded down to the minute where the first row contains several errors. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Place of a row on the log, which is unique. */
const PLACE = "concat(toString(topic), ' ', toString(partition), ' ', toString(offset), ' ', toString(row))"

interface EntryRow {
  readonly node: string
  readonly kind: string
  readonly code: string
  readonly field: string
  readonly message: string
  readonly first_ms: string
  readonly last_ms: string
  readonly errors: string
  readonly place: string
}

/** Errors of a pipeline: `StoreSearches.pipelineErrors`. */
export async function pipelineErrors(
  runner: StatementRunner,
  query: PipelineErrorsQuery,
  signal?: AbortSignal,
): Promise<PipelineErrorEntry[]> {
  const { node, fromMs, toMs } = query
  const conditions = [
    'account = {account:String} AND pipeline = {pipeline:String}',
    ...(node === undefined ? [] : ['node = {node:String}']),
    // The first condition states the same for `t`, by which rows are ordered: their start is less than a minute earlier.
    `t > ${moment('since')} AND time >= ${moment('from')}`,
    ...(toMs === undefined ? [] : [`time < ${moment('to')}`]),
  ]
  const where = `FROM pipeline_errors WHERE ${conditions.join(' AND ')}`
  const parameters = {
    account: query.account,
    pipeline: query.pipeline,
    since: fromMs - MINUTE_MS,
    from: fromMs,
    ...(node !== undefined && { node }),
    ...(toMs !== undefined && { to: toMs }),
  }
  const found = {
    sql: `SELECT node, node_kind AS kind, code, field, message,
  toUnixTimestamp64Milli(min(if(count = 1, time, t))) AS first_ms, toUnixTimestamp64Milli(max(time)) AS last_ms,
  sum(count) AS errors, argMin(${PLACE}, (time, topic, partition, offset, row)) AS place
${where}
GROUP BY node, kind, code, field, message
ORDER BY last_ms DESC, node, code, field, message LIMIT {limit:UInt64}`,
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
    node: row.node,
    nodeKind: row.kind,
    code: row.code,
    field: row.field === '' ? null : row.field,
    message: row.message,
    captured: capturedAt.get(row.place) ?? '',
    count: Number(row.errors),
    firstMs: Number(row.first_ms),
    lastMs: Number(row.last_ms),
  }))
}

function moment(parameter: string): string {
  return `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`
}
