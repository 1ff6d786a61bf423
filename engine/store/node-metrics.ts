import type { StatementRunner } from './statement.ts'

/** Counts of the nodes of some pipelines in intervals of a period. The rows of a minute have the time of its beginning. */
export interface NodeMetricsQuery {
  /** Short account id. */
  readonly account: string
  /** Ids of pipelines. */
  readonly pipelines: readonly string[]
  /** Start of a minute, UNIX ms. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  /** Length of an interval, a multiple of a minute. */
  readonly intervalMs: number
  /** Whether nodes are counted with all of their outputs; otherwise outputs with names have rows of their own. */
  readonly ofNodes?: boolean
  /** Number of rows at most. */
  readonly limit: number
}

/** Names of the counts, which are those of the columns of `node_metrics`. */
export const NODE_COUNTS = [
  'events_in',
  'bytes_in',
  'events_out',
  'bytes_out',
  'copied',
  'created',
  'dropped',
  'dropped_bytes',
  'failed',
  'merged',
  'held',
] as const
export type NodeCount = (typeof NODE_COUNTS)[number]

/** Counts of a node in an interval, apart from its outputs with names, or of one of these outputs. */
export interface CountsOfNode {
  readonly pipeline: string
  readonly node: string
  /** Name of the output; empty: the node apart from its outputs with names. */
  readonly output: string
  /** Index of the interval. */
  readonly bucket: number
  readonly counts: Readonly<Record<NodeCount, number>>
}

type CountsRow = Omit<CountsOfNode, 'counts' | 'bucket'> & { readonly bucket: string } & Readonly<
    Record<`${NodeCount}_sum`, string>
  >

/** Counts of nodes: `StoreSearches.nodeMetrics`. */
export async function nodeMetrics(
  runner: StatementRunner,
  { account, pipelines, fromMs, toMs, intervalMs, ofNodes = false, limit }: NodeMetricsQuery,
  signal?: AbortSignal,
): Promise<CountsOfNode[]> {
  const sums = NODE_COUNTS.map(name => `sum(${name}) AS ${name}_sum`).join(', ')
  const statement = {
    sql: `SELECT pipeline, node, ${ofNodes ? "'' AS output" : 'output'},
  intDiv(toUnixTimestamp64Milli(t) - {from:Int64}, {interval:Int64}) AS bucket, ${sums}
FROM node_metrics
WHERE account = {account:String} AND pipeline IN {pipelines:Array(String)}
  AND t >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND t < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
GROUP BY pipeline, node, ${ofNodes ? '' : 'output, '}bucket
ORDER BY pipeline, node, output, bucket LIMIT {limit:UInt64}`,
    parameters: { account, pipelines: [...pipelines], from: fromMs, to: toMs, interval: intervalMs, limit },
  }
  const rows = await runner.query<CountsRow>(statement, signal)
  return rows.map(row => {
    const counts = Object.fromEntries(NODE_COUNTS.map(name => [name, Number(row[`${name}_sum`])]))
    const { pipeline, node, output, bucket } = row
    return { pipeline, node, output, bucket: Number(bucket), counts: counts as CountsOfNode['counts'] }
  })
}
