import { MINUTE_MS } from '../times/duration.ts'
import type { Store } from './store.ts'

/** Which rows count is decided by the time of the last error of each: a row is what came in a minute of log time. */
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
  /** Of the first row: components, section 4.1. */
  readonly captured: string
  readonly count: number
  /** To the minute, downwards, where the first row holds several. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Where in the log a row comes from: no two rows have the same. */
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

/** Newest first. */
export async function pipelineErrors(
  store: Store,
  query: PipelineErrorsQuery,
): Promise<PipelineErrorEntry[]> {
  const { node, fromMs, toMs } = query
  const conditions = [
    'account = {account:String} AND pipeline = {pipeline:String}',
    ...(node === undefined ? [] : ['node = {node:String}']),
    // The first of them says the same of `t`, by which rows are ordered: their start is less than a minute earlier.
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
  const rows = await store.query<EntryRow>({
    sql: `SELECT node, node_kind AS kind, code, field, message,
  toUnixTimestamp64Milli(min(if(count = 1, time, t))) AS first_ms, toUnixTimestamp64Milli(max(time)) AS last_ms,
  sum(count) AS errors, argMin(${PLACE}, (time, topic, partition, offset, row)) AS place
${where}
GROUP BY node, kind, code, field, message
ORDER BY last_ms DESC, node, code, field, message LIMIT {limit:UInt64}`,
    parameters: { ...parameters, limit: query.limit },
  })
  // What was captured is large: it is read of the entries that are shown, and of no others.
  const captured = await store.query<{ place: string; captured: string }>({
    sql: `SELECT ${PLACE} AS place, captured ${where} AND has({places:Array(String)}, place)`,
    parameters: { ...parameters, places: rows.map(({ place }) => place) },
  })
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
